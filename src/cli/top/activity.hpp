// SPDX-License-Identifier: BSD-3-Clause
// What the kernel says of a process that works: its threads, where each is bound and runs, their processor time, memory.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/cpu_set.hpp"

namespace comity::cli {

struct ThreadActivity {
  pid_t id = 0;
  pid_t own_number = 0;  // what the thread calls itself, in its own pid namespace
  std::string name;
  char state = '?';         // as in /proc/PID/stat: R, S, D, T, ..
  int cpu = -1;             // that it runs on, or ran on last; -1: not told
  CpuSet cpus;              // that it may run on
  std::int64_t cpu_ns = 0;  // processor time since it began
};

struct Activity {
  std::uint64_t memory_bytes = 0;       // resident
  std::vector<ThreadActivity> threads;  // the process's first one first; none: it has ended
};

[[nodiscard]] Activity activity_of(pid_t process);

}  // namespace comity::cli
