// SPDX-License-Identifier: BSD-3-Clause
// Verify: a launch line run with the probe in the program's place. Not: what the probe tells (probe.hpp), nor whether it
// is as planned (verdict.hpp).
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "cli/place/in_place/probe.hpp"
#include "cli/run/surroundings.hpp"
#include "place/plan.hpp"

namespace comity::cli {

// It starts, looks around and ends: a launch line that takes longer waits for something, and is ended.
inline constexpr std::chrono::seconds kLongestVerification{120};

inline constexpr const char* kProgramHere = "{}";  // stands for the program where nobody can find it in the line

// What another program's words stand for a program of a launch line. `program`: "" where nobody can find it in the line.
struct InPlace {
  std::string option;  // that asks for it, for errors
  std::function<std::vector<std::string>(const std::string& launcher, const std::string& program)> words;
};

// The line with other words in place of each program and its arguments; a wrapper of ours stays before it, and so do variables
// ("NAME=VALUE") before the launcher. Throws UsageError and Error.
[[nodiscard]] std::vector<std::string> line_with(const InPlace& in_place, const std::vector<std::string>& line,
                                                 const launch::Surroundings& here);

// The same with the probe. `probe`: the command that is run. `openmp`: whether programs that are not here have a team. Throws
// UsageError and Error.
[[nodiscard]] std::vector<std::string> line_with_probe(const std::vector<std::string>& line, const std::string& probe,
                                                       bool openmp, const launch::Surroundings& here);

struct Probed {
  std::vector<ProbedThread> threads;
  std::string ending;  // a sentence, where the line did not end well; else ""
};

// Runs it. Throws Error where no rank has told anything, with what the launcher said.
[[nodiscard]] Probed run_line_with_probe(const std::vector<std::string>& words);

}  // namespace comity::cli
