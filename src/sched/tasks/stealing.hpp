// SPDX-License-Identifier: BSD-3-Clause
// Stealing: tasks. A hart runs its own newest task first and steals others' oldest where it has none. Tasks run one after
// another on the stack of a worker, a fiber; one that waits keeps that worker, and another goes on with the rest.
// A hart that finds nothing lingers for a moment, and is given back. Not: who waits for which tasks (group).
// Invariant: a hart is told idle before its last look at what there is to steal, so that whoever offers a task afterwards
// sees the idle hart and asks for it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "sched/harts/hart.hpp"
#include "sched/scheduler.hpp"
#include "sched/tasks/node_tasks.hpp"
#include "sched/tasks/prior_tasks.hpp"
#include "sched/tasks/task.hpp"
#include "sched/tasks/task_deque.hpp"
#include "sched/tasks/victims.hpp"

namespace comity::sched {

class Stealing : public Scheduler {
 public:
  // What it has of a hart; that hart alone uses it, but for what others may steal.
  struct alignas(64) Tasks {
    TaskDeque<Task> deque;
    TaskShelf shelf;
    Fiber* idle_workers = nullptr;
    std::uint32_t random = 1;
    std::size_t node = 0;  // as NodeTasks has it
    Victims victims;
    Stealing* scheduler = nullptr;
  };

  ~Stealing() override;

  [[nodiscard]] Tasks& tasks_of(const Hart& hart) noexcept { return tasks_[hart.number()]; }

  // To be run by whoever comes first. On the hart of `mine`; runs it at once where there are too many.
  void spawn_task(Tasks& mine, Task& task) {
    if (!mine.deque.push(task)) [[unlikely]] {
      run(mine, task);
      return;
    }
    if (harts_idle()) [[unlikely]]
      call_for_help(mine, mine.node);
  }
  // The same for one that is to be begun before others, or after them (priority below 0).
  void spawn_prior(Tasks& mine, Task& task, int priority);
  // The same for one of a NUMA node, by its index; that throws Status::range where no hart is of that node.
  void spawn_on(Tasks& mine, Task& task, std::size_t index) noexcept;
  [[nodiscard]] std::size_t index_of_node(int node) const;
  // Between two tasks: what is left is shown to harts that have nothing to do.
  void show_rest(Tasks& mine) noexcept {
    if (harts_idle() && !mine.deque.empty_for_owner()) [[unlikely]]
      call_for_help(mine, mine.node);
  }
  // Whether some of a priority above 0 wait to be begun.
  [[nodiscard]] bool has_urgent() const noexcept { return prior_.has_urgent(); }
  static void run(Tasks& mine, Task& task) noexcept;

 protected:
  explicit Stealing(Scheduler& parent);

  Next hart_granted(Lane& lane) override;
  Fiber* next_fiber(Lane& lane) noexcept override;
  void fiber_made(Lane& lane, Fiber& fiber) noexcept override;
  bool has_bound(const Lane& lane) const noexcept override;

 private:
  [[nodiscard]] static bool steal(Tasks& mine);
  [[nodiscard]] static bool steal_from(const std::vector<Victim>& victims, Tasks& mine);
  void call_for_help(Tasks& mine, std::size_t node) noexcept;  // rather from that node, as NodeTasks has it
  [[nodiscard]] Fiber& worker(Tasks& mine, Hart& hart);
  static void work(void* scheduler);
  [[nodiscard]] bool find_task(Tasks& mine, Hart& hart) noexcept;
  [[nodiscard]] Task* take(Tasks& mine) noexcept;
  [[nodiscard]] Task* take_of_others(Tasks& mine) noexcept;

  const std::unique_ptr<Tasks[]> tasks_;  // by the number of the hart
  PriorTasks prior_;
  NodeTasks of_nodes_;
};

}  // namespace comity::sched
