// SPDX-License-Identifier: BSD-3-Clause
// What the address and the thread sanitizer must be told of stacks that change under them. Nothing at all in other builds.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define COMITY_SCHED_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__)
#define COMITY_SCHED_TSAN 1
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define COMITY_SCHED_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define COMITY_SCHED_TSAN 1
#endif
#endif

#ifdef COMITY_SCHED_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef COMITY_SCHED_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace comity::sched {

struct StackNotes {
#ifdef COMITY_SCHED_ASAN
  const void* low = nullptr;
  std::size_t bytes = 0;
  void* fake_stack = nullptr;
#endif
#ifdef COMITY_SCHED_TSAN
  void* fiber = nullptr;
#endif
};

// A stack of ours that has not run yet.
inline void note_stack([[maybe_unused]] StackNotes& notes, [[maybe_unused]] const void* low,
                       [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef COMITY_SCHED_ASAN
  notes.low = low;
  notes.bytes = bytes;
  notes.fake_stack = nullptr;
#endif
#ifdef COMITY_SCHED_TSAN
  notes.fiber = __tsan_create_fiber(0);
#endif
}

// The stack that the calling thread came with.
void note_own_stack(StackNotes& notes) noexcept;

// A stack of ours on which nothing will run any more.
inline void forget_stack([[maybe_unused]] StackNotes& notes) noexcept {
#ifdef COMITY_SCHED_ASAN
  __asan_unpoison_memory_region(notes.low, notes.bytes);
#endif
#ifdef COMITY_SCHED_TSAN
  if (notes.fiber != nullptr) __tsan_destroy_fiber(notes.fiber);
  notes.fiber = nullptr;
#endif
}

inline void leave_stack([[maybe_unused]] StackNotes& from, [[maybe_unused]] const StackNotes& to) noexcept {
#ifdef COMITY_SCHED_ASAN
  __sanitizer_start_switch_fiber(&from.fake_stack, to.low, to.bytes);
#endif
#ifdef COMITY_SCHED_TSAN
  __tsan_switch_to_fiber(to.fiber, 0);
#endif
}

// As leave_stack(), of an execution that ends with it.
inline void leave_stack_for_good([[maybe_unused]] const StackNotes& to) noexcept {
#ifdef COMITY_SCHED_ASAN
  __sanitizer_start_switch_fiber(nullptr, to.low, to.bytes);
#endif
#ifdef COMITY_SCHED_TSAN
  __tsan_switch_to_fiber(to.fiber, 0);
#endif
}

inline void arrive_on_stack([[maybe_unused]] const StackNotes& here) noexcept {
#ifdef COMITY_SCHED_ASAN
  __sanitizer_finish_switch_fiber(here.fake_stack, nullptr, nullptr);
#endif
}

}  // namespace comity::sched
