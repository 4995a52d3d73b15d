// SPDX-License-Identifier: BSD-3-Clause
// ThreadEnd: something that is done when a thread ends, on that thread. Not when the process ends, which needs nothing done.
#pragma once

#include <pthread.h>

namespace comity::os {

// Lives as long as the threads that were marked.
class ThreadEnd {
 public:
  // What is done, with what the thread was marked with. Where the system gives no further key nothing is ever done.
  explicit ThreadEnd(void (*act)(void*)) noexcept;
  ~ThreadEnd();
  ThreadEnd(const ThreadEnd&) = delete;
  ThreadEnd& operator=(const ThreadEnd&) = delete;

  // The calling thread's end counts. Once a thread; from inside `act`, or behind it, again.
  void mark_this_thread(void* with) const noexcept;

 private:
  pthread_key_t key_{};
  bool made_;
};

}  // namespace comity::os
