// SPDX-License-Identifier: BSD-3-Clause
// OpenMP inside a task: teams of GNU's and LLVM's runtimes have as many members as the task has harts, each on a CPU of one of
// them, so that no more threads run than harts. A hart's own teams have one member else. Not: how the runtimes are found and
// called (os/openmp).
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace comity::sched {

// The calling thread's teams have one member from here to the end of the scope.
class OneMemberTeams {
 public:
  OneMemberTeams();
  ~OneMemberTeams();
  OneMemberTeams(const OneMemberTeams&) = delete;
  OneMemberTeams& operator=(const OneMemberTeams&) = delete;

 private:
  std::vector<int> before_;  // [members] by the runtime
};

// Calls body(harts): its regions have teams of `harts`, 1 to `most`: the caller's and those that had nothing to do or became free
// soon. From a fiber; what the body throws is passed on. Inside a region the body gets one.
void with_openmp_team(std::size_t most, const std::function<void(std::size_t harts)>& body);

}  // namespace comity::sched
