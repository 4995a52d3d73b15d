// SPDX-License-Identifier: BSD-3-Clause
// Where the tests of a process's threads are, and put themselves.
#pragma once

#include <comity/comity.hpp>

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <thread>

namespace comity::testing {

inline cpu_set_t own_mask() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  sched_getaffinity(0, sizeof(mask), &mask);
  return mask;
}

template <typename Thread>
cpu_set_t mask_of(Thread& thread) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  pthread_getaffinity_np(thread.native_handle(), sizeof(mask), &mask);
  return mask;
}

inline bool equal(const cpu_set_t& a, const cpu_set_t& b) { return CPU_EQUAL(&a, &b) != 0; }

inline void bind_self(int cpu) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CPU_SET(cpu, &mask);
  ASSERT_EQ(sched_setaffinity(0, sizeof(mask), &mask), 0);
}

inline int lowest_cpu() {
  const cpu_set_t mask = own_mask();
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &mask)) return cpu;
  }
  return -1;
}

inline cpu_set_t machine_mask(const Context& context) {
  const comity_cpuset set = context.cpuset(Resource::machine, 0);
  cpu_set_t mask;
  CPU_ZERO(&mask);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if ((set.words[cpu / 64] >> (cpu % 64) & 1U) != 0) CPU_SET(cpu, &mask);
  }
  return mask;
}

inline int lowest_cpu_of(const Context& context, int core) {
  const comity_cpuset set = context.cpuset(Resource::core, core);
  for (int cpu = 0; cpu < COMITY_CPUSET_CAPACITY; ++cpu) {
    if ((set.words[cpu / 64] >> (cpu % 64) & 1U) != 0) return cpu;
  }
  return -1;
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

  [[nodiscard]] cpu_set_t mask() { return mask_of(thread_); }

 private:
  std::atomic<bool> ready_{false};
  std::atomic<bool> go_on_{false};
  std::thread thread_;
};

}  // namespace comity::testing
