// SPDX-License-Identifier: BSD-3-Clause
// `comity bench NAME`: the table of benchmarks, and their common options.
#include "cli/bench.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "base/utf8.hpp"
#include "cli/bench/coop.hpp"
#include "cli/bench/fortran.hpp"
#include "cli/bench/interpose.hpp"
#include "cli/bench/measure/launch.hpp"
#include "cli/bench/memory.hpp"
#include "cli/bench/metrics.hpp"
#include "cli/bench/place.hpp"
#include "cli/bench/quiesce.hpp"
#include "cli/bench/quo.hpp"
#include "cli/bench/sched.hpp"
#include "cli/bench/show/picture.hpp"
#include "cli/common/arguments.hpp"
#include "cli/common/screen.hpp"
#include "os/environment.hpp"

namespace comity::cli {
namespace {

struct Benchmark {
  std::string_view name;
  bench::Report (*run)(const bench::Options& options);
  bool launches = true;  // programs with an MPI
};

constexpr std::array kBenchmarks{Benchmark{"quiesce", bench::quiesce},     Benchmark{"quo", bench::quo},
                                 Benchmark{"interpose", bench::interpose}, Benchmark{"metrics", bench::metrics},
                                 Benchmark{"memory", bench::memory},       Benchmark{"coop", bench::coop},
                                 Benchmark{"fortran", bench::fortran},     Benchmark{"place", bench::place, false},
                                 Benchmark{"sched", bench::sched, false}};
constexpr const char* kNames = "quiesce, quo, interpose, metrics, memory, coop, fortran, place or sched";

constexpr std::array kExamples{
    Example{"comity bench quiesce", "what do resting ranks cost the one that computes? Ten minutes at most"},
    Example{"comity bench quo --ranks 2,8", "what does each call of a context cost?"},
    Example{"comity bench interpose", "what does seeing every call of MPI cost a call?"},
    Example{"comity bench memory", "what does knowing whose memory it is cost blocks and messages?"},
    Example{"comity bench coop", "what do waits that sleep cost an unchanged program, and win? Ten minutes"},
    Example{"comity bench fortran", "what does a call from Fortran cost over one from C?"},
    Example{"comity bench coop --cases idle_cpu,latency_8B --time-limit 60", "two of its cases"},
    Example{"comity bench place", "how few exchanges cross nodes, beside what launchers do; needs no MPI"},
    Example{"comity bench place --cases commands",
            "how long does the command take, for a million ranks and a large graph?"},
    Example{"comity bench sched", "what do fibers, tasks and nested teams cost, beside other runtimes? Needs no MPI"},
    Example{"comity bench quiesce --mpi mpich --time-limit 60", "a first look, with one MPI"},
    Example{"comity bench quiesce --json > quiesce.json", "for a script"},
};

constexpr Manual kManual{
    "bench", "NAME",
    "Measure one thing, each case in turn with its reference, until the ratio of the two is known "
    "well enough. Run nothing "
    "beside it.\n"
    "NAME is quiesce: of one rank a core, one computes on all cores while the others wait, in "
    "Comity or in MPI_Barrier; the "
    "reference is the same computation without other ranks. Or quo: what each call of a context "
    "costs, at several numbers of ranks; the references are raw system calls and bare MPI. Or interpose: "
    "what the wrapper of an MPI function adds to a call. Or metrics: what measuring a program's MPI costs its "
    "messages. Or memory: what knowing whose memory it is costs its blocks of memory, its messages and a mini-app. Or "
    "coop: what waiting in MPI costs an unchanged program under comity run --coop on, with a core for "
    "each "
    "rank and without; launches with Comity and without take turns. Or fortran: what a call costs from Fortran over "
    "the same from C. Or place: what mappings of known cases cut, beside the launchers' own orders. Or sched: what "
    "fibers, tasks and nested teams cost, beside kernel threads (pthread, std::thread) and those of GNU's and LLVM's "
    "OpenMP, oneTBB, Boost.Fiber, Taskflow, Argobots and Qthreads that are here; where the last two are not, beside "
    "figures of another time.\n"
    "The exit code is 0 whatever the timings say.",
    kExamples};

std::string number_text(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g", number);
  return text.data();
}

struct Words {
  std::string name;
  std::string mpi = "all";
  double time_limit_s = 600.0;
  double kernel_seconds = 0.5;
  std::vector<int> ranks{1, 2, 4, 8, 16};
  std::vector<std::string> cases;
  std::vector<std::size_t> jobs;
  std::vector<std::string> libraries;
  std::string picture;
  bool json = false;
};

void add_seconds(CLI::App& options, const std::string& name, double& into, double least, double most,
                 const std::string& meaning) {
  const std::string takes = name + " takes " + number_text(least) + " to " + number_text(most) + " seconds";
  options
      .add_option_function<std::string>(
          name, [=, &into](const std::string& text) { into = number_in(text, least, most, takes); }, meaning)
      ->type_name("SECONDS");
}

void add_ranks(CLI::App& options, std::vector<int>& into) {
  const auto read = [&into](const std::vector<std::string>& texts) {
    into.clear();
    for (const std::string& text : texts) {
      const int ranks = number_in(text, 1, 1024, "--ranks takes numbers from 1 to 1024 with commas between them");
      if (std::find(into.begin(), into.end(), ranks) == into.end()) into.push_back(ranks);
    }
  };
  options
      .add_option_function<std::vector<std::string>>("--ranks", read,
                                                     "quo: the numbers of ranks, 1,2,4,8,16 unless told")
      ->type_name("COUNT,...")
      ->delimiter(',');
}

void add_cases(CLI::App& options, std::vector<std::string>& into) {
  options
      .add_option(
          "--cases", into,
          "coop, sched and place: these cases only, all unless told; memory: of malloc_free, mmap_munmap, own_memory, "
          "messages, sizes "
          "and app, and computing, which is not measured unless named")
      ->type_name("CASE,...")
      ->delimiter(',');
}

// "7,100-199" as the numbers themselves, each once.
std::vector<std::size_t> read_jobs(const std::vector<std::string>& texts) {
  const std::string takes = "--jobs takes numbers from 0 to " + std::to_string(bench::place_jobs() - 1) +
                            " with commas between them, and ranges as in 100-199";
  std::vector<std::size_t> jobs;
  for (const std::string& text : texts) {
    const std::size_t dash = text.find('-');
    const auto first = number_in<std::size_t>(text.substr(0, dash), 0, bench::place_jobs() - 1, takes);
    const auto last = dash == std::string::npos
                          ? first
                          : number_in<std::size_t>(text.substr(dash + 1), first, bench::place_jobs() - 1, takes);
    for (std::size_t job = first; job <= last; ++job) {
      if (std::find(jobs.begin(), jobs.end(), job) == jobs.end()) jobs.push_back(job);
    }
  }
  return jobs;
}

void add_jobs(CLI::App& options, std::vector<std::size_t>& into) {
  options
      .add_option_function<std::vector<std::string>>(
          "--jobs", [&into](const std::vector<std::string>& texts) { into = read_jobs(texts); },
          "place: of the random jobs these only, as its JSON numbers those that are lost; all unless told")
      ->type_name("JOB,...")
      ->delimiter(',');
}

void check_cases(std::string_view benchmark, const std::vector<std::string>& cases) {
  const std::vector<std::string_view> known = benchmark == "memory"  ? bench::memory_cases()
                                              : benchmark == "sched" ? bench::sched_cases()
                                              : benchmark == "place" ? bench::place_cases()
                                                                     : bench::coop_cases();
  for (const std::string& text : cases) {
    if (std::find(known.begin(), known.end(), text) != known.end()) continue;
    throw UsageError("there is no case \"" + text + "\" of bench " + std::string(benchmark) + hint(text, known));
  }
}

void check_jobs(const Words& words) {
  const bool has_random =
      words.cases.empty() || std::find(words.cases.begin(), words.cases.end(), "random") != words.cases.end();
  if (words.jobs.empty() || has_random) return;
  throw UsageError(
      "--jobs chooses among the random jobs, which --cases leaves out; add random there, or leave --jobs out");
}

// Options of some benchmarks alone, a row a benchmark.
struct OwnOption {
  std::string_view name;
  std::string_view benchmark;
};

constexpr std::array kOwnOptions{OwnOption{"--kernel-seconds", "quiesce"},
                                 OwnOption{"--kernel-seconds", "coop"},
                                 OwnOption{"--mpi", "quiesce"},
                                 OwnOption{"--mpi", "quo"},
                                 OwnOption{"--mpi", "interpose"},
                                 OwnOption{"--mpi", "metrics"},
                                 OwnOption{"--mpi", "memory"},
                                 OwnOption{"--mpi", "coop"},
                                 OwnOption{"--mpi", "fortran"},
                                 OwnOption{"--ranks", "quo"},
                                 OwnOption{"--lib", "quo"},
                                 OwnOption{"--picture", "quo"},
                                 OwnOption{"--picture", "memory"},
                                 OwnOption{"--cases", "coop"},
                                 OwnOption{"--cases", "memory"},
                                 OwnOption{"--cases", "sched"},
                                 OwnOption{"--cases", "place"},
                                 OwnOption{"--jobs", "place"}};

// "" where it is one of this benchmark.
std::string owners_of(std::string_view option, std::string_view benchmark) {
  std::vector<std::string_view> owners;
  for (const OwnOption& own : kOwnOptions) {
    if (own.name != option) continue;
    if (own.benchmark == benchmark) return {};
    owners.push_back(own.benchmark);
  }
  std::string text;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == owners.size() ? " and " : ", ") + std::string(owners[i]);
  }
  return text;
}

