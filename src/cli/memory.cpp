// SPDX-License-Identifier: BSD-3-Clause
#include "cli/memory.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <vector>

#include "cli/common/arguments.hpp"
#include "cli/doctor/host.hpp"
#include "cli/memory/recording.hpp"
#include "cli/memory/runs.hpp"
#include "cli/memory/study.hpp"
#include "cli/memory/study_times.hpp"
#include "cli/memory/watch.hpp"
#include "cli/topo/job.hpp"

namespace comity::cli {
namespace {

constexpr std::array kExamples{
    Example{"comity memory watch 4711", "whose the memory of process 4711 is, anew each second; q ends it"},
    Example{"comity memory watch --job $(pidof mpirun)", "the ranks below a launcher, and what they share"},
    Example{"comity memory watch 4711 4712 --samples 1", "two processes, one table"},
    Example{"comity memory watch 4711 --json --interval 5 > memory.jsonl", "a line each five seconds until it ends"},
    Example{"comity memory watch 1 --totals", "a process of somebody else: totals are everybody's to see"},
    Example{"comity memory off --job $(pidof mpirun)", "its ranks stop recording whose their memory is; on goes on"},
    Example{"comity memory diff before after", "what a rank of the second recorded run has more than one of the first"},
    Example{"comity memory scaling np1 np8 np64 --csv > memory.csv", "recorded runs side by side, for a plot"},
    Example{"comity memory study --ranks 1,2,4 --repeats 4 out -- mpirun -n {ranks} ./app",
            "twelve recorded runs, side by side; called again it goes on with those that are missing"},
    Example{"comity memory scaling --over ranks --against trivial bench",
            "over numbers of ranks what a rank of each run in the folder bench has more than one of trivial's"},
    Example{"COMITY_MEMORY_RULES=$PWD/rules comity memory watch 4711",
            "with components of one's own: `solver = libsolver*.so*` a line of that file"},
};

constexpr Manual kManual{
    "memory", "watch|on|off PID...|diff|scaling|study DIR...",
    "watch tells whose the memory of running processes is, as it can be seen from outside: nothing is loaded into "
    "them, nobody waits for them, and statically linked programs are shown too. diff compares two runs that "
    "`comity run --memory --record DIR` recorded: what a rank of B has more than one of A, by component, at its "
    "peak and at the end, as means over ranks. scaling sets recorded runs side by side, a line a run: of other "
    "numbers of ranks, other inputs, other MPIs; --over ranks has a column a number of ranks instead, in a block "
    "for each program and MPI, and --over nodes one for each number of ranks a node, with what a full node has more. "
    "Of a "
    "folder of runs all are shown; those of one program, MPI and number of ranks are repeats, and count as one. "
    "study makes such runs: it records the command behind a -- once for "
    "each of --ranks, of --inputs, of --mpis and of --repeats, in folders below DIR, leaves out those that are there, "
    "and sets all of them side by side; with --bare it runs the command as it is, and tells the times. Where a record "
    "is damaged what can be read is compared, with a warning, and "
    "the exit code is 1. off has running ranks of `comity run --memory` stop recording, on has "
    "them go on, each from its next call of MPI on that waits or makes something: what comes and goes between is no "
    "peak, sample or growth, and the record says how long that was. MPI_Pcontrol(0) and (1) do the same; who says so "
    "last is heeded.\n"
    "A component is a group of shared objects: the application (the program, and every library that no rule "
    "names), mpi, pmix, fabric (UCX, libfabric), support (what MPI libraries load beside), openmp, blas, hdf5, "
    "python, fortran, gpu, comity, libc, allocator (tcmalloc and its like). It has its code, its data, and the shared "
    "segments that its maker's name "
    "is known of. Beside them stand heap (malloc's), stack, file (mapped files), shared (segments of unknown "
    "makers), anonymous (other mappings), kernel, hugetlb. COMITY_MEMORY_RULES adds rules.\n"
    "RSS is what is resident, pages shared with other processes counted in each. PSS divides such pages among "
    "those who map them, so that it adds up over processes. USS is what would be free if the process went. Pages "
    "of hugetlbfs and page tables are in none of the three.\n"
    "From outside nobody can tell who asked malloc for a block, so the heap is one row (`comity run --memory` "
    "tells). A peak is the kernel's, of the whole time since the program started; when a process ends, the last "
    "figures and the peak stay. Totals are read ten times a second, which costs the process nothing. To read "
    "mappings holds up its own mmap and munmap, by less than 1 ms in a small process and some 10 to 100 ms for "
    "each GiB of small pages: that is done for at most a hundredth of the time, and the age of what is shown is "
    "told.\n"
    "On a terminal the table is shown anew until q, Ctrl-C or the processes' end; elsewhere it is printed once. "
    "You may watch what you may trace: your own processes, or as root all.",
    kExamples};

constexpr double kShortest_s = 0.1;
constexpr double kLongest_s = 3600;
constexpr std::uint64_t kMostSamples = 1000000000;
constexpr int kMostRanks = 10'000'000;
constexpr int kMostRepeats = 1000;
constexpr std::string_view kStudy = "study";
constexpr std::array<std::string_view, 6> kVerbs{"watch", "on", "off", "diff", "scaling", kStudy};

std::vector<pid_t> processes_of(std::span<const std::string> words, const std::string& job) {
  std::vector<pid_t> processes;
  for (const std::string& word : words) processes.push_back(parse_pid(word));
  if (!job.empty()) {
    const std::vector<pid_t> ranks = find_job(ProcessTable(), parse_pid(job)).processes;
    processes.insert(processes.end(), ranks.begin(), ranks.end());
  }
  std::vector<pid_t> once;
  for (const pid_t process : processes) {
    if (std::find(once.begin(), once.end(), process) == once.end()) once.push_back(process);
  }
  return once;
}

// Options that other verbs do not have.
void reject_others_options(const CLI::App& options, const std::string& verb) {
  constexpr std::array<std::pair<const char*, std::string_view>, 14> kOwn{{{"--interval", "watch"},
                                                                           {"--samples", "watch"},
                                                                           {"--job", "watch, on and off"},
                                                                           {"--totals", "watch"},
                                                                           {"--csv", "scaling and study"},
                                                                           {"--over", "scaling and study"},
                                                                           {"--against", "scaling"},
                                                                           {"--svg", "scaling and study"},
                                                                           {"--inputs", "study"},
                                                                           {"--bare", "study"},
                                                                           {"--ranks", "study"},
                                                                           {"--mpis", "study"},
                                                                           {"--repeats", "study"},
                                                                           {"--dry-run", "study"}}};
  for (const auto& [name, owners] : kOwn) {
    if (owners.find(verb) == std::string_view::npos && options.get_option(name)->count() != 0)
      throw UsageError(std::string(name) + " is an option of memory " + std::string(owners));
  }
}

int watch(MemoryWatch& request, std::span<const std::string> words, const std::string& job,
          const std::string& samples) {
  if (!samples.empty())
    request.samples =
        number_in(samples, std::uint64_t{1}, kMostSamples, "--samples takes a number from 1 to 1000000000");
  request.processes = processes_of(words, job);
  if (request.processes.empty())
    throw UsageError("memory watch needs processes: comity memory watch PID, or --job PID for the ranks of a job");
  return watch_memory(request);
}

int turn(std::span<const std::string> words, const std::string& job, const std::string& verb, bool json) {
  const std::vector<pid_t> processes = processes_of(words, job);
  if (processes.empty())
    throw UsageError("memory " + verb + " needs processes: comity memory " + verb +
                     " PID, or --job PID for the ranks of a job");
  return ask_to_record(processes, verb == "on" ? live::Recording::on : live::Recording::off, json);
}

// Behind the "--", which no other verb has.
std::span<const std::string> command_in(std::span<const std::string> words) {
  const auto dashes = std::find(words.begin(), words.end(), "--");
  if (dashes == words.end() || std::find(words.begin(), dashes, kStudy) == dashes) return {};
  return words.subspan(static_cast<std::size_t>(dashes - words.begin()));
}

struct StudyWish {
  Study study;
  bool is_dry = false;
  Way way = Way::recorded;
};

int study(StudyWish& wish, std::span<const std::string> folders, const SideBySide& shown) {
  if (folders.size() != 1)
    throw UsageError("memory study needs one folder for its runs: comity memory study --ranks 1,2 DIR -- COMMAND");
  wish.study.folder = folders[0];
  const std::vector<StudyRun> runs = runs_of(wish.study);
  if (wish.is_dry) {
    for (const StudyRun& run : runs)
      std::printf("%s%s\n", line_of(run, wish.way).c_str(), is_done(run, wish.way) ? "  # is there" : "");
    return kGood;
  }
  run_study(runs, wish.way);
  if (wish.way == Way::bare) return show_times(runs, shown.form);
  std::vector<std::string> records;
  records.reserve(runs.size());
  for (const StudyRun& run : runs) records.push_back(run.folder);
  return show_side_by_side(records, shown);
}

RunsOver over_of(const std::string& word) {
  constexpr std::array<std::string_view, 2> kOver{"ranks", "nodes"};
  if (word == kOver[0]) return RunsOver::ranks;
  if (word == kOver[1]) return RunsOver::ranks_a_node;
  throw UsageError("there is no --over " + word + hint(word, kOver) + "; it takes ranks or nodes");
}

// The words of --over and --against, which go together.
void settle(SideBySide& shown, const std::string& over) {
  if (!over.empty()) shown.over = over_of(over);
  if (shown.against_name.empty()) return;
  if (shown.over == RunsOver::ranks_a_node) throw UsageError("--against is of --over ranks: leave out --over nodes");
  if (!shown.picture.empty()) throw UsageError("--svg draws no differences: leave out --against");
  shown.over = RunsOver::ranks;
  shown.against = {shown.against_name};
}

RunsForm form_of(bool json, bool csv) {
  if (json && csv) throw UsageError("--json and --csv are two forms of the same figures: choose one");
  return json ? RunsForm::json : csv ? RunsForm::csv : RunsForm::text;
}

}  // namespace

int memory_command(std::span<const std::string> words) {
  MemoryWatch request;
  std::string job;
  std::string samples;
  std::vector<std::string> operands;
  bool csv = false;
  bool bare = false;
  std::string over;
  SideBySide shown;
  StudyWish wish;
  Study& wished = wish.study;
  const std::span<const std::string> command = command_in(words);
  if (!command.empty()) wished.command.assign(command.begin() + 1, command.end());
  Arguments arguments(kManual);
  CLI::App& options = arguments.options();
  options.add_flag("--json", request.json, "print JSON instead of text, of watch a line a sample");
  options
      .add_option_function<std::string>(
          "--interval",
          [&](const std::string& text) {
            request.interval_s = number_in(text, kShortest_s, kLongest_s, "--interval takes seconds from 0.1 to 3600");
          },
          "between two samples, 0.1 to 3600; 1 where it is not given")
      ->type_name("SECONDS");
  options
      .add_option("--samples", samples,
                  "end after so many; until the processes end where it is not given, but once elsewhere than on a "
                  "terminal without --json")
      ->type_name("COUNT");
  options.add_option("--job", job, "all ranks here of the job of this process, which is a rank or a launcher")
      ->type_name("PID");
  options.add_flag("--totals", request.totals_alone, "totals and peaks alone, which everybody may see, of any process");
  options.add_flag("--csv", csv, "of scaling and study: print comma-separated values, a line a run");
  options
      .add_option_function<std::string>(
          "--ranks",
          [&](const std::string& text) {
            for (const std::string& one : split(text, ","))  // CLI11's lists take the folder behind them too
              wished.ranks.push_back(number_in(one, 1, kMostRanks, "--ranks takes numbers from 1 on, as 1,2,4"));
          },
          "of study: the numbers of ranks that stand for {ranks} in the command, 1,2,4")
      ->type_name("COUNT,...");
  options
      .add_option_function<std::string>(
          "--mpis", [&](const std::string& text) { wished.mpis = split(text, ","); },
          "of study: the words that stand for {mpi} in the command, openmpi,mpich")
      ->type_name("MPI,...");
  options
      .add_option_function<std::string>(
          "--repeats",
          [&](const std::string& text) {
            wished.repeats = number_in(text, 1, kMostRepeats, "--repeats takes a number from 1 to 1000");
          },
          "of study: how often each is run; 1 where it is not given")
      ->type_name("COUNT");
  options
      .add_option_function<std::string>(
          "--inputs", [&](const std::string& text) { wished.inputs = split(text, ","); },
          "of study: the words that stand for {input} in the command; each has a folder of its own, small,large")
      ->type_name("INPUT,...");
  options.add_flag("--bare", bare,
                   "of study: run the command as it is, without Comity, keep what it says, and tell the time of each "
                   "run beside that of its recorded one");
  options
      .add_option(
          "--over", over,
          "of scaling and study: a column for each number of ranks (ranks), or of ranks a node (nodes), instead "
          "of a line a run")
      ->type_name("WHAT");
  options
      .add_option(
          "--against", shown.against_name,
          "of scaling: over ranks, less what a rank has in the run there of the same MPI and number of ranks; a "
          "record, or a folder of them")
      ->type_name("DIR");
  options.add_option("--svg", shown.picture, "of scaling and study: also draw there the means over numbers of ranks")
      ->type_name("FILE");
  options.add_flag("--dry-run", wish.is_dry, "of study: print what would be run, a line a run, and run nothing");
  options.add_option("WHAT", operands,
                     "watch, on or off and processes, by number as ps shows them; diff and two folders; scaling and "
                     "any; study and one");
  if (arguments.parse(words.first(words.size() - command.size())) == Next::stop) return kGood;
  if (operands.empty()) throw UsageError("memory needs to know what to do: comity memory watch PID");
  const std::string& verb = operands.front();
  if (std::find(kVerbs.begin(), kVerbs.end(), verb) == kVerbs.end())
    throw UsageError("there is no `comity memory " + verb + "`" + hint(verb, kVerbs));
  reject_others_options(options, verb);
  const std::span rest = std::span(operands).subspan(1);
  if (verb == "on" || verb == "off") return turn(rest, job, verb, request.json);
  if (verb == kStudy || verb == "scaling") {
    shown.form = form_of(request.json, csv);
    settle(shown, over);
  }
  if (bare) wish.way = Way::bare;
  if (verb == kStudy) return study(wish, rest, shown);
  if (verb == "scaling") return show_side_by_side(rest, shown);
  return verb == "watch" ? watch(request, rest, job, samples) : compare_runs(rest, request.json);
}

}  // namespace comity::cli
