// SPDX-License-Identifier: BSD-3-Clause
#include "coop/decision/agreement.hpp"

#include <type_traits>
#include <utility>
#include <vector>

#include "coop/decision/shares.hpp"
#include "os/cpus/cpu_order.hpp"

namespace comity::coop {

static_assert(std::is_trivially_copyable_v<RankFacts> && std::is_trivially_copyable_v<NodeFacts>);

Agreement agree(MpiBootstrap& bootstrap, const RankFacts& mine) {
  std::vector<RankFacts> ranks(static_cast<std::size_t>(bootstrap.candidate_size()));
  bootstrap.candidate_gather(&mine, ranks.data(), sizeof mine);
  NodeFacts node = sum_up(ranks);
  std::vector<CpuSet> shares = shares_of(ranks, os::in_order_of_cores(ranks.front().reach));
  if (!shares.empty()) node.cores_of_a_share = static_cast<std::uint32_t>(shares.front().count());
  std::vector<NodeFacts> nodes(static_cast<std::size_t>(bootstrap.job_size()));
  bootstrap.job_gather(&node, nodes.data(), sizeof node);
  return {.rank = mine, .node = node, .verdict = judge(nodes), .ranks = std::move(ranks), .shares = std::move(shares)};
}

}  // namespace comity::coop
