// SPDX-License-Identifier: BSD-3-Clause
// Task: a piece of work that has no stack of its own before it waits for something. TaskShelf: where a hart takes the memory
// of its tasks from; what another hart has run comes back in bundles.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace comity::sched {

class Group;
class TaskShelf;

// Work may ask for the group that it is of.
template <typename Work>
void call(Work& work, [[maybe_unused]] Group& of) {
  if constexpr (std::is_invocable_v<Work&, Group&>) {
    work(of);
  } else {
    work();
  }
}

struct alignas(64) Task {
  enum class Act : unsigned char {
    run,
    drop
  };  // drop: of a group that was cancelled; the closure is destroyed either way

  void (*act)(Task& task, Act what);  // may throw what the work throws, with the closure destroyed
  Group* group;
  TaskShelf* home;
  Task* next;  // on a shelf, or in a queue
  alignas(16) std::byte closure[32];

  // A `Plain` that is made of what is given.
  template <typename Plain, typename Given>
  void hold(Given&& given) {
    if constexpr (sizeof(Plain) <= sizeof(closure) && alignof(Plain) <= 16) {
      new (closure) Plain(std::forward<Given>(given));
      act = [](Task& task, Act what) {
        auto* const mine = std::launder(reinterpret_cast<Plain*>(task.closure));
        const std::unique_ptr<Plain, decltype([](Plain* end) { end->~Plain(); })> destroyed_at_end(mine);
        if (what == Act::run) call(*mine, *task.group);
      };
    } else {
      new (closure) Plain*(new Plain(std::forward<Given>(given)));
      act = [](Task& task, Act what) {
        const std::unique_ptr<Plain> mine(*std::launder(reinterpret_cast<Plain**>(task.closure)));
        if (what == Act::run) call(*mine, *task.group);
      };
    }
  }
};

class alignas(64) TaskShelf {
 public:
  // By the owner.
  [[nodiscard]] Task& take() {
    if (first_ == nullptr) [[unlikely]]
      refill();
    Task& task = *first_;
    first_ = task.next;
    return task;
  }

  // By the owner of this shelf, wherever the task came from.
  void give(Task& task) noexcept {
    if (task.home == this) [[likely]] {
      task.next = first_;
      first_ = &task;
    } else {
      send(task);
    }
  }

 private:
  static constexpr std::size_t kChunk = 64;
  static constexpr unsigned kBundle = 32;

  [[gnu::noinline]] void refill() {
    first_ = returned_.exchange(nullptr, std::memory_order_acquire);
    if (first_ != nullptr) return;
    chunks_.push_back(std::make_unique_for_overwrite<Task[]>(kChunk));
    for (std::size_t i = 0; i < kChunk; ++i) {
      Task& task = chunks_.back()[i];
      task.home = this;
      task.next = first_;
      first_ = &task;
    }
  }

  void send(Task& task) noexcept {
    if (outgoing_ != nullptr && outgoing_->home != task.home) flush();
    task.next = outgoing_;
    if (outgoing_ == nullptr) outgoing_last_ = &task;
    outgoing_ = &task;
    if (++outgoing_count_ == kBundle) flush();
  }

  void flush() noexcept {
    auto& to = outgoing_->home->returned_;
    Task* before = to.load(std::memory_order_relaxed);
    do {
      outgoing_last_->next = before;
    } while (!to.compare_exchange_weak(before, outgoing_, std::memory_order_release, std::memory_order_relaxed));
    outgoing_ = nullptr;
    outgoing_count_ = 0;
  }

  Task* first_ = nullptr;
  Task* outgoing_ = nullptr;  // of one other shelf
  Task* outgoing_last_ = nullptr;
  unsigned outgoing_count_ = 0;
  std::vector<std::unique_ptr<Task[]>> chunks_;
  alignas(64) std::atomic<Task*> returned_{nullptr};
};

}  // namespace comity::sched
