// SPDX-License-Identifier: BSD-3-Clause
#include "os/cpus/affinity.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.hpp"

namespace comity::os {

// The raw call reports how many bytes the kernel wrote; the rest of the set stays empty.
int read_affinity(pid_t thread, CpuSet& mask) noexcept {
  mask.clear();
  const long written = syscall(SYS_sched_getaffinity, thread, sizeof(mask.words()), mask.words().data());
  return written < 0 ? errno : 0;
}

CpuSet affinity(pid_t thread) {
  CpuSet mask;
  if (const int problem = read_affinity(thread, mask); problem != 0) {
    throw system_error("read the CPU affinity of thread " + std::to_string(thread), problem);
  }
  return mask;
}

bool affinity_if_alive(pid_t thread, CpuSet& mask) {
  const int problem = read_affinity(thread, mask);
  if (problem == ESRCH) return false;
  if (problem != 0) throw system_error("read the CPU affinity of thread " + std::to_string(thread), problem);
  return true;
}

int set_affinity(pid_t thread, const CpuSet& mask) noexcept {
  return syscall(SYS_sched_setaffinity, thread, sizeof(mask.words()), mask.words().data()) < 0 ? errno : 0;
}

int set_affinity_of(pthread_t thread, const CpuSet& mask) noexcept {
  return ::pthread_setaffinity_np(thread, sizeof(mask.words()),
                                  reinterpret_cast<const cpu_set_t*>(mask.words().data()));
}

int current_cpu() noexcept { return sched_getcpu(); }

}  // namespace comity::os
