// SPDX-License-Identifier: BSD-3-Clause
// Trials: cases whose reference needs a launch of its own. A round of a trial launches the case and its references one right
// after the other, and now and then what stands beside them. Not: what is launched (coop.cpp), what the samples make of it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "cli/bench/measure/samples.hpp"

namespace comity::cli::bench {

inline constexpr std::size_t kMostRounds = 15;
inline constexpr std::size_t kRoundsBeside = 3;  // figures beside have no interval

enum class Role : std::uint8_t { of_case, reference, beside };

struct Launch {
  Role role;
  std::function<Found()> run;
  std::string key = {};                // beside: the name of the figure
  std::size_t rounds = kRoundsBeside;  // beside: in the first so many
};

struct Trial {
  std::string mpi;
  int ranks;
  int threads;
  std::vector<Launch> launches;  // one of the case; without references it tells its own
  std::vector<Samples> cases = {};
};

// What the launches of one round have told.
struct Round {
  Found of_case;
  std::vector<Found> references;  // of several the fastest counts, case by case
  std::vector<std::pair<std::string, Found>> beside;
};

// Throws Status::internal where case and reference did not do the same work.
void add_round(std::vector<Samples>& cases, const Round& round);

// Rounds of all trials in turn, so that a drift of the machine reaches all alike, until the time is up; every trial has one
// though there is no time, without what stands beside. The order within a round turns with each. Throws what a launch throws.
void measure_trials(std::string_view bench, std::vector<Trial>& trials, Nanoseconds limit);

}  // namespace comity::cli::bench
