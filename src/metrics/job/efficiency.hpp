// SPDX-License-Identifier: BSD-3-Clause
// Efficiencies in the manner of POP (Performance Optimisation and Productivity), of processors and not of processes: who
// borrows a core uses it, and a core counts once however many ranks may run on it. Pure functions; formulas and sources:
// docs/metrics.md.
#pragma once

#include <optional>
#include <vector>

#include "metrics/rank/use.hpp"

namespace comity::metrics {

struct Efficiency {
  double parallel = 0;  // of all processors' time, how much was useful
  std::optional<double>
      load_balance;  // none where ranks used more processors than their share: they lent one another some
  std::optional<double> in_nodes;
  std::optional<double> communication;
  double between_nodes = 1;
};

// Of one rank, as a part of what all of them together are.
struct RankEfficiency {
  double parallel = 0;                 // of its share of the processors' time, how much was useful
  std::optional<double> load_balance;  // against the rank with most; none as above
};

// `processors`: how many each node's ranks have, all together. All of them at least one; the stretch is as long as that of
// the rank that was in it longest.
[[nodiscard]] Efficiency efficiency(const std::vector<Use>& ranks, const std::vector<int>& processors);
// Of each rank, in their order.
[[nodiscard]] std::vector<RankEfficiency> rank_efficiencies(const std::vector<Use>& ranks,
                                                            const std::vector<int>& processors);
// Of one node's ranks, over a stretch of the whole job.
[[nodiscard]] Efficiency node_efficiency(std::vector<Use> ranks, int processors, double wall_ns);

}  // namespace comity::metrics
