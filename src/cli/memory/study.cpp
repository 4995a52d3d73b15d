// SPDX-License-Identifier: BSD-3-Clause
#include "cli/memory/study.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/shell.hpp"
#include "cli/common/arguments.hpp"
#include "os/process/command.hpp"
#include "record/merge/names.hpp"

namespace comity::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRanks = "{ranks}";
constexpr std::string_view kMpi = "{mpi}";

std::string with(std::string word, std::string_view mark, const std::string& value) {
  for (std::size_t at = word.find(mark); at != std::string::npos; at = word.find(mark, at + value.size()))
    word.replace(at, mark.size(), value);
  return word;
}

bool says(const std::vector<std::string>& command, std::string_view mark) {
  return std::any_of(command.begin(), command.end(),
                     [&](const std::string& word) { return word.find(mark) != std::string::npos; });
}

// "openmpi-np4.2": the MPI where several are compared, and which repeat where there are some.
std::string name_of(const Study& study, const std::string& mpi, int ranks, int repeat) {
  return (mpi.empty() ? "" : mpi + '-') + "np" + std::to_string(ranks) +
         (study.repeats > 1 ? '.' + std::to_string(repeat) : std::string());
}

// Where it is recorded as long as it runs: so a folder of its own name holds a run that has ended.
std::string unfinished(const StudyRun& run) { return run.folder + ".unfinished"; }

std::vector<std::string> recording_words(const StudyRun& run) {
  std::vector<std::string> words{
      fs::read_symlink("/proc/self/exe").string(), "run", "--memory", "--record", unfinished(run), "--"};
  words.insert(words.end(), run.words.begin(), run.words.end());
  return words;
}

// What it says, behind the line that was run.
std::string log_of(const StudyRun& run) { return run.folder + ".log"; }

// A record of another command in the place of a run would pass for one. Where its log is gone nobody can tell.
void expect_own_record(const StudyRun& run) {
  std::ifstream log(log_of(run));
  if (!is_recorded(run) || !log) return;
  const std::string own = shell_line(run.words) + '\n';  // a word may have lines of its own
  std::string begin(own.size(), '\0');
  log.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  if (begin == own) return;
  throw Error(Status::argument, run.folder + " is there already, and no run of `" + shell_line(run.words) + "`, as " +
                                    log_of(run) + " says; name another folder, or move that one away");
}

// Throws Status::system with the last of what it said.
void run_one(const StudyRun& run) {
  constexpr std::chrono::hours kPatience{24 * 30};  // the batch system's limit comes sooner
  constexpr std::size_t kMostOutput_bytes = std::size_t{16} << 20U;
  constexpr std::size_t kTail_bytes = 2000;
  fs::remove_all(unfinished(run));
  const os::CommandEnd end = os::run_command(recording_words(run), kPatience, kMostOutput_bytes);
  std::ofstream(log_of(run)) << shell_line(run.words) << '\n' << end.output;
  if (end.exit_code != 0) {
    throw Error(Status::system, "run `" + line_of(run) +
                                    "`: " + (end.exit_code ? "exit code " + std::to_string(*end.exit_code) : "no end") +
                                    "; mend it, and the same command goes on from there. It said (" + log_of(run) +
                                    "):\n" +
                                    end.output.substr(end.output.size() - std::min(end.output.size(), kTail_bytes)));
  }
  if (!fs::exists(fs::path(unfinished(run)) / record::kRunFile))
    throw Error(Status::system, "run `" + line_of(run) + "`: it left no record; see " + log_of(run));
  fs::rename(unfinished(run), run.folder);
}

}  // namespace

std::vector<StudyRun> runs_of(const Study& study) {
  if (study.ranks.empty()) throw UsageError("memory study needs numbers of ranks: --ranks 1,2,4");
  if (study.command.empty())
    throw UsageError(
        "memory study needs a command behind a --: comity memory study --ranks 1,2 DIR -- mpirun -n {ranks} ./app");
  if (!says(study.command, kRanks))
    throw UsageError("the command says nowhere how many ranks it starts: write {ranks} where their number stands");
  if (study.mpis.empty() == says(study.command, kMpi))
    throw UsageError(
        "--mpis and {mpi} in the command go together: --mpis openmpi,mpich -- mpirun.{mpi} -n {ranks} ./app");
  const std::vector<std::string> mpis = study.mpis.empty() ? std::vector<std::string>{""} : study.mpis;
  std::vector<StudyRun> runs;
  for (int repeat = 1; repeat <= study.repeats; ++repeat) {
    for (const std::string& mpi : mpis) {
      for (const int ranks : study.ranks) {
        StudyRun run{(fs::path(study.folder) / name_of(study, mpi, ranks, repeat)).string(), {}};
        for (const std::string& word : study.command)
          run.words.push_back(with(with(word, kRanks, std::to_string(ranks)), kMpi, mpi));
        expect_own_record(run);
        runs.push_back(std::move(run));
      }
    }
  }
  return runs;
}

bool is_recorded(const StudyRun& run) { return fs::exists(fs::path(run.folder) / record::kRunFile); }

std::string line_of(const StudyRun& run) {
  std::vector<std::string> words{"comity", "run", "--memory", "--record", run.folder, "--"};
  words.insert(words.end(), run.words.begin(), run.words.end());
  return shell_line(words);
}

void run_study(const std::vector<StudyRun>& runs) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (is_recorded(runs[i])) continue;
    std::fprintf(stderr, "comity: run %zu of %zu: %s\n", i + 1, runs.size(), line_of(runs[i]).c_str());
    fs::create_directories(fs::path(runs[i].folder).parent_path());
    run_one(runs[i]);
  }
}

}  // namespace comity::cli
