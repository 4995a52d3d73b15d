// SPDX-License-Identifier: BSD-3-Clause
#include "coop/lookout.hpp"

#include <chrono>
#include <exception>

#include "base/clock.hpp"
#include "coop/library/error_handlers.hpp"
#include "os/threads/futex.hpp"

namespace comity::coop {
namespace {

// Who looks naps for 10 ms at most.
constexpr Nanoseconds kPatience = std::chrono::milliseconds(250);

// The seat may be gone as soon as its thread sees that; a wake-up without cause at its place harms nobody.
void call(std::atomic<std::uint32_t>& state, std::uint32_t to) {
  state.store(to, std::memory_order_release);
  os::futex_wake(state);
}

}  // namespace

// An error handler of the program runs on the thread whose call it is.
bool Lookout::is_open() const { return is_open_.load(std::memory_order_relaxed) && !handlers_were_set(); }

bool Lookout::sit_down(Seat& seat) {
  const std::lock_guard guard(mutex_);
  newest_ns_.store(now_ns(), std::memory_order_relaxed);
  if (looker_.load(std::memory_order_relaxed) == nullptr) {
    looker_.store(&seat, std::memory_order_relaxed);
    return true;
  }
  seat.next_ = sleepers_.load(std::memory_order_relaxed);
  sleepers_.store(&seat, std::memory_order_relaxed);
  return false;
}

bool Lookout::sleep(Seat& seat) {
  std::uint64_t seen = looks_.load(std::memory_order_relaxed);
  while (seat.state_.load(std::memory_order_acquire) == Seat::kSleeps) {
    const os::FutexEnd end = os::futex_wait_until(seat.state_, Seat::kSleeps, deadline_after(kPatience));
    if (end == os::FutexEnd::timed_out && takes_over(seat, seen)) return false;
  }
  return seat.state_.load(std::memory_order_acquire) == Seat::kOver;
}

// Where nobody has looked for long. Not while what it waits for is asked.
bool Lookout::takes_over(Seat& seat, std::uint64_t& seen) {
  const std::uint64_t before = seen;
  seen = looks_.load(std::memory_order_relaxed);
  if (seen != before) return false;
  const std::lock_guard guard(mutex_);
  if (!take_out(seat)) return false;
  looker_.store(&seat, std::memory_order_relaxed);
  return true;
}

void Lookout::look_for_others(const Seat& me) {
  if (looker_.load(std::memory_order_relaxed) != &me) return;
  looks_.fetch_add(1, std::memory_order_relaxed);
  if (sleepers_.load(std::memory_order_relaxed) == nullptr) return;
  for (Seat* seat = take_all(); seat != nullptr;) {
    Seat* const next = seat->next_;
    answer(*seat);
    seat = next;
  }
}

// What a test throws is for its own thread, which asks anew.
void Lookout::answer(Seat& seat) {
  if (!is_open()) return call(seat.state_, Seat::kLooks);
  try {
    if (!seat.ask_(seat.test_)) return put_back(seat);
    call(seat.state_, Seat::kOver);
  } catch (const std::exception&) {
    call(seat.state_, Seat::kLooks);
  }
}

void Lookout::leave(const Seat& seat) {
  const std::lock_guard guard(mutex_);
  if (looker_.load(std::memory_order_relaxed) != &seat) return;
  Seat* const next = sleepers_.load(std::memory_order_relaxed);
  looker_.store(next, std::memory_order_relaxed);
  if (next == nullptr) return;
  sleepers_.store(next->next_, std::memory_order_relaxed);
  call(next->state_, Seat::kLooks);
}

void Lookout::put_back(Seat& seat) {
  const std::lock_guard guard(mutex_);
  seat.next_ = sleepers_.load(std::memory_order_relaxed);
  sleepers_.store(&seat, std::memory_order_relaxed);
}

// False: it is not among those that sleep.
bool Lookout::take_out(const Seat& seat) {
  Seat* before = nullptr;
  for (Seat* one = sleepers_.load(std::memory_order_relaxed); one != nullptr; before = one, one = one->next_) {
    if (one != &seat) continue;
    if (before != nullptr) {
      before->next_ = one->next_;
    } else {
      sleepers_.store(one->next_, std::memory_order_relaxed);
    }
    return true;
  }
  return false;
}

Lookout::Seat* Lookout::take_all() {
  const std::lock_guard guard(mutex_);
  return sleepers_.exchange(nullptr, std::memory_order_relaxed);
}

}  // namespace comity::coop
