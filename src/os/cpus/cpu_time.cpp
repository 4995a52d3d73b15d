// SPDX-License-Identifier: BSD-3-Clause
#include "os/cpus/cpu_time.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <sstream>
#include <string>

#include "os/proc.hpp"

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

// The kernel's number of another thread's clock: its complement above three bits that say which clock.
std::int64_t cpu_ns_of(pid_t thread) {
  constexpr clockid_t kScheduled = 2;
  constexpr clockid_t kOfAThread = 4;
  return read(static_cast<clockid_t>(~static_cast<unsigned>(thread) << 3U) | kScheduled | kOfAThread);
}

// "4711 (a name (with) anything) R 1 ..": the start is the twentieth word behind the brackets, in ticks since the boot.
std::optional<std::int64_t> thread_begin_ns() {
  constexpr int kWord = 20;
  const std::string text = read_text("/proc/thread-self/stat").value_or("");
  const std::size_t close = text.rfind(')');
  if (close == std::string::npos) return std::nullopt;
  std::istringstream words(text.substr(close + 1));
  std::string word;
  for (int i = 0; i < kWord; ++i) words >> word;
  std::int64_t ticks = 0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), ticks);
  if (!words || problem != std::errc{}) return std::nullopt;
  const std::int64_t since_boot_ns = ticks * (1'000'000'000 / std::max(1L, ::sysconf(_SC_CLK_TCK)));
  return since_boot_ns - (read(CLOCK_BOOTTIME) - read(CLOCK_MONOTONIC));
}

}  // namespace comity::os
