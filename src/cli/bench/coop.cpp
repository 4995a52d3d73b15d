// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/coop.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <tuple>

#include "base/error.hpp"
#include "cli/bench/measure/launch.hpp"
#include "cli/bench/measure/trials.hpp"
#include "cli/bench/subject/coop_jobs.hpp"
#include "cli/bench/subject/emulated_hosts.hpp"
#include "cli/bench/subject/packaged_programs.hpp"
#include "cli/bench/subject/twomesh.hpp"

namespace comity::cli::bench {
namespace {

constexpr const char* kName = "coop";
constexpr const char* kNote =
    "value: under comity run --coop on, of packaged programs under --coop auto, the median of the rounds; each round "
    "launches it, its reference and, three "
    "times, "
    "what stands beside it. The reference is, of quiesce_*, the computing rank alone; of idle_cpu and the five rows of "
    "messages, and of remote_*, the same launch without Comity; of oversubscribed_latency a futex ping-pong of "
    "two "
    "processes on the core; of oversubscribed_stencil and crowded_8* the same work on two ranks; of hybrid_2x2*, the "
    "better of one "
    "rank "
    "with two threads and two ranks with one. bare: the same launch without Comity; bare, yields: and the MPI told to "
    "yield. 95 %: of the ratio, of idle_cpu's and remote_wait_*'s value, of the difference of allreduce_8B and "
    "barrier. undecided: the goal's bound lies "
    "inside, "
    "or there are fewer than six rounds.";

constexpr std::string_view kRemote = "remote_";  // of two emulated hosts
constexpr std::string_view kPackaged =
    "packaged";  // for all cases of packaged programs, which are wanted by name alone

struct CaseRow {
  std::string_view name;
  Goal goal;
};

// A rate of at least 0.90 of bare takes at most 1 / 0.90 of its time.
constexpr std::array kCases{
    CaseRow{"quiesce_barrier", {1.02}},
    CaseRow{"quiesce_recv", {1.02}},
    CaseRow{"quiesce_wait", {1.02}},
    CaseRow{"quiesce_allreduce", {1.02}},
    CaseRow{"idle_cpu", {0.02, Goal::On::value}},
    CaseRow{"latency_8B", {1.10}},
    CaseRow{"bandwidth_1MiB", {1 / 0.98}},
    CaseRow{"rate_8B", {1 / 0.90}},
    CaseRow{"allreduce_8B", {200.0, Goal::On::difference}},
    CaseRow{"barrier", {200.0, Goal::On::difference}},
    CaseRow{"oversubscribed_latency", {1.5}},
    CaseRow{"oversubscribed_stencil", {1.10}},
    CaseRow{"crowded_8", {1.3}},
    CaseRow{"crowded_8_twomesh", {1.3}},
    CaseRow{"hybrid_2x2", {1.15}},
    CaseRow{"hybrid_2x2_twomesh", {1.15}},
    CaseRow{"hybrid_2x2_cp2k", {1.15}},
    CaseRow{"hybrid_2x2_gromacs", {1.15}},
    CaseRow{"hybrid_2x2_elk", {1.15}},
    CaseRow{"hybrid_2x2_nwchem", {1.15}},
    CaseRow{"hybrid_2x2_bagel", {1.15}},
    CaseRow{"crowded_8_cp2k", {1.3}},
    CaseRow{"crowded_8_gromacs", {1.3}},
    CaseRow{"crowded_8_nwchem", {1.3}},
    CaseRow{"crowded_8_lammps", {1.3}},
    CaseRow{"remote_latency", {1.25}},
    CaseRow{"remote_wait_cpu", {0.02, Goal::On::value}},
    CaseRow{"remote_wait_late", {1e6, Goal::On::value}},
    CaseRow{"remote_wait_cpu_4", {0.02, Goal::On::value}},
    CaseRow{"remote_wait_late_4", {1e6, Goal::On::value}},
};

// What one round of launches measures together.
struct Group {
  std::vector<std::string_view> cases;
  void (*prepare)(CoopSetup& setup, const std::string& mpi);  // finds out how much work it takes, once; null: nothing
  std::function<Trial(const CoopSetup& setup, const std::string& mpi)> trial;
};

using PackagedTrial = Trial (*)(const PackagedProgram& program, const CoopSetup& setup, const std::string& mpi);

void add_packaged(std::vector<Group>& all, const PackagedProgram& program, std::string_view name, PackagedTrial trial) {
  if (name.empty()) return;
  all.push_back({{name}, nullptr, [&program, trial](const CoopSetup& setup, const std::string& mpi) {
                   return trial(program, setup, mpi);
                 }});
}

std::vector<Group> with_packaged(std::vector<Group> all) {
  for (const PackagedProgram& program : packaged_programs()) {
    add_packaged(all, program, program.hybrid_case, packaged_hybrid_trial);
    add_packaged(all, program, program.crowded_case, packaged_crowded_trial);
  }
  return all;
}

const std::vector<Group>& groups() {
  static const std::vector<Group> all = with_packaged({
      {{"quiesce_barrier", "quiesce_recv", "quiesce_wait", "quiesce_allreduce"}, find_kernel_units, quiesce_trial},
      {{"idle_cpu"}, nullptr, idle_trial},
      {{"latency_8B", "bandwidth_1MiB", "rate_8B", "allreduce_8B", "barrier"}, nullptr, messages_trial},
      {{"oversubscribed_latency"}, nullptr, shared_core_trial},
      {{"oversubscribed_stencil"}, find_stencil_units, stencil_trial},
      {{"crowded_8"}, find_stencil_units, crowded_trial},
      {{"crowded_8_twomesh"}, nullptr, crowded_twomesh_trial},
      {{"hybrid_2x2"}, find_stencil_units, hybrid_trial},
      {{"hybrid_2x2_twomesh"}, nullptr, twomesh_trial},
      {{"remote_latency"}, nullptr, remote_trial},
      {{"remote_wait_cpu", "remote_wait_late"}, nullptr, remote_wait_trial},
      {{"remote_wait_cpu_4", "remote_wait_late_4"}, nullptr, remote_wait_of_four_trial},
  });
  return all;
}

bool is_named(const Options& options, std::string_view name) {
  return std::find(options.cases.begin(), options.cases.end(), name) != options.cases.end();
}

// A launch of a packaged program takes as long as a round of many others.
bool wanted(const Options& options, std::string_view name) {
  if (packaged_of_case(name) != nullptr) return is_named(options, name) || is_named(options, kPackaged);
  return options.cases.empty() || is_named(options, name);
}

bool wanted(const Options& options, const Group& group) {
  return std::any_of(group.cases.begin(), group.cases.end(),
                     [&](std::string_view one) { return wanted(options, one); });
}

// "" where nothing stands in the way.
std::string why_absent(std::string_view name, const CoopSetup& setup, const std::string& mpi) {
  if (name.starts_with(kRemote)) return setup.hosts.why_not;
  if (name.ends_with("_twomesh") && !has_twomesh(mpi)) {
    return "twomesh is not beside the command; it is built with the source tree and not installed";
  }
  const PackagedProgram* const program = packaged_of_case(name);
  return program == nullptr ? "" : find_packaged(*program, mpi).why_not;
}

CoopSetup set_up(const Options& options, int cores) {
  CoopSetup setup{cores, first_cores(1), first_cores(2), options.kernel_seconds, 0, 0, {}};
  std::vector<decltype(Group::prepare)> prepared{nullptr};
  for (const Group& group : groups()) {
    const bool new_one = std::find(prepared.begin(), prepared.end(), group.prepare) == prepared.end();
    if (!new_one || !wanted(options, group)) continue;
    group.prepare(setup, options.mpis.front());
    prepared.push_back(group.prepare);
  }
  const bool any_remote = std::any_of(kCases.begin(), kCases.end(), [&](const CaseRow& row) {
    return row.name.starts_with(kRemote) && wanted(options, row.name);
  });
  if (any_remote) setup.hosts = find_emulated_hosts();
  return setup;
}

Row absent_row(std::string_view name, const std::string& mpi, std::string why) {
  Row row;
  row.name = name;
  row.mpi = mpi;
  row.ranks = name.starts_with("crowded_8") ? 8 : 2;
  row.threads = name.starts_with("hybrid_2x2") ? 2 : 1;
  row.goal = coop_goal(name);
  row.verdict = Verdict::absent;
  row.why_absent = std::move(why);
  return row;
}

// Rows of one number of ranks and threads stand together.
void sort_in_sections(std::vector<Row>& rows, const std::vector<std::string>& mpis) {
  const auto place = [&](const Row& row) {
    return std::tuple(std::find(mpis.begin(), mpis.end(), row.mpi), row.ranks, row.threads);
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) { return place(a) < place(b); });
}

}  // namespace

