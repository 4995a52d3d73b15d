// SPDX-License-Identifier: BSD-3-Clause
// Group: tasks that are waited for together. The fiber or task that made it waits; tasks may be added by any of the same
// scheduler until then. What one of them throws comes out of wait(), and cancels the others. Where the scheduler is none that
// knows tasks each runs in a fiber of its own.
// Invariant: here + elsewhere = tasks that have not ended. The owner's hart counts in a plain number, the others in an atomic
// one, and all in the atomic one while the owner waits, or where the owner may move.
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
      : home_(home_in(scheduler)), scheduler_(scheduler), mine_(&scheduler.tasks_of(*Hart::current())) {}
  explicit Group(Scheduler& scheduler)
      : home_(home_in(scheduler)),
        scheduler_(scheduler),
        mine_(scheduler.stealing() != nullptr ? &scheduler.stealing()->tasks_of(*Hart::current()) : nullptr),
        folded_(mine_ == nullptr) {}
  ~Group() {
    if (!all_have_ended()) wait_for_all();
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  // Some hart calls work(), or work(*this); those of higher priority first, 0 is the usual one.
  template <typename Work>
  void run(Work&& work, int priority = 0) {
    run_made<std::decay_t<Work>>(std::forward<Work>(work), priority);
  }
  // The same of a Work that is made in its place in the task, from what is given.
  template <typename Work, typename Given>
  void run_made(Given&& given, int priority) {
    if (mine_ == nullptr) [[unlikely]] {
      run_in_fiber<Work>(std::forward<Given>(given));
      return;
    }
    Hart& hart = *Hart::current();
    Stealing::Tasks& tasks = tasks_on(hart);
    Task& task = hold<Work>(std::forward<Given>(given), tasks, hart);
    if (priority == 0) [[likely]] {
      mine_->scheduler->spawn_task(tasks, task);
    } else {
      mine_->scheduler->spawn_prior(tasks, task, priority);
    }
  }

  // Harts of that NUMA node before others, which take it when they find nothing else. A scheduler of fibers leaves the node out.
  // Throws Status::range where no hart is of that node.
  template <typename Work>
  void run_on(int node, Work&& work) {
    if (mine_ == nullptr) {
      run_in_fiber<std::decay_t<Work>>(std::forward<Work>(work));
      return;
    }
    const std::size_t index = mine_->scheduler->index_of_node(node);
    Hart& hart = *Hart::current();
    Stealing::Tasks& tasks = tasks_on(hart);
    mine_->scheduler->spawn_on(tasks, hold<std::decay_t<Work>>(std::forward<Work>(work), tasks, hart), index);
  }

  // The work is free of thread-local state: where it waits any hart may go on with it. It has a stack from its start.
  template <typename Work>
  void run_movable(Work&& work) {
    run_in_fiber<std::decay_t<Work>>(std::forward<Work>(work), Fiber::Moves::in_waits);
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

 protected:
  // By who made it: no task is left, and none has thrown.
  [[nodiscard]] bool has_nothing() const noexcept {
    return all_have_ended() && !failed_.load(std::memory_order_relaxed);
  }

 private:
  friend class Dependences;
  friend class Stealing;
  static constexpr std::int64_t kOne = 2;      // a task, in the atomic number
  static constexpr std::int64_t kWaiting = 1;  // the owner waits

  // That of the caller; null where he may leave it.
  [[nodiscard]] static Hart* home_in(const Scheduler& scheduler) {
    Hart* const hart = Hart::current();
    if (hart == nullptr || &hart->scheduler() != &scheduler) [[unlikely]]
      refuse_stranger();
    return hart->fiber().may_move ? nullptr : hart;
  }
  [[nodiscard]] Stealing::Tasks& tasks_on(const Hart& hart) const {
    return &hart == home_ ? *mine_ : mine_->scheduler->tasks_of(hart);
  }
  // In a task of that hart, counted.
  template <typename Work, typename Given>
  Task& hold(Given&& given, Stealing::Tasks& tasks, const Hart& hart) {
    Task& task = tasks.shelf.take();
    task.group = this;
    try {
      task.hold<Work>(std::forward<Given>(given));
    } catch (...) {
      tasks.shelf.give(task);
      throw;
    }
    if (&hart == home_ && !folded_) {
      ++here_;
    } else {
      elsewhere_.fetch_add(kOne, std::memory_order_relaxed);
    }
    return task;
  }
  [[noreturn]] static void refuse_stranger();
  void one_has_ended(const Hart& hart) noexcept {
    if (&hart == home_ && !folded_) {
      --here_;
    } else if (elsewhere_.fetch_sub(kOne, std::memory_order_acq_rel) == kOne + kWaiting) {
      waiter_->wake();
    }
  }
  template <typename Work, typename Given>
  void run_in_fiber(Given&& given, Fiber::Moves moves = Fiber::Moves::never) {
    auto task = std::make_unique<Task>();
    task->group = this;
    task->hold<Work>(std::forward<Given>(given));
    spawn_fiber(std::move(task), moves);
  }
  void spawn_fiber(std::unique_ptr<Task> task, Fiber::Moves moves);
  // The closure is destroyed whether the work was called or not.
  static void run_task(Task& task) noexcept {
    Group& group = *task.group;
    try {
      task.act(task, group.is_cancelled() ? Task::Act::drop : Task::Act::run);
    } catch (...) {
      group.fail(std::current_exception());
    }
  }
  [[nodiscard]] bool all_have_ended() const noexcept {
    return kOne * here_ + elsewhere_.load(std::memory_order_acquire) == 0;
  }
  void fail(std::exception_ptr exception) noexcept;
  void wait_for_all() noexcept;
  void rest() noexcept;
  void rethrow();

  Hart* const home_;  // null: the owner may move
  Scheduler& scheduler_;
  Stealing::Tasks* mine_;  // of the hart that it was made on; null: tasks are fibers
  std::int64_t here_ = 0;
  bool folded_ = false;  // the owner waits, or tasks are fibers: all count elsewhere
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> failed_{false};
  Waiter* waiter_ = nullptr;
  std::exception_ptr exception_;
  alignas(64) std::atomic<std::int64_t> elsewhere_{0};
};

}  // namespace comity::sched
