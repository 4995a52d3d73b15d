// SPDX-License-Identifier: BSD-3-Clause
// C++ over sched_sync.h: what fibers, tasks and plain threads wait with, and a queue and a map that stand on it.
#pragma once

#include <comity/sched_sync.h>

#include <array>
#include <comity/failure.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace comity::sched {

// For std::unique_lock and std::lock_guard.
class Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() { check(comity_sched_mutex_lock(&mutex_)); }
  [[nodiscard]] bool try_lock() {
    std::int32_t locked = 0;
    check(comity_sched_mutex_try_lock(&mutex_, &locked));
    return locked != 0;
  }
  void unlock() { check(comity_sched_mutex_unlock(&mutex_)); }
  [[nodiscard]] comity_sched_mutex* handle() { return &mutex_; }

 private:
  comity_sched_mutex mutex_{};
};

class Condition {
 public:
  Condition() = default;
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;

  void wait(std::unique_lock<Mutex>& held) { check(comity_sched_condition_wait(&condition_, held.mutex()->handle())); }
  template <typename Holds>
  void wait(std::unique_lock<Mutex>& held, Holds&& holds) {
    while (!holds()) wait(held);
  }
  // As wait(), of an object that stands on this condition: a deadlock is told as a wait for that.
  template <typename Holds>
  void wait_as(std::unique_lock<Mutex>& held, const comity_sched_wait_name& name, Holds&& holds) {
    while (!holds()) check(comity_sched_condition_wait_as(&condition_, held.mutex()->handle(), &name));
  }
  void notify_one() { check(comity_sched_condition_notify(&condition_, 0)); }
  void notify_all() { check(comity_sched_condition_notify(&condition_, 1)); }

 private:
  comity_sched_condition condition_{};
};

class Semaphore {
 public:
  explicit Semaphore(std::int64_t count) { check(comity_sched_semaphore_begin(&semaphore_, count)); }
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;

  void acquire() { check(comity_sched_semaphore_acquire(&semaphore_)); }
  void release() { check(comity_sched_semaphore_release(&semaphore_)); }

 private:
  comity_sched_semaphore semaphore_;
};

class Barrier {
 public:
  explicit Barrier(int members) { check(comity_sched_barrier_begin(&barrier_, members)); }
  Barrier(const Barrier&) = delete;
  Barrier& operator=(const Barrier&) = delete;

  // True for one of them.
  bool wait() {
    std::int32_t last = 0;
    check(comity_sched_barrier_wait(&barrier_, &last));
    return last != 0;
  }

 private:
  comity_sched_barrier barrier_;
};

template <typename T>
class Promise;

// A value, or an exception, that comes once; copies are of the same one.
template <typename T>
class Future {
 public:
  [[nodiscard]] bool is_ready() const {
    std::int32_t there = 0;
    check(comity_sched_future_test(&state_->there, &there));
    return there != 0;
  }
  // Waits; throws what the promise was broken with. As often as wanted, by as many as want.
  std::add_lvalue_reference_t<const T> get() const {
    check(comity_sched_future_get(&state_->there, nullptr));
    if (state_->exception) std::rethrow_exception(state_->exception);
    if constexpr (!std::is_void_v<T>) return *state_->value;
  }

 private:
  friend class Promise<T>;
  struct Nothing {};
  struct State {
    comity_sched_future there{};
    std::optional<std::conditional_t<std::is_void_v<T>, Nothing, T>> value;
    std::exception_ptr exception;
  };
  explicit Future(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;
};

template <typename T>
class Promise {
 public:
  [[nodiscard]] Future<T> future() const { return Future<T>(state_); }

  // One of these, once.
  template <typename... Value>
  void set(Value&&... value) {
    state_->value.emplace(std::forward<Value>(value)...);
    tell();
  }
  void fail(std::exception_ptr exception) {
    state_->exception = std::move(exception);
    tell();
  }
  // What work() gives or throws.
  template <typename Work>
  void set_from(Work& work) {
    try {
      if constexpr (std::is_void_v<T>) {
        work();
        state_->value.emplace();
      } else {
        state_->value.emplace(work());
      }
    } catch (...) {
      state_->exception = std::current_exception();
    }
    tell();
  }

 private:
  void tell() {
    const auto kept = state_;  // who waits may let go of the last but this
    check(comity_sched_future_set(&kept->there, 0));
  }

  std::shared_ptr<typename Future<T>::State> state_ = std::make_shared<typename Future<T>::State>();
};

// A number that is full or empty, as in Qthreads.
class Word {
 public:
  Word() = default;
  Word(const Word&) = delete;
  Word& operator=(const Word&) = delete;

  std::uint64_t read() { return get(0); }  // waits until it is full, and leaves it so
  std::uint64_t take() { return get(1); }  // the same, and leaves it empty
  void put(std::uint64_t value) { check(comity_sched_word_write(&word_, value, 1)); }  // waits until it is empty
  void write(std::uint64_t value) { check(comity_sched_word_write(&word_, value, 0)); }

