// SPDX-License-Identifier: BSD-3-Clause
#include "coop/arrivals.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/log.hpp"
#include "coop/wait.hpp"

namespace comity::coop {

bool Arrivals::may_meet(std::span<const std::int32_t> world_ranks) {
  return world_ranks.size() > 1 && std::ranges::all_of(world_ranks, [](std::int32_t rank) { return rank >= 0; });
}

std::optional<Arrivals::Shared> Arrivals::known(std::uint64_t handle) {
  const std::lock_guard guard(mutex_);
  const auto found = groups_.find(handle);
  return found == groups_.end() ? std::nullopt : std::optional(found->second);
}

// All ranks of the communicator come to the same answer, or make the group together.
void Arrivals::learn(const Place& place) {
  Shared made = make_group(place);
  const std::lock_guard guard(mutex_);
  groups_[place.handle] = std::move(made);
}

void Arrivals::learn_stranger(std::uint64_t handle) {
  const std::lock_guard guard(mutex_);
  groups_[handle] = nullptr;
}

Arrivals::Shared Arrivals::make_group(const Place& place) const {
  if (!may_meet(place.world_ranks)) return nullptr;
  std::vector<int> here;
  for (const std::int32_t rank : place.world_ranks) {
    const int participant = peers_.participant_of(rank);
    if (participant != kElsewhere) here.push_back(participant);
  }
  try {
    Shared group = peers_.node().make_group(place.bootstrap, here);
    return here.size() > 1 ? group : nullptr;
  } catch (const Error& error) {
    log::info("coop", std::string("the ranks of a communicator do not meet before its collectives: ") + error.what());
    return nullptr;
  }
}

bool Arrivals::meet(std::uint64_t handle) {
  const std::optional<Shared> group = known(handle);
  if (!group) return false;
  if (!*group) return true;
  try {
    wait_for_all(**group);
  } catch (const Error& error) {
    log::warning("coop", std::string("wait before a collective: ") + error.what());
    const std::lock_guard guard(mutex_);
    groups_[handle] = nullptr;
  }
  return true;
}

void Arrivals::wait_for_all(node::Group& group) {
  if (group.arrive()) {
    for (const int participant : group.participants()) peers_.ring(participant);
    return;
  }
  wait_until(peers_, [&] {
    if (group.all_are_here()) return true;
    progress_();
    group.look_for_the_dead();
    return group.all_are_here();
  });
}

void Arrivals::forget(std::uint64_t handle) {
  const std::lock_guard guard(mutex_);
  groups_.erase(handle);
}

}  // namespace comity::coop
