// SPDX-License-Identifier: BSD-3-Clause
// Agreement: all ranks of a job decide alike whether their waits give cores away, once it is known who shares a node.
#pragma once

#include <vector>

#include "coop/decision/crowd.hpp"
#include "coop/mpi_bootstrap.hpp"

namespace comity::coop {

struct Agreement {
  RankFacts rank;  // this one
  NodeFacts node;  // its node
  Verdict verdict;
  std::vector<RankFacts> ranks;  // of the node, by candidate rank
  std::vector<CpuSet> shares;    // by the same; empty: each stays where it is, or is spread
};

// Collective over the job.
[[nodiscard]] Agreement agree(MpiBootstrap& bootstrap, const RankFacts& mine);

}  // namespace comity::coop
