// SPDX-License-Identifier: BSD-3-Clause
// What launches of bench-quo make of their figures, on made-up lines.
#include "cli/bench/quo.hpp"
#include "cli/bench/show/picture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

namespace comity::cli::bench {
namespace {

Samples seven(double value, double reference) {
  Samples samples("case", "ns", "floor");
  for (int i = 0; i < 7; ++i) samples.add(value + 0.01 * i, reference);
  return samples;
}

TEST(Samples, AGoalOnTheRatioIsHeldAgainstItsInterval) {
  EXPECT_EQ(seven(150, 100).row("openmpi", 2, 2, Goal{2.0}).verdict, Verdict::met);
  EXPECT_EQ(seven(250, 100).row("openmpi", 2, 2, Goal{2.0}).verdict, Verdict::missed);
  EXPECT_EQ(seven(200 - 0.03, 100).row("openmpi", 2, 2, Goal{2.0}).verdict, Verdict::undecided)
      << "the bound is inside";
}

TEST(Samples, AGoalOnTheValueHasTheValuesInterval) {
  const Row row = seven(150, 100).row("openmpi", 2, 2, Goal{200, Goal::On::value});
  EXPECT_EQ(row.verdict, Verdict::met);
  ASSERT_TRUE(row.ci95);
  EXPECT_NEAR(row.ci95->low, 150, 0.1);
  EXPECT_NEAR(row.ratio, 1.5, 0.01);
}

TEST(Samples, FewerThanSixLaunchesDecideNothing) {
  Samples samples("case", "ns", "floor");
  for (int i = 0; i < 5; ++i) samples.add(1, 100);
  EXPECT_EQ(samples.row("openmpi", 2, 2, Goal{2.0}).verdict, Verdict::undecided);
  EXPECT_EQ(samples.row("openmpi", 2, 2, std::nullopt).verdict, Verdict::measured);
}

// 192 ranks are also what the full node has, which knows no MPI.
TEST(QuoRow, OfAJobAsLargeAsTheFullNodeIsItsMpis) {
  Samples growth("state", "KB", "");
  for (int i = 0; i < 7; ++i) growth.add(700 + i, 1);
  Samples alone("state", "KB", "");
  for (int i = 0; i < 7; ++i) alone.add(600, 1);
  const Place large{"mpich", 192, {}, true, {growth}};
  const Place full{"mpich", 192, {}, false, {growth}};
  const std::vector<Place> places{{"mpich", 1, {}, true, {alone}}, large, full};
  const Row row = quo_row(large, growth, places, 2);
  EXPECT_EQ(row.mpi, "mpich");
  EXPECT_NEAR(row.value, 103.0 / 191, 0.01) << "of each rank beyond the first";
  EXPECT_EQ(quo_row(full, growth, places, 2).mpi, "none");
}

TEST(QuoLine, GivesTheMedianOfEachCaseAndItsExtraFigures) {
  std::vector<Samples> cases;
  add_case_line(cases, R"({"case": "all", "ranks": 2, "cases": [
      {"name": "a", "unit": "ns", "reference": "floor", "values": [3, 1, 2], "references": [4, 4, 8], "extra": {"x": 7}},
      {"name": "none", "unit": "ns", "reference": "floor", "values": [], "references": [], "extra": {}}]})");
  ASSERT_EQ(cases.size(), 1U);
  const Row row = cases.front().row("mpich", 2, 2, std::nullopt);
  EXPECT_EQ(row.value, 2);
  EXPECT_EQ(row.reference_value, 4);
  EXPECT_EQ(row.extra_named("x"), 7);
}

TEST(QuoLine, OfSeveralNodesSaysSoInEachRow) {
  std::vector<Samples> cases;
  add_case_line(cases, R"({"case": "all", "ranks": 4, "nodes": 2, "cases": [
      {"name": "a", "unit": "ns", "reference": "floor", "values": [3], "references": [4], "extra": {}}]})");
  EXPECT_EQ(cases.front().row("mpich", 4, 2, std::nullopt).extra_named("nodes"), 2);
}

