// SPDX-License-Identifier: BSD-3-Clause
// Study: one command run and recorded with several numbers of ranks, MPIs and repeats, each in a folder of its own, and those left out that
// are there. Not: what the runs say side by side (memory/job/scaling).
#pragma once

#include <string>
#include <vector>

namespace comity::cli {

struct Study {
  std::string folder;  // that the runs' folders stand in
  std::vector<int> ranks;
  std::vector<std::string> mpis;  // empty: the command names its own
  int repeats = 1;
  std::vector<std::string> command;  // with {ranks}, and {mpi} where there are several
};

struct StudyRun {
  std::string folder;              // of its record; beside it, as folder + ".log", the command and what it said
  std::vector<std::string> words;  // the command
};

// In the order in which they run: repeats one after all others, so that a drift of the machine reaches all alike. Throws UsageError;
// Status::argument where a record of another command is in a run's place.
[[nodiscard]] std::vector<StudyRun> runs_of(const Study& study);

// Whether its record is whole: then it is not run again.
[[nodiscard]] bool is_recorded(const StudyRun& run);

// As a shell reads it back: what is run for it.
[[nodiscard]] std::string line_of(const StudyRun& run);

// Runs those that are not recorded, one after the other. Throws Status::system at the first that fails: what is recorded stays, and the
// next call goes on from there.
void run_study(const std::vector<StudyRun>& runs);

}  // namespace comity::cli
