// SPDX-License-Identifier: BSD-3-Clause
// What the user asked of a benchmark. Each takes what it has a use for.
#pragma once

#include <string>
#include <vector>

#include "base/clock.hpp"

namespace comity::cli::bench {

struct Options {
  std::vector<std::string> mpis;
  Nanoseconds time_limit;
  double kernel_seconds;                // of a sample (quiesce, coop)
  std::vector<int> ranks;               // to measure at (quo)
  std::string original;                 // path of an installed libquo to measure beside ours; "" for none (quo)
  std::string libquo = {};              // path of Comity's libquo, the same (quo)
  std::vector<std::string> cases = {};  // to measure; none: all (coop; memory; sched; place)
  std::vector<std::size_t> jobs = {};   // of `random`, these only; none: all (place)
};

}  // namespace comity::cli::bench
