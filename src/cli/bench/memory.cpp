// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/memory.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <memory>

#include "cli/bench/app.hpp"
#include "cli/bench/measure/launch.hpp"
#include "cli/bench/measure/trials.hpp"
#include "cli/bench/subject/scratch_folder.hpp"

namespace comity::cli::bench {
namespace {

constexpr const char* kName = "memory";
constexpr std::chrono::seconds kPatience{60};
// The program's words, and what is measured with another one.
constexpr const char* kBlocks = "malloc_free";
constexpr const char* kMappings = "mmap_munmap";
constexpr const char* kOwn = "own_memory";
constexpr const char* kRecorded = "own_memory_recorded";
constexpr const char* kComputing = "computing";
constexpr const char* kMessages = "messages";
constexpr const char* kSizes = "sizes";
constexpr const char* kApp = "app";
constexpr const char* kNote =
    "malloc_free: a block given back and another one taken, of 10,000 that are live, under comity run --memory; the "
    "reference is glibc's own malloc in the same process, batches of both in turn; _large: of 100 blocks of 64 KiB to "
    "1 MiB. mmap_munmap: 16 KiB mapped, touched "
    "and unmapped beside 10,000 mappings that are live; the reference as with malloc_free. The rows of messages: time "
    "a "
    "message, or "
    "half of the way there and back, under comity run --memory over the same launch without Comity; _allocating: a "
    "rank "
    "takes and gives back a block for each message; _recorded: with --record, which has each call timed; message_SIZE: "
    "of so many bytes, between as many pairs of ranks as "
    "cores allow. own_memory: pages of one of two ranks that are of no file, with no block of the program's and with a "
    "million; _recorded: with --record, the pages of the record's file too, behind 200,000 visits of a region; "
    "_high_water: of the same launch the most that was ever resident, libraries too (VmHWM), before MPI_Finalize; "
    "_high_water_end: the same behind it, where ranks' records have been merged. "
    "computing (where --cases names it): steps of a rank that computes, maps and unmaps, and makes no call of MPI, "
    "beside 40 MB of small blocks; _recorded: with --record, where a thread looks on and reads what is held; _watched: "
    "under comity memory watch; _cpu: processor time of all its threads. "
    "app: "
    "twomesh with a thread a rank, in pairs of launches; app_hybrid: where one rank takes both cores for "
    "a while. 95 %: of malloc_free and own_memory the "
    "difference. undecided: the goal's bound lies inside the 95 % interval, or there are fewer than six launches (app: "
    "eight "
    "pairs).";

// [KB] What the tool may hold of a rank is 8 MB, of which a record has its budget (--record-budget).
constexpr double kMostOwn_kb = 8192 - 4096;
constexpr double kMostWithRecord_kb = 8192;

// A rate of at least 0.90 of bare takes at most 1 / 0.90 of its time.
constexpr std::array kGoals{NamedGoal{"malloc_free", {20.0, Goal::On::difference}},
                            NamedGoal{"own_memory", {kMostOwn_kb, Goal::On::difference}},
                            NamedGoal{"own_memory_million", {kMostOwn_kb, Goal::On::difference}},
                            NamedGoal{kRecorded, {kMostWithRecord_kb, Goal::On::difference}},
                            NamedGoal{"own_memory_high_water", {kMostWithRecord_kb, Goal::On::difference}},
                            NamedGoal{"own_memory_high_water_end", {kMostWithRecord_kb, Goal::On::difference}},
                            NamedGoal{"computing_recorded", {1.01}},
                            NamedGoal{"computing_watched", {1.01}},
                            NamedGoal{"message_rate_1B", {1 / 0.90}},
                            NamedGoal{"latency_1B", {1.10}},
                            NamedGoal{"message_rate_1B_recorded", {1 / 0.90}},
                            NamedGoal{"latency_1B_recorded", {1.10}},
                            NamedGoal{"bandwidth_1MiB", {1 / 0.99}}};

Launch launch(Role role, const std::string& mpi, int ranks, const std::string& what, Bind bind) {
  std::vector<std::string> words;
  if (role == Role::of_case) words = {program_beside("comity").string(), "run", "--memory", "--"};
  for (std::string& word : launch_words(kName, mpi, ranks, {what}, bind)) words.push_back(std::move(word));
  return {role, [words] { return read_found(run_for_json_line(words, kPatience)); }};
}

// With a record of the default budget, in a folder of its own each time.
Launch launch_recorded(const std::string& mpi, int ranks, const std::string& what) {
  const auto scratch = std::make_shared<const ScratchFolder>();
  const std::vector<std::string> launched = launch_words(kName, mpi, ranks, {what}, Bind::each_to_a_core);
  return {Role::of_case, [scratch, launched, number = 0]() mutable {
            const std::string record = (std::filesystem::path(scratch->path()) / std::to_string(++number)).string();
            std::vector<std::string> words{
                program_beside("comity").string(), "run", "--memory", "--record", record, "--"};
            words.insert(words.end(), launched.begin(), launched.end());
            return read_found(run_for_json_line(words, kPatience));
          }};
}

// Without Comity, and from outside once a second as soon as its ranks are there: the launcher takes the shell's place.
Launch launch_watched(const std::string& mpi, int ranks, const std::string& what) {
  const std::string watch = "(sleep 0.3; exec \"$0\" memory watch --job $$ --json) > /dev/null 2>&1 & exec \"$@\"";
  std::vector<std::string> words{"/bin/sh", "-c", watch, program_beside("comity").string()};
  for (std::string& word : launch_words(kName, mpi, ranks, {what}, Bind::each_to_a_core))
    words.push_back(std::move(word));
  return {Role::of_case, [words] { return read_found(run_for_json_line(words, kPatience)); }};
}

Found named_otherwise(Found found, const char* ending) {
  for (FoundCase& one : found.cases) one.name += ending;
  return found;
}

// Beside the same launch without, rows by a name of their own.
Trial beside_bare(Launch with, const std::string& mpi, const char* what, const char* ending) {
  Launch without = launch(Role::reference, mpi, 2, what, Bind::each_to_a_core);
  for (Launch* const one : {&with, &without})
    one->run = [run = one->run, ending] { return named_otherwise(run(), ending); };
  return {mpi, 2, 1, {with, without}};
}

// Of what messages tell, rate and latency: with a record each call is timed too, which series need.
Found timed_by_a_record(Found found) {
  constexpr std::array kTold{"message_rate_1B", "latency_1B"};
  std::erase_if(found.cases,
                [&](const FoundCase& one) { return std::find(kTold.begin(), kTold.end(), one.name) == kTold.end(); });
  return found;
}

Trial messages_recorded(const std::string& mpi) {
  Launch with = launch_recorded(mpi, 2, kMessages);
  with.run = [run = with.run] { return timed_by_a_record(run()); };
  return beside_bare(with, mpi, kMessages, "_recorded");
}

// The reference of blocks is in the same process.
Trial beside_bare_mpi(const std::string& mpi, int ranks, const std::string& what) {
  return {mpi,
          ranks,
          1,
          {launch(Role::of_case, mpi, ranks, what, Bind::each_to_a_core),
           launch(Role::reference, mpi, ranks, what, Bind::each_to_a_core)}};
}

// 1, 2, 4 and so on, and a rank a core.
std::vector<int> numbers_of_pairs(int cores) {
  std::vector<int> numbers;
  for (int pairs = 1; pairs < cores / 2; pairs *= 2) numbers.push_back(pairs);
  numbers.push_back(std::max(1, cores / 2));
  return numbers;
}

// By its name: else it would take half of the others' rounds.
bool is_asked_for(const Options& options, std::string_view what) {
  return std::find(options.cases.begin(), options.cases.end(), what) != options.cases.end();
}

bool wants(const Options& options, std::string_view what) {
  return options.cases.empty() || is_asked_for(options, what);
}

std::vector<Trial> trials_of(const Options& options, int cores) {
  std::vector<Trial> trials;
  for (const std::string& mpi : options.mpis) {
    if (wants(options, kBlocks)) {
      trials.push_back({mpi, 1, 1, {launch(Role::of_case, mpi, 1, kBlocks, Bind::nobody)}});
    }
    if (wants(options, kMappings)) {
      trials.push_back({mpi, 1, 1, {launch(Role::of_case, mpi, 1, kMappings, Bind::nobody)}});
    }
    if (wants(options, kOwn)) trials.push_back(beside_bare_mpi(mpi, 2, kOwn));
    if (wants(options, kOwn)) {
      trials.push_back(
          {mpi,
           2,
           1,
           {launch_recorded(mpi, 2, kRecorded), launch(Role::reference, mpi, 2, kRecorded, Bind::each_to_a_core)}});
    }
    if (wants(options, kMessages)) trials.push_back(beside_bare_mpi(mpi, 2, kMessages));
    if (wants(options, kMessages)) trials.push_back(messages_recorded(mpi));
    if (is_asked_for(options, kComputing)) {
      trials.push_back(beside_bare(launch_recorded(mpi, 2, kComputing), mpi, kComputing, "_recorded"));
      trials.push_back(beside_bare(launch_watched(mpi, 2, kComputing), mpi, kComputing, "_watched"));
    }
    if (!wants(options, kSizes)) continue;
    for (const int pairs : numbers_of_pairs(cores)) trials.push_back(beside_bare_mpi(mpi, 2 * pairs, kSizes));
  }
  return trials;
}

}  // namespace

std::vector<std::string_view> memory_cases() { return {kBlocks, kMappings, kOwn, kMessages, kSizes, kApp, kComputing}; }

Report memory(const Options& options) {
  Report report{kName, this_host(), {}, {}, kNote};
  std::vector<Trial> trials = trials_of(options, report.host.cores);
  measure_trials(kName, trials, options.time_limit / 2);
  for (const Trial& trial : trials) {
    for (const Samples& one : trial.cases) {
      report.rows.push_back(one.row(trial.mpi, trial.ranks, trial.threads, goal_of(kGoals, one.name())));
    }
  }
  if (!wants(options, kApp)) return report;
  for (Row& row : app_rows(kName, options.mpis, options.time_limit - options.time_limit / 2)) {
    report.rows.push_back(std::move(row));
  }
  return report;
}

}  // namespace comity::cli::bench
