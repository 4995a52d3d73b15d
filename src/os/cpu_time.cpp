// SPDX-License-Identifier: BSD-3-Clause
#include "os/cpu_time.hpp"

#include <ctime>

namespace comity::os {
namespace {

std::int64_t read(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);  // fails for no clock of one's own
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

std::int64_t process_cpu_ns() { return read(CLOCK_PROCESS_CPUTIME_ID); }
std::int64_t coarse_now_ns() { return read(CLOCK_MONOTONIC_COARSE); }
std::int64_t thread_cpu_ns() { return read(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace comity::os
