// SPDX-License-Identifier: BSD-3-Clause
// Fiber: code that runs on a stack of its own and rests where it waits. It stands at the upper end of that stack, so making one
// touches a single page. Not: when it runs (scheduler), where stacks come from (stack_pool).
// Invariants: it is in one list at most; once it has run, it goes on on that hart alone, unless it may move.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "sched/fibers/execution.hpp"
#include "sched/fibers/rest_state.hpp"

namespace comity::sched {

class Hart;
class Scheduler;
class Waiter;

struct alignas(64) Fiber : Execution {
  using Entry = void (*)(void*);
  enum class End : std::uint8_t { joined, detached };   // whether somebody waits for its end
  enum class Moves : std::uint8_t { never, in_waits };  // in_waits: its work is free of thread-local state

  // What begins it fits into one line of the cache, with the place where its execution rests.
  Fiber* next = nullptr;  // in the list that it is in
  Hart* home = nullptr;   // where it has run; null before that, and while any hart may go on with it
  Entry entry = nullptr;
  void* argument = nullptr;
  Scheduler* scheduler = nullptr;
  std::atomic<const Waiter*> waiting{nullptr};  // while it waits: for what
  const void* called_from = nullptr;            // of the call that it is in, where the library is entered from outside
  std::atomic<Waiter*> joiner{nullptr};         // who waits for its end; happened() once it has
  const Hart* bound_to =
      nullptr;  // the hart that alone runs it from its start, known to who made it; null: any may begin it
  const std::uint64_t* canary = nullptr;  // the lowest word of a stack without a guard; null: it has one
  bool detached = false;                  // nobody will join it
  bool goes_last =
      false;  // after a wait, when no other fiber can go on here: it will keep its hart while it waits for others
  bool may_move = false;    // any hart may go on with it after a wait
  bool is_leaving = false;  // the same: it waits, and its hart has not told RestState that it has left the stack
  RestState<> rest;         // the same

  std::byte* stack_low = nullptr;
  std::size_t stack_bytes = 0;  // from there up to this fiber
  std::uint64_t number = 0;     // counts those of the process
  std::array<char, 24> name{};  // "": none

  // What a stack from the pool is to run.
  void begin(Scheduler& of, Entry what, void* with, std::string_view called, End end = End::joined,
             Moves moves = Moves::never) noexcept {
    home = nullptr;
    scheduler = &of;
    entry = what;
    argument = with;
    called_from = nullptr;
    goes_last = false;
    may_move = moves == Moves::in_waits;
    bound_to = nullptr;
    joiner.store(nullptr, std::memory_order_relaxed);
    detached = end == End::detached;
    set_name(called);
  }

  // Begins to bring to this hart's cache what making it, beginning it and its end write, and the top of its stack.
  void fetch() noexcept {
    __builtin_prefetch(this, 1);
    __builtin_prefetch(&joiner, 1);
    __builtin_prefetch(reinterpret_cast<const std::byte*>(this) - 1, 1);
  }

  void set_name(std::string_view text) noexcept {
    name[0] = '\0';
    if (!text.empty()) [[unlikely]]
      copy_name(text);
  }
  [[gnu::noinline]] void copy_name(std::string_view text) noexcept {
    const std::size_t length = text.size() < name.size() ? text.size() : name.size() - 1;
    std::memcpy(name.data(), text.data(), length);
    name[length] = '\0';
  }
};

// First in, first out; of one hart, or under its owner's lock.
class FiberList {
 public:
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
  [[nodiscard]] const Fiber* first() const noexcept { return first_; }

  void push(Fiber& fiber) noexcept {
    fiber.next = nullptr;
    if (first_ == nullptr) {
      first_ = &fiber;
    } else {
      last_->next = &fiber;
    }
    last_ = &fiber;
  }

  [[nodiscard]] Fiber* pop() noexcept {
    Fiber* const fiber = first_;
    if (fiber != nullptr) first_ = fiber->next;
    return fiber;
  }

 private:
  Fiber* first_ = nullptr;
  Fiber* last_ = nullptr;
};

}  // namespace comity::sched
