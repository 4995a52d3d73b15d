// SPDX-License-Identifier: BSD-3-Clause
// A job of two ranks whose figures are written here by hand.
#include "metrics/job/job_sums.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.hpp"
#include "metrics/job/comparison.hpp"
#include "metrics/job/text.hpp"
#include "metrics/shortening.hpp"
#include "metrics/snapshot.hpp"
#include "record/merge/names.hpp"

namespace comity::metrics {
namespace {

using record::ColumnKind;
using record::Content;
using record::Table;

constexpr std::int64_t kSecond_ns = 1'000'000'000;

struct Row {
  const char* region;
  std::int64_t wall, cpu, main_cpu, main_mpi;       // [s]
  std::int64_t others_mpi = 0, others_mpi_cpu = 0;  // the same, of other threads
};

Content rank(int number, const std::vector<Row>& rows, std::int64_t sent_to_other, std::int64_t got_from_other,
             const std::string& needed = "MPI_THREAD_FUNNELED") {
  Content content;
  content.facts = {{"rank", std::to_string(number)},
                   {"node", "0"},
                   {"binding", std::to_string(number)},
                   {"node_cpus", std::to_string(number)},
                   {"metrics.detail", "times"},
                   {"metrics.paused_ns", "0"},
                   {"openmp", kOpenMpAbsent},
                   {kWaitsFact, kWaitsAsleep},
                   {"threads.calling", "1"},
                   {"threads.asked", "MPI_THREAD_MULTIPLE"},
                   {"threads.provided", "MPI_THREAD_MULTIPLE"},
                   {"threads.needed", needed},
                   {"threads.verdict", needed + " would do"}};
  Table regions(kRegionsTable, {{"region", ColumnKind::text},
                                {"visits", ColumnKind::integer},
                                {"wall_ns", ColumnKind::integer},
                                {"cpu_ns", ColumnKind::integer},
                                {"main_cpu_ns", ColumnKind::integer},
                                {"main_mpi_ns", ColumnKind::integer},
                                {"others_mpi_ns", ColumnKind::integer},
                                {"others_mpi_cpu_ns", ColumnKind::integer}});
  for (const Row& row : rows) {
    regions.add_row({std::string(row.region), std::int64_t{1}, row.wall * kSecond_ns, row.cpu * kSecond_ns,
                     row.main_cpu * kSecond_ns, row.main_mpi * kSecond_ns, row.others_mpi * kSecond_ns,
                     row.others_mpi_cpu * kSecond_ns});
  }
  Table calls(kCallsTable, {{"region", ColumnKind::text},
                            {"function", ColumnKind::text},
                            {"calls", ColumnKind::integer},
                            {"failed", ColumnKind::integer},
                            {"spinning", ColumnKind::integer},
                            {"time_ns", ColumnKind::integer},
                            {"longest_ns", ColumnKind::integer},
                            {"sent_bytes", ColumnKind::integer},
                            {"received_bytes", ColumnKind::integer}});
  for (const Row& row : rows) {
    if (row.main_mpi + row.others_mpi == 0) continue;
    calls.add_row({std::string(row.region), std::string("MPI_Barrier"), std::int64_t{10}, std::int64_t{0},
                   std::int64_t{4}, (row.main_mpi + row.others_mpi) * kSecond_ns, kSecond_ns, std::int64_t{0},
                   std::int64_t{0}});
  }
  Table peers(kPeersTable,
              {{"peer", ColumnKind::integer},
               {"sends", ColumnKind::integer},
               {"sent_bytes", ColumnKind::integer},
               {"receives", ColumnKind::integer},
               {"received_bytes", ColumnKind::integer},
               {"puts", ColumnKind::integer},
               {"put_bytes", ColumnKind::integer},
               {"gets", ColumnKind::integer},
               {"got_bytes", ColumnKind::integer}},
              record::Summarise::no);
  peers.add_row({std::int64_t{1 - number}, std::int64_t{2}, sent_to_other, std::int64_t{2}, got_from_other,
                 std::int64_t{0}, std::int64_t{0}, std::int64_t{0}, std::int64_t{0}});
  const Table teams(kOpenMpTable, {{"region", ColumnKind::text},
                                   {"teams", ColumnKind::integer},
                                   {"team_ns", ColumnKind::integer},
                                   {"team_thread_ns", ColumnKind::integer},
                                   {"largest_team", ColumnKind::integer}});
  for (Table table : {regions, calls, peers, teams}) content.tables.emplace(table.name(), std::move(table));
  return content;
}

// Rank 0 computes for 10 s on its core, then for 5 s on both while rank 1 sleeps; rank 1 waits for half of the first
// part, spinning.
std::vector<Content> example() {
  return {rank(0, {{"(run)", 0, 0, 0, 0}, {"even", 10, 10, 10, 0}, {"wide", 5, 10, 5, 0}}, 100, 30),
          rank(1, {{"(run)", 0, 0, 0, 0}, {"even", 10, 10, 10, 5}, {"wide", 5, 0, 0, 0}}, 30, 100)};
}

// The example as COMITY_METRICS=counts tells it: no call has a time, so that all of MPI looks like computing or sleep.
std::vector<Content> counted() {
  std::vector<Content> ranks{rank(0, {{"(run)", 0, 0, 0, 0}, {"even", 10, 10, 10, 0}, {"wide", 5, 10, 5, 0}}, 100, 30),
                             rank(1, {{"(run)", 0, 0, 0, 0}, {"even", 10, 10, 10, 0}, {"wide", 5, 0, 0, 0}}, 30, 100)};
  for (Content& one : ranks) one.facts["metrics.detail"] = "counts";
  return ranks;
}

const RegionFigures& region(const Job& job, const std::string& path) {
  for (const RegionFigures& region : job.regions) {
    if (region.path == path) return region;
  }
  throw std::runtime_error("no region " + path);
}

TEST(Job, AddsUpItsRanks) {
  const Job job = job_of(example());
  EXPECT_EQ(job.nodes, 1);
  EXPECT_EQ(job.processors, 2);
  EXPECT_DOUBLE_EQ(job.wall_s, 15);
  EXPECT_NEAR(job.efficiency.parallel, 25.0 / 30, 1e-12);
  EXPECT_DOUBLE_EQ(job.ranks[0].useful_s, 20);
  EXPECT_DOUBLE_EQ(job.ranks[1].useful_s, 5);
  EXPECT_DOUBLE_EQ(job.ranks[1].mpi_s, 5);
  EXPECT_DOUBLE_EQ(job.ranks[1].asleep_s, 5);
}

TEST(Job, HasTheTimesOfAllItsRanks) {
  const Job job = job_of(example());
  EXPECT_DOUBLE_EQ(job.useful_s, 25);
  EXPECT_DOUBLE_EQ(job.computation_s, 20);
  EXPECT_DOUBLE_EQ(job.mpi_s, 5);
  EXPECT_DOUBLE_EQ(job.asleep_s, 5);
  for (const auto& [of_job, of_rank] :
       {std::pair(&Job::useful_s, &RankFigures::useful_s), std::pair(&Job::computation_s, &RankFigures::computation_s),
        std::pair(&Job::mpi_s, &RankFigures::mpi_s), std::pair(&Job::asleep_s, &RankFigures::asleep_s)}) {
    EXPECT_DOUBLE_EQ(job.*of_job, job.ranks[0].*of_rank + job.ranks[1].*of_rank);
  }
  const auto json = json_of(job);
  EXPECT_EQ(json["useful_s"], job.useful_s);
  EXPECT_EQ(json["computation_s"], job.computation_s);
  EXPECT_EQ(json["mpi_s"], job.mpi_s);
  EXPECT_EQ(json["asleep_s"], job.asleep_s);
  const std::string text = text_of(job);
  EXPECT_NE(text.find("useful 25.000 s; main threads' computation 20.000 s, in MPI 5.000 s, asleep 5.000 s\n"),
            std::string::npos)
      << text;
  for (const char* key : {"useful_s", "computation_s", "mpi_s", "asleep_s"}) {
    EXPECT_TRUE(json_of(job_of(counted()))[key].is_null()) << key;
  }
}

// One thread computes, and another one waits in MPI all the time; the main thread joins them. How it waits changes nothing.
TEST(Job, TakesNothingFromWhatIsComputedWhileAnotherThreadSleepsInMpi) {
  const auto useful_s = [](const Row& row) { return job_of({rank(0, {row}, 0, 0)}).ranks[0].useful_s; };
  EXPECT_DOUBLE_EQ(useful_s({"(run)", 10, 18, 0, 0, 10, 10}), 8) << "it spins";
  EXPECT_DOUBLE_EQ(useful_s({"(run)", 10, 8, 0, 0, 10, 0}), 8) << "it sleeps";
  EXPECT_DOUBLE_EQ(useful_s({"(run)", 8, 8, 0, 0, 8, 0}), 8) << "and the run got faster";
}

// A call of another thread counts when it ends: of the 9 s that it has spun, 5 belong to the region before.
TEST(Job, BalancesCallsOfOtherThreadsOverRegionsOfTheMainOne) {
  const Job job = job_of({rank(0, {{"first", 5, 10, 5, 0}, {"second", 5, 9, 5, 0, 9, 9}}, 0, 0)});
  EXPECT_DOUBLE_EQ(job.ranks[0].useful_s, 10);
  EXPECT_DOUBLE_EQ(job.ranks[0].others_mpi_cpu_s, 9);
  EXPECT_DOUBLE_EQ(region(job, "second").useful_cores, 1);
}

// It had one processor by its masks, and was told to be 100 % useful with two seconds of computing in each.
TEST(Job, HasAsManyProcessorsAsARankUsed) {
  const Job job = job_of({rank(0, {{"(run)", 10, 10, 10, 0}, {"wide", 10, 30, 10, 0}}, 0, 0)});
  EXPECT_EQ(job.processors, 3);
  EXPECT_NEAR(job.efficiency.parallel, 40.0 / 60, 1e-12);
}

TEST(Job, TellsHowManyProcessorsEachRegionUsed) {
  const Job job = job_of(example());
  EXPECT_DOUBLE_EQ(region(job, "even").useful_cores, 1.5);
  EXPECT_DOUBLE_EQ(region(job, "wide").useful_cores, 2);
  for (const RegionFigures& one : job.regions) {
    EXPECT_DOUBLE_EQ(one.useful_s, one.useful_cores * one.wall_s) << one.path;
  }
  EXPECT_DOUBLE_EQ(region(job, "even").useful_s, 15);
  EXPECT_DOUBLE_EQ(json_of(job)["regions"][0]["useful_s"].get<double>(), 15);
  const std::string text = text_of(job);
  EXPECT_NE(text.find("  processors  computation s  in MPI  asleep  parallel eff.\n"), std::string::npos) << text;
  EXPECT_NE(text.find("    10.000        1.50         15.000    25 %     0 %           0.75\n"), std::string::npos)
      << text;
  EXPECT_DOUBLE_EQ(*region(job, "even").efficiency.load_balance, 0.75);
  EXPECT_EQ(region(job, "even").in_mpi.most_rank, 1);
  EXPECT_FALSE(region(job, "wide").efficiency.load_balance.has_value());
}

TEST(Job, TellsWhoWaitedInARegionAndHowLong) {
  const Job job = job_of(example());
  const RegionFigures& even = region(job, "even");
  EXPECT_EQ(even.ranks, 2);
  EXPECT_DOUBLE_EQ(even.in_mpi.most_s, 5);
  EXPECT_EQ(even.in_mpi.most_rank, 1);
  EXPECT_DOUBLE_EQ(even.in_mpi.least_s, 0);
  EXPECT_EQ(even.in_mpi.least_rank, 0);
  EXPECT_EQ(even.resting, 0);
  const RegionFigures& wide = region(job, "wide");
  EXPECT_DOUBLE_EQ(wide.asleep.most_s, 5);
  EXPECT_EQ(wide.asleep.most_rank, 1);
  EXPECT_EQ(wide.resting, 1);
  const std::string text = text_of(job);
  EXPECT_NE(text.find("5.000 (rank 1)       0.000  MPI_Barrier"), std::string::npos) << text;
  EXPECT_NE(text.find("1 of 2 ranks"), std::string::npos) << text;
  const auto json = json_of(job)["regions"][1];
  EXPECT_EQ(json["region"], "wide");
  EXPECT_EQ(json["asleep"]["most_rank"], 1);
  EXPECT_EQ(json["asleep_half_of_it"], 1);
}

// Rank 0 left no record, and rank 1 was never in "wide".
TEST(Job, CountsWaitsThatSpinWhereRanksSleep) {
  const Job job = job_of(example());
  EXPECT_TRUE(job.waits_asleep);
  EXPECT_EQ(job.functions[0].spinning, 4);
  EXPECT_NE(text_of(job).find("but for 4 calls of 5.000 s in which this MPI can only spin, most in MPI_Barrier"),
            std::string::npos)
      << text_of(job);
}

TEST(Job, SaysNothingOfSpinningWhereAllWaitsSpin) {
  std::vector<Content> ranks = example();
  for (Content& one : ranks) one.facts[kWaitsFact] = kWaitsSpinning;
  EXPECT_EQ(text_of(job_of(ranks)).find("only spin"), std::string::npos);
}

TEST(Job, TakesARecordThatDoesNotKnowHowRanksWait) {
  Content rank = example()[1];
  rank.facts.erase(kWaitsFact);
  const Table& with = rank.tables.at(kCallsTable);
  std::vector<record::ColumnName> columns = with.columns();
  const auto place =
      static_cast<std::size_t>(std::ranges::find(columns, "spinning", &record::ColumnName::name) - columns.begin());
  columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(place));
  Table without(kCallsTable, columns);
  std::vector<record::Cell> cells;
  for (std::size_t i = 0; i < with.columns().size(); ++i) {
    if (i != place) cells.push_back(with.cell(0, i));
  }
  without.add_row(cells);
  rank.tables.insert_or_assign(kCallsTable, without);
  const Job job = job_of({rank});
  EXPECT_FALSE(job.waits_asleep);
  EXPECT_EQ(job.functions[0].calls, 10);
  EXPECT_EQ(job.functions[0].spinning, 0);
}

TEST(Job, NamesRanksByTheirNumbersWhereSomeAreMissing) {
  const std::vector<Content> ranks{rank(1, {{"even", 10, 10, 10, 5}}, 0, 0),
                                   rank(2, {{"even", 10, 10, 10, 0}, {"wide", 5, 4, 4, 1}}, 0, 0)};
  const Job job = job_of(ranks);
  EXPECT_EQ(region(job, "even").in_mpi.most_rank, 1);
  EXPECT_EQ(region(job, "even").in_mpi.least_rank, 2);
  EXPECT_EQ(region(job, "wide").ranks, 1);
  EXPECT_EQ(region(job, "wide").in_mpi.least_rank, 2) << "of those that were there";
  EXPECT_EQ(job.functions.front().longest_rank, 1);
}

TEST(Job, KeepsMessagesOnlyWhereSomebodyAsks) {
  JobSums sums(Messages::untold);
  for (const Content& one : example()) sums.add(one);
  const Job job = sums.job();
  EXPECT_TRUE(job.messages.empty());
  EXPECT_DOUBLE_EQ(job.ranks[0].sent_bytes, 100) << "a rank's sums are told all the same";
}

TEST(Comparison, SaysWhereTheDifferenceIs) {
  const Job here = job_of(example());
  const Job there = job_of({rank(0, {{"even", 30, 30, 30, 0}, {"wide", 6, 6, 6, 0}, {"old", 1, 1, 1, 0}}, 0, 0)});
  const Comparison comparison = compare(here, there);
  ASSERT_EQ(comparison.regions.size(), 4U);
  EXPECT_EQ(comparison.regions[0].path, "even");
  EXPECT_DOUBLE_EQ(comparison.regions[0].saved_s(), 20);
  const std::string text = text_of(comparison, "before");
  EXPECT_NE(text.find("compared with before"), std::string::npos) << text;
  EXPECT_NE(
      text.find("This run took 15.000 s, the other one 37.000 s: 0.41 of its time. Most of the difference is in even: "
                "10.000 s on 1.50 processors here, 30.000 s on 1.00 processors there."),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("  old                          -    1.000      -"), std::string::npos) << text;
  const auto json = json_of(comparison);
  EXPECT_TRUE(json["regions"][1]["wall_s"]["here"].is_null()) << json;
  EXPECT_DOUBLE_EQ(json["wall_s"]["there"].get<double>(), 37);
}

TEST(Comparison, OfARunThatWasNotTimedIsOfTimesBetweenBordersAlone) {
  const Job here = job_of(example());
  const Job there = job_of(counted());
  const Comparison comparison = compare(here, there);
  const auto json = json_of(comparison);
  EXPECT_FALSE(json["parallel_efficiency"]["here"].is_null());
  EXPECT_TRUE(json["parallel_efficiency"]["there"].is_null());
  for (const auto& region : json["regions"]) {
    EXPECT_FALSE(region["wall_s"]["there"].is_null()) << region;
    for (const char* key : {"processors", "in_mpi", "asleep"}) {
      EXPECT_FALSE(region[key]["here"].is_null()) << key << " in " << region;
      EXPECT_TRUE(region[key]["there"].is_null()) << key << " in " << region;
    }
  }
  EXPECT_EQ(verdict(comparison),
            "This run took as long: 15.000 s, the other one 15.000 s. Calls were counted and not timed there: "
            "processors, efficiencies and waits are not compared.");
  const std::string text = text_of(comparison, "before");
  EXPECT_NE(text.find("  parallel efficiency         0.83          -              -\n"), std::string::npos) << text;
  EXPECT_NE(
      text.find("  even                    10.000   10.000   1.00    1.50      -    25 %      -     0 %      -\n"),
      std::string::npos)
      << text;
  EXPECT_EQ(verdict(compare(there, here)).find(" on "), std::string::npos);
}

TEST(Comparison, FindsNoDifferenceInARunAndItself) {
  const Job job = job_of(example());
  EXPECT_EQ(verdict(compare(job, job)), "This run took as long: 15.000 s, the other one 15.000 s.");
}

// The region that took longer here does not explain why the run was faster.
TEST(Comparison, NamesARegionThatChangedAsTheRunDid) {
  const Job here = job_of({rank(0, {{"a", 9, 9, 9, 0}, {"b", 1, 1, 1, 0}}, 0, 0)});
  const Job there = job_of({rank(0, {{"a", 1, 1, 1, 0}, {"b", 10, 10, 10, 0}}, 0, 0)});
  EXPECT_NE(verdict(compare(here, there)).find("Most of the difference is in b:"), std::string::npos);
}

TEST(Job, HasTheMessagesOfBothSides) {
  const Job job = job_of(example());
  ASSERT_EQ(job.messages.size(), 2U);
  EXPECT_EQ(job.messages[0].from, 0);
  EXPECT_EQ(job.messages[0].to, 1);
  EXPECT_EQ(job.messages[0].sent_bytes, 100);
  EXPECT_EQ(job.messages[0].received_bytes, 100);
  EXPECT_EQ(job.messages[1].sent_bytes, 30);
}

TEST(Job, HasTheEfficienciesOfItsRanks) {
  const Job job = job_of({rank(0, {{"(run)", 10, 8, 8, 2}}, 0, 0), rank(1, {{"(run)", 10, 4, 4, 3}}, 0, 0)});
  EXPECT_DOUBLE_EQ(job.ranks[0].computation_s, 8);
  EXPECT_DOUBLE_EQ(job.ranks[0].efficiency.parallel, 0.8);
  EXPECT_DOUBLE_EQ(*job.ranks[0].efficiency.load_balance, 1);
  EXPECT_DOUBLE_EQ(job.ranks[1].computation_s, 4) << "3 s in MPI, 3 s asleep";
  EXPECT_DOUBLE_EQ(job.ranks[1].efficiency.parallel, 0.4);
  EXPECT_DOUBLE_EQ(*job.ranks[1].efficiency.load_balance, 0.5);
  EXPECT_DOUBLE_EQ(region(job, "(run)").computation_s, 12);
  EXPECT_DOUBLE_EQ(job.per_node[0].computation_s, 12);
  const auto json = json_of(job)["ranks"][1];
  EXPECT_DOUBLE_EQ(json["efficiency"]["parallel"].get<double>(), 0.4);
  EXPECT_DOUBLE_EQ(json["computation_s"].get<double>(), 4);
  const Job lent = job_of(example());
  EXPECT_DOUBLE_EQ(lent.ranks[0].efficiency.parallel, 1) << "20 s in 15";
  EXPECT_FALSE(lent.ranks[0].efficiency.load_balance.has_value());
}

void expect_nulls(const nlohmann::ordered_json& rows, const std::vector<const char*>& keys) {
  ASSERT_FALSE(rows.empty());
  for (const auto& row : rows) {
    for (const char* key : keys) EXPECT_TRUE(row.at(key).is_null()) << key << " in " << row;
  }
}

// Of regions, ranks and nodes they were told all the same, and were false.
TEST(Job, TellsNothingThatNeedsTimesWhereCallsWereCounted) {
  const Job job = job_of(counted());
  const auto json = json_of(job);
  EXPECT_FALSE(json["timed"].get<bool>());
  EXPECT_TRUE(json["efficiency"].is_null());
  expect_nulls(json["regions"], {"processors", "computation_s", "mpi_s", "asleep_s", "in_mpi", "asleep",
                                 "asleep_half_of_it", "efficiency"});
  expect_nulls(json["ranks"],
               {"useful_s", "computation_s", "mpi_s", "others_mpi_s", "others_mpi_cpu_s", "asleep_s", "efficiency"});
  expect_nulls(json["per_node"], {"useful_s", "computation_s", "mpi_s", "asleep_s", "efficiency"});
  for (const auto& function : json["functions"]) EXPECT_TRUE(function["time_s"].is_null()) << function;
  EXPECT_DOUBLE_EQ(json["wall_s"].get<double>(), 15) << "what borders of regions tell";
  EXPECT_EQ(json["per_node"][0]["processors"], 2);
  EXPECT_EQ(json["ranks"][0]["sent_bytes"], 100);
  EXPECT_EQ(text_of(job).find("asleep"), std::string::npos) << text_of(job);
}

// It went by the first rank.
TEST(Job, IsTimedWhereAllOfItsRanksAre) {
  std::vector<Content> ranks = counted();
  ranks[0].facts["metrics.detail"] = "times";
  ranks[0].tables.emplace(kFlightTable, Table(kFlightTable, {}));
  const Job job = job_of(ranks);
  EXPECT_FALSE(job.timed);
  EXPECT_EQ(verdict(job).find("Calls of rank 1 were counted and not timed"), 0U) << verdict(job);
  EXPECT_EQ(json_of(job)["counted_only"], nlohmann::ordered_json({1}));
  EXPECT_EQ(verdict(job_of(counted())).find("Calls were counted"), 0U);
  ranks.push_back(counted()[1]);
  ranks.back().facts["rank"] = "2";
  EXPECT_NE(verdict(job_of(ranks)).find("Calls of 2 of 3 ranks, the first is 1, were"), std::string::npos);
  EXPECT_EQ(json_of(job_of(example()))["counted_only"], nlohmann::ordered_json::array());
}

TEST(Text, ShowsSoManyRanksTheWorstFirst) {
  std::vector<Content> all;
  for (int i = 0; i < 30; ++i) all.push_back(rank(i, {{"(run)", 10, 10, 10, i % 7}}, 0, 0));
  const std::string text = text_of(job_of(all));
  const std::size_t table = text.find("  rank    node");
  ASSERT_NE(table, std::string::npos) << text;
  EXPECT_NE(
      text.find("\n  6          0      4.000          4.000      6.000      0.000        0.40          0.40\n", table),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("  and 18 more, none less efficient\n"), std::string::npos) << text;
  EXPECT_EQ(text_of(job_of({all[0]})).find("  rank    node"), std::string::npos);
}

// Two nodes of two processors. One computes all the time, on the other rank 3 waits for rank 2.
std::vector<Content> two_nodes() {
  std::vector<Content> ranks;
  for (int i = 0; i < 4; ++i) {
    ranks.push_back(rank(i, {{"(run)", 10, 10, 10, i == 3 ? 8 : 0}}, 0, 0));
    ranks.back().facts["node"] = std::to_string(i / 2);
    ranks.back().facts[record::kHostFact] = i < 2 ? "left" : "right";
    ranks.back().facts["node_cpus"] = std::to_string(i % 2);  // of its own kernel: each node has a processor 0
  }
  return ranks;
}

TEST(Job, TellsItsNodesApart) {
  const Job job = job_of(two_nodes());
  EXPECT_EQ(job.processors, 4);
  EXPECT_DOUBLE_EQ(job.efficiency.parallel, 0.8);
  EXPECT_DOUBLE_EQ(job.efficiency.between_nodes, 0.8);
  ASSERT_EQ(job.per_node.size(), 2U);
  EXPECT_EQ(job.per_node[0].host, "left");
  EXPECT_DOUBLE_EQ(job.per_node[0].efficiency.parallel, 1);
  const NodeFigures& right = job.per_node[1];
  EXPECT_EQ(right.host, "right");
  EXPECT_EQ(right.ranks, 2);
  EXPECT_EQ(right.first_rank, 2);
  EXPECT_EQ(right.processors, 2);
  EXPECT_DOUBLE_EQ(right.useful_s, 12);
  EXPECT_DOUBLE_EQ(right.mpi_s, 8);
  EXPECT_DOUBLE_EQ(right.efficiency.parallel, 0.6);
  EXPECT_DOUBLE_EQ(*right.efficiency.load_balance, 0.6);
}

// A node whose ranks were in the run for a shorter time is measured by the whole one.
TEST(Job, MeasuresEachNodeByTheTimeOfTheJob) {
  std::vector<Content> ranks = two_nodes();
  for (int i = 2; i < 4; ++i) {
    std::map<std::string, std::string> facts = ranks[static_cast<std::size_t>(i)].facts;
    ranks[static_cast<std::size_t>(i)] = rank(i, {{"(run)", 5, 5, 5, 0}}, 0, 0);
    ranks[static_cast<std::size_t>(i)].facts = facts;
  }
  EXPECT_DOUBLE_EQ(job_of(ranks).per_node[1].efficiency.parallel, 0.5);
}

TEST(Text, ShowsNodesWhereThereAreSeveralTheWorstFirst) {
  const std::string text = text_of(job_of(two_nodes()));
  const std::size_t left = text.find(" left "), right = text.find(" right ");
  ASSERT_NE(left, std::string::npos) << text;
  EXPECT_LT(right, left) << text;
  EXPECT_EQ(text_of(job_of(example())).find("\n  node "), std::string::npos);
}

TEST(Json, HasARowANode) {
  const auto json = json_of(job_of(two_nodes()));
  EXPECT_EQ(json["per_node"].size(), 2U);
  EXPECT_EQ(json["per_node"][1]["host"], "right");
  EXPECT_NEAR(json["per_node"][1]["efficiency"]["parallel"].get<double>(), 0.6, 1e-12);
}

TEST(Job, HasTheTeamsOfItsRegions) {
  std::vector<Content> ranks = example();
  ranks[0].facts["openmp"] = kOpenMpTold;
  ranks[0]
      .tables.at(kOpenMpTable)
      .add_row({std::string("even"), std::int64_t{7}, 4 * kSecond_ns, 6 * kSecond_ns, std::int64_t{2}});
  const Job job = job_of(ranks);
  EXPECT_EQ(job.openmp, OpenMp::told);
  EXPECT_EQ(region(job, "even").teams.teams, 7);
  EXPECT_DOUBLE_EQ(region(job, "even").teams.inside_s, 4);
  EXPECT_DOUBLE_EQ(region(job, "even").teams.outside_s, 16);
  EXPECT_DOUBLE_EQ(region(job, "even").teams.mean_team(), 1.5);
  EXPECT_EQ(region(job, "wide").teams.teams, 0);
  EXPECT_NE(text_of(job).find("in OpenMP"), std::string::npos);
  EXPECT_TRUE(job.openmp_regions.empty()) << "the runtime has told of no place";
  ranks[0].facts["openmp"] = kOpenMpSilent;
  EXPECT_NE(text_of(job_of(ranks)).find("GNU's cannot"), std::string::npos);
  EXPECT_EQ(text_of(job_of(example())).find("OpenMP"), std::string::npos);
}

// Rank 0 is there with a team of two of which one works half as long as the other; rank 1 with one of four that is not told so closely.
std::vector<Content> with_places() {
  std::vector<Content> ranks = example();
  for (Content& one : ranks) {
    one.facts["openmp"] = kOpenMpTold;
    one.tables.emplace(kTeamPlacesTable, Table(kTeamPlacesTable, {{"place", ColumnKind::text},
                                                                  {"count", ColumnKind::integer},
                                                                  {"wall_ns", ColumnKind::integer},
                                                                  {"thread_ns", ColumnKind::integer},
                                                                  {"largest_team", ColumnKind::integer},
                                                                  {"measured_ns", ColumnKind::integer},
                                                                  {"working_ns", ColumnKind::integer},
                                                                  {"busiest_ns", ColumnKind::integer}}));
  }
  const auto row = [](const char* place, std::int64_t count, std::int64_t wall, std::int64_t threads,
                      std::int64_t measured, std::int64_t working, std::int64_t busiest) {
    return std::vector<record::Cell>{std::string(place),
                                     count,
                                     wall * kSecond_ns,
                                     threads * wall * kSecond_ns,
                                     threads,
                                     measured * kSecond_ns,
                                     working * kSecond_ns,
                                     busiest * kSecond_ns};
  };
  ranks[0].tables.at(kTeamPlacesTable).add_row(row("solver+0x10", 5, 10, 2, 20, 12, 16));
  ranks[0].tables.at(kTeamPlacesTable).add_row(row("solver+0x20", 1, 1, 2, 0, 0, 0));
  ranks[1].tables.at(kTeamPlacesTable).add_row(row("solver+0x10", 3, 5, 4, 0, 0, 0));
  return ranks;
}

TEST(Job, HasTheEfficienciesOfParallelRegionsByTheirPlaces) {
  const Job job = job_of(with_places());
  ASSERT_EQ(job.openmp_regions.size(), 2U);
  const TeamPlaceFigures& first = job.openmp_regions[0];
  EXPECT_EQ(first.place, "solver+0x10") << "the longest first";
  EXPECT_EQ(first.count, 8);
  EXPECT_EQ(first.ranks, 2);
  EXPECT_DOUBLE_EQ(first.wall_s, 15);
  EXPECT_EQ(first.largest_team, 4);
  EXPECT_DOUBLE_EQ(first.mean_team(), 40.0 / 15);
  EXPECT_DOUBLE_EQ(first.parallel().value(), 0.6);
  EXPECT_DOUBLE_EQ(first.load_balance().value(), 0.75);
  EXPECT_DOUBLE_EQ(first.fork_join().value(), 0.8);
  const std::string text = text_of(job);
  EXPECT_NE(text.find("solver+0x10                                   8   15.000       2.67           0.60          "
                      "0.75       0.80"),
            std::string::npos)
      << text;
  const auto json = json_of(job)["openmp_regions"];
  EXPECT_DOUBLE_EQ(json[0]["efficiency"]["parallel"].get<double>(), 0.6);
  EXPECT_TRUE(json[1]["efficiency"]["parallel"].is_null()) << "no thread of it was told";
  EXPECT_TRUE(json[1]["working_s"].is_null());
}

TEST(Job, TellsParallelRegionsWhereCallsWereNotTimedToo) {
  std::vector<Content> ranks = with_places();
  for (Content& one : ranks) one.facts["metrics.detail"] = "counts";
  const std::string text = text_of(job_of(ranks));
  EXPECT_NE(text.find("region of OpenMP"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  region                       visits    time s\n"), std::string::npos)
      << "how long regions took";
}

TEST(Job, NeedsTheLevelOfItsMostDemandingRank) {
  std::vector<Content> ranks = example();
  ranks[1].facts["threads.needed"] = "MPI_THREAD_SERIALIZED";
  ranks[1].facts["threads.verdict"] = "by turns";
  EXPECT_EQ(job_of(ranks).threads.needed, "MPI_THREAD_SERIALIZED");
  EXPECT_EQ(job_of(ranks).threads.verdict, "by turns");
}

Table flight(const std::string& region, std::int64_t most, std::int64_t gap_ns) {
  Table table(kFlightTable, {{"gap_region", ColumnKind::text},
                             {"injections", ColumnKind::integer},
                             {"most_in_flight", ColumnKind::integer},
                             {"most_at_ns", ColumnKind::integer},
                             {"longest_gap_ns", ColumnKind::integer},
                             {"gap_end_ns", ColumnKind::integer}});
  table.add_row({region, std::int64_t{10}, most, std::int64_t{1}, gap_ns, std::int64_t{2}});
  return table;
}

TEST(Job, TellsWhereTheMostWasInFlightAndWhoWasSilentLongest) {
  std::vector<Content> ranks = example();
  EXPECT_FALSE(job_of(ranks).flight.has_value()) << "an earlier version's";
  EXPECT_EQ(text_of(job_of(ranks)).find("in flight"), std::string::npos);
  ranks[0].tables.emplace(kFlightTable, flight("even", 7, 1'000'000));
  ranks[1].tables.emplace(kFlightTable, flight("wide", 3, 250'000'000));
  const Job job = job_of(ranks);
  ASSERT_TRUE(job.flight.has_value());
  EXPECT_EQ(job.flight->injections, 20);
  EXPECT_EQ(job.flight->most_in_flight, 7);
  EXPECT_EQ(job.flight->most_rank, 0);
  EXPECT_DOUBLE_EQ(job.flight->longest_gap_s, 0.25);
  EXPECT_EQ(job.flight->gap_rank, 1);
  const std::string text = text_of(job);
  EXPECT_NE(text.find("at most 7 calls at once (rank 0)"), std::string::npos) << text;
  EXPECT_NE(text.find("was 0.25 s (rank 1 in wide)"), std::string::npos) << text;
  EXPECT_EQ(json_of(job)["flight"]["gap_region"], "wide");
}

void add_samples(Content& rank, record::StreamId id, const char* name, record::Entries<record::SampleEntry> entries) {
  rank.series[id] = {name, std::move(entries)};
}

constexpr std::int64_t kTenth_ns = kSecond_ns / 10;

TEST(Job, TellsWhatWasInFlightOverTime) {
  std::vector<Content> ranks = example();
  EXPECT_TRUE(job_of(ranks).flight_over_time.empty());
  const auto at = [](std::int64_t tenth, double value) { return record::sample_entry(tenth * kTenth_ns + 5, value); };
  add_samples(ranks[0], 1, kInFlightSeries, {at(10, 3), at(12, 1)});
  add_samples(ranks[1], 1, kInFlightSeries, {at(10, 7), at(12, 1)});
  add_samples(ranks[1], 2, kGapSeries, {at(10, 0), at(12, 2e8)});
  add_samples(ranks[1], 3, "bytes", {at(11, 9)});
  const Job job = job_of(ranks);
  ASSERT_EQ(job.flight_over_time.size(), 2U) << "in the one between nobody has told";
  const FlightStretch& first = job.flight_over_time[0];
  EXPECT_DOUBLE_EQ(first.begin_s, 0);
  EXPECT_DOUBLE_EQ(first.end_s, 0.1);
  EXPECT_EQ(first.most_in_flight, 7);
  EXPECT_EQ(first.most_rank, 1);
  EXPECT_DOUBLE_EQ(first.longest_gap_s, 0);
  const FlightStretch& second = job.flight_over_time[1];
  EXPECT_DOUBLE_EQ(second.begin_s, 0.2);
  EXPECT_EQ(second.most_rank, 0) << "the first of equals";
  EXPECT_DOUBLE_EQ(second.longest_gap_s, 0.2);
  EXPECT_EQ(second.gap_rank, 1);
  const auto json = json_of(job)["flight_over_time"];
  EXPECT_TRUE(json[0]["gap_rank"].is_null());
  EXPECT_EQ(json[1]["gap_rank"], 1);
  for (Content& one : ranks) one.facts["metrics.detail"] = "counts";
  EXPECT_TRUE(job_of(ranks).flight_over_time.empty());
}

// Rank 1's clock is 0.3 s behind at its begin and 0.5 s at its end.
TEST(Job, TellsWhatWasInFlightOnTheClockOfRank0) {
  std::vector<Content> ranks = example();
  const auto tenths = [](std::int64_t count) { return std::to_string(count * kTenth_ns); };
  ranks[1].facts[record::kOffsetBeginAtFact] = tenths(10);
  ranks[1].facts[record::kOffsetBeginFact] = tenths(3);
  ranks[1].facts[record::kOffsetEndAtFact] = tenths(30);
  ranks[1].facts[record::kOffsetEndFact] = tenths(5);
  const auto at = [](std::int64_t tenth, double value) { return record::sample_entry(tenth * kTenth_ns + 5, value); };
  add_samples(ranks[0], 1, kInFlightSeries, {at(13, 1), at(24, 2), at(35, 3)});
  add_samples(ranks[1], 1, kInFlightSeries, {at(10, 7), at(20, 8), at(30, 9)});
  const Job job = job_of(ranks);
  ASSERT_EQ(job.flight_over_time.size(), 3U) << "each sample of rank 1 is in the stretch of one of rank 0";
  std::int64_t most = 7;
  for (const FlightStretch& stretch : job.flight_over_time) {
    EXPECT_EQ(stretch.most_in_flight, most++);
    EXPECT_EQ(stretch.most_rank, 1);
  }
  EXPECT_DOUBLE_EQ(job.flight_over_time[1].begin_s, 1.1);
  EXPECT_DOUBLE_EQ(job.flight_over_time[2].begin_s, 2.2);
}

// An hour of samples, a merged one that is as long as 20 s, and what no writer has written.
TEST(Job, TellsWhatWasInFlightInNoMoreStretchesHoweverLongTheRun) {
  std::vector<Content> ranks = example();
  record::Entries<record::SampleEntry> hour;
  for (std::int64_t tenth = -18'000; tenth < 18'000; ++tenth) {
    hour.push_back(record::sample_entry(tenth * kTenth_ns, tenth == 900 ? 50 : 2));
  }
  add_samples(ranks[0], 1, kInFlightSeries, hour);
  const Job of_an_hour = job_of(ranks);
  EXPECT_LE(of_an_hour.flight_over_time.size(), FlightOverTime::kMost);
  EXPECT_GE(of_an_hour.flight_over_time.size(), FlightOverTime::kMost / 2 - 1);
  EXPECT_EQ(std::ranges::count(of_an_hour.flight_over_time, 50, &FlightStretch::most_in_flight), 1);
  EXPECT_GE(of_an_hour.flight_over_time.back().end_s, 3600);

  add_samples(ranks[0], 1, kInFlightSeries,
              {{0, 20 * kSecond_ns, 1, 6, 1, 200}, {30 * kSecond_ns, 30 * kSecond_ns, 2, 2, 2, 1}});
  const Job of_merged = job_of(ranks);
  ASSERT_EQ(of_merged.flight_over_time.size(), 2U);
  EXPECT_DOUBLE_EQ(of_merged.flight_over_time[0].end_s, 25.6) << "no shorter than a sample";

  add_samples(ranks[0], 1, kInFlightSeries, {record::sample_entry(-1, 1), record::sample_entry(0, 1)});
  EXPECT_EQ(job_of(ranks).flight_over_time.size(), 2U) << "before and behind the zero of a clock";

  constexpr std::int64_t kFirst_ns = std::numeric_limits<std::int64_t>::min(),
                         kLast_ns = std::numeric_limits<std::int64_t>::max();
  add_samples(ranks[0], 1, kInFlightSeries,
              {{kFirst_ns, kLast_ns, 1, 1, 1, 1},
               record::sample_entry(kFirst_ns, 2),
               record::sample_entry(0, NAN),
               record::sample_entry(0, 1e300)});
  EXPECT_EQ(job_of(ranks).flight_over_time.size(), 2U);
}

TEST(Job, RefusesARankWithoutTimesOrWithOddNumbers) {
  std::vector<Content> ranks = example();
  ranks[1].tables.erase(kRegionsTable);
  EXPECT_THROW((void)job_of(ranks), Error);
  ranks = example();
  ranks[0].facts["node"] = "many";
  EXPECT_THROW((void)job_of(ranks), Error);
  EXPECT_THROW((void)job_of({}), Error);
}

// Rank 1's record had no room for its functions, but for those of rank 0 as they were before the end.
TEST(Job, SaysWhatFoundNoRoomInARecord) {
  std::vector<Content> ranks = example();
  EXPECT_TRUE(job_of(ranks).untold.empty());
  ranks[0].facts[record::kIncompleteFact] = "the table metrics.peers did not fit";
  ranks[1].tables.erase(kCallsTable);
  const Job job = job_of(ranks);
  ASSERT_EQ(job.untold.size(), 2U);
  const std::string text = text_of(job);
  EXPECT_NE(text.find("Not told: functions (rank 1)"), std::string::npos) << text;
  EXPECT_NE(text.find("Too low: messages and their bytes (rank 0)"), std::string::npos) << text;
  EXPECT_NE(text.find("--record-budget"), std::string::npos) << text;
  EXPECT_EQ(text.find("No call to MPI"), std::string::npos) << text;
  EXPECT_EQ(json_of(job)["untold"][0]["lack"], "missing");
  EXPECT_EQ(json_of(job)["untold"][1]["table"], kPeersTable);
}

// They lacked without a word: what no rank must have was taken for what there is not.
TEST(Job, SaysWhatFoundNoRoomAlsoOfTablesThatNotEveryRankHas) {
  std::vector<Content> ranks = with_places();
  ranks[1].tables.erase(kTeamPlacesTable);
  EXPECT_TRUE(job_of(ranks).untold.empty()) << "its runtime may have told of none";
  ranks[1].facts[record::kIncompleteFact] =
      "the table metrics.openmp_regions did not fit; the table metrics.flight did not fit";
  const Job job = job_of(ranks);
  ASSERT_EQ(job.untold.size(), 2U);
  for (const Untold& one : job.untold) {
    EXPECT_EQ(one.lack, Lack::missing) << one.table;
    EXPECT_EQ(one.first_rank, 1) << one.table;
  }
  const std::string text = text_of(job);
  EXPECT_NE(text.find("Not told: regions of OpenMP by their places (rank 1)"), std::string::npos) << text;
  EXPECT_NE(text.find("Not told: calls in flight and gaps between them (rank 1)"), std::string::npos) << text;
}

TEST(Text, BlamesMpiAlsoWhereFunctionsAreNotTold) {
  std::vector<Content> ranks{rank(0, {{"(run)", 10, 10, 10, 8}}, 0, 0)};
  ranks[0].tables.erase(kCallsTable);
  const std::string text = text_of(job_of(ranks));
  EXPECT_NE(text.find("Most of the rest is MPI (80 %).\n"), std::string::npos) << text;
  EXPECT_NE(text.find("Functions are not told"), std::string::npos) << text;
}

TEST(Job, AddsUpTablesInShortAndSaysSo) {
  std::vector<Content> ranks = example();
  for (Content& one : ranks) {
    for (auto& [name, table] : one.tables) table = shortened(table).value_or(table);
  }
  const Job whole = job_of(example()), job = job_of(ranks);
  EXPECT_EQ(job.regions.size(), 1U);
  EXPECT_DOUBLE_EQ(job.wall_s, whole.wall_s);
  EXPECT_DOUBLE_EQ(job.ranks[0].useful_s, whole.ranks[0].useful_s);
  EXPECT_EQ(job.ranks[0].sent_bytes, whole.ranks[0].sent_bytes);
  EXPECT_EQ(job.functions.front().region, kAllRegions);
  EXPECT_EQ(job.functions.front().calls, 10);
  EXPECT_DOUBLE_EQ(job.functions.front().longest_s, 1) << "no sum";
  EXPECT_EQ(job.untold.size(), 3U) << "OpenMP has none";
  EXPECT_NE(text_of(job).find("Told as sums alone: regions (2 ranks, the first is 0)"), std::string::npos);
}

TEST(Text, SaysFirstWhatToLookAt) {
  std::vector<Content> waiting{rank(0, {{"(run)", 10, 10, 10, 0}}, 0, 0), rank(1, {{"(run)", 10, 10, 10, 8}}, 0, 0)};
  const std::string text = text_of(job_of(waiting));
  EXPECT_NE(text.find("60 % of all processors' time was useful."), std::string::npos) << text;
  EXPECT_NE(text.find("of which MPI_Barrier is 40 %"), std::string::npos) << text;
  EXPECT_NE(text.find("on rank 1"), std::string::npos) << text;
  EXPECT_NE(text.find("load balance             0.60"), std::string::npos) << text;
  EXPECT_NE(text.find("not told apart without a replay"), std::string::npos) << text;
}

// Eight threads of a rank wait in MPI for 10 s each.
TEST(Text, CallsNoPartOfMpiMoreThanAllOfIt) {
  const std::string spinning = text_of(job_of({rank(0, {{"(run)", 10, 10, 0, 0, 80, 10}}, 0, 0)}));
  EXPECT_NE(spinning.find("Most of the rest is MPI (100 %), of which MPI_Barrier is 100 %"), std::string::npos)
      << spinning;
  EXPECT_NE(spinning.find("80.000  100.0 %"), std::string::npos) << spinning;
  const std::string sleeping = text_of(job_of({rank(0, {{"(run)", 10, 0, 0, 0, 80, 0}}, 0, 0)}));
  EXPECT_NE(sleeping.find("Most of the rest, 100 %, main threads slept outside MPI while other threads were inside, "
                          "longest in MPI_Barrier"),
            std::string::npos)
      << sleeping;
}

TEST(Text, PraisesWhatIsGoodAndSaysWhatCannotBeTold) {
  const std::string text = text_of(job_of(example()));
  EXPECT_NE(text.find("83 % of all processors' time was useful, which is good."), std::string::npos) << text;
  EXPECT_NE(text.find("ranks lent one another processors"), std::string::npos) << text;
  EXPECT_NE(text.find("wide"), std::string::npos);
}

TEST(Text, SaysWhatWasLeftOut) {
  std::vector<Content> ranks = example();
  EXPECT_EQ(text_of(job_of(ranks)).find("MPI_Pcontrol"), std::string::npos);
  ranks[1].facts["metrics.paused_ns"] = "2500000000";
  EXPECT_NE(text_of(job_of(ranks)).find("Left out, by MPI_Pcontrol(0): up to 2.500 s of a rank."), std::string::npos);
}

TEST(Json, HasAllFigures) {
  const auto json = json_of(job_of(example()));
  EXPECT_NEAR(json["efficiency"]["parallel"].get<double>(), 25.0 / 30, 1e-12);
  EXPECT_TRUE(json["efficiency"]["load_balance"].is_null());
  EXPECT_EQ(json["ranks"].size(), 2U);
  EXPECT_EQ(json["regions"][0]["region"], "even");
  EXPECT_EQ(json["functions"][0]["function"], "MPI_Barrier");
  EXPECT_EQ(json["messages"][0]["sent_bytes"], 100);
  EXPECT_EQ(json["threads"]["needed"], "MPI_THREAD_FUNNELED");
}

}  // namespace
}  // namespace comity::metrics
