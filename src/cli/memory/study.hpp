// SPDX-License-Identifier: BSD-3-Clause
// Study: one command run and recorded with several inputs, MPIs, numbers of ranks and repeats, each in a folder of its own, and those left out
// that are there; or run as it is, for its time. Not: what the runs say side by side (memory/job/scaling), or took (study_times).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace comity::cli {

// Ends the name of a record's folder as long as its run lasts.
inline constexpr std::string_view kUnfinished = ".unfinished";

struct Study {
  std::string folder;  // that the runs' folders stand in
  std::vector<int> ranks;
  std::vector<std::string> inputs;  // empty: the command names its own
  std::vector<std::string> mpis;    // the same
  int repeats = 1;
  std::vector<std::string> command;  // with {ranks}, and {input} and {mpi} where there are several
};

struct StudyRun {
  std::string folder;  // of its record; beside it, as folder + ".log", the command, its time and what it said
  std::vector<std::string> words;  // the command
};

// In the order in which they run: repeats one after all others, so that a drift of the machine reaches all alike. Throws UsageError;
// Status::argument where a record of another command is in a run's place.
[[nodiscard]] std::vector<StudyRun> runs_of(const Study& study);

// bare: without Comity, so that it leaves a log alone, as folder + ".bare.log".
enum class Way { recorded, bare };

// Whether it has ended well: then it is not run again.
[[nodiscard]] bool is_done(const StudyRun& run, Way way);
// [s] As its log tells; none: it has not ended well, or the log is of another command.
[[nodiscard]] std::optional<double> time_of(const StudyRun& run, Way way);

// As a shell reads it back: what is run for it.
[[nodiscard]] std::string line_of(const StudyRun& run, Way way);

// Runs those that are not done, one after the other. Throws Status::system at the first that fails: what is done stays, and the
// next call goes on from there.
void run_study(const std::vector<StudyRun>& runs, Way way);

}  // namespace comity::cli
