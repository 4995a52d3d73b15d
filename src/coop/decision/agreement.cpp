// SPDX-License-Identifier: BSD-3-Clause
#include "coop/decision/agreement.hpp"

#include <type_traits>
#include <vector>

namespace comity::coop {

static_assert(std::is_trivially_copyable_v<RankFacts> && std::is_trivially_copyable_v<NodeFacts>);

Agreement agree(MpiBootstrap& bootstrap, const RankFacts& mine) {
  std::vector<RankFacts> ranks(static_cast<std::size_t>(bootstrap.candidate_size()));
  bootstrap.candidate_gather(&mine, ranks.data(), sizeof mine);
  const NodeFacts node = sum_up(ranks);
  std::vector<NodeFacts> nodes(static_cast<std::size_t>(bootstrap.job_size()));
  bootstrap.job_gather(&node, nodes.data(), sizeof node);
  return {.rank = mine, .node = node, .verdict = judge(nodes)};
}

}  // namespace comity::coop
