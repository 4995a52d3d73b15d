// SPDX-License-Identifier: BSD-3-Clause
#include "coop/arrivals.hpp"

#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"

namespace comity::coop {

namespace {

// What a thread asked about last: most programs stay with one communicator for long.
struct Recent {
  const void* of;
  std::uint64_t handle;
  std::uint32_t age;
  Meeting* meeting;
};
constinit thread_local Recent recent __attribute__((tls_model("initial-exec"))){nullptr, 0, 0, nullptr};

}  // namespace

std::optional<Meeting*> Arrivals::find(std::uint64_t handle) {
  const std::uint32_t age = age_.load(std::memory_order_acquire);
  if (recent.of == this && recent.handle == handle && recent.age == age) return recent.meeting;
  const std::lock_guard guard(mutex_);
  const auto found = meetings_.find(handle);
  if (found == meetings_.end()) return std::nullopt;
  recent = {this, handle, age, found->second.get()};
  return recent.meeting;
}

void Arrivals::set(std::uint64_t handle, std::unique_ptr<Meeting> meeting) {
  const std::lock_guard guard(mutex_);
  meetings_[handle] = std::move(meeting);
  age_.fetch_add(1, std::memory_order_release);
}

// All these ranks come to the same answer, or make the group together.
void Arrivals::learn(const Place& place) { set(place.handle, make_meeting(place)); }

void Arrivals::learn_stranger(std::uint64_t handle) { set(handle, nullptr); }

// A program that makes many communicators would be told of each.
void Arrivals::tell_once(const Error& error) {
  if (has_told_.exchange(true)) return;
  log::info("coop",
            std::string("the ranks of a communicator, and maybe of more, do not meet before its collectives: ") +
                error.what());
}

std::unique_ptr<Meeting> Arrivals::make_meeting(const Place& place) {
  if (place.world_ranks.size() < 2) return nullptr;
  std::vector<int> here;
  for (const std::int32_t rank : place.world_ranks) {
    const int participant = peers_.participant_of(rank);
    if (participant != kElsewhere) here.push_back(participant);
  }
  try {
    std::unique_ptr<node::Group> group = peers_.node().make_group(place.bootstrap, here);
    if (here.size() < 2) return nullptr;
    return std::make_unique<Meeting>(peers_, std::move(group), place.world_ranks, progress_);
  } catch (const Error& error) {
    tell_once(error);
    return nullptr;
  }
}

Meeting* Arrivals::meet(std::uint64_t handle, Meeting* meeting, const Whom& whom, Meeting::Behind behind,
                        Meeting::Taken taken, const Board::Part& part) {
  if (meeting == nullptr) return nullptr;
  try {
    meeting->come(whom, behind, taken, part);
    return meeting;
  } catch (const Error& error) {
    // The others may have seen all that they need, and go on without the library's call.
    if (meeting->laid_kind() != 0 && meeting->have_all_laid()) return meeting;
    const std::string what = error.what();
    log::warning("coop", "ranks no longer wait for one another in front of the collectives of a communicator: " +
                             what.substr(0, what.find(';')));  // what follows is advice to those who have made a group
    set(handle, nullptr);
    return nullptr;
  }
}

Arrivals::Kept Arrivals::forget(std::uint64_t handle) {
  const std::lock_guard guard(mutex_);
  age_.fetch_add(1, std::memory_order_release);
  return meetings_.extract(handle);
}

void Arrivals::remember(Kept kept) {
  const std::lock_guard guard(mutex_);
  meetings_.insert(std::move(kept));
  age_.fetch_add(1, std::memory_order_release);
}

}  // namespace comity::coop
