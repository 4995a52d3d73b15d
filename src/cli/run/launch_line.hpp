// SPDX-License-Identifier: BSD-3-Clause
// The command line of a launcher, taken apart: its own options, and the programs that it starts. Invariant: what was taken
// apart and not changed is put together to the same words.
#pragma once

#include <string>
#include <vector>

#include "cli/run/grammar.hpp"

namespace comity::cli::launch {

// One program of several: "-n 2 ./app input".
struct Part {
  std::vector<std::string> options;  // the launcher's
  std::vector<std::string> program;  // its name and arguments; empty: the line names none
};

struct LaunchLine {
  Family family;
  std::string launcher;
  std::vector<Part> parts;  // at least one
};

[[nodiscard]] LaunchLine take_apart(Family family, const std::vector<std::string>& words, const IsProgram& is_program);
[[nodiscard]] std::vector<std::string> put_together(const LaunchLine& line);

}  // namespace comity::cli::launch
