// SPDX-License-Identifier: BSD-3-Clause
// The table of subcommands. A new one: a file <word>.cpp, its declaration in <word>.hpp, and a row here.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "cli/bench.hpp"
#include "cli/doctor.hpp"
#include "cli/env.hpp"
#include "cli/memory.hpp"
#include "cli/place.hpp"
#include "cli/report.hpp"
#include "cli/run.hpp"
#include "cli/top.hpp"
#include "cli/topo.hpp"

namespace comity::cli {

struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(std::span<const std::string> arguments);  // returns an ExitCode; throws UsageError and Error
};

inline constexpr std::array kCommands{
    Command{"run", "run a program with Comity's library preloaded into its ranks", run_command},
    Command{"report", "tell what the record of a run says", report_command},
    Command{"top", "show what the ranks of running jobs do, live", top_command},
    Command{"memory", "tell whose the memory of processes is, and compare recorded runs", memory_command},
    Command{"topo", "show this machine, and where a process or a job is bound", topo_command},
    Command{"place", "say which rank should run where, and how good that is", place_command},
    Command{"doctor", "look for what makes coupled runs slow or fail, and say what to do", doctor_command},
    Command{"env", "list the COMITY_ variables: values, ranges, trade-offs", env_command},
    Command{"bench", "measure, each time against a reference of the same run", bench_command},
};

// What main() does: `words` without the program's name. Prints errors and returns the exit code.
[[nodiscard]] int run(std::span<const std::string> words);

}  // namespace comity::cli
