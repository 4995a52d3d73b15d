// SPDX-License-Identifier: BSD-3-Clause
#include "cli/memory/study.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
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
constexpr std::string_view kInput = "{input}";
constexpr std::string_view kMpi = "{mpi}";
constexpr std::string_view kTook = "# took ";  // [s] the second line of a log, of a run that has ended well

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

// An input as the name of a folder.
std::string folder_of_input(const std::string& input) {
  constexpr std::string_view kKept = "._+=-";
  std::string name;
  for (const char letter : input) {
    const bool is_kept = std::isalnum(static_cast<unsigned char>(letter)) != 0 || kKept.find(letter) != kKept.npos;
    name += is_kept ? letter : '_';
  }
  if (name.find_first_not_of('.') == std::string::npos)
    throw UsageError("--inputs has \"" + input + "\", which gives a folder no name");
  return name;
}

// Where it is recorded as long as it runs: so a folder of its own name holds a run that has ended.
std::string unfinished(const StudyRun& run) { return run.folder + std::string(kUnfinished); }

std::vector<std::string> recording_words(const StudyRun& run) {
  std::vector<std::string> words{
      fs::read_symlink("/proc/self/exe").string(), "run", "--memory", "--record", unfinished(run), "--"};
  words.insert(words.end(), run.words.begin(), run.words.end());
  return words;
}

// What it says, behind the line that was run and its time.
std::string log_of(const StudyRun& run, Way way) { return run.folder + (way == Way::bare ? ".bare.log" : ".log"); }

// The log begins with its command, which may have several lines.
bool is_of_command(std::ifstream& log, const StudyRun& run) {
  const std::string own = shell_line(run.words) + '\n';
  std::string begin(own.size(), '\0');
  log.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin == own;
}

// A record of another command in the place of a run would pass for one. Where its log is gone nobody can tell.
void expect_own_record(const StudyRun& run) {
  std::ifstream log(log_of(run, Way::recorded));
  if (!is_done(run, Way::recorded) || !log || is_of_command(log, run)) return;
  throw Error(Status::argument, run.folder + " is there already, and no run of `" + shell_line(run.words) + "`, as " +
                                    log_of(run, Way::recorded) + " says; name another folder, or move that one away");
}

void write_log(const StudyRun& run, Way way, const os::CommandEnd& end, std::chrono::duration<double> took) {
  std::ofstream log(log_of(run, way));
  log << shell_line(run.words) << '\n';
  if (end.exit_code == 0) log << kTook << took.count() << " s\n";
  log << end.output;
}

// Throws Status::system with the last of what it said.
void run_one(const StudyRun& run, Way way) {
  constexpr std::chrono::hours kPatience{24 * 30};  // the batch system's limit comes sooner
  constexpr std::size_t kMostOutput_bytes = std::size_t{16} << 20U;
  constexpr std::size_t kTail_bytes = 2000;
  if (way == Way::recorded) fs::remove_all(unfinished(run));
  const auto begin = std::chrono::steady_clock::now();
  const os::CommandEnd end =
      os::run_command(way == Way::recorded ? recording_words(run) : run.words, kPatience, kMostOutput_bytes);
  write_log(run, way, end, std::chrono::steady_clock::now() - begin);
  if (end.exit_code != 0) {
    throw Error(Status::system, "run `" + line_of(run, way) +
                                    "`: " + (end.exit_code ? "exit code " + std::to_string(*end.exit_code) : "no end") +
                                    "; mend it, and the same command goes on from there. It said (" + log_of(run, way) +
                                    "):\n" +
                                    end.output.substr(end.output.size() - std::min(end.output.size(), kTail_bytes)));
  }
  if (way == Way::bare) return;
  if (!fs::exists(fs::path(unfinished(run)) / record::kRunFile))
    throw Error(Status::system, "run `" + line_of(run, way) + "`: it left no record; see " + log_of(run, way));
  fs::rename(unfinished(run), run.folder);
}

// A list and its mark, where it is given at all.
void expect_together(const Study& study, const std::vector<std::string>& list, std::string_view mark,
                     const char* told) {
  if (list.empty() == says(study.command, mark)) throw UsageError(told);
}

std::vector<std::string> one_at_least(const std::vector<std::string>& list) {
  return list.empty() ? std::vector<std::string>{""} : list;
}

