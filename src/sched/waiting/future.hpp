// SPDX-License-Identifier: BSD-3-Clause
// Event: something that happens once, and those who wait for it. Promise and Future: a value, or an exception, that comes once.
// For fibers and plain threads.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "sched/waiting/wait_list.hpp"

namespace comity::sched {

class Event {
 public:
  [[nodiscard]] bool has_happened() const noexcept { return first_.load(std::memory_order_acquire) == happened(); }

  void wait() noexcept {
    Waiter* others = first_.load(std::memory_order_acquire);
    Waiter waiter(WaitFor::event, this);
    do {
      if (others == happened()) return;
      waiter.next = others;
    } while (!first_.compare_exchange_weak(others, &waiter, std::memory_order_acq_rel, std::memory_order_acquire));
    waiter.wait();
  }

  // Once. A waiter may destroy the event at once.
  void happen() noexcept { wake_all(first_.exchange(happened(), std::memory_order_acq_rel)); }

 private:
  std::atomic<Waiter*> first_{nullptr};  // the one who came last; happened()
};

template <typename T>
class Future {
 public:
  [[nodiscard]] bool is_ready() const noexcept { return state_->there.has_happened(); }

  // The value, or the exception thrown again; as often as wanted, by as many as want.
  const T& get() const {
    state_->there.wait();
    if (state_->exception) std::rethrow_exception(state_->exception);
    return *state_->value;
  }

 private:
  template <typename>
  friend class Promise;
  struct State {
    Event there;
    std::optional<T> value;
    std::exception_ptr exception;
  };
  explicit Future(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;
};

template <typename T>
class Promise {
 public:
  [[nodiscard]] Future<T> future() const { return Future<T>(state_); }

  // One of them, once.
  void set(T value) {
    state_->value.emplace(std::move(value));
    state_->there.happen();
  }
  void fail(const std::exception_ptr& exception) noexcept {
    state_->exception = exception;
    state_->there.happen();
  }

 private:
  std::shared_ptr<typename Future<T>::State> state_ = std::make_shared<typename Future<T>::State>();
};

}  // namespace comity::sched
