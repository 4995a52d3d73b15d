// SPDX-License-Identifier: BSD-3-Clause
// Merging at the end of a run: the ranks' files become one, run.comity in the user's folder. Each node's ranks send theirs to
// the lowest of them, its leader; leaders pass them on in a binary tree to rank 0, piece by piece, so that nobody holds a body in
// memory: it is the program's, which still has its own. A host that does not share the folder keeps its own file, run-node-<n>.comity, and one line says so.
// Not: what a killed job left (recover).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "record/merge/exchange.hpp"

namespace comity::record {

struct MergePlan {
  std::vector<std::uint32_t> node_of_rank;  // of all ranks, the same on all; numbers as in the ranks' files
  std::string job;                          // the same on all
  std::string folder;                       // the user's, claimed by a rank of each node
  std::string job_folder;                   // where this rank's file is; "" where it made none
};

struct MergeOutcome {
  std::string file;     // that holds this rank's record; "" where it was not merged
  std::string problem;  // why not, and where it is instead
};

// Collective. After it a merged rank's own file is gone, and so are the job's folder and the node's note. Throws only what the
// exchange does; then, and where there is a problem, the ranks' files stay, and recover() can merge them later.
[[nodiscard]] MergeOutcome merge(Exchange& exchange, const MergePlan& plan);

}  // namespace comity::record