void reject_options_of_others(const CLI::App& options, std::string_view benchmark) {
  for (const OwnOption& own : kOwnOptions) {
    const std::string owners = owners_of(own.name, benchmark);
    if (owners.empty() || options.count(std::string(own.name)) == 0) continue;
    throw UsageError(std::string(own.name) + " has no meaning for bench " + std::string(benchmark) +
                     "; it is an option of bench " + owners);
  }
}

const Benchmark& benchmark_named(const std::string& name) {
  std::vector<std::string_view> known;
  for (const Benchmark& row : kBenchmarks) {
    if (row.name == name) return row;
    known.push_back(row.name);
  }
  if (name.empty()) throw UsageError("the name of a benchmark is missing: " + std::string(kNames));
  throw UsageError("there is no benchmark \"" + name + "\"" + hint(name, known));
}

// Null where a page was asked for.
const Benchmark* read(std::span<const std::string> words, Words& into) {
  Arguments arguments(kManual);
  CLI::App& options = arguments.options();
  options.add_option("NAME", into.name, std::string("which benchmark: ") + kNames);
  options.add_option("--mpi", into.mpi, "openmpi, mpich or all: those that it was built for")->type_name("MPI");
  add_seconds(options, "--time-limit", into.time_limit_s, 0.0, 86400.0,
              "for all rows together, 600 unless told; a row has one pair at least");
  add_seconds(options, "--kernel-seconds", into.kernel_seconds, 0.001, 60.0,
              "quiesce and coop: how long one sample computes, 0.5 unless told");
  add_cases(options, into.cases);
  add_jobs(options, into.jobs);
  add_ranks(options, into.ranks);
  options
      .add_option(
          "--lib", into.libraries,
          "quo: original=PATH measures an installed libquo too, in the same run, and libquo=PATH Comity's; they "
          "must be built for the MPI that --mpi names, which may not be all")
      ->type_name("NAME=PATH")
      ->allow_extra_args(false);
  options
      .add_option("--picture", into.picture,
                  "quo: also write times over ranks there, log-log, as SVG; memory: message rates over sizes")
      ->type_name("FILE");
  arguments.add_json_flag(into.json);
  if (arguments.parse(words) == Next::stop) return nullptr;
  const Benchmark& benchmark = benchmark_named(into.name);
  reject_options_of_others(options, benchmark.name);
  check_cases(benchmark.name, into.cases);
  check_jobs(into);
  return &benchmark;
}

