// SPDX-License-Identifier: BSD-3-Clause
// Semaphore and Barrier for fibers and plain threads: who waits leaves its hart to others.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "sched/waiting/wait_list.hpp"

namespace comity::sched {

class Semaphore {
 public:
  explicit Semaphore(std::size_t count) : count_(count) {}

  // Takes one, in the order of asking.
  void acquire() noexcept {
    Waiter waiter(WaitFor::semaphore, this);
    {
      const std::lock_guard lock(lock_);
      if (count_ > 0) {
        --count_;
        return;
      }
      queue_.push(waiter);
    }
    waiter.wait();  // one was handed over
  }

  [[nodiscard]] bool try_acquire() noexcept {
    const std::lock_guard lock(lock_);
    if (count_ == 0) return false;
    --count_;
    return true;
  }

  void release() noexcept {
    Waiter* heir = nullptr;
    {
      const std::lock_guard lock(lock_);
      heir = queue_.pop();
      if (heir == nullptr) ++count_;
    }
    if (heir != nullptr) heir->wake();
  }

 private:
  SpinLock lock_;
  std::size_t count_;
  WaitList queue_;
};

class Barrier {
 public:
  explicit Barrier(std::size_t members) : members_(members) {}

  // Until all members have come; then it is there for the next round. True for one of them, the last.
  bool wait() noexcept {
    const std::uint64_t before = word_.fetch_add(1, std::memory_order_acq_rel);
    const std::uint64_t round = before / kRound;
    if (before % kRound + 1 == members_) {
      release(round);
      return true;
    }
    const auto over = [this, round] { return is_over(round); };
    if (Hart* const hart = Hart::current()) hart->watch(over);
    if (!over()) rest(round);
    return false;
  }

 private:
  static constexpr std::uint64_t kRound = std::uint64_t{1} << 32;

  [[nodiscard]] bool is_over(std::uint64_t round) const noexcept {
    return word_.load(std::memory_order_acquire) / kRound != round;
  }

  void rest(std::uint64_t round) noexcept {
    while (true) {
      Waiter waiter(WaitFor::barrier, this);
      {
        const std::lock_guard lock(lock_);
        if (is_over(round)) return;
        queue_.push(waiter);
      }
      waiter.wait();  // also ended by the end of the round before, if that came to the queue only now
    }
  }

  // The word first and alone, for that is what others look at.
  void release(std::uint64_t round) noexcept {
    word_.store((round + 1) * kRound, std::memory_order_release);
    Waiter* all = nullptr;
    {
      const std::lock_guard lock(lock_);
      all = queue_.take_all();
    }
    wake_all(all);
  }

  const std::size_t members_;
  alignas(64) std::atomic<std::uint64_t> word_{0};  // the round, and how many have come to it
  alignas(64) SpinLock lock_;                       // what follows
  WaitList queue_;
};

}  // namespace comity::sched
