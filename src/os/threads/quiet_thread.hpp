// SPDX-License-Identifier: BSD-3-Clause
// A thread of ours in a process of the program's: the program's signals are not for it, and nobody waits for its end. All of it here, for libcomity,
// which starts none, has no object that could (tests/capi/symbols_test.sh).
#pragma once

#include <pthread.h>

#include <csignal>
#include <cstddef>
#include <memory>

namespace comity::os {

inline constexpr std::size_t kQuietStack_bytes = std::size_t{256} << 10U;

// `work` is asked once, on the new thread, named `name` (15 letters at the most). It is the thread's, for good: never destroyed. Returns whether the
// system gave a thread; throws where memory runs out.
template <typename Work>
[[nodiscard]] bool start_quiet_thread(const char* name, std::unique_ptr<Work> work) {
  struct Task {
    const char* name;
    Work* work;
  };
  const auto run = [](void* its_task) -> void* {
    const std::unique_ptr<Task> task(static_cast<Task*>(its_task));
    (void)pthread_setname_np(pthread_self(), task->name);
    (*task->work)();
    return nullptr;
  };
  auto task = std::make_unique<Task>(Task{name, work.get()});
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  (void)pthread_attr_setstacksize(&attributes, kQuietStack_bytes);
  sigset_t all;
  sigset_t former;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &former);
  pthread_t thread{};
  const int error = pthread_create(&thread, &attributes, run, task.get());
  pthread_sigmask(SIG_SETMASK, &former, nullptr);
  (void)pthread_attr_destroy(&attributes);
  if (error != 0) return false;
  (void)work.release();
  (void)task.release();  // the thread's
  return true;
}

}  // namespace comity::os
