// SPDX-License-Identifier: BSD-3-Clause
// What rounds of launches make of their figures, on made-up ones; what stands in each trial of bench coop; its goals.
#include "cli/bench/measure/trials.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "cli/bench/coop.hpp"
#include "cli/bench/show/report.hpp"
#include "cli/bench/subject/coop_jobs.hpp"
#include "cli/bench/subject/packaged_programs.hpp"

namespace comity::cli::bench {
namespace {

Found told(double value, const std::string& work = "same") {
  return {{{"case", "ns", "reference", value, std::nullopt}}, 1, work};
}

Row row_of(const std::vector<Samples>& cases, std::optional<Goal> goal = std::nullopt) {
  return cases.front().row("mpich", 2, 1, goal);
}

TEST(Round, HoldsACaseAgainstTheFastestReference) {
  std::vector<Samples> cases;
  add_round(cases, {told(30), {told(20), told(10)}, {{"bare", told(300)}}});
  const Row row = row_of(cases);
  EXPECT_EQ(row.value, 30);
  EXPECT_EQ(row.reference_value, 10);
  EXPECT_DOUBLE_EQ(row.ratio, 3);
  EXPECT_EQ(row.extra_named("bare"), 300);
}

TEST(Round, TakesTheReferenceThatTheCaseMeasuredItself) {
  Found of_case = told(30);
  of_case.cases.front().reference_value = 15;
  of_case.cases.front().extra = {{"x", 7}};
  std::vector<Samples> cases;
  add_round(cases, {of_case, {}, {}});
  EXPECT_EQ(row_of(cases).reference_value, 15);
  EXPECT_EQ(row_of(cases).extra_named("x"), 7);
}

TEST(Round, OfDifferentWorkIsAnError) {
  std::vector<Samples> cases;
  EXPECT_THROW(add_round(cases, {told(30, "some"), {told(20, "other")}, {}}), Error);
  EXPECT_NO_THROW(add_round(cases, {told(30), {told(20)}, {{"bare", told(9, "fewer steps")}}}));
}

TEST(Round, WhoseReferenceToldNothingOfTheCaseIsAnError) {
  std::vector<Samples> cases;
  EXPECT_THROW(add_round(cases, {told(30), {{{}, 1, "same"}}, {}}), Error);
}

TEST(Difference, IsHeldAgainstItsOwnInterval) {
  const Goal goal{20, Goal::On::difference};
  const auto verdict_at = [&](double more) {
    std::vector<Samples> cases;
    for (int i = 0; i < 7; ++i) add_round(cases, {told(1000 + 10 * i + more + 0.1 * i), {told(1000 + 10 * i)}, {}});
    return row_of(cases, goal).verdict;
  };
  EXPECT_EQ(verdict_at(-5), Verdict::met) << "less than the reference";
  EXPECT_EQ(verdict_at(15), Verdict::met);
  EXPECT_EQ(verdict_at(25), Verdict::missed);
  EXPECT_EQ(verdict_at(19.7), Verdict::undecided);
}

struct Launched {
  std::string told;  // c: the case, r: a reference, b: beside
  std::size_t rounds;
};

Launched launches_of(Nanoseconds limit) {
  Launched launched{"", 0};
  const auto launch = [&](Role role, char sign) {
    return Launch{role,
                  [&launched, sign] {
                    launched.told += sign;
                    return told(1);
                  },
                  "bare"};
  };
  std::vector<Trial> trials{
      {"mpich", 2, 1, {launch(Role::of_case, 'c'), launch(Role::reference, 'r'), launch(Role::beside, 'b')}}};
  measure_trials("made up", trials, limit);
  launched.rounds = trials.front().cases.front().count();
  return launched;
}

TEST(Trials, TurnTheOrderAndLaunchWhatStandsBesideInTheFirstRounds) {
  const Launched launched = launches_of(std::chrono::hours(1));
  EXPECT_EQ(launched.rounds, kMostRounds);
  EXPECT_EQ(launched.told.substr(0, 13), "crbbrccrbrccr");
  EXPECT_EQ(std::count(launched.told.begin(), launched.told.end(), 'b'), kRoundsBeside);
}

TEST(Trials, HaveOneRoundThoughThereIsNoTime) {
  const Launched launched = launches_of(Nanoseconds(0));
  EXPECT_EQ(launched.rounds, 1U);
  EXPECT_EQ(launched.told, "cr");
}

const CoopSetup kSetup{2, {0}, {0, 1}, 0.5, 7, 7, {"hosts", {}}};

std::vector<std::string> besides(const Trial& trial) {
  std::vector<std::string> keys;
  for (const Launch& launch : trial.launches) {
    if (launch.role == Role::beside) keys.push_back(launch.key);
  }
  return keys;
}

TEST(CoopTrials, HaveTheBareLaunchBesideWhereItIsNotTheReference) {
  using Keys = std::vector<std::string>;
  for (const char* const mpi : {"openmpi", "mpich"}) {
    EXPECT_EQ(besides(quiesce_trial(kSetup, mpi)), Keys{"bare"});
    EXPECT_EQ(besides(idle_trial(kSetup, mpi)), Keys{});
    EXPECT_EQ(besides(messages_trial(kSetup, mpi)), Keys{});
    EXPECT_EQ(besides(shared_core_trial(kSetup, mpi)), (Keys{"bare", "bare_yields"}));
    EXPECT_EQ(besides(stencil_trial(kSetup, mpi)), (Keys{"bare", "bare_yields"}));
    EXPECT_EQ(besides(hybrid_trial(kSetup, mpi)), Keys{"bare"});
    EXPECT_EQ(besides(twomesh_trial(kSetup, mpi)), Keys{"bare"});
    EXPECT_EQ(besides(remote_trial(kSetup, mpi)), Keys{});
  }
}

TEST(CoopTrials, HaveOneLaunchOfTheCase) {
  for (const auto trial : {quiesce_trial, idle_trial, messages_trial, shared_core_trial, stencil_trial, crowded_trial,
                           hybrid_trial, twomesh_trial, remote_trial, remote_wait_trial, remote_wait_of_four_trial}) {
    const Trial made = trial(kSetup, "mpich");
    EXPECT_EQ(std::count_if(made.launches.begin(), made.launches.end(),
                            [](const Launch& launch) { return launch.role == Role::of_case; }),
              1);
  }
}

TEST(CoopTrials, OfPackagedProgramsHaveTheirReferencesAndTheBareLaunch) {
  const PackagedProgram& program = packaged_programs().front();
  const auto references = [](const Trial& trial) {
    return std::count_if(trial.launches.begin(), trial.launches.end(),
                         [](const Launch& launch) { return launch.role == Role::reference; });
  };
  const Trial hybrid = packaged_hybrid_trial(program, kSetup, "openmpi");
  EXPECT_EQ(references(hybrid), 2);
  EXPECT_EQ(besides(hybrid), std::vector<std::string>{"bare"});
  const Trial crowded = packaged_crowded_trial(program, kSetup, "openmpi");
  EXPECT_EQ(references(crowded), 1);
  EXPECT_EQ(crowded.ranks, 8);
}

TEST(CoopGoals, AreTheseAndNoOthers) {
  const std::map<std::string_view, Goal> goals{{"quiesce_barrier", {1.02}},
                                               {"quiesce_recv", {1.02}},
                                               {"quiesce_wait", {1.02}},
                                               {"quiesce_allreduce", {1.02}},
                                               {"idle_cpu", {0.02, Goal::On::value}},
                                               {"latency_8B", {1.10}},
                                               {"bandwidth_1MiB", {1 / 0.98}},
                                               {"rate_8B", {1 / 0.90}},
                                               {"allreduce_8B", {200, Goal::On::difference}},
                                               {"barrier", {200, Goal::On::difference}},
                                               {"oversubscribed_latency", {1.5}},
                                               {"oversubscribed_stencil", {1.10}},
                                               {"crowded_8", {1.3}},
                                               {"crowded_8_twomesh", {1.3}},
                                               {"hybrid_2x2", {1.15}},
                                               {"hybrid_2x2_twomesh", {1.15}},
                                               {"hybrid_2x2_cp2k", {1.15}},
                                               {"hybrid_2x2_gromacs", {1.15}},
                                               {"hybrid_2x2_elk", {1.15}},
                                               {"hybrid_2x2_nwchem", {1.15}},
                                               {"hybrid_2x2_bagel", {1.15}},
                                               {"crowded_8_cp2k", {1.3}},
                                               {"crowded_8_gromacs", {1.3}},
                                               {"crowded_8_nwchem", {1.3}},
                                               {"crowded_8_lammps", {1.3}},
                                               {"remote_latency", {1.25}},
                                               {"remote_wait_cpu", {0.02, Goal::On::value}},
                                               {"remote_wait_late", {1e6, Goal::On::value}},
                                               {"remote_wait_cpu_4", {0.02, Goal::On::value}},
                                               {"remote_wait_late_4", {1e6, Goal::On::value}}};
  EXPECT_EQ(coop_cases().size(), goals.size() + 1) << "and a word for all packaged programs";
  for (const std::string_view name : coop_cases()) {
    if (name == "packaged") continue;
    ASSERT_TRUE(goals.contains(name)) << name;
    EXPECT_EQ(coop_goal(name), goals.at(name)) << name;
  }
  EXPECT_EQ(coop_goal("another"), std::nullopt);
}

TEST(AbsentRow, SaysWhy) {
  Row row;
  row.name = "remote_latency";
  row.mpi = "mpich";
  row.ranks = 2;
  row.threads = 1;
  row.verdict = Verdict::absent;
  row.why_absent = "this needs root";
  const Report report{"coop", {}, {row}, {}, ""};
  const std::string text = to_text(report, Screen(false));
  EXPECT_NE(text.find("absent"), std::string::npos) << text;
  EXPECT_NE(text.find("remote_latency: this needs root"), std::string::npos) << text;
  const std::string machine = to_json(report);
  EXPECT_NE(machine.find("\"value\": null"), std::string::npos) << machine;
  EXPECT_NE(machine.find("\"why_absent\": \"this needs root\""), std::string::npos) << machine;
}

}  // namespace
}  // namespace comity::cli::bench