struct GoalCase {
  const char* name;
  std::optional<Goal> anywhere;  // at so many ranks as no other column is about
  std::optional<Goal> at_1, at_2, at_8_mpich;
};

constexpr Goal at_most(double bound) { return {bound, Goal::On::value}; }

constexpr std::optional<Goal> kNoGoal = std::nullopt;
constexpr std::array kGoalCases{
    GoalCase{"push_pop", Goal{2.0}, Goal{2.0}, Goal{2.0}, Goal{2.0}},
    GoalCase{"push_pop_unbound", Goal{2.0}, Goal{2.0}, Goal{2.0}, Goal{2.0}},
    GoalCase{"push_pop_wide", Goal{2.0}, Goal{2.0}, Goal{2.0}, Goal{2.0}},
    GoalCase{"query_counts", at_most(200), at_most(200), at_most(200), at_most(200)},
    GoalCase{"distribute", at_most(200), at_most(200), at_most(200), at_most(200)},
    GoalCase{"query_bound", Goal{3.0}, Goal{3.0}, Goal{3.0}, Goal{3.0}},
    GoalCase{"query_peers_calls", Goal{1.0}, Goal{1.0}, Goal{1.0}, Goal{1.0}},
    GoalCase{"create_first", kNoGoal, kNoGoal, kNoGoal, Goal{1.1}},
    GoalCase{"create_free", kNoGoal, kNoGoal, at_most(3e6), at_most(20e6)},
    GoalCase{"barrier", Goal{1.5}, kNoGoal, Goal{1.5}, Goal{1.5}},
    GoalCase{"wake", Goal{1.2}, Goal{1.2}, Goal{1.2}, Goal{1.2}},  // one rank has no row
    GoalCase{"state", at_most(32), kNoGoal, at_most(32), at_most(32)},
    GoalCase{"state_cold", at_most(32), kNoGoal, at_most(32), at_most(32)},
    GoalCase{"state_node", at_most(8192), at_most(8192), at_most(8192), at_most(8192)},
    GoalCase{"another", kNoGoal, kNoGoal, kNoGoal, kNoGoal},
};

// Where every rank has a core.
TEST(QuoGoals, AreTheseAndNoOthers) {
  for (const GoalCase& one : kGoalCases) {
    for (const char* mpi : {"openmpi", "mpich"}) {
      for (const int ranks : {1, 2, 4, 8, 16, 192}) {
        SCOPED_TRACE(std::string(one.name) + ", " + mpi + ", " + std::to_string(ranks) + " ranks");
        const bool crowded_by_mpich = ranks == 8 && mpi == std::string("mpich");
        const auto& wanted = ranks == 1         ? one.at_1
                             : ranks == 2       ? one.at_2
                             : crowded_by_mpich ? one.at_8_mpich
                                                : one.anywhere;
        EXPECT_EQ(quo_goal(one.name, mpi, ranks, 192), wanted);
      }
    }
  }
}

TEST(QuoGoals, SomeFloorsHoldOnlyWhereEveryRankHasACore) {
  EXPECT_EQ(quo_goal("barrier", "openmpi", 2, 2), Goal{1.5});
  EXPECT_EQ(quo_goal("barrier", "openmpi", 4, 2), std::nullopt);
  EXPECT_EQ(quo_goal("barrier", "openmpi", 1, 2), std::nullopt);
  EXPECT_EQ(quo_goal("wake", "openmpi", 8, 2), Goal{1.2});
  EXPECT_EQ(quo_goal("push_pop", "openmpi", 16, 2), Goal{2.0});
  EXPECT_EQ(quo_goal("create_first", "openmpi", 8, 2), std::nullopt);
  EXPECT_EQ(quo_goal("create_first", "mpich", 8, 2), Goal{1.1});
  EXPECT_EQ(quo_goal("state", "mpich", 1, 2), std::nullopt);
}

