// SPDX-License-Identifier: BSD-3-Clause
// Scaling: the memory of several runs side by side, of other numbers of ranks, other inputs or other MPIs: a line a run.
// Not: what exactly differs between two of them (comparison), nor reading records (cli).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "memory/job/job.hpp"
#include "memory/job/spread.hpp"

namespace comity::memory {

// At their peaks, bytes a rank. A peak of several components is the most that they can have had together.
struct RunFigures {
  std::string name;
  std::string mpi_library;  // as it names itself
  std::size_t ranks = 0;
  std::size_t nodes = 0;
  bool owners_known = false;
  Spread mpi;
  Spread with_mpi;  // MPI and what it brings
  Spread application;
  Spread total;  // resident, as the kernel has it
  // MPI's by the rule of older tools, where all ranks have kept it in the same way; method "": they have not.
  std::string delta_method;
  Spread delta;
  double node_with_mpi = 0;  // the mean of nodes' sums over their ranks
  // It is known. Of each rank it adds the peaks of components, each of its own moment: no more can have been there.
  bool node_with_mpi_is_bound = false;
  std::optional<double>
      node_with_mpi_at_one_moment;  // the same at the moment at which samples saw most; none: they do not tell
  double node_total = 0;            // the same, of what is proportional at the end, so that shared pages count once
};

// `together`: of samples, where there are some.
[[nodiscard]] RunFigures figures_of(const Job& job, std::string name, std::string mpi_library,
                                    const Together& together = {});

[[nodiscard]] std::string text_of(const std::vector<RunFigures>& runs);
[[nodiscard]] nlohmann::ordered_json json_of(const std::vector<RunFigures>& runs);
// A line a run, for a plot.
[[nodiscard]] std::string rows_of(const std::vector<RunFigures>& runs);

}  // namespace comity::memory
