// SPDX-License-Identifier: BSD-3-Clause
// Threads beside the one that a test runs on, and where they may run.
#pragma once

#include <comity/comity.hpp>

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <thread>

#include "context/masks.hpp"

namespace comity::testing {

inline void bind_self(int cpu) { ASSERT_TRUE(bind_this_thread({cpu})); }

inline int lowest_cpu_of(const Context& context, int core) {
  return cpus_in(context.cpuset(Resource::core, core)).front();
}

// Of a thread that has not ended.
template <typename Thread>
Cpus mask_of(Thread& thread) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  pthread_getaffinity_np(thread.native_handle(), sizeof(mask), &mask);
  return cpus_in(mask);
}

// A thread that stays inside one step until it is told to go on.
class Held {
 public:
  template <typename Before>
  explicit Held(Before before)
      : thread_([this, before] {
          before();
          ready_.store(true);
          ready_.notify_all();
          go_on_.wait(false);
        }) {
    ready_.wait(false);
  }
  ~Held() {
    go_on_.store(true);
    go_on_.notify_all();
    thread_.join();
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  [[nodiscard]] Cpus mask() { return mask_of(thread_); }

 private:
  std::atomic<bool> ready_{false};
  std::atomic<bool> go_on_{false};
  std::thread thread_;
};

}  // namespace comity::testing
