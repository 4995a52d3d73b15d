// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/fortran.hpp"

#include "cli/bench/measure/launch.hpp"
#include "cli/bench/measure/places.hpp"

namespace comity::cli::bench {
namespace {

constexpr const char* kName = "fortran";
constexpr Goal kGoal{5.0, Goal::On::difference};  // [ns]
constexpr const char* kNote =
    "Time of a call from Fortran, and of the same from C, on one rank: loops of 1,000 calls of both in turn in one "
    "process, the median of each launch. region: of a begin and an end, half, and so push_pop, phase and "
    "create. communicator: loops of 100. binding_string: Fortran's text is allocated, C's "
    "is an array. undecided: the goal's bound lies inside the 95 % interval, or there are fewer than six launches.";

}  // namespace

Report fortran(const Options& options) {
  Report report{kName, this_host(), {}, {}, kNote};
  std::vector<Place> places;
  for (const std::string& mpi : options.mpis) places.push_back({mpi, 1, launch_words(kName, mpi, 1, {})});
  measure_places(kName, places, options.time_limit);
  for (const Place& place : places) {
    for (const Samples& one : place.cases) report.rows.push_back(one.row(place.mpi, 1, 1, kGoal));
  }
  return report;
}

}  // namespace comity::cli::bench
