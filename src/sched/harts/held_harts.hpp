// SPDX-License-Identifier: BSD-3-Clause
// HeldHarts: harts that are kept from running fibers while other threads use their CPUs, as the teams of an OpenMP runtime. Not:
// which threads those are (openmp_team, own_thread).
// Invariant: of a held hart and the thread that stands for it one runs at a time: a thread that sleeps in a wait of ours
// lends the hart back, and goes on when that is held again.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/clock.hpp"
#include "sched/harts/hart.hpp"
#include "sched/scheduler.hpp"
#include "sched/waiting/wait_list.hpp"

namespace comity::sched {

class HeldHart {
 public:
  HeldHart() = default;
  explicit HeldHart(Hart& hart) noexcept : hart_(&hart) {}

  [[nodiscard]] Hart& hart() const noexcept { return *hart_; }
  [[nodiscard]] std::size_t cpu() const noexcept { return hart_->cpu(); }

  // What the calling thread stands for; null: nothing.
  static void stand_for(HeldHart* hart) noexcept;
  [[nodiscard]] static HeldHart* of_this_thread() noexcept;

  // By the thread that stands for it, around its sleep.
  void lend() noexcept;
  void take_back() noexcept;

  void hold() noexcept;  // by a fiber on that hart, until release()
  void release() noexcept;

 private:
  friend class HeldHarts;
  enum State : std::uint32_t { held, lent, wanted, released };

  void rest_while_lent() noexcept;

  Hart* hart_ = nullptr;
  std::atomic<std::uint32_t> state_{held};
  std::atomic<Waiter*> lender_{nullptr};  // the fiber that holds, while it has lent its hart; happened()
};

class HeldHarts : public Scheduler {
 public:
  // So many harts at most, those that come within `patience`. From a fiber of another scheduler, once.
  void take(std::size_t most, Nanoseconds patience);
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] HeldHart& at(std::size_t index) noexcept { return harts_[index]; }
  void give_back() noexcept;

 protected:
  explicit HeldHarts(Scheduler& parent) : Scheduler(parent) {}

  void fiber_made(Lane&, Fiber& fiber) noexcept override { share(fiber); }
  Fiber* next_fiber(Lane& lane) noexcept override {
    Fiber* const here = lane.ready.pop();
    return here != nullptr ? here : take_shared();
  }

 private:
  void hold_one(Hart& hart) noexcept;

  std::unique_ptr<HeldHart[]> harts_;
  SpinLock lock_;  // what follows
  std::size_t count_ = 0;
  bool complete_ = false;  // no more are taken
};

// The hart on which the caller waits, where it is one that is held, or a fiber that stands for it as a member: what it waits for
// has to go on there, for any other may be held again before its end. Null: any hart will do.
[[nodiscard]] Hart* only_hart_of_caller() noexcept;

}  // namespace comity::sched
