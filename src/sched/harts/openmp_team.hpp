// SPDX-License-Identifier: BSD-3-Clause
// OpenMP inside a task: teams of GNU's and LLVM's runtimes have as many members as the task has harts, each on a CPU of one of
// them, so that no more threads run than harts. A hart's own teams have one member else. Not: how the runtimes are found and
// called (os/openmp).
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <vector>

namespace comity::sched {

// The calling thread's teams have one member from here to the end of the scope.
class OneMemberTeams {
 public:
  OneMemberTeams() noexcept;
  ~OneMemberTeams();
  OneMemberTeams(const OneMemberTeams&) = delete;
  OneMemberTeams& operator=(const OneMemberTeams&) = delete;

  // Those of runtimes that were loaded since, too; nothing on a thread that has no such scope.
  static void tell_loaded_since() noexcept;

 private:
  void tell_new() noexcept;

  std::vector<int> before_;  // [members] by the runtime
};

// How many runtimes somebody has seen. A hart that has told fewer tells the new ones before the next fiber or task that it begins.
inline std::atomic<std::size_t> runtimes_seen{0};

// Sees whether one was loaded since, as a plugin may bring it; the calling thread tells it at once. Costs a call of the linker
// with its lock: so where a hart wakes, or something larger begins.
void look_for_runtimes() noexcept;

// Calls body(harts): its regions have teams of `harts`, 1 to `most`: the caller's and those that had nothing to do or became free
// soon. From a fiber; what the body throws is passed on. Inside a region the body gets one.
void with_openmp_team(std::size_t most, const std::function<void(std::size_t harts)>& body);

}  // namespace comity::sched
