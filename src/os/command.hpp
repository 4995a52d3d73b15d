// SPDX-License-Identifier: BSD-3-Clause
// Another program, run for its answer: its output is kept, its input is empty, its time is limited. Not: ranks (launchers
// start those).
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace comity::os {

struct CommandEnd {
  std::optional<int> exit_code;  // none: it could not be started, was killed by a signal, or ran out of time
  bool timed_out = false;
  std::string output;  // standard output and standard error together, at most 64 KiB of it
};

// `words[0]` is looked up on the PATH. What still runs after `timeout` is killed, with the children of its group; it gets
// SIGTERM if the thread that called ends first.
[[nodiscard]] CommandEnd run_command(const std::vector<std::string>& words, std::chrono::milliseconds timeout);

}  // namespace comity::os
