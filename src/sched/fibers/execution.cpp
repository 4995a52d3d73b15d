// SPDX-License-Identifier: BSD-3-Clause
#include "sched/fibers/execution.hpp"

#include <cxxabi.h>
#include <pthread.h>

#include <cerrno>

namespace comity::sched {

ThreadState ThreadState::of_this_thread() noexcept {
  return {reinterpret_cast<Exceptions*>(abi::__cxa_get_globals()), &errno};
}

void note_own_stack([[maybe_unused]] StackNotes& notes) noexcept {
#ifdef COMITY_SCHED_ASAN
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) == 0) {
    void* low = nullptr;
    (void)::pthread_attr_getstack(&attributes, &low, &notes.bytes);
    ::pthread_attr_destroy(&attributes);
    notes.low = low;
  }
#endif
#ifdef COMITY_SCHED_TSAN
  notes.fiber = __tsan_get_current_fiber();
#endif
}

}  // namespace comity::sched
