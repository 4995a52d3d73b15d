// SPDX-License-Identifier: BSD-3-Clause
// A program that runs in this one's place while this one looks on: it has our terminal and group, and gets the signals that
// are sent to us. Not: a program that we become (become), one run for its answer (command).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "os/process/become.hpp"

namespace comity::os {

// What it used with all the processes that it started and waited for, and they in turn.
struct Used {
  int status = 0;  // as of wait()
  double seconds = 0.0;
  double cpu_seconds = 0.0;
  std::uint64_t largest_bytes = 0;  // the most memory that one process had
};

// What is done while it runs.
struct Meanwhile {
  std::function<void(pid_t started)> look;  // empty: nothing. Does not throw
  std::chrono::milliseconds every{100};
};

// Returns in this process when the program has ended. It gets SIGTERM if we are killed first. Call in a process of one
// thread. In the child, where the program cannot be started, this throws as become() does; in this process Status::system
// where the kernel does not tell how it ended.
[[nodiscard]] Used run_beside(const std::vector<std::string>& words, const std::vector<Variable>& variables,
                              const Meanwhile& meanwhile = {});

// Ends this process as that one ended, by the same signal where it was one.
[[noreturn]] void end_as(int status);

}  // namespace comity::os