// Seven launches in which the original took 100 ns, and a call of ours so much.
Samples beside_original(const char* name, double own_ns, std::optional<double> libquo_ns, double spread_ns = 0) {
  Samples samples(name, "ns", "floor");
  for (int i = 0; i < 7; ++i) {
    const double more_ns = spread_ns * (i - 3);
    samples.add(own_ns + more_ns, 50);
    samples.add_extra("original_ns", 100);
    if (libquo_ns) samples.add_extra("libquo_ns", *libquo_ns + more_ns);
  }
  return samples;
}

TEST(Original, IsHeldAgainstOurLibquoWhereThereIsOneElseAgainstTheCase) {
  const Place place{"openmpi", 2, {}, true, {}};
  const std::optional<Row> own = row_beside_original(place, beside_original("barrier", 119, std::nullopt));
  ASSERT_TRUE(own);
  EXPECT_EQ(own->name, "barrier_beside_original");
  EXPECT_EQ(own->value, 119);
  EXPECT_EQ(own->reference_value, 100);
  EXPECT_EQ(own->verdict, Verdict::met);
  EXPECT_EQ(row_beside_original(place, beside_original("barrier", 121, std::nullopt))->verdict, Verdict::missed);
  EXPECT_EQ(row_beside_original(place, beside_original("barrier", 500, 119))->verdict, Verdict::met);
  EXPECT_EQ(row_beside_original(place, beside_original("barrier", 10, 121))->verdict, Verdict::missed);
  EXPECT_EQ(row_beside_original(place, beside_original("barrier", 10, 121, 5))->verdict, Verdict::undecided)
      << "20 ns lie inside";
  EXPECT_FALSE(row_beside_original(place, seven(150, 100))) << "it was not measured";
}

TEST(Original, NamesTheCallsThatAreDearerAndThoseThatMayBe) {
  const Place place{"openmpi", 2, {}, true, {}};
  const Row cheap = *row_beside_original(place, beside_original("wake", 101, std::nullopt));
  const Row dear = *row_beside_original(place, beside_original("barrier", 500, 150));
  const Row open = *row_beside_original(place, beside_original("communicator", 500, 121, 5));
  const Row not_compared = seven(150, 100).row("openmpi", 2, 2, std::nullopt);
  EXPECT_EQ(compare_with_original({cheap, not_compared}),
            "Of 1 calls compared, dearer than the original's by more than 20 ns: none.");
  EXPECT_EQ(compare_with_original({cheap, dear, open, not_compared}),
            "Of 3 calls compared, dearer than the original's by more than 20 ns: barrier (openmpi, 2 ranks) by 50 ns; "
            "undecided: communicator (openmpi, 2 ranks) by 21 ns.");
}

TEST(Text, SaysTheVerdictWholeWithItsBound) {
  Report report{
      "quo", {}, {seven(150, 100).row("openmpi", 2, 2, Goal{1.02})}, {{"sd", "sd", "s"}, {"CPU", "x", "%"}}, ""};
  report.rows.front().name = "mpi_barrier_shared";
  report.rows.push_back(report.rows.front());
  report.rows.back().goal.reset();
  report.rows.back().verdict = Verdict::undecided;
  const std::string text = to_text(report, Screen(false));
  EXPECT_NE(text.find("missed (1.02)"), std::string::npos) << text;
  EXPECT_NE(text.find("undecided\n"), std::string::npos) << text;
}

TEST(Text, SaysOnHowManyNodesAJobRan) {
  Report report{"quo", {}, {seven(150, 100).row("openmpi", 4, 2, Goal{1.02})}, {}, ""};
  EXPECT_NE(to_text(report, Screen(false)).find("openmpi: 4 ranks, 2 threads"), std::string::npos);
  report.rows.front().extra.emplace_back("nodes", 2);
  const std::string text = to_text(report, Screen(false));
  EXPECT_NE(text.find("openmpi: 4 ranks on 2 nodes, 2 threads"), std::string::npos) << text;
}

