// SPDX-License-Identifier: BSD-3-Clause
// The command line of twomesh: options, the help that teaches them, and errors that name the nearest known option.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coupling/mode.hpp"

namespace twomesh::app {

struct CommandLine {
  Mode mode = Mode::under;
  std::string config_file;   // empty: the built-in defaults
  int threads = 0;           // [threads] 0: as wide as the binding
  std::optional<int> steps;  // instead of the file's
  std::string json_file, timeline_file, expect_file;
  std::vector<std::string> checks;  // run these instead of the simulation
};

// What came of the words: options to run with, or a text to show and the status to exit with.
struct Parsed {
  CommandLine options;
  std::string text;
  std::optional<int> exit_status;  // 0: help was asked for; 2: bad usage
};

// `check_names`: what --check knows; "all" is added.
[[nodiscard]] Parsed parse_command_line(int count, const char* const* words,
                                        const std::vector<std::string_view>& check_names);

}  // namespace twomesh::app