std::vector<std::string_view> coop_cases() {
  std::vector<std::string_view> names;
  names.reserve(kCases.size() + 1);
  for (const CaseRow& row : kCases) names.push_back(row.name);
  names.push_back(kPackaged);
  return names;
}

std::optional<Goal> coop_goal(std::string_view name) {
  const auto found = std::find_if(kCases.begin(), kCases.end(), [&](const CaseRow& row) { return row.name == name; });
  return found == kCases.end() ? std::nullopt : std::optional(found->goal);
}

Report coop(const Options& options) {
  Report report{kName, this_host(), {}, {{"bare", "bare", ""}, {"bare, yields", "bare_yields", ""}}, kNote};
  if (report.host.cores < 2) {
    throw Error(Status::unsupported,
                "bench coop on one core: its ranks need two; allow this process two cores or more");
  }
  const std::int64_t start_ns = now_ns();
  const CoopSetup setup = set_up(options, report.host.cores);
  std::vector<Trial> trials;
  for (const std::string& mpi : options.mpis) {
    for (const Group& group : groups()) {
      if (!wanted(options, group)) continue;
      std::string why = why_absent(group.cases.front(), setup, mpi);
      if (why.empty())
        trials.push_back(group.trial(setup, mpi));
      else
        for (const std::string_view name : group.cases) {
          if (wanted(options, name)) report.rows.push_back(absent_row(name, mpi, why));
        }
    }
  }
  measure_trials(kName, trials, std::max(Nanoseconds(0), options.time_limit - Nanoseconds(now_ns() - start_ns)));
  for (const Trial& trial : trials) {
    for (const Samples& one : trial.cases) {
      if (!wanted(options, one.name())) continue;
      report.rows.push_back(one.row(trial.mpi, trial.ranks, trial.threads, coop_goal(one.name())));
    }
  }
  sort_in_sections(report.rows, options.mpis);
  return report;
}

}  // namespace comity::cli::bench
