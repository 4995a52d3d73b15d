// SPDX-License-Identifier: BSD-3-Clause
// ByteChannel: values that go from fibers or threads to others in order, a bounded number under way. They are bytes of one size,
// in memory of its user.
#pragma once

#include <cstddef>
#include <cstring>
#include <mutex>

#include "sched/waiting/mutex.hpp"

namespace comity::sched {

class ByteChannel {
 public:
  // `memory` has room for `capacity` values of `value_bytes`.
  ByteChannel(std::byte* memory, std::size_t value_bytes, std::size_t capacity)
      : memory_(memory), value_bytes_(value_bytes), capacity_(capacity) {}

  // False where it is closed.
  bool send(const void* value) {
    std::unique_lock held(mutex_);
    not_full_.wait(held, WaitFor::channel_room, this, [&] { return closed_ || count_ < capacity_; });
    if (closed_) return false;
    std::memcpy(slot(first_ + count_++), value, value_bytes_);
    not_empty_.notify_one();
    return true;
  }

  // False where it is closed and empty.
  bool receive(void* value) {
    std::unique_lock held(mutex_);
    not_empty_.wait(held, WaitFor::channel_value, this, [&] { return closed_ || count_ > 0; });
    if (count_ == 0) return false;
    std::memcpy(value, slot(first_), value_bytes_);
    first_ = (first_ + 1) % capacity_;
    --count_;
    not_full_.notify_one();
    return true;
  }

  void close() {
    const std::unique_lock held(mutex_);
    closed_ = true;
    not_empty_.notify_all();
    not_full_.notify_all();
  }

 private:
  [[nodiscard]] std::byte* slot(std::size_t index) const { return memory_ + index % capacity_ * value_bytes_; }

  std::byte* const memory_;
  const std::size_t value_bytes_;
  const std::size_t capacity_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  bool closed_ = false;
  Mutex mutex_;
  Condition not_empty_;
  Condition not_full_;
};

}  // namespace comity::sched
