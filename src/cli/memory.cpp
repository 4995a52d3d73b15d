// SPDX-License-Identifier: BSD-3-Clause
#include "cli/memory.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "cli/arguments.hpp"
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
    Example{"COMITY_MEMORY_RULES=$PWD/rules comity memory watch 4711",
            "with components of one's own: `solver = libsolver*.so*` a line of that file"},
};

constexpr Manual kManual{
    "memory", "watch PID...",
    "Tell whose the memory of running processes is, as it can be seen from outside: nothing is loaded into them, "
    "nobody "
    "waits for them, and statically linked programs are shown too.\n"
    "A component is a group of shared objects: the application (the program, and every library that no rule names), "
    "mpi, "
    "pmix, fabric (UCX, libfabric), support (what MPI libraries load beside), openmp, blas, hdf5, python, fortran, "
    "gpu, "
    "comity, libc. It has its code, its data, and the shared segments that its maker's name is known of. Beside them "
    "stand heap (malloc's), stack, file (mapped files), shared (segments of unknown makers), anonymous (other "
    "mappings), "
    "kernel, hugetlb. COMITY_MEMORY_RULES adds rules.\n"
    "RSS is what is resident, pages shared with other processes counted in each. PSS divides such pages among those "
    "who "
    "map them, so that it adds up over processes. USS is what would be free if the process went. Pages of hugetlbfs "
    "and "
    "page tables are in none of the three.\n"
    "From outside nobody can tell who asked malloc for a block, so the heap is one row. A peak is the kernel's, of the "
    "whole time since the program started; when a process ends, the last figures and the peak stay. Totals are read "
    "ten "
    "times a second, which costs the process nothing. To read mappings holds up its own mmap and munmap, by less than "
    "1 ms in a "
    "small process and some 10 to 100 ms for each GiB of small pages: that is done for at most a hundredth of the "
    "time, and "
    "the age of what is shown is told.\n"
    "On a terminal the table is shown anew until q, Ctrl-C or the processes' end; elsewhere it is printed once. You "
    "may "
    "watch what you may trace: your own processes, or as root all.",
    kExamples};

constexpr double kShortest_s = 0.1;
constexpr double kLongest_s = 3600;
constexpr std::uint64_t kMostSamples = 1000000000;
constexpr std::array<std::string_view, 1> kVerbs{"watch"};

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

void require_verb(const std::vector<std::string>& words) {
  if (words.empty()) throw UsageError("memory needs to know what to do: comity memory watch PID");
  if (words.front() != "watch")
    throw UsageError("there is no `comity memory " + words.front() + "`" + hint(words.front(), kVerbs));
}

}  // namespace

int memory_command(std::span<const std::string> words) {
  MemoryWatch request;
  std::string job;
  std::string samples;
  std::vector<std::string> operands;
  Arguments arguments(kManual);
  CLI::App& options = arguments.options();
  options.add_flag("--json", request.json, "print one line of JSON a sample instead of text");
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
  options.add_option("WHAT", operands, "watch, and the processes, by number as ps shows them");
  if (arguments.parse(words) == Next::stop) return kGood;
  require_verb(operands);
  if (!samples.empty())
    request.samples =
        number_in(samples, std::uint64_t{1}, kMostSamples, "--samples takes a number from 1 to 1000000000");
  request.processes = processes_of(std::span(operands).subspan(1), job);
  if (request.processes.empty())
    throw UsageError("memory watch needs processes: comity memory watch PID, or --job PID for the ranks of a job");
  return watch_memory(request);
}

}  // namespace comity::cli
