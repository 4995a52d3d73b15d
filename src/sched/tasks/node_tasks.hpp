// SPDX-License-Identifier: BSD-3-Clause
// NodeTasks: the tasks of a scheduler that name a NUMA node, the oldest of each node first. Harts of that node take them, and others
// that find nothing else. Not: the usual tasks (task_deque), nor when a hart looks here (stealing).
// Invariant: a count tells of each node without the lock; it grows before who pushed looks for idle harts.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "sched/tasks/task.hpp"
#include "sched/waiting/spin_lock.hpp"

namespace comity::sched {

class NodeTasks {
 public:
  // `nodes`: the node of each hart.
  explicit NodeTasks(std::span<const int> nodes) : nodes_(nodes.begin(), nodes.end()) {
    std::sort(nodes_.begin(), nodes_.end());
    nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
    queues_ = std::make_unique<Queue[]>(nodes_.size());
  }

  // What stands for that node in the other functions; none: no hart is of that node.
  [[nodiscard]] std::optional<std::size_t> index_of(int node) const noexcept {
    const auto at = std::lower_bound(nodes_.begin(), nodes_.end(), node);
    if (at == nodes_.end() || *at != node) return std::nullopt;
    return static_cast<std::size_t>(at - nodes_.begin());
  }

  [[nodiscard]] int node(std::size_t index) const noexcept { return nodes_[index]; }

  void push(Task& task, std::size_t index) noexcept {
    Queue& queue = queues_[index];
    task.next = nullptr;
    const std::lock_guard lock(queue.lock);
    (queue.first == nullptr ? queue.first : queue.last->next) = &task;
    queue.last = &task;
    queue.count.fetch_add(1, std::memory_order_seq_cst);
  }

  [[nodiscard]] bool has(std::size_t index) const noexcept {
    return queues_[index].count.load(std::memory_order_seq_cst) > 0;
  }
  [[nodiscard]] bool has_any() const noexcept {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (has(i)) return true;
    }
    return false;
  }

  // Null: there is none any more.
  [[nodiscard]] Task* take(std::size_t index) noexcept {
    if (!has(index)) return nullptr;
    Queue& queue = queues_[index];
    const std::lock_guard lock(queue.lock);
    Task* const task = queue.first;
    if (task == nullptr) return nullptr;
    queue.first = task->next;
    queue.count.fetch_sub(1, std::memory_order_relaxed);
    return task;
  }
  // Of any node, that one first.
  [[nodiscard]] Task* take_any(std::size_t first) noexcept {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (Task* const task = take((first + i) % nodes_.size())) return task;
    }
    return nullptr;
  }

 private:
  struct alignas(64) Queue {
    std::atomic<std::size_t> count{0};
    SpinLock lock;  // what follows
    Task* first = nullptr;
    Task* last = nullptr;
  };

  std::vector<int> nodes_;  // each once
  std::unique_ptr<Queue[]> queues_;
};

}  // namespace comity::sched
