// SPDX-License-Identifier: BSD-3-Clause
// Channel: values that go from fibers or threads to others in order, a bounded number under way. FullEmpty: a word that is full
// or empty, as in Qthreads: who reads waits until it is full, who writes until it is empty.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "sched/waiting/mutex.hpp"

namespace comity::sched {

template <typename T>
class Channel {
 public:
  explicit Channel(std::size_t capacity) : capacity_(capacity > 0 ? capacity : 1) {}

  // False where it is closed; the value is lost then.
  bool send(T value) {
    std::unique_lock held(mutex_);
    not_full_.wait(held, WaitFor::channel, this, [&] { return closed_ || values_.size() < capacity_; });
    if (closed_) return false;
    values_.push_back(std::move(value));
    not_empty_.notify_one();
    return true;
  }

  // None where it is closed and empty.
  std::optional<T> receive() {
    std::unique_lock held(mutex_);
    not_empty_.wait(held, WaitFor::channel, this, [&] { return closed_ || !values_.empty(); });
    if (values_.empty()) return std::nullopt;
    std::optional<T> value(std::move(values_.front()));
    values_.pop_front();
    not_full_.notify_one();
    return value;
  }

  void close() {
    const std::unique_lock held(mutex_);
    closed_ = true;
    not_empty_.notify_all();
    not_full_.notify_all();
  }

 private:
  const std::size_t capacity_;
  Mutex mutex_;
  Condition not_empty_;
  Condition not_full_;
  std::deque<T> values_;
  bool closed_ = false;
};

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
