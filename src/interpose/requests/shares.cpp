// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/requests/shares.hpp"

#include "interpose/requests/neighbors.hpp"
#include "interpose/requests/parts.hpp"
#include "interpose/watch.hpp"

namespace comity::interpose {
namespace {

template <class Do>
void each_share(const AnyArguments& call, const Members& members, Do&& act) {
  const Facts* const facts = &kFacts[call.number];
  const Neighbors& around = neighbors_of(call.communicator(), members);
  for (std::size_t i = 0; i < around.destinations.size(); ++i) {
    if (around.destinations[i] == MPI_PROC_NULL) continue;
    const std::uint64_t bytes = bytes_of(call, given(call.row), i);
    act(Message{facts, members.id, members.world_rank(around.destinations[i]), kNobody, bytes, 0});
  }
  for (std::size_t i = 0; i < around.sources.size(); ++i) {
    if (around.sources[i] == MPI_PROC_NULL) continue;
    const std::uint64_t bytes = bytes_of(call, taken(call.row), i);
    act(Message{facts, members.id, kNobody, members.world_rank(around.sources[i]), 0, bytes});
  }
}

}  // namespace

void tell_shares(const AnyArguments& call, const Members& members) {
  const Watch& watch = watches[call.number];
  each_share(call, members, [&](const Message& share) { watch.shared(share); });
}

Shares shares_of(const AnyArguments& call, const Members& members) {
  Shares shares;
  each_share(call, members, [&](const Message& share) { shares.push_back(share); });
  return shares;
}

}  // namespace comity::interpose
