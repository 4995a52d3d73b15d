// SPDX-License-Identifier: BSD-3-Clause
// A key and not a thread_local object: what other libraries do at a thread's end may come back to us after our turn, and then
// the system gives us another one.
#include "os/threads/thread_end.hpp"

namespace comity::os {

ThreadEnd::ThreadEnd(void (*act)(void*)) noexcept : made_(::pthread_key_create(&key_, act) == 0) {}

ThreadEnd::~ThreadEnd() {
  if (made_) ::pthread_key_delete(key_);
}

void ThreadEnd::mark_this_thread(void* with) const noexcept {
  if (made_) (void)::pthread_setspecific(key_, with);
}

}  // namespace comity::os
