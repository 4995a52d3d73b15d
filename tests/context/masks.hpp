// SPDX-License-Identifier: BSD-3-Clause
// Where the threads of this process may run, as the kernel has it: not what a context says that it pushed.
#pragma once

#include <comity/comity.hpp>

#include <sched.h>
#include <sys/types.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
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

inline cpu_set_t set_of(const Cpus& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(cpu, &set);
  return set;
}

inline bool bind_this_thread(const Cpus& cpus) {
  const cpu_set_t mask = set_of(cpus);
  return sched_setaffinity(0, sizeof(mask), &mask) == 0;
}

// The lowest CPU of the core that this one is of, by which SMT siblings are known; itself where the kernel does not tell.
inline int core_of(int cpu) {
  static std::map<int, int> cores;  // asked between regions, by one thread at a time
  const auto [core, is_new] = cores.try_emplace(cpu, cpu);
  if (!is_new) return core->second;
  std::ifstream siblings("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list");
  if (int lowest = 0; siblings >> lowest) core->second = lowest;
  return core->second;
}

// Of members that ran on these CPUs: whether each had a core of its own, which is more than a CPU.
inline bool have_a_core_each(const std::vector<int>& cpus) {
  std::set<int> cores;
  return std::all_of(cpus.begin(), cpus.end(), [&](int cpu) { return cores.insert(core_of(cpu)).second; });
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

// How many members ran on other CPUs than these.
inline int ran_elsewhere(const std::vector<int>& ran_on, const Cpus& cpus) {
  return static_cast<int>(std::count_if(ran_on.begin(), ran_on.end(),
                                        [&](int cpu) { return !std::binary_search(cpus.begin(), cpus.end(), cpu); }));
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
