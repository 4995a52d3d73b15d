// SPDX-License-Identifier: BSD-3-Clause
// Execution: a point in some code that rests, with its stack, and the switch from one to another on the same kernel thread.
// Not: who is next (scheduler). Invariant: an execution goes on only on the thread that it has run on before, for compilers
// keep addresses of thread-local variables in registers and on stacks; but for one whose user vouches for it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sched/fibers/sanitizers.hpp"
#include "sched/fibers/stack_switch.hpp"

namespace comity::sched {

// Of one thread: what C++ and C keep for it that belongs to what runs on it at the moment.
struct ThreadState {
  struct Exceptions {  // the C++ ABI's __cxa_eh_globals
    void* caught;
    unsigned int uncaught;
  };
  Exceptions* exceptions;
  int* error_number;

  [[nodiscard]] static ThreadState of_this_thread() noexcept;
};

struct Execution : RestingStack {
  void* caught = nullptr;
  unsigned int uncaught = 0;
  int error_number = 0;
  [[no_unique_address]] StackNotes notes;  // of its stack, for sanitizers

  // It will begin in `start`, with nothing thrown and no error, on the stack from `low` up to `top`.
  void prepare(void* low, void* top, Start start, const FloatControl& control) noexcept {
    const auto bytes = static_cast<std::size_t>(static_cast<std::byte*>(top) - static_cast<std::byte*>(low));
    RestingStack::prepare(top, bytes, start, control);
    caught = nullptr;
    uncaught = 0;
    error_number = 0;
    note_stack(notes, low, bytes);
  }
};

namespace detail {

inline void save(Execution& of, const ThreadState& thread) noexcept {
  of.caught = thread.exceptions->caught;
  of.uncaught = thread.exceptions->uncaught;
  of.error_number = *thread.error_number;
}

inline void restore(const Execution& of, const ThreadState& thread) noexcept {
  thread.exceptions->caught = of.caught;
  thread.exceptions->uncaught = of.uncaught;
  *thread.error_number = of.error_number;
}

}  // namespace detail

// The first words of an execution that begins.
inline void begin_execution(const Execution& self, const ThreadState& thread) noexcept {
  arrive_on_stack(self.notes);
  detail::restore(self, thread);
}

// The calling code, which is `from`, rests, and `to` goes on; returns when somebody switches back, on any thread: who calls
// looks which it is, and restores what is the thread's.
inline void leave_for(Execution& from, Execution& to, const ThreadState& thread) noexcept {
  detail::save(from, thread);
  leave_stack(from.notes, to.notes);
  switch_stacks(from, to);
  arrive_on_stack(from.notes);
}
inline void go_on(const Execution& self, const ThreadState& thread) noexcept { detail::restore(self, thread); }

// The same where it is the same thread.
inline void switch_to(Execution& from, Execution& to, const ThreadState& thread) noexcept {
  leave_for(from, to, thread);
  go_on(from, thread);
}

// The calling code ends.
[[noreturn]] inline void end_in(Execution& from, Execution& to) noexcept {
  leave_stack_for_good(to.notes);
  switch_stacks(from, to);
  __builtin_unreachable();
}

}  // namespace comity::sched
