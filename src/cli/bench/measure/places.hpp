// SPDX-License-Identifier: BSD-3-Clause
// Places: programs that are launched again and again, each with the cases that its lines have told of so far. Not: what a
// case has to reach (quo.cpp, interpose.cpp).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "cli/bench/measure/samples.hpp"

namespace comity::cli::bench {

struct Place {
  std::string mpi;
  int ranks;
  std::vector<std::string> words;  // that launch its program
  bool needs_mpi = true;           // false: its program plays all ranks in one process
  std::vector<Samples> cases = {};
};

inline constexpr std::size_t kMostLaunches = 15;  // of a place

// In turn, so that a drift of the machine reaches all places alike, until the time is up; each is launched once though there
// is no time. Throws as run_for_json_line().
void measure_places(std::string_view bench, std::vector<Place>& places, Nanoseconds limit);

}  // namespace comity::cli::bench
