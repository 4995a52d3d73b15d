// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/interpose.hpp"

#include <array>

#include "base/clock.hpp"
#include "cli/bench/launch.hpp"
#include "cli/bench/progress.hpp"
#include "cli/bench/samples.hpp"

namespace comity::cli::bench {
namespace {

constexpr const char* kName = "interpose";
constexpr std::size_t kMostLaunches = 15;  // of an MPI and case
constexpr std::chrono::seconds kPatience{60};
constexpr Goal kGoal{2.0, Goal::On::value};  // [ns]
constexpr const char* kNote =
    "Added to a call: loops of 1,000 calls through the wrapper and past it in turn, the median of each launch. nobody: "
    "no "
    "subscriber to anything; others, others_marked: subscribers of other functions only, where MPI makes no calls of "
    "its "
    "own inside this one, and where it may; then a subscriber of this function that looks at calls, at times too, at "
    "traffic "
    "too. undecided: the goal's bound lies inside the 95 % interval, or there are fewer than six launches.";

struct Case {
  const char* name;
  std::optional<Goal> goal;
};

constexpr std::array kCases{Case{"nobody", kGoal},       Case{"others", kGoal},       Case{"others_marked", kGoal},
                            Case{"calls", std::nullopt}, Case{"times", std::nullopt}, Case{"traffic", std::nullopt}};

struct Place {
  std::string mpi;
  Case of;
  std::vector<Samples> found = {};
};

std::vector<Place> places_of(const std::vector<std::string>& mpis) {
  std::vector<Place> places;
  for (const std::string& mpi : mpis) {
    for (const Case& one : kCases) places.push_back({mpi, one});
  }
  return places;
}

// In turn, so that a drift of the machine reaches all alike; each is launched once though there is no time.
void measure(std::vector<Place>& places, Nanoseconds limit) {
  const std::int64_t end_ns = now_ns() + limit.count();
  Progress progress(kName, limit);
  for (std::size_t round = 0; round < kMostLaunches; ++round) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (round > 0 && now_ns() > end_ns) return;
      Place& place = places[i];
      add_case_line(place.found, run_for_json_line(launch_words(kName, place.mpi, 1, {place.of.name}), kPatience));
      progress.show("launch " + std::to_string(round * places.size() + i + 1) + " of " +
                    std::to_string(kMostLaunches * places.size()));
    }
  }
}

}  // namespace

Report interpose(const Options& options) {
  Report report{kName, this_host(), {}, {}, kNote};
  std::vector<Place> places = places_of(options.mpis);
  measure(places, options.time_limit);
  for (const Place& place : places) {
    for (const Samples& one : place.found) report.rows.push_back(one.row(place.mpi, 1, 1, place.of.goal));
  }
  return report;
}

}  // namespace comity::cli::bench