 private:
  std::uint64_t get(std::int32_t empty) {
    std::uint64_t value = 0;
    check(comity_sched_word_read(&word_, &value, empty));
    return value;
  }

  comity_sched_word word_{};
};

// Values that go from some to others in order, `capacity` of them under way at most. Who waits here is told by that where nobody
// will ever come (docs/sched.md, deadlocks): functions that may wait are no part of their callers, so that their place is known.
template <typename T>
class Queue;
template <typename T>
class Channel {
 public:
  explicit Channel(std::size_t capacity) : Channel(capacity > 0 ? capacity : 1, "a value of the channel") {}

  // False where it is closed; the value is lost then.
  [[gnu::noinline]] bool send(T value) {
    const comity_sched_wait_name name{"room in the channel", this, __builtin_return_address(0)};
    std::unique_lock<Mutex> held(mutex_);
    not_full_.wait_as(held, name, [&] { return closed_ || values_.size() < capacity_; });
    if (closed_) return false;
    values_.push_back(std::move(value));
    not_empty_.notify_one();
    return true;
  }
  // None where it is closed and empty.
  [[gnu::noinline]] std::optional<T> receive() {
    const comity_sched_wait_name name{value_words_, this, __builtin_return_address(0)};
    std::unique_lock<Mutex> held(mutex_);
    not_empty_.wait_as(held, name, [&] { return closed_ || !values_.empty(); });
    return take();
  }
  // None where there is none now.
  std::optional<T> try_receive() {
    const std::lock_guard<Mutex> held(mutex_);
    return take();
  }
  void close() {
    const std::lock_guard<Mutex> held(mutex_);
    closed_ = true;
    not_empty_.notify_all();
    not_full_.notify_all();
  }
  [[nodiscard]] std::size_t size() {
    const std::lock_guard<Mutex> held(mutex_);
    return values_.size();
  }

 private:
  friend class Queue<T>;
  Channel(std::size_t capacity, const char* value_words) : capacity_(capacity), value_words_(value_words) {}

  std::optional<T> take() {
    if (values_.empty()) return std::nullopt;
    std::optional<T> value(std::move(values_.front()));
    values_.pop_front();
    not_full_.notify_one();
    return value;
  }

  const std::size_t capacity_;
  const char* const value_words_;
  Mutex mutex_;
  Condition not_empty_;
  Condition not_full_;
  std::deque<T> values_;
  bool closed_ = false;
};

// A channel without a bound: sending never waits.
template <typename T>
class Queue : public Channel<T> {
 public:
  Queue() : Channel<T>(std::numeric_limits<std::size_t>::max(), "a value of the queue") {}
};

// A map that fibers of several harts use at once. Each key belongs to one of some parts with a lock of its own; a visit of a value
// has that lock, and may wait for anything but this map.
template <typename Key, typename Value, typename Hash = std::hash<Key>>
class Map {
 public:
  // False where the key is there already; nothing changes then.
  bool insert(const Key& key, Value value) {
    Part& part = part_of(key);
    const std::lock_guard<Mutex> held(part.mutex);
    return part.values.try_emplace(key, std::move(value)).second;
  }
  [[nodiscard]] std::optional<Value> find(const Key& key) {
    Part& part = part_of(key);
    const std::lock_guard<Mutex> held(part.mutex);
    const auto at = part.values.find(key);
    return at == part.values.end() ? std::nullopt : std::optional<Value>(at->second);
  }
  // visit(value) with its lock; a key that is not there comes first with Value().
  template <typename Visit>
  decltype(auto) update(const Key& key, Visit&& visit) {
    Part& part = part_of(key);
    const std::lock_guard<Mutex> held(part.mutex);
    return visit(part.values[key]);
  }
  bool erase(const Key& key) {
    Part& part = part_of(key);
    const std::lock_guard<Mutex> held(part.mutex);
    return part.values.erase(key) > 0;
  }
  // visit(key, value) for all that are there, one part after another; others may change the rest meanwhile.
  template <typename Visit>
  void for_each(Visit&& visit) {
    for (Part& part : parts_) {
      const std::lock_guard<Mutex> held(part.mutex);
      for (auto& [key, value] : part.values) visit(key, value);
    }
  }
  [[nodiscard]] std::size_t size() {
    std::size_t sum = 0;
    for (Part& part : parts_) {
      const std::lock_guard<Mutex> held(part.mutex);
      sum += part.values.size();
    }
    return sum;
  }

 private:
  static constexpr std::size_t kParts = 64;
  struct alignas(64) Part {
    Mutex mutex;
    std::unordered_map<Key, Value, Hash> values;
  };
  // Neighbours in hash are neighbours in their part's table too: the high bits choose the part.
  Part& part_of(const Key& key) {
    constexpr std::uint64_t kGolden = 0x9e37'79b9'7f4a'7c15;
    return parts_[std::uint64_t{Hash{}(key)} * kGolden >> 58];
  }

  std::array<Part, kParts> parts_;
};

}  // namespace comity::sched
