// SPDX-License-Identifier: BSD-3-Clause
// PriorTasks: the tasks of a scheduler that have a priority of their own, which any hart takes: urgent ones (above 0) before all
// others, late ones (below) when there is nothing else; of one priority the oldest first. Not: the usual tasks (task_deque).
// Invariant: a count tells of each kind without the lock; it grows before who pushed looks for idle harts.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "sched/tasks/task.hpp"

namespace comity::sched {

class PriorTasks {
 public:
  // `priority` is not 0.
  void push(Task& task, int priority) {
    Kind& kind = priority > 0 ? urgent_ : late_;
    const std::lock_guard lock(mutex_);
    kind.heap.push_back({priority, ++pushed_, &task});
    std::push_heap(kind.heap.begin(), kind.heap.end());
    kind.count.fetch_add(1, std::memory_order_seq_cst);
  }

  [[nodiscard]] bool has_urgent() const noexcept { return has(urgent_); }
  [[nodiscard]] bool has_late() const noexcept { return has(late_); }
  [[nodiscard]] bool has_any() const noexcept { return has_urgent() || has_late(); }
  // Null: there is none any more.
  [[nodiscard]] Task* take_urgent() noexcept { return take(urgent_); }
  [[nodiscard]] Task* take_late() noexcept { return take(late_); }

 private:
  struct Entry {
    int priority;
    std::uint64_t pushed;  // the how manieth
    Task* task;

    [[nodiscard]] bool operator<(const Entry& other) const noexcept {
      return priority != other.priority ? priority < other.priority : pushed > other.pushed;
    }
  };
  struct Kind {
    std::vector<Entry> heap;
    std::atomic<std::size_t> count{0};
  };

  [[nodiscard]] static bool has(const Kind& kind) noexcept { return kind.count.load(std::memory_order_seq_cst) > 0; }

  [[nodiscard]] Task* take(Kind& kind) noexcept {
    const std::lock_guard lock(mutex_);
    if (kind.heap.empty()) return nullptr;
    std::pop_heap(kind.heap.begin(), kind.heap.end());
    Task* const task = kind.heap.back().task;
    kind.heap.pop_back();
    kind.count.fetch_sub(1, std::memory_order_relaxed);
    return task;
  }

  alignas(64) Kind urgent_;  // looked at before each task
  alignas(64) Kind late_;
  std::mutex mutex_;
  std::uint64_t pushed_ = 0;
};

}  // namespace comity::sched
