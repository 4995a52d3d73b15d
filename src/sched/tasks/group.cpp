// SPDX-License-Identifier: BSD-3-Clause
#include "sched/tasks/group.hpp"

#include "base/error.hpp"

namespace comity::sched {

void Group::refuse_stranger() {
  throw Error(Status::order,
              "make a group of tasks: the caller is no fiber or task of that scheduler; begin one there with spawn()");
}

void Group::spawn_fiber(std::unique_ptr<Task> task, Fiber::Moves moves) {
  elsewhere_.fetch_add(kOne, std::memory_order_relaxed);
  try {
    scheduler_.spawn(
        [](void* argument) {
          const std::unique_ptr<Task> mine(static_cast<Task*>(argument));
          run_task(*mine);
          mine->group->one_has_ended(*Hart::current());
        },
        task.get(), {}, Fiber::End::detached, moves);
    (void)task.release();
  } catch (...) {
    task->act(*task, Task::Act::drop);
    elsewhere_.fetch_sub(kOne, std::memory_order_relaxed);
    throw;
  }
}

void Group::fail(std::exception_ptr exception) noexcept {
  if (failed_.exchange(true, std::memory_order_relaxed)) return;
  exception_ = std::move(exception);
  cancel();
}

void Group::rethrow() {
  failed_.store(false, std::memory_order_relaxed);
  std::rethrow_exception(std::exchange(exception_, nullptr));
}

void Group::wait_for_all() noexcept {
  // As long as the newest task of this hart is ours, and none is urgent, it is run here, as if it had been called. An urgent one
  // may be of another group, and wait for what comes after this wait: so a worker runs it.
  while (here_ > 0 && !mine_->scheduler->has_urgent()) {
    Task* const task = mine_->deque.pop();
    if (task == nullptr) break;
    if (task->group != this) {
      (void)mine_->deque.push(*task);
      break;
    }
    mine_->scheduler->show_rest(*mine_);
    home_->tell_new_runtimes();
    run_task(*task);
    mine_->shelf.give(*task);
    --here_;  // nobody rests who waits here, so what is made at home counts here
  }
  if (!all_have_ended()) rest();
}

void Group::rest() noexcept {
  Waiter waiter(WaitFor::group, this);
  waiter_ = &waiter;
  folded_ = true;
  const std::int64_t here = std::exchange(here_, 0);
  const std::int64_t before = elsewhere_.fetch_add(kOne * here + kWaiting, std::memory_order_acq_rel);
  if (before + kOne * here != 0) waiter.wait();
  elsewhere_.store(0, std::memory_order_relaxed);
  folded_ = mine_ == nullptr;
}

}  // namespace comity::sched
