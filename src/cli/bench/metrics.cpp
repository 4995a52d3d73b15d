// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/metrics.hpp"

#include <array>

#include "cli/bench/app.hpp"
#include "cli/bench/measure/launch.hpp"
#include "cli/bench/measure/places.hpp"

namespace comity::cli::bench {
namespace {

constexpr const char* kName = "metrics";
constexpr int kRanks = 2;
constexpr const char* kNote =
    "Time a message, half of the way there and back, or a sum of two ranks, over that of the bare MPI in the same "
    "process, batches of both in turn, the median of each launch. message_rate_8B: 64 messages at once, then an "
    "answer; "
    "_counts: calls and bytes only; all others: each call is timed. app: twomesh with a thread a rank "
    "under comity run --metrics over the same without, in pairs of launches; app_hybrid: where one rank takes both "
    "cores for a while. undecided: the goal's bound lies inside the 95 % interval (app, app_hybrid: which is wider "
    "than half a percent to each side), or there are fewer than six launches (app, app_hybrid: eight pairs).";

// A rate of at least 0.90 of bare takes at most 1 / 0.90 of its time.
constexpr std::array kGoals{NamedGoal{"message_rate_8B_counts", {1 / 0.90}},
                            NamedGoal{"message_rate_8B_timed", {1 / 0.75}}, NamedGoal{"latency_8B", {1.15}}};

}  // namespace

Report metrics(const Options& options) {
  Report report{kName, this_host(), {}, {}, kNote};
  std::vector<Place> places;
  for (const std::string& mpi : options.mpis) {
    for (const char* const detail : {"counts", "times"}) {
      places.push_back({mpi, kRanks, launch_words(kName, mpi, kRanks, {detail})});
    }
  }
  measure_places(kName, places, options.time_limit / 3);
  for (const Place& place : places) {
    for (const Samples& one : place.cases)
      report.rows.push_back(one.row(place.mpi, kRanks, 1, goal_of(kGoals, one.name())));
  }
  for (Row& row : app_rows(kName, options.mpis, options.time_limit - options.time_limit / 3))
    report.rows.push_back(std::move(row));
  return report;
}

}  // namespace comity::cli::bench
