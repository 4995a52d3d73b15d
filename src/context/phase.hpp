// SPDX-License-Identifier: BSD-3-Clause
// Phase: what enter changed on this rank and leave has to give back: the entry on the stack and the team sizes. Also the
// rest of the teams: GNU's members would spin on for 300,000 turns after the last region, on the very core that the
// rank's own single-threaded phase needs next.
#pragma once

#include <utility>
#include <vector>

#include "os/openmp.hpp"
#include "os/threads.hpp"

namespace comity::context {

enum class AfterPhase { rest, spin };

// The size of the calling thread's next teams, in each OpenMP runtime that is loaded; given back by restore().
class TeamSizes {
 public:
  static TeamSizes set(int threads) {
    TeamSizes sizes;
    sizes.thread_ = os::this_thread();
    for (const os::OpenMp& runtime : os::OpenMp::loaded()) {
      sizes.former_.emplace_back(runtime, runtime.max_threads());
      runtime.set_threads(threads);
    }
    return sizes;
  }
  // Nothing on another thread: each has a size of its own.
  void restore(AfterPhase after) {
    if (thread_ != os::this_thread()) return;
    for (const auto& [runtime, threads] : former_) {
      if (after == AfterPhase::rest) runtime.rest_team();
      runtime.set_threads(threads);
    }
    former_.clear();
  }

 private:
  std::vector<std::pair<os::OpenMp, int>> former_;
  pid_t thread_ = 0;
};

struct Phase {
  int depth_before;  // entries of the context on the stack before the phase's own
  TeamSizes sizes;
};

}  // namespace comity::context