TEST(Picture, HasAPanelAnMpiAndALineACase) {
  const auto row = [](const char* name, const char* mpi, int ranks, double ns) {
    Row made;
    made.name = name;
    made.mpi = mpi;
    made.ranks = ranks;
    made.value = ns;
    made.unit = "ns";
    return made;
  };
  Row memory = row("state", "mpich", 2, 30);
  memory.unit = "KB";
  const Report report{
      "quo",
      {},
      {row("barrier", "openmpi", 1, 100), row("barrier", "openmpi", 4, 10'000), row("wake", "mpich", 2, 1'000), memory},
      {},
      ""};
  const std::string svg = to_svg(report);
  const auto count = [&](const std::string& word) {
    std::size_t found = 0;
    for (std::size_t at = svg.find(word); at != std::string::npos; at = svg.find(word, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("ranks on the node"), 2U);
  EXPECT_EQ(count("<circle"), 3U) << "the memory is in another unit";
  EXPECT_EQ(count(">barrier<"), 1U);
  EXPECT_NE(svg.find("points=\"0.0,360.0 380.0,0.0 \""), std::string::npos) << "corner to corner: " << svg;
}

TEST(Picture, OfMessagesHasTwoLinesANumberOfPairs) {
  const auto row = [](int ranks, double bytes, double ns) {
    Row made;
    made.name = "message";
    made.mpi = "mpich";
    made.ranks = ranks;
    made.value = ns;
    made.reference_value = ns / 2;
    made.unit = "ns";
    made.extra.emplace_back("bytes", bytes);
    return made;
  };
  Row other = row(2, 1, 100);
  other.extra.clear();
  const std::string svg =
      to_svg(Report{"memory", {}, {row(2, 1, 1000), row(2, 1024, 2000), row(4, 1024, 4000), other}, {}, ""});
  EXPECT_NE(svg.find(">1 pair, bare<"), std::string::npos) << svg;
  EXPECT_NE(svg.find(">1 pair, Comity<"), std::string::npos);
  EXPECT_NE(svg.find(">2 pairs, Comity<"), std::string::npos);
  EXPECT_NE(svg.find(">1 K<"), std::string::npos);
  EXPECT_NE(svg.find("points=\"0.0,180.0 380.0,234.2 \""), std::string::npos)
      << "a million messages a second, and half as many: " << svg;
}

Samples growth(const std::vector<double>& values) {
  Samples samples("state", "KB", "none");
  for (const double value : values) samples.add(value, 1.0);
  return samples;
}

TEST(Samples, WhatRanksBeyondTheFirstAddIsHeldAgainstAJobOfOne) {
  const Samples alone = growth({600, 610, 620, 600, 610, 620});
  const Goal goal{32.0, Goal::On::value};
  const Row four = growth({660, 670, 680, 660, 670, 680}).beyond_the_first(alone, "mpich", 4, 2, goal);
  EXPECT_DOUBLE_EQ(four.value, 20);
  EXPECT_DOUBLE_EQ(four.reference_value, 610);
  EXPECT_DOUBLE_EQ(four.ci95->low, 20);
  EXPECT_EQ(four.count, 6U);
  EXPECT_EQ(four.verdict, Verdict::met);
  EXPECT_EQ(growth({700, 710, 720, 700, 710, 720}).beyond_the_first(alone, "mpich", 4, 2, goal).verdict,
            Verdict::missed);
  const Row less = growth({590, 600, 610, 590, 600, 610}).beyond_the_first(alone, "mpich", 2, 2, goal);
  EXPECT_DOUBLE_EQ(less.value, -10) << "shown as it is";
  EXPECT_EQ(growth({660}).beyond_the_first(alone, "mpich", 4, 2, goal).verdict, Verdict::undecided);
}

TEST(Samples, FiguresBesideAGrowthAreThoseOfRanksBeyondTheFirstToo) {
  Samples alone = growth({600, 600});
  Samples four = growth({660, 660});
  for (const double kb : {100, 110}) {
    alone.add_extra("first_calls_kb", kb);
    four.add_extra("first_calls_kb", kb + 60);
    four.add_extra("in_no_job_of_one", kb);
  }
  const Row row = four.beyond_the_first(alone, "mpich", 4, 2, std::nullopt);
  ASSERT_EQ(row.extra.size(), 1U);
  EXPECT_DOUBLE_EQ(row.extra_named("first_calls_kb"), 20);
}

}  // namespace
}  // namespace comity::cli::bench