void expect_folders_of_their_own(const std::vector<std::string>& inputs) {
  std::set<std::string> folders;
  for (const std::string& input : inputs) {
    if (!folders.insert(folder_of_input(input)).second)
      throw UsageError("--inputs has two that give a folder the same name, " + folder_of_input(input));
  }
}

StudyRun run_of(const Study& study, const std::string& input, const std::string& mpi, int ranks, int repeat) {
  fs::path folder(study.folder);
  if (!input.empty()) folder /= folder_of_input(input);
  StudyRun run{(folder / name_of(study, mpi, ranks, repeat)).string(), {}};
  for (const std::string& word : study.command)
    run.words.push_back(with(with(with(word, kRanks, std::to_string(ranks)), kMpi, mpi), kInput, input));
  return run;
}

// Both would be one run in one folder.
template <typename Value, typename Text>
void expect_each_once(const std::vector<Value>& values, Text&& text, const std::string& option) {
  for (auto at = values.begin(); at != values.end(); ++at) {
    if (std::find(values.begin(), at, *at) != at)
      throw UsageError(option + " names " + text(*at) + " twice; --repeats N runs each so often");
  }
}

}  // namespace

std::vector<StudyRun> runs_of(const Study& study) {
  expect_each_once(
      study.ranks, [](int ranks) { return std::to_string(ranks); }, "--ranks");
  expect_each_once(
      study.mpis, [](const std::string& mpi) { return mpi; }, "--mpis");
  if (study.ranks.empty()) throw UsageError("memory study needs numbers of ranks: --ranks 1,2,4");
  if (study.command.empty())
    throw UsageError(
        "memory study needs a command behind a --: comity memory study --ranks 1,2 DIR -- mpirun -n {ranks} ./app");
  if (!says(study.command, kRanks))
    throw UsageError("the command says nowhere how many ranks it starts: write {ranks} where their number stands");
  expect_together(study, study.mpis, kMpi,
                  "--mpis and {mpi} in the command go together: --mpis openmpi,mpich -- mpirun.{mpi} -n {ranks} ./app");
  expect_together(
      study, study.inputs, kInput,
      "--inputs and {input} in the command go together: --inputs small,large -- mpirun -n {ranks} ./app {input}");
  expect_folders_of_their_own(study.inputs);
  std::vector<StudyRun> runs;
  for (int repeat = 1; repeat <= study.repeats; ++repeat) {
    for (const std::string& input : one_at_least(study.inputs)) {
      for (const std::string& mpi : one_at_least(study.mpis)) {
        for (const int ranks : study.ranks) runs.push_back(run_of(study, input, mpi, ranks, repeat));
      }
    }
  }
  for (const StudyRun& run : runs) expect_own_record(run);
  return runs;
}

bool is_done(const StudyRun& run, Way way) {
  return way == Way::bare ? time_of(run, way).has_value() : fs::exists(fs::path(run.folder) / record::kRunFile);
}

std::optional<double> time_of(const StudyRun& run, Way way) {
  std::ifstream log(log_of(run, way));
  std::string line;
  if (!log || !is_of_command(log, run) || !std::getline(log, line) || !line.starts_with(kTook)) return std::nullopt;
  double seconds = 0;
  const char* const end = line.data() + line.size();
  const auto [rest, problem] = std::from_chars(line.data() + kTook.size(), end, seconds);
  return problem == std::errc{} && std::string_view(rest, end) == " s" ? std::optional(seconds) : std::nullopt;
}

std::string line_of(const StudyRun& run, Way way) {
  if (way == Way::bare) return shell_line(run.words);
  std::vector<std::string> words{"comity", "run", "--memory", "--record", run.folder, "--"};
  words.insert(words.end(), run.words.begin(), run.words.end());
  return shell_line(words);
}

void run_study(const std::vector<StudyRun>& runs, Way way) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (is_done(runs[i], way)) continue;
    std::fprintf(stderr, "comity: run %zu of %zu: %s\n", i + 1, runs.size(), line_of(runs[i], way).c_str());
    fs::create_directories(fs::path(runs[i].folder).parent_path());
    run_one(runs[i], way);
  }
}

}  // namespace comity::cli
