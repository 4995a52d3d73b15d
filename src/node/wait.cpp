// SPDX-License-Identifier: BSD-3-Clause
// How a member of a group waits: it spins a little where the machine has room, then sleeps in slices, and
// after each slice tests whether those it waits for live.
#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "base/spin.hpp"
#include "node/group.hpp"

namespace comity::node {
namespace {

constexpr int kLooksPerClock = 64;  // a look is a few cycles, the clock some tens of nanoseconds

// While this lives the harts of this process count as idle.
class Asleep {
 public:
  explicit Asleep(Node& node) : node_(node) { node_.fall_asleep(); }
  ~Asleep() { node_.awake(); }
  Asleep(const Asleep&) = delete;
  Asleep& operator=(const Asleep&) = delete;

 private:
  Node& node_;
};

std::int64_t deadline_of(std::optional<Nanoseconds> timeout) {
  if (!timeout) return kNever;
  return timeout->count() <= 0 ? 0 : deadline_after(*timeout);
}

}  // namespace

bool Group::goes_on(Phase phase) const {
  switch (phase) {
    case Phase::waiting:
      return true;
    case Phase::released:
      return false;
    case Phase::broken:
      throw_lost();
    case Phase::stale:
      break;
  }
  throw Error(Status::peer_lost,
              "this group was given up by the others, who took this process for dead: something closed a descriptor "
              "that it does not own; see the node page on closing all descriptors");
}

void Group::throw_lost() const {
  const int lost = std::clamp(barrier_.lost_rank(), 0, size() - 1);
  const int who = participant(lost);
  const bool left = members_[static_cast<std::size_t>(lost)].presence.load() == Presence::left;
  throw Error(Status::peer_lost, "rank " + std::to_string(lost) + " (pid " + std::to_string(node_->pid(who)) +
                                     ") of the group " + (left ? "left it" : "died") +
                                     "; free the group and go on without it");
}

void Group::throw_timeout(std::uint32_t generation) const {
  std::string missing;
  for (int rank = 0; rank < size(); ++rank) {
    if (rank == rank_ || barrier_.has_arrived(rank, generation)) continue;
    missing += (missing.empty() ? " " : ", ") + std::to_string(rank);
  }
  throw Error(Status::timeout, "wait for the group: the time given has passed, not there yet: rank" + missing +
                                   "; call again to go on waiting");
}

void Group::require_own_process() const {
  if (!node_->is_fork_child()) return;
  throw Error(Status::handle, "wait for a group in a fork child: only the process that made it is a member");
}

void Group::wait(std::optional<Nanoseconds> timeout, Meanwhile* meanwhile) {
  require_own_process();
  const std::int64_t deadline_ns = deadline_of(timeout);
  const std::uint32_t generation = barrier_.generation();
  if (!goes_on(barrier_.arrive(generation))) return;
  if (deadline_ns > 0) {
    spin(generation, deadline_ns);
    if (!goes_on(barrier_.look(generation))) return;
    if (meanwhile != nullptr) {
      wait_in(*meanwhile, generation, deadline_ns);
    } else {
      sleep(generation, deadline_ns);
    }
    if (!goes_on(barrier_.look(generation))) return;
  }
  give_up(generation);
}

void Group::look_for_the_dead() {
  require_own_process();
  if (!is_time_to_test()) return;
  for (int rank = 0; rank < size(); ++rank) {
    if (turns_.has_come(rank) || !is_gone(rank)) continue;
    barrier_.break_because_of(rank, barrier_.generation());
    throw_lost();
  }
}

void Group::spin(std::uint32_t generation, std::int64_t deadline_ns) {
  const Nanoseconds budget = node_->spin_budget();
  if (budget.count() <= 0) return;
  const std::int64_t end_ns = std::min(deadline_ns, deadline_after(budget));
  do {
    for (int look = 0; look < kLooksPerClock; ++look) {
      if (barrier_.look(generation) != Phase::waiting) return;
      spin_pause();
    }
  } while (now_ns() < end_ns && !node_->hart_is_wanted());
}

// Nothing where the segment's time is none that can be.
void Group::note_wake_since(std::int64_t released_ns) {
  const std::int64_t now = now_ns();
  if (released_ns > 0 && released_ns <= now) node_->note_wake(Nanoseconds(now - released_ns));
}

void Group::sleep(std::uint32_t generation, std::int64_t deadline_ns) {
  const Asleep asleep(*node_);
  for (std::int64_t now = now_ns(); now < deadline_ns; now = now_ns()) {
    const os::FutexEnd end =
        barrier_.sleep_until(generation, std::min(deadline_ns, deadline_after(node_->slice(), now)));
    const Phase phase = barrier_.look(generation);
    // A break wakes too, and leaves the time of an earlier release; a signal's handler or a stop is no part of a wake-up.
    if (phase == Phase::released && end == os::FutexEnd::woken) note_wake_since(barrier_.released_ns());
    if (phase != Phase::waiting) return;
    test_members(generation);
  }
}

void Group::wait_in(Meanwhile& meanwhile, std::uint32_t generation, std::int64_t deadline_ns) {
  const auto goes_on = [&] { return barrier_.look(generation) == Phase::waiting; };
  const auto over = [&] {
    if (goes_on()) test_members(generation);
    return !goes_on();
  };
  const auto nap = [&](std::int64_t until_ns) {
    const Asleep asleep(*node_);
    barrier_.sleep_until(generation, until_ns);
  };
  meanwhile.until(over, nap, deadline_ns);
}

// At most once a slice.
bool Group::is_time_to_test() {
  if (now_ns() < deadline_after(node_->slice(), tested_ns_)) return false;
  tested_ns_ = now_ns();
  return true;
}

bool Group::is_gone(int rank) {
  if (members_[static_cast<std::size_t>(rank)].presence.load(std::memory_order_acquire) == Presence::left) return true;
  const int who = participants_[static_cast<std::size_t>(rank)];
  if (node_->alive(who)) return false;
  node_->drop_dead(who);
  return true;
}

void Group::test_members(std::uint32_t generation) {
  if (!is_time_to_test()) return;
  for (int rank = 0; rank < size(); ++rank) {
    if (is_gone(rank)) return barrier_.break_because_of(rank, generation);
  }
}

// The time is up: out again, unless the others came at the last moment.
void Group::give_up(std::uint32_t generation) {
  test_members(generation);
  if (goes_on(barrier_.withdraw(generation))) throw_timeout(generation);
}

}  // namespace comity::node
