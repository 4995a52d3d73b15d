// SPDX-License-Identifier: BSD-3-Clause
// HeldMutex: a mutex of which each thread knows whether it holds one. A handler of a signal may have interrupted the thread that
// holds it, and end the process by exit(): what runs there asks first, for it would wait for itself. Not: which one it is.
#pragma once

#include <atomic>
#include <mutex>

namespace comity {

class HeldMutex {
 public:
  // Counted before it is taken and until it has been given back: whoever interrupts either finds it counted.
  void lock() {
    count(1);
    mutex_.lock();
  }
  [[nodiscard]] bool try_lock() {
    count(1);
    if (mutex_.try_lock()) return true;
    count(-1);
    return false;
  }
  void unlock() {
    mutex_.unlock();
    count(-1);
  }
  [[nodiscard]] static bool this_thread_holds_one() noexcept { return held_ != 0; }

 private:
  // In the order of the program for a handler of the same thread.
  static void count(int by) noexcept {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    held_ = held_ + by;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }

  std::mutex mutex_;
  static inline constinit thread_local int held_ = 0;  // of no fixed place: programs load libraries that have it
};

}  // namespace comity
