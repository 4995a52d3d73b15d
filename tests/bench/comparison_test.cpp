// SPDX-License-Identifier: BSD-3-Clause
// When to measure what and when to stop, on a clock and measurements that are made up.
#include "cli/bench/measure/comparison.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/error.hpp"
#include "cli/bench/quiesce.hpp"

namespace comity::cli::bench {
namespace {

using Seconds = std::chrono::seconds;

// A machine on which each measurement takes a second, and a case is `ratio` times as slow as the ideal, but for its noise.
struct MadeUp {
  std::map<std::string, double> ratio{};
  std::map<std::string, double> noise{};  // [factor] largest error either way
  std::int64_t now_ns = 0;
  std::vector<std::string> measured{};
  int turns = 0;

  Bench bench() {
    return {"ideal",
            [this](const std::string&, const std::string& name) {
              now_ns += 1'000'000'000;
              measured.push_back(name);
              if (name == "ideal") return Measurement{2.0, 0.0, 1, 2, "work"};
              const double wobble = noise.contains(name) ? std::pow(noise[name], std::sin(2.4 * ++turns)) : 1.0;
              return Measurement{2.0 * ratio[name] * wobble, 0.5, 2, 2, "work"};
            },
            [this] { return now_ns; }, [](const std::vector<Comparison>&) {}};
  }
};

std::vector<Comparison> rows_named(const std::vector<std::string>& names, double precision = 0.01) {
  std::vector<Comparison> rows;
  for (const std::string& name : names) rows.emplace_back(Plan{name, "openmpi", precision, Goal{1.02}});
  return rows;
}

TEST(Comparison, ANarrowRowStopsAndLeavesItsTimeToTheOthers) {
  MadeUp machine{{{"quiet", 1.0}, {"noisy", 1.0}}, {{"noisy", 1.3}}};
  std::vector<Comparison> rows = rows_named({"quiet", "noisy"});
  measure_all(rows, machine.bench(), Seconds(100));
  EXPECT_EQ(rows[0].pairs(), Comparison::kFewestPairs);
  EXPECT_EQ(rows[1].pairs(), 50U - Comparison::kFewestPairs);
}

TEST(Comparison, ItEndsBeforeAPairThatWouldNotFitIntoTheTime) {
  MadeUp machine{{{"noisy", 1.0}}, {{"noisy", 1.3}}};
  std::vector<Comparison> rows = rows_named({"noisy"});
  measure_all(rows, machine.bench(), Seconds(31));
  EXPECT_EQ(machine.now_ns, 30'000'000'000);
}

TEST(Comparison, EveryRowGetsOnePairThoughThereIsNoTime) {
  MadeUp machine{{{"one", 1.0}, {"two", 1.0}}, {}};
  std::vector<Comparison> rows = rows_named({"one", "two"});
  measure_all(rows, machine.bench(), Seconds(0));
  EXPECT_EQ(rows[0].pairs(), 1U);
  EXPECT_EQ(rows[1].pairs(), 1U);
}

TEST(Comparison, TheOrderInsideAPairTurns) {
  MadeUp machine{{{"one", 1.0}}, {}};
  std::vector<Comparison> rows = rows_named({"one"});
  measure_all(rows, machine.bench(), Seconds(8));
  const std::vector<std::string> wanted{"ideal", "one", "one", "ideal", "ideal", "one", "one", "ideal"};
  EXPECT_EQ(machine.measured, wanted);
}

TEST(Comparison, TheGoalIsMetAtItsBoundAndMissedAboveIt) {
  MadeUp machine{{{"at", 1.02 - 1e-9}, {"above", 1.021}}, {}};
  std::vector<Comparison> rows = rows_named({"at", "above"});
  measure_all(rows, machine.bench(), Seconds(1000));
  EXPECT_EQ(rows[0].verdict(), Verdict::met);
  EXPECT_EQ(rows[1].verdict(), Verdict::missed);
}

TEST(Comparison, ARowThatIsNotNarrowIsUndecidedWhereTheBoundLiesInItsInterval) {
  MadeUp machine{{{"noisy", 1.0}}, {{"noisy", 1.2}}};
  std::vector<Comparison> rows = rows_named({"noisy"});
  measure_all(rows, machine.bench(), Seconds(40));
  EXPECT_EQ(rows[0].verdict(), Verdict::undecided);
}

// 1.027 (1.012-1.043) was told to be undecided about 1.01, for want of precision.
TEST(Comparison, AWideIntervalOnOneSideOfTheBoundDecides) {
  MadeUp machine{{{"below", 0.9}, {"above", 1.2}}, {{"below", 1.1}, {"above", 1.1}}};
  std::vector<Comparison> rows = rows_named({"below", "above"});
  measure_all(rows, machine.bench(), Seconds(80));
  EXPECT_FALSE(rows[0].narrow());
  EXPECT_FALSE(rows[1].narrow());
  EXPECT_EQ(rows[0].verdict(), Verdict::met);
  EXPECT_EQ(rows[1].verdict(), Verdict::missed);
}

// As bench quiesce has it: no figure that is wider than promised says met or missed.
TEST(Comparison, WhereOnlyANarrowIntervalDecidesAWideOneOnOneSideOfTheBoundIsUndecided) {
  MadeUp machine{{{"below", 0.9}, {"quiet", 0.9}}, {{"below", 1.1}}};
  std::vector<Comparison> rows;
  for (const char* name : {"below", "quiet"}) rows.emplace_back(Plan{name, "openmpi", 0.01, Goal{1.02}, false});
  measure_all(rows, machine.bench(), Seconds(80));
  ASSERT_FALSE(rows[0].narrow());
  ASSERT_EQ(verdict_of(Goal{1.02}, rows[0].ratio().ci95), Verdict::met) << "it lies on one side";
  EXPECT_EQ(rows[0].verdict(), Verdict::undecided);
  EXPECT_EQ(rows[1].verdict(), Verdict::met);
}

TEST(Comparison, ASideThatFewPairsAreOnDecidesNothing) {
  MadeUp machine{{{"slow", 2.0}}, {}};
  std::vector<Comparison> rows = rows_named({"slow"});
  measure_all(rows, machine.bench(), Seconds(2 * 7));
  ASSERT_EQ(rows[0].pairs(), 7U);
  ASSERT_TRUE(rows[0].ratio().ci95.has_value());
  EXPECT_EQ(rows[0].verdict(), Verdict::undecided);
}

TEST(Comparison, ARowWithoutAGoalIsMeasuredAndNothingElse) {
  MadeUp machine{{{"slow", 2.0}}, {}};
  std::vector<Comparison> rows{Comparison(Plan{"slow", "mpich", 0.05, std::nullopt})};
  measure_all(rows, machine.bench(), Seconds(1000));
  EXPECT_EQ(rows[0].verdict(), Verdict::measured);
  EXPECT_NEAR(rows[0].ratio().estimate, 2.0, 1e-9);
}

TEST(Comparison, AWaiterThatBurnsHalfASecondInFourBurnsAnEighthOfItsCore) {
  MadeUp machine{{{"slow", 2.0}}, {}};
  std::vector<Comparison> rows = rows_named({"slow"});
  measure_all(rows, machine.bench(), Seconds(0));
  EXPECT_DOUBLE_EQ(rows[0].waiter_cpu_share(), 0.125);
}

TEST(Comparison, OtherWorkThanTheReferencesIsAnErrorAndNoFigure) {
  Comparison row(Plan{"one", "openmpi", 0.01, std::nullopt});
  EXPECT_THROW(row.add({1.0, 0.0, 2, 2, "this"}, {1.0, 0.0, 1, 2, "that"}), Error);
  EXPECT_THROW(row.add({1.0, 0.0, 2, 1, "this"}, {1.0, 0.0, 1, 2, "this"}), Error);
  EXPECT_EQ(row.pairs(), 0U);
}

TEST(Quiesce, OnlyComityHasAGoalAndATightInterval) {
  for (const Comparison& row : quiesce_rows({"openmpi", "mpich"})) {
    const bool comity = row.plan().name == "comity";
    EXPECT_EQ(row.plan().goal.has_value(), comity) << row.plan().name;
    EXPECT_EQ(row.plan().precision, comity ? 0.01 : 0.05) << row.plan().name;
    EXPECT_TRUE(!comity || !row.plan().wide_decides) << row.plan().name;
  }
}

TEST(Quiesce, AMeasurementIsTheMedianOfItsSamplesAndTheCpuOfOneWaiter) {
  const Measurement read =
      read_measurement(R"({"case": "comity", "ranks": 4, "threads": 8, "units": 3, "checksum": "ab", "samples": [)"
                       R"({"seconds": 1.0, "waiters_cpu_seconds": 0.3}, {"seconds": 9.0, "waiters_cpu_seconds": 6.0},)"
                       R"({"seconds": 2.0, "waiters_cpu_seconds": 0.6}]})");
  EXPECT_DOUBLE_EQ(read.seconds, 2.0);
  EXPECT_DOUBLE_EQ(read.waiter_cpu_seconds.value(), 0.2);
  EXPECT_EQ(read.ranks, 4);
  EXPECT_EQ(read.threads, 8);
  EXPECT_EQ(read.work_done, "ab");
}

}  // namespace
}  // namespace comity::cli::bench
