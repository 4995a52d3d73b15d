// SPDX-License-Identifier: BSD-3-Clause
#include "coop/calls/started_collectives.hpp"

#include <algorithm>
#include <exception>

namespace comity::coop {
namespace {

using interpose::Members;

bool all_take_part(const Peers& peers, const Members& members) {
  const auto takes_part = [&](std::int32_t rank) { return peers.takes_part(rank); };
  return std::ranges::all_of(members.peers, takes_part) && std::ranges::all_of(members.own, takes_part);
}

bool all_are_here(const Peers& peers, const Members& members) {
  return std::ranges::all_of(members.peers,
                             [&](std::int32_t rank) { return peers.participant_of(rank) != kElsewhere; });
}

bool starts(const Cooperation& here, MPI_Comm communicator, const Members& members, Starts when, const Whom& whom) {
  if (members.between_groups) return all_take_part(here.peers, members);  // they never meet
  // Without data MPICH's ranks are through a broadcast or a reduction to all at once, and wait for others in its nonblocking form.
  if (whom.is_nobody_at_all()) return false;
  if (members.size() < 2 || !all_take_part(here.peers, members)) return false;
  return when == Starts::always || !all_are_here(here.peers, members) || is_new(communicator);
}

}  // namespace

Way way_of(MPI_Comm communicator, Starts when, const Whom& whom) noexcept {
  Cooperation* const here = at_work();
  if (here == nullptr || !here->starts_collectives) return {};
  try {
    const Members* const members = interpose::members_of_communicator(communicator);
    return {.starts = members != nullptr && starts(*here, communicator, *members, when, whom) ? here : nullptr};
  } catch (const std::exception&) {
    // There is no memory to know it, and the others go on: the wrong call would leave all of them waiting for ever.
    real::MPI_Comm_call_errhandler(communicator, MPI_ERR_NO_MEM);
    return {.code = MPI_ERR_NO_MEM};
  }
}

}  // namespace comity::coop
