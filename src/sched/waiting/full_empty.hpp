// SPDX-License-Identifier: BSD-3-Clause
// FullEmpty: a word that is full or empty, as in Qthreads: who reads waits until it is full, who writes until it is empty. For
// fibers and plain threads.
#pragma once

#include <mutex>
#include <utility>

#include "sched/waiting/mutex.hpp"

namespace comity::sched {

template <typename T>
class FullEmpty {
 public:
  FullEmpty() = default;                                                  // empty
  explicit FullEmpty(T value) : value_(std::move(value)), full_(true) {}  // full

  // Waits until it is full, and leaves it so.
  T read() {
    std::unique_lock held(mutex_);
    changed_.wait(held, WaitFor::word, this, [&] { return full_; });
    return value_;
  }
  // Waits until it is full, and leaves it empty.
  T take() {
    std::unique_lock held(mutex_);
    changed_.wait(held, WaitFor::word, this, [&] { return full_; });
    full_ = false;
    changed_.notify_all();
    return std::move(value_);
  }
  // Waits until it is empty, and leaves it full.
  void put(T value) {
    std::unique_lock held(mutex_);
    changed_.wait(held, WaitFor::word, this, [&] { return !full_; });
    fill(std::move(value));
  }
  // Full with this value, whatever it was.
  void write(T value) {
    const std::unique_lock held(mutex_);
    fill(std::move(value));
  }
  void empty() {
    const std::unique_lock held(mutex_);
    full_ = false;
    changed_.notify_all();
  }

 private:
  void fill(T value) {
    value_ = std::move(value);
    full_ = true;
    changed_.notify_all();
  }

  Mutex mutex_;
  Condition changed_;
  T value_{};
  bool full_ = false;
};

}  // namespace comity::sched
