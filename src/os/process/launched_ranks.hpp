// SPDX-License-Identifier: BSD-3-Clause
// The ranks that a launcher has started on this node and that live: the processes below the one that started us, by the
// number that each has in its environment. Not: how a rank knows the others (node), which takes them to talk first.
#pragma once

#include <sys/types.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace comity::os {

// The variables that launchers give a rank its number in.
[[nodiscard]] std::span<const std::string_view> rank_variables();

// The value of a variable in an environment as /proc shows it, NAME=value and NUL each; none: it is not there.
[[nodiscard]] std::optional<std::string_view> variable_in(std::string_view environment, std::string_view name);

// The rank that an environment names.
[[nodiscard]] std::optional<int> rank_in(std::string_view environment);

// Where the launcher says that it put this process.
struct LaunchedPlace {
  int local_rank;  // 0 .. local_size-1
  int local_size;  // ranks that it started on this node
  int world_size;  // ranks that it started in all
};
[[nodiscard]] std::optional<LaunchedPlace> launched_place();  // none where it does not say all of it

struct LaunchedRanks {
  std::vector<int> living;  // ascending
  int started = 0;          // how many the launcher says that it started here; 0: it does not say
};

// The launcher is the nearest process above `self` that has no rank itself; its ranks are all those below it in the same
// job of its. None where anything is in doubt: `self` has no rank, its launcher is outside this PID namespace, a process
// below the launcher may not be looked at or shows no rank (a program may overwrite its environment), or two that did not
// start one another show the same (one left over from a launcher around this one). Reads a file or two of each process.
[[nodiscard]] std::optional<LaunchedRanks> launched_ranks(pid_t self, const std::string& proc = "/proc");

}  // namespace comity::os
