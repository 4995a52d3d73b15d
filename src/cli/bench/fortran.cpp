// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/fortran.hpp"

#include "cli/bench/measure/launch.hpp"
#include "cli/bench/measure/places.hpp"
#include "cli/bench/subject/scratch_folder.hpp"
#include "record/merge/names.hpp"
#include "record/run/recover.hpp"
#include "record/writer.hpp"

namespace comity::cli::bench {
namespace {

constexpr const char* kName = "fortran";
constexpr Goal kGoal{5.0, Goal::On::difference};  // [ns]
constexpr const char* kNote =
    "Time of a call from Fortran, and of the same from C, on one rank: loops of 1,000 calls of both in turn in one "
    "process, the median of each launch. region: of a begin and an end, half, and so push_pop, phase, "
    "create, lock, try_lock, word and spawn; task: a third. communicator and create: single calls of both in turn; "
    "what counts is the median by which they differ. binding_string, record_text: Fortran's text is allocated, C's "
    "is an array. undecided: the goal's bound lies inside the 95 % interval, or there are fewer than six launches.";

// A job of one rank, with a fact.
void write_record(const std::string& path) {
  record::Writer writer(os::Folder(path), {.rank = 0, .ranks = 1, .node = 0}, record::kLeastBudget_bytes);
  writer.set_fact(record::kProgramFact, "coupled");
  writer.close();
}

// What the programs read: as a run leaves it.
void make_record(const std::string& path) {
  write_record(path);
  (void)record::recover(path);
}

}  // namespace

Report fortran(const Options& options) {
  Report report{kName, this_host(), {}, {}, kNote};
  const ScratchFolder folder;
  make_record(folder.path());
  std::vector<Place> places;
  for (const std::string& mpi : options.mpis) places.push_back({mpi, 1, launch_words(kName, mpi, 1, {folder.path()})});
  measure_places(kName, places, options.time_limit);
  for (const Place& place : places) {
    for (const Samples& one : place.cases) report.rows.push_back(one.row(place.mpi, 1, 1, kGoal));
  }
  return report;
}

}  // namespace comity::cli::bench
