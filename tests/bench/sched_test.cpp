// SPDX-License-Identifier: BSD-3-Clause
// bench sched: the program lists its cases, each measures both sides, and each has the goal that the documentation names.
// Not: how long anything takes.
#include "cli/bench/sched.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/bench.hpp"
#include "cli/bench/measure/launch.hpp"
#include "cli/bench/measure/samples.hpp"
#include "os/process/command.hpp"

namespace {

using namespace comity::cli::bench;

std::set<std::pair<std::string, std::string>> listed() {
  const auto end = comity::os::run_command({BENCH_PROGRAM, "list"}, std::chrono::seconds(30));
  EXPECT_EQ(end.exit_code, 0) << end.output;
  std::set<std::pair<std::string, std::string>> pairs;
  std::istringstream lines(end.output);
  for (std::string name, peer; std::getline(lines, name, '\t') && std::getline(lines, peer);)
    pairs.insert({name, peer});
  return pairs;
}

TEST(BenchSched, ListsEachCaseWithThosePeersThatAreHere) {
  std::set<std::string> names;
  for (const auto& [name, peer] : listed()) names.insert(name);
  for (const char* const name :
       {"fiber_switch", "create_join", "create_join_2harts", "barrier_2harts", "parked", "suspended_million",
        "slow_hart", "fiber_switch_public", "create_join_public", "create_join_2harts_public", "fib_public",
        "one_producer_public", "parallel_for_public", "nest_200us", "nest_2ms"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST(BenchSched, SaysOfFiguresOfPeersThatAreNotHereThatTheyAreNotOfThisRun) {
  const auto pairs = listed();
  for (const char* const name : {"fiber_switch", "create_join_2harts", "fib", "one_producer", "fib_public"}) {
    for (const std::string peer : {"Argobots", "Qthreads"}) {
      EXPECT_NE(pairs.contains({name, peer}), pairs.contains({name, peer + " (not this run)"})) << name << ' ' << peer;
    }
  }
}

// Also those that are not here, for whoever wants to have them.
TEST(BenchSched, IsHelpedByTheNamesOfAllThatItCanBeBeside) {
  ::testing::internal::CaptureStdout();
  const std::vector<std::string> words{"--help"};
  EXPECT_EQ(comity::cli::bench_command(words), 0);
  const std::string help = ::testing::internal::GetCapturedStdout();
  std::set<std::string> runtimes{"Argobots", "Boost.Fiber", "OpenMP", "Qthreads", "Taskflow", "oneTBB", "pthread"};
  for (const auto& [name, peer] : listed()) {
    const std::string known = peer.substr(0, peer.find(" (not this run)"));
    const bool is_a_runtime = known.find(' ') == std::string::npos && known != "ideal" && known != "libgomp";
    if (is_a_runtime) runtimes.insert(known);
  }
  for (const std::string& runtime : runtimes) EXPECT_NE(help.find(runtime), std::string::npos) << runtime;
}

// Without it nobody could say whether a figure is the library's or the machine's.
TEST(BenchSched, ComparesWhatGoesFromHartToHartWithWhatTheCoresTake) {
  const auto pairs = listed();
  EXPECT_TRUE(pairs.contains({"create_join_2harts", "store and answer"}));
  EXPECT_TRUE(pairs.contains({"barrier_2harts", "store and answer"}));
  EXPECT_TRUE(pairs.contains({"leave_wanted", "store and answer"}));
}

bool is_measured(const std::string& peer) { return peer.find("(not this run)") == std::string::npos; }

// Each side of each case once: peers are the same beside what stands below the library and beside what programs get, and with tasks of
// any length but none.
class Sides {
 public:
  bool are_new(const std::string& name, const std::string& peer) {
    const bool is_new = cases_.insert(name).second;
    return (is_measured(peer) && peers_.insert({kind_of(name), peer}).second) || is_new;
  }

 private:
  static std::string kind_of(const std::string& name) {
    const std::string kind = name.substr(0, name.find("_public"));
    const bool has_a_length = kind.ends_with("us") && kind.rfind("nest", 0) != 0;
    return has_a_length ? kind.substr(0, kind.find_last_of('_')) + " of tasks that compute" : kind;
  }

  std::set<std::string> cases_;
  std::set<std::pair<std::string, std::string>> peers_;
};

// What a case of one pair tells besides: also on how many of its fibers the other hart ran, where they are for any.
void look_at_extra(const FoundCase& one) {
  std::map<std::string, double> extra(one.extra.begin(), one.extra.end());
  EXPECT_EQ(extra["pairs"], 1.0);
  const bool is_for_any_hart = one.name == "create_join_2harts";
  EXPECT_EQ(extra.size(), is_for_any_hart ? 2U : 1U) << one.name;
  if (!is_for_any_hart) return;
  ASSERT_TRUE(extra.contains("on_other_hart_percent"));
  EXPECT_GE(extra["on_other_hart_percent"], 0.0);
  EXPECT_LE(extra["on_other_hart_percent"], 100.0);
}

TEST(BenchSched, MeasuresBothSidesOfEachCase) {
  const auto all = listed();
  std::vector<std::pair<std::string, std::string>> pairs(all.begin(), all.end());
  std::stable_partition(pairs.begin(), pairs.end(), [](const auto& pair) { return is_measured(pair.second); });
  Sides sides;
  for (const auto& [name, peer] : pairs) {
    if (name == "suspended_million") continue;  // four gigabytes
    if (!sides.are_new(name, peer)) continue;
    const auto line = run_for_json_line({BENCH_PROGRAM, name, peer, "1"}, std::chrono::seconds(50));
    const Found found = read_found(line);
    ASSERT_EQ(found.cases.size(), 1U) << line;
    EXPECT_EQ(found.cases[0].name, name);
    EXPECT_EQ(found.cases[0].reference, peer);
    EXPECT_GT(found.cases[0].value, 0.0) << line;
    EXPECT_GT(found.cases[0].reference_value.value_or(0.0), 0.0) << line;
    look_at_extra(found.cases[0]);
  }
}

TEST(BenchSched, NamesInItsTableWhatARowIsBeside) {
  Report report{"sched", {}, {}, {}, {}, true};
  for (const char* const peer : {"oneTBB", "libgomp"}) {
    Samples samples("fib", "ns", peer);
    samples.add(7.0, 50.0);
    report.rows.push_back(samples.row("no MPI", 1, 2, std::nullopt));
  }
  const std::string text = to_text(report, comity::cli::Screen(false));
  EXPECT_NE(text.find("fib   oneTBB   7 ns   50 ns"), std::string::npos) << text;
  EXPECT_NE(text.find("fib   libgomp  7 ns   50 ns"), std::string::npos) << text;
}

TEST(BenchSched, RefusesACaseThatItDoesNotHave) {
  const auto end = comity::os::run_command({BENCH_PROGRAM, "juggling", "clowns"}, std::chrono::seconds(30));
  EXPECT_EQ(end.exit_code, 2);
}

TEST(BenchSched, MeasuresBothNestsUnderOneName) {
  for (const char* const name : {"nest_200us", "nest_2ms"}) {
    EXPECT_TRUE(is_wanted({"nest"}, name));
    EXPECT_TRUE(is_wanted({}, name));
    EXPECT_TRUE(is_wanted({"fib", name}, name));
    EXPECT_FALSE(is_wanted({"fib"}, name));
  }
  EXPECT_FALSE(is_wanted({"nest_2ms"}, "nest_200us"));
  EXPECT_FALSE(is_wanted({"nest"}, "fib"));
  const std::vector<std::string_view> known = sched_cases();
  EXPECT_NE(std::find(known.begin(), known.end(), "nest"), known.end());
}

// With tasks that compute for long all are as fast.
TEST(BenchSched, HasAGoalForEachCaseOfEmptyTasks) {
  const std::vector<std::string_view> known = sched_cases();
  for (const auto& [name, peer] : listed()) {
    EXPECT_NE(std::find(known.begin(), known.end(), name), known.end()) << name;
    const bool is_of_a_nest = name.rfind("nest", 0) == 0;
    const bool computes = name.ends_with("us") && !is_of_a_nest;
    EXPECT_EQ(sched_goal(name, peer).has_value(), !computes && (!is_of_a_nest || peer == "ideal"))
        << name << " beside " << peer;
  }
  EXPECT_EQ(sched_goal("fiber_switch", "Boost.Fiber"), (Goal{23.0, Goal::On::value}));
  EXPECT_EQ(sched_goal("leave_wanted", "store and answer"), (Goal{100.0, Goal::On::difference}));
  EXPECT_EQ(sched_goal("one_producer", "libgomp"), (Goal{50.0, Goal::On::value}));
  EXPECT_EQ(sched_goal("one_producer", "oneTBB"), (Goal{1.0}));
}

}  // namespace
