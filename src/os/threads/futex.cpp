// SPDX-License-Identifier: BSD-3-Clause
#include "os/threads/futex.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

namespace comity::os {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

FutexEnd futex_wait_until(const std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t deadline_ns) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  if (deadline_ns < 0) deadline_ns = 0;
  // WAIT_BITSET takes an absolute time on CLOCK_MONOTONIC, so a signal does not lengthen the wait.
  const timespec deadline{.tv_sec = static_cast<time_t>(deadline_ns / kSecond),
                          .tv_nsec = static_cast<long>(deadline_ns % kSecond)};
  const timespec* limit = deadline_ns == kNever ? nullptr : &deadline;
  if (::syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, expected, limit, nullptr, FUTEX_BITSET_MATCH_ANY) == 0) {
    return FutexEnd::woken;
  }
  if (errno == EAGAIN) return FutexEnd::changed;
  if (errno == ETIMEDOUT) return FutexEnd::timed_out;
  return FutexEnd::interrupted;
}

int futex_wake(const std::atomic<std::uint32_t>& word, int count) {
  const long woken = ::syscall(SYS_futex, &word, FUTEX_WAKE, count, nullptr, nullptr, 0);
  return woken < 0 ? 0 : static_cast<int>(woken);
}

}  // namespace comity::os
