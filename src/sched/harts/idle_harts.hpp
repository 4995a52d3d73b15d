// SPDX-License-Identifier: BSD-3-Clause
// IdleHarts: how many harts have nothing to do, how many of these sleep, and how many of the sleeping ones a request wakes. Those
// awake look for requests themselves. Not: whom (substrate).
// Invariants: a hart says that it sleeps before its last look at what is wanted; one that is idle no longer looks whether it was
// counted on by somebody who woke nobody else; while somebody looks at what all have left none that wakes goes on.
// Atomic: std::atomic; a test puts one there that stops at each access.
#pragma once

#include <atomic>
#include <cstdint>

namespace comity::sched {

template <template <typename> typename Atomic = std::atomic>
class IdleHarts {
 public:
  using Flag = Atomic<std::uint32_t>;  // of a hart. 1: its thread sleeps on it, or is about to

  [[nodiscard]] int idle() const noexcept { return idle_.load(std::memory_order_relaxed); }
  [[nodiscard]] int parked() const noexcept { return parked_.load(std::memory_order_relaxed); }
  [[nodiscard]] int parked_now() const noexcept { return parked_.load(std::memory_order_seq_cst); }
  // How often a hart was about to wake for good.
  [[nodiscard]] std::uint64_t times_unparked() const noexcept { return unparked_.load(std::memory_order_seq_cst); }
  // For those who need the count itself.
  [[nodiscard]] const Atomic<int>& count() const noexcept { return idle_; }

  void begin_idle() noexcept { idle_.fetch_add(1, std::memory_order_seq_cst); }
  // Whether others sleep: who has asked for harts meanwhile may have counted on this one, which is taken now.
  [[nodiscard]] bool end_idle() noexcept {
    idle_.fetch_sub(1, std::memory_order_seq_cst);
    return parked_.load(std::memory_order_seq_cst) > 0;
  }

  // Before the last look and the sleep; returns how many are parked then.
  int begin_park(Flag& mine) noexcept {
    const int parked = parked_.fetch_add(1, std::memory_order_seq_cst) + 1;
    // An exchange, which a store is on x86-64 anyway: emulators of Arm let the look that follows pass a store.
    (void)mine.exchange(1, std::memory_order_seq_cst);
    return parked;
  }
  void end_park(Flag& mine) noexcept {
    mine.store(0, std::memory_order_relaxed);
    unparked_.fetch_add(1, std::memory_order_seq_cst);
    parked_.fetch_sub(1, std::memory_order_seq_cst);
  }

  // By who looks at fibers of harts that sleep: between these two none goes on that parked_now() counts afterwards.
  void begin_look() noexcept { (void)lookers_.fetch_add(1, std::memory_order_seq_cst); }
  void end_look() noexcept { (void)lookers_.fetch_sub(1, std::memory_order_seq_cst); }
  // By a hart that has ended its sleep: it goes on when this is false.
  [[nodiscard]] bool is_looked_at() const noexcept { return lookers_.load(std::memory_order_seq_cst) > 0; }

  // Whether the hart of that flag slept, or was about to: then it is to be woken in the kernel too.
  [[nodiscard]] static bool unpark(Flag& flag) noexcept {
    return flag.load(std::memory_order_seq_cst) != 0 && flag.exchange(0, std::memory_order_seq_cst) != 0;
  }

  // How many to wake for what is wanted; `wanted` is called where somebody sleeps at all.
  template <typename Wanted>
  [[nodiscard]] int to_wake(const Wanted& wanted) const noexcept {
    const int parked = parked_.load(std::memory_order_seq_cst);
    if (parked == 0) return 0;
    const int awake = idle_.load(std::memory_order_seq_cst) - parked;
    return wanted() - awake;
  }

 private:
  Atomic<int> idle_{0};  // parked ones among them
  Atomic<int> parked_{0};
  Atomic<std::uint64_t> unparked_{0};
  Atomic<int> lookers_{0};
};

}  // namespace comity::sched
