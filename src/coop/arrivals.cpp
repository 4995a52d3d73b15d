// SPDX-License-Identifier: BSD-3-Clause
#include "coop/arrivals.hpp"

#include "base/error.hpp"
#include "base/log.hpp"
#include "coop/wait.hpp"

namespace comity::coop {

namespace {

// What a thread asked about last: most programs stay with one communicator for long.
struct Recent {
  const void* of;
  std::uint64_t handle;
  std::uint32_t age;
  node::Group* group;
};
constinit thread_local Recent recent __attribute__((tls_model("initial-exec"))){nullptr, 0, 0, nullptr};

}  // namespace

// Null: its ranks do not meet.
std::optional<node::Group*> Arrivals::known(std::uint64_t handle) {
  const std::uint32_t age = age_.load(std::memory_order_acquire);
  if (recent.of == this && recent.handle == handle && recent.age == age) return recent.group;
  const std::lock_guard guard(mutex_);
  const auto found = groups_.find(handle);
  if (found == groups_.end()) return std::nullopt;
  recent = {this, handle, age, found->second.get()};
  return recent.group;
}

void Arrivals::set(std::uint64_t handle, std::unique_ptr<node::Group> group) {
  const std::lock_guard guard(mutex_);
  groups_[handle] = std::move(group);
  age_.fetch_add(1, std::memory_order_release);
}

// All these ranks come to the same answer, or make the group together.
void Arrivals::learn(const Place& place) { set(place.handle, make_group(place)); }

void Arrivals::learn_stranger(std::uint64_t handle) { set(handle, nullptr); }

std::unique_ptr<node::Group> Arrivals::make_group(const Place& place) const {
  if (place.world_ranks.size() < 2) return nullptr;
  std::vector<int> here;
  for (const std::int32_t rank : place.world_ranks) {
    const int participant = peers_.participant_of(rank);
    if (participant != kElsewhere) here.push_back(participant);
  }
  try {
    std::unique_ptr<node::Group> group = peers_.node().make_group(place.bootstrap, here);
    return here.size() > 1 ? std::move(group) : nullptr;
  } catch (const Error& error) {
    log::info("coop", std::string("the ranks of a communicator do not meet before its collectives: ") + error.what());
    return nullptr;
  }
}

bool Arrivals::meet(std::uint64_t handle) {
  const std::optional<node::Group*> group = known(handle);
  if (!group) return false;
  if (*group == nullptr) return true;
  try {
    wait_for_all(**group);
  } catch (const Error& error) {
    log::warning("coop", std::string("wait before a collective: ") + error.what());
    set(handle, nullptr);
  }
  return true;
}

void Arrivals::wait_for_all(node::Group& group) {
  if (group.arrive()) return peers_.ring(group.participants());
  if (peers_.may_spin() && group.all_come_soon()) return;
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
  age_.fetch_add(1, std::memory_order_release);
}

}  // namespace comity::coop
