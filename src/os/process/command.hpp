// SPDX-License-Identifier: BSD-3-Clause
// Another program, run for its answer: its output is kept, its input is empty, its time is limited. Not: ranks (launchers
// start those).
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace comity::os {

struct CommandEnd {
  std::optional<int> exit_code;  // none: it could not be started, or ran out of time; 128 + the signal that killed it
  bool timed_out = false;
  std::string output;  // standard output and standard error together, as much as was asked for
};

// `words[0]` is looked up on the PATH. What still runs after `timeout` is killed, with the children of its group; it gets
// SIGTERM if the thread that called ends first.
// Of the output `most_bytes` are kept.
[[nodiscard]] CommandEnd run_command(const std::vector<std::string>& words, std::chrono::milliseconds timeout,
                                     std::size_t most_bytes = std::size_t{64} << 10U);

}  // namespace comity::os
