// SPDX-License-Identifier: BSD-3-Clause
// What a context takes on a large node: ranks as processes that one process starts, without MPI: so many ranks of an MPI
// would wait for one another on few cores longer than anybody for them. The machine may be one that hwloc makes up
// (HWLOC_SYNTHETIC).
#pragma once

#include "common/timing.hpp"

namespace bench::quo {

// [KB] growth of all ranks together, from before the create to after it.
[[nodiscard]] Outcome full_node(int ranks);

// What full_node() starts as `bench-quo kRankWord RANK RANKS DESCRIPTOR`.
inline constexpr const char* kRankWord = "--full-node-rank";
void be_rank_of_full_node(int rank, int ranks, int memory);

}  // namespace bench::quo
