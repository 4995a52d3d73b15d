// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/interpose.hpp"

#include <array>

#include "cli/bench/measure/launch.hpp"
#include "cli/bench/measure/places.hpp"

namespace comity::cli::bench {
namespace {

constexpr const char* kName = "interpose";
constexpr Goal kGoal{2.0, Goal::On::value};  // [ns]
constexpr const char* kNote =
    "Added to a call: loops of 1,000 calls through the wrapper and past it in turn, the median of each launch. "
    "nobody: no subscriber to anything; others, others_marked: subscribers of other functions only, where MPI makes no "
    "calls of its own inside this one, and where it may; then a subscriber of this function that looks at calls, at "
    "traffic too, at times too. undecided: the goal's bound lies inside the 95 % interval, or there are fewer than six "
    "launches.";

struct Case {
  const char* name;
  std::optional<Goal> goal;
};

constexpr std::array kCases{Case{"nobody", kGoal},       Case{"others", kGoal},         Case{"others_marked", kGoal},
                            Case{"calls", std::nullopt}, Case{"traffic", std::nullopt}, Case{"times", std::nullopt}};

}  // namespace

Report interpose(const Options& options) {
  Report report{kName, this_host(), {}, {}, kNote};
  std::vector<Place> places;
  for (const std::string& mpi : options.mpis) {
    for (const Case& one : kCases) places.push_back({mpi, 1, launch_words(kName, mpi, 1, {one.name})});
  }
  measure_places(kName, places, options.time_limit);
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (const Samples& one : places[i].cases) {
      report.rows.push_back(one.row(places[i].mpi, 1, 1, kCases[i % kCases.size()].goal));
    }
  }
  return report;
}

}  // namespace comity::cli::bench
