// SPDX-License-Identifier: BSD-3-Clause
// Execution: a point in some code that rests, with its stack, and the switch from one to another on the same kernel thread.
// Not: who is next (scheduler). Invariant: an execution goes on only on the thread that it has run on before, for compilers
// keep addresses of thread-local variables in registers and on stacks.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <cstdint>

#include "sched/sanitizers.hpp"

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

struct Execution {
  boost::context::detail::fcontext_t point = nullptr;  // where it goes on; written by who runs after it
  void* caught = nullptr;
  unsigned int uncaught = 0;
  int error_number = 0;
  StackNotes notes;  // of its stack, for sanitizers
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

// The first words of an execution that was just entered: `arrived` is what its start function was given.
inline Execution& entered(const boost::context::detail::transfer_t& arrived) noexcept {
  auto& left = *static_cast<Execution*>(arrived.data);
  left.point = arrived.fctx;
  return left;
}

// The calling code, which is `from`, rests, and `to` goes on; returns when somebody switches back. `from` is complete, so that
// it may be switched to, once `to` has run its first words.
inline void switch_to(Execution& from, Execution& to, const ThreadState& thread) noexcept {
  detail::save(from, thread);
  leave_stack(from.notes, to.notes);
  (void)entered(boost::context::detail::jump_fcontext(to.point, &from));
  arrive_on_stack(from.notes);
  detail::restore(from, thread);
}

}  // namespace comity::sched
