// SPDX-License-Identifier: BSD-3-Clause
// JobShape: how many ranks and threads a launcher's line will start, as far as it tells before it is run, and whether on this
// node alone.
#pragma once

#include <optional>
#include <vector>

#include "cli/run/hand_over.hpp"
#include "cli/run/program.hpp"

namespace comity::cli::launch {

struct PartShape {
  std::optional<int> ranks;  // none: the launcher decides
  int threads = 1;           // of a rank, at least
  bool threads_known = false;
};

struct JobShape {
  std::vector<PartShape> parts;
  bool on_this_node = false;
  bool binds_by_wish = false;     // the user says where ranks run
  bool binds_by_default = false;  // the launcher may, if they do not
  bool is_one_program = false;    // or several, each of which tells its MPI by its file
  bool may_spread = false;        // Open MPI's launcher starts the programs itself, and binds them by its default alone
};

// `programs`: of each part of the line, in order. `cores`: of this node.
[[nodiscard]] JobShape shape_of(const LaunchLine& line, const std::vector<Program>& programs,
                                const std::string& launcher_version, int cores, const Environment& environment,
                                const IsProgram& is_program);

}  // namespace comity::cli::launch
