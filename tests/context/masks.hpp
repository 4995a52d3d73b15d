// SPDX-License-Identifier: BSD-3-Clause
// Where the threads of this process may run, as the kernel has it: not what a context says that it pushed.
#pragma once

#include <comity/comity.hpp>

#include <sched.h>
#include <sys/types.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace comity::testing {

using Cpus = std::vector<int>;  // ascending

inline Cpus cpus_in(const cpu_set_t& set) {
  Cpus cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

inline Cpus cpus_in(const comity_cpuset& set) {
  Cpus cpus;
  for (int cpu = 0; cpu < COMITY_CPUSET_CAPACITY; ++cpu) {
    if ((set.words[cpu / 64] >> (cpu % 64) & 1U) != 0) cpus.push_back(cpu);
  }
  return cpus;
}

// 0: the calling thread. None: the thread has ended.
inline Cpus cpus_of(pid_t thread) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  return sched_getaffinity(thread, sizeof(mask), &mask) == 0 ? cpus_in(mask) : Cpus();
}

inline bool bind_this_thread(const Cpus& cpus) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  for (const int cpu : cpus) CPU_SET(cpu, &mask);
  return sched_setaffinity(0, sizeof(mask), &mask) == 0;
}

using Threads = std::vector<pid_t>;  // ascending

inline Threads threads_of_this_process() {
  Threads threads;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    threads.push_back(std::stoi(task.path().filename()));
  }
  std::sort(threads.begin(), threads.end());
  return threads;
}

// How many may run on other CPUs than just these, or have ended.
inline int threads_elsewhere(const Threads& threads, const Cpus& cpus) {
  return static_cast<int>(
      std::count_if(threads.begin(), threads.end(), [&](pid_t thread) { return cpus_of(thread) != cpus; }));
}

using Masks = std::map<pid_t, Cpus>;

inline Masks masks_of(const Threads& threads) {
  Masks masks;
  for (const pid_t thread : threads) masks[thread] = cpus_of(thread);
  return masks;
}

// How many of the threads that still live may run elsewhere than in `masks`.
inline int threads_moved_since(const Masks& masks) {
  return static_cast<int>(std::count_if(masks.begin(), masks.end(), [](const auto& before) {
    const Cpus now = cpus_of(before.first);
    return !now.empty() && now != before.second;
  }));
}

// The cores of the pushed binding, each with what of it is inside.
inline std::vector<Cpus> pushed_cores(const Context& context) {
  std::vector<Cpus> cores;
  comity_cpuset binding = context.binding();
  for (int core = 0; core < context.count(Resource::core); ++core) {
    comity_cpuset inside = context.cpuset(Resource::core, core);
    for (int word = 0; word < COMITY_CPUSET_CAPACITY / 64; ++word) inside.words[word] &= binding.words[word];
    if (const Cpus cpus = cpus_in(inside); !cpus.empty()) cores.push_back(cpus);
  }
  return cores;
}

// The one of `cores` that holds them all; -1: none does.
inline int core_around(const std::vector<Cpus>& cores, const Cpus& cpus) {
  const auto around = std::find_if(cores.begin(), cores.end(), [&](const Cpus& core) {
    return std::includes(core.begin(), core.end(), cpus.begin(), cpus.end());
  });
  return around == cores.end() ? -1 : static_cast<int>(around - cores.begin());
}

}  // namespace comity::testing
