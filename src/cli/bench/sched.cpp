// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/sched.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/bench/measure/launch.hpp"
#include "cli/bench/measure/places.hpp"
#include "os/process/command.hpp"

namespace comity::cli::bench {
namespace {

constexpr std::array kPrograms{"bench-sched", "bench-sched-libomp"};
constexpr int kHarts = 2;
constexpr std::chrono::seconds kPatience{30};
constexpr const char* kNote =
    "A row for each case and what is beside it, measured in turn, 15 times a launch or as often as a minute allows "
    "(pairs), threads pinned, but for nested OpenMP and std::thread, whose inner ones would share the outer one's "
    "core. \"not this run\": a figure that was measured at another time. fiber_switch, create_join: on one hart; the "
    "others on two. "
    "store and answer: from one core to the other and back. leave_wanted: an idle hart whose CPU somebody wants, until "
    "it is gone. parked: what a process uses of a core in a second in which all harts sleep. suspended_million: the "
    "memory of a million fibers that "
    "wait; its reference is a page each. fib: a task for each "
    "call but the last ones; one_producer: tasks of one; each to its end; with a time each task, or index of a loop, "
    "computes so long. slow_hart: for how much of the time the hart that is idle longest is so, where one takes twice "
    "as long for each task. nest_200us, nest_2ms: two members that call a library with a team of two, which works so "
    "long a call; ideal is the work on two cores. _public: the same through libcomity_sched, as a program has it. "
    "undecided: the goal's bound lies inside the 95 % interval, or there "
    "are fewer than six launches.";

constexpr std::string_view kNest = "nest";  // in --cases: both of them

struct CaseGoal {
  std::string_view name;
  std::string_view peer;  // "": any
  std::optional<Goal> goal;
};

constexpr std::array kGoals{
    CaseGoal{"fiber_switch", "", Goal{23.0, Goal::On::value}},
    CaseGoal{"create_join", "", Goal{46.0, Goal::On::value}},
    CaseGoal{"create_join_2harts", "", Goal{216.0, Goal::On::value}},
    CaseGoal{"barrier_2harts", "", Goal{130.0, Goal::On::value}},
    CaseGoal{"leave_wanted", "", Goal{100.0, Goal::On::difference}},
    CaseGoal{"parked", "", Goal{0.1, Goal::On::value}},
    CaseGoal{"suspended_million", "", Goal{8.0, Goal::On::value}},
    CaseGoal{"fib", "", Goal{1.0}},
    CaseGoal{"one_producer", "libgomp", Goal{50.0, Goal::On::value}},  // which runs them where they are made
    CaseGoal{"one_producer", "", Goal{1.0}},
    CaseGoal{"parallel_for", "", Goal{1.0}},
    CaseGoal{"slow_hart", "", Goal{10.0, Goal::On::value}},
    CaseGoal{"nest_200us", "ideal", Goal{1.05}},
    CaseGoal{"nest_2ms", "ideal", Goal{1.05}},
    CaseGoal{"fiber_switch_public", "", Goal{23.0, Goal::On::value}},
    CaseGoal{"create_join_public", "", Goal{46.0, Goal::On::value}},
    CaseGoal{"create_join_2harts_public", "", Goal{216.0, Goal::On::value}},
    CaseGoal{"fib_public", "", Goal{1.0}},
    CaseGoal{"one_producer_public", "libgomp", Goal{50.0, Goal::On::value}},
    CaseGoal{"one_producer_public", "", Goal{1.0}},
    CaseGoal{"parallel_for_public", "", Goal{1.0}},
    CaseGoal{"fib_1us", "", {}},
    CaseGoal{"one_producer_1us", "", {}},
    CaseGoal{"parallel_for_1us", "", {}},
    CaseGoal{"fib_10us", "", {}},
    CaseGoal{"one_producer_10us", "", {}},
    CaseGoal{"parallel_for_10us", "", {}},
    CaseGoal{"fib_100us", "", {}},
    CaseGoal{"one_producer_100us", "", {}},
    CaseGoal{"parallel_for_100us", "", {}},
};

struct Pair {
  std::string name;
  std::string peer;
};

// What the program has: a line each.
std::vector<Pair> pairs_of(const std::string& program) {
  const os::CommandEnd end = os::run_command({program, "list"}, kPatience);
  if (end.exit_code != 0) throw Error(Status::system, "run `" + program + " list`: it failed; run it by hand");
  std::vector<Pair> pairs;
  std::istringstream lines(end.output);
  for (Pair pair; std::getline(lines, pair.name, '\t') && std::getline(lines, pair.peer);) pairs.push_back(pair);
  return pairs;
}

}  // namespace

std::vector<std::string_view> sched_cases() {
  std::vector<std::string_view> names;
  for (const CaseGoal& one : kGoals) {
    if (std::find(names.begin(), names.end(), one.name) == names.end()) names.push_back(one.name);
  }
  names.push_back(kNest);
  return names;
}

bool is_wanted(const std::vector<std::string>& cases, std::string_view name) {
  const std::string_view group = name.starts_with("nest_") ? kNest : name;
  return cases.empty() ||
         std::any_of(cases.begin(), cases.end(), [&](const std::string& one) { return one == name || one == group; });
}

std::optional<Goal> sched_goal(std::string_view name, std::string_view peer) {
  for (const CaseGoal& one : kGoals) {
    if (one.name == name && (one.peer.empty() || one.peer == peer)) return one.goal;
  }
  return std::nullopt;
}

Report sched(const Options& options) {
  Report report{"sched", this_host(), {}, {{"pairs", "pairs", " "}}, kNote, true};
  std::vector<Place> places;
  std::vector<Pair> pairs;
  bool is_here = false;
  for (const char* const name : kPrograms) {
    const std::string program = program_beside(name).string();
    if (!std::filesystem::exists(program)) continue;
    is_here = true;
    for (const Pair& pair : pairs_of(program)) {
      // The second program differs from the first by its OpenMP alone.
      if (name != kPrograms.front() && pair.peer != "libomp") continue;
      if (!is_wanted(options.cases, pair.name)) continue;
      places.push_back({"no MPI", 1, {program, pair.name, pair.peer}});
      pairs.push_back(pair);
    }
  }
  if (!is_here) {
    throw Error(
        Status::unsupported,
        "measure fibers and tasks: the program bench-sched is not beside the command; it is not installed, so run "
        "build/bin/comity of a build");
  }
  measure_places("sched", places, options.time_limit);
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (const Samples& one : places[i].cases) {
      report.rows.push_back(one.row("no MPI", 1, kHarts, sched_goal(pairs[i].name, pairs[i].peer)));
    }
  }
  return report;
}

}  // namespace comity::cli::bench
