// SPDX-License-Identifier: BSD-3-Clause
// Group: tasks that are waited for together. The fiber or task that made it waits; tasks may be added by any of the same
// scheduler until then. What one of them throws comes out of wait(), and cancels the others. Where the scheduler is none that
// knows tasks each runs in a fiber of its own.
// Invariant: here + elsewhere = tasks that have not ended. The owner's hart counts in a plain number, the others in an atomic
// one, and all in the atomic one while the owner waits.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

#include "sched/tasks/stealing.hpp"
#include "sched/waiter.hpp"

namespace comity::sched {

class Group {
 public:
  // From a fiber or task of that scheduler; throws Status::order from another.
  explicit Group(Stealing& scheduler)
      : home_(Hart::current()), scheduler_(scheduler), mine_(&scheduler.tasks_of(home_in(scheduler))) {}
  explicit Group(Scheduler& scheduler);
  ~Group() { wait_for_all(); }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  // Some hart calls work(), or work(*this); those of higher priority first, 0 is the usual one.
  template <typename Work>
  void run(Work&& work, int priority = 0) {
    if (mine_ == nullptr) [[unlikely]] {
      run_in_fiber(std::forward<Work>(work));
      return;
    }
    Hart& hart = *Hart::current();
    const bool at_home = &hart == home_;
    Stealing::Tasks& tasks = at_home ? *mine_ : mine_->scheduler->tasks_of(hart);
    Task& task = tasks.shelf.take();
    task.group = this;
    task.hold(std::forward<Work>(work));
    if (at_home && !folded_) {
      ++here_;
    } else {
      elsewhere_.fetch_add(kOne, std::memory_order_relaxed);
    }
    if (priority == 0) [[likely]] {
      mine_->scheduler->spawn_task(tasks, task);
    } else {
      mine_->scheduler->spawn_prior(tasks, task, priority);
    }
  }

  // Until all have ended; then throws what the first of them threw, if one did, and the group is as new. By who made it.
  void wait() {
    wait_for_all();
    cancelled_.store(false, std::memory_order_relaxed);
    if (failed_.load(std::memory_order_relaxed)) [[unlikely]]
      rethrow();
  }

  // Tasks that have not begun are dropped; those that have may ask.
  void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool is_cancelled() const noexcept { return cancelled_.load(std::memory_order_relaxed); }

  [[nodiscard]] Scheduler& scheduler() const noexcept { return scheduler_; }

 private:
  friend class Dependences;
  friend class Stealing;
  static constexpr std::int64_t kOne = 2;      // a task, in the atomic number
  static constexpr std::int64_t kWaiting = 1;  // the owner waits

  [[nodiscard]] Hart& home_in(const Scheduler& scheduler) const {
    if (home_ == nullptr || &home_->scheduler() != &scheduler) [[unlikely]]
      refuse_stranger();
    return *home_;
  }
  [[noreturn]] static void refuse_stranger();
  void one_has_ended(const Hart& hart) noexcept {
    if (&hart == home_ && !folded_) {
      --here_;
    } else if (elsewhere_.fetch_sub(kOne, std::memory_order_acq_rel) == kOne + kWaiting) {
      waiter_->wake();
    }
  }
  template <typename Work>
  void run_in_fiber(Work&& work) {
    auto task = std::make_unique<Task>();
    task->group = this;
    task->hold(std::forward<Work>(work));
    spawn_fiber(std::move(task));
  }
  void spawn_fiber(std::unique_ptr<Task> task);
  // The closure is destroyed whether the work was called or not.
  static void run_task(Task& task) noexcept {
    Group& group = *task.group;
    try {
      task.act(task, group.is_cancelled() ? Task::Act::drop : Task::Act::run);
    } catch (...) {
      group.fail(std::current_exception());
    }
  }
  void fail(std::exception_ptr exception) noexcept;
  void wait_for_all() noexcept;
  void rest() noexcept;
  void rethrow();

  Hart* const home_;
  Scheduler& scheduler_;
  Stealing::Tasks* mine_;  // of the home hart; null: tasks are fibers
  std::int64_t here_ = 0;
  bool folded_ = false;  // the owner waits, or tasks are fibers: all count elsewhere
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> failed_{false};
  Waiter* waiter_ = nullptr;
  std::exception_ptr exception_;
  alignas(64) std::atomic<std::int64_t> elsewhere_{0};
};

}  // namespace comity::sched