// A library of one MPI that is loaded into a program of the other ends that program, and with it all that was measured.
std::string path_of(const std::string& name, const std::string& path, const std::string& mpi) {
  if (!std::filesystem::exists(path))
    throw UsageError("--lib " + name + "=" + in_quotes(path) + ": there is no such file");
  if (mpi == "all") throw UsageError("--lib is built for one MPI: name it, with --mpi openmpi or --mpi mpich");
  return std::filesystem::absolute(path).string();
}

void take_libraries(const std::vector<std::string>& libraries, const std::string& mpi, bench::Options& into) {
  for (const std::string& library : libraries) {
    const std::size_t sign = library.find('=');
    const std::string name = library.substr(0, sign);
    const bool is_known = sign != std::string::npos && (name == "original" || name == "libquo");
    if (!is_known) throw UsageError("--lib takes original=PATH and libquo=PATH, not " + in_quotes(library));
    (name == "original" ? into.original : into.libquo) = path_of(name, library.substr(sign + 1), mpi);
  }
}

// Before the measurement: ten minutes later it would cost them. Nothing stays behind: other words may be refused yet.
void require_writable(const std::string& path) {
  std::error_code none;
  const bool was_there = std::filesystem::exists(path, none);
  const bool opens = path.empty() || std::ofstream(path, std::ios::app);
  if (opens && !was_there && !path.empty()) std::filesystem::remove(path, none);
  if (opens) return;
  throw UsageError("--picture " + in_quotes(path) + ": this file cannot be written");
}

