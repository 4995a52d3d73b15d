// SPDX-License-Identifier: BSD-3-Clause
// OfThreads: one object for each thread, as many as there are threads at once: what an ended thread leaves goes to the next one
// that comes, with all that was added up in it. Never freed before the process ends, so anybody walks through without a lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <new>
#include <utility>

namespace comity::metrics {

// What such an object begins with.
template <typename Owned>
class OfThread {
 private:
  template <typename>
  friend class OfThreads;
  Owned* next_ = nullptr;
  std::atomic<bool> taken_{
      true};  // release in leave(), acquire in take(): the next one sees all that the last one wrote
};

template <typename Owned>
class OfThreads {
 public:
  OfThreads() = default;
  ~OfThreads() {
    for (Owned* one = first_.load(std::memory_order_relaxed); one != nullptr;) delete std::exchange(one, one->next_);
  }
  OfThreads(const OfThreads&) = delete;
  OfThreads& operator=(const OfThreads&) = delete;

  // For a thread that has none: what an ended one has left, else a new one; null where memory runs out.
  template <typename... Words>
  [[nodiscard]] Owned* take(const Words&... words) noexcept {
    Owned* const left = take_left();
    return left != nullptr ? left : make(words...);
  }
  // On the thread that took it, which writes in it no more.
  static void leave(Owned& one) noexcept { one.taken_.store(false, std::memory_order_release); }

  template <typename Look>
  void each(Look&& look) const {
    for (const Owned* one = first_.load(std::memory_order_acquire); one != nullptr; one = one->next_) look(*one);
  }
  [[nodiscard]] std::size_t count() const {
    std::size_t found = 0;
    each([&](const Owned&) { ++found; });
    return found;
  }
  // There is no other one.
  [[nodiscard]] bool is_alone(const Owned& one) const {
    return one.next_ == nullptr && first_.load(std::memory_order_relaxed) == &one;
  }

 private:
  Owned* take_left() noexcept {
    for (Owned* one = first_.load(std::memory_order_acquire); one != nullptr; one = one->next_) {
      bool taken = one->taken_.load(std::memory_order_relaxed);
      if (!taken && one->taken_.compare_exchange_strong(taken, true, std::memory_order_acquire)) return one;
    }
    return nullptr;
  }
  template <typename... Words>
  Owned* make(const Words&... words) noexcept {
    try {
      auto* const one = new Owned(words...);
      one->next_ = first_.load(std::memory_order_relaxed);
      while (!first_.compare_exchange_weak(one->next_, one, std::memory_order_acq_rel, std::memory_order_relaxed)) {
      }
      return one;
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }

  std::atomic<Owned*> first_{nullptr};
};

}  // namespace comity::metrics