// The MPIs to measure; throws where one that was asked for is not here.
std::vector<std::string> chosen_mpis(std::string_view bench_name, const std::string& wanted) {
  std::vector<std::string_view> known = bench::known_mpis();
  std::vector<std::string> built = bench::built_mpis(bench_name);
  if (std::find(known.begin(), known.end(), wanted) != known.end()) {
    if (std::find(built.begin(), built.end(), wanted) != built.end()) return {wanted};
    built.clear();
  } else if (wanted != "all") {
    known.emplace_back("all");
    throw UsageError("there is no MPI \"" + wanted + "\"" + hint(wanted, known));
  }
  if (!built.empty()) return built;
  throw Error(Status::not_found, "bench " + std::string(bench_name) + " with " + wanted +
                                     ": its program is neither beside the command nor in its libexec folder; "
                                     "install comity-bench of that MPI, or build with mpicc.openmpi or mpicc.mpich, "
                                     "OpenMP and COMITY_BENCH=ON");
}

}  // namespace

int bench_command(std::span<const std::string> arguments) {
  Words words;
  const Benchmark* const benchmark = read(arguments, words);
  if (benchmark == nullptr) return kGood;
  require_writable(words.picture);
  bench::Options options{{},
                         Nanoseconds(static_cast<std::int64_t>(1e9 * words.time_limit_s)),
                         words.kernel_seconds,
                         words.ranks,
                         {},
                         {},
                         words.cases,
                         words.jobs};
  take_libraries(words.libraries, words.mpi, options);
  if (benchmark->launches) options.mpis = chosen_mpis(benchmark->name, words.mpi);
  const bench::Report report = benchmark->run(options);
  if (!words.picture.empty()) bench::write_svg(report, words.picture);
  const std::string text =
      words.json ? bench::to_json(report) : bench::to_text(report, Screen::of_standard_output(os::environment));
  std::fputs(text.c_str(), stdout);
  return kGood;
}

}  // namespace comity::cli
