// SPDX-License-Identifier: BSD-3-Clause
// Ranks as threads merge their files: into one, per node and in a tree, and nothing stays behind.
#include "record/merge/merge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "base/error.hpp"
#include "made_up_job.hpp"
#include "record/merge/tree.hpp"
#include "record/run/recover.hpp"
#include "record/run/run_reader.hpp"
#include "thread_exchange.hpp"

namespace comity::record {
namespace {

using testing::MadeUpJob;
using testing::TemporaryFolder;
using Names = std::vector<std::string>;

std::vector<MergeOutcome> merge_all(const MadeUpJob& job) {
  const auto ranks = static_cast<int>(job.node_of_rank().size());
  std::vector<MergeOutcome> outcomes(job.node_of_rank().size());
  EXPECT_TRUE(testing::run_exchange(ranks, [&](testing::ThreadExchange& exchange) {
    const auto rank = static_cast<std::size_t>(exchange.rank());
    outcomes[rank] = merge(exchange, job.plan(static_cast<std::uint32_t>(rank)));
  })) << "a message was not received";
  return outcomes;
}

void expect_body_of(const RunReader& run, std::uint32_t rank) {
  const RankBody body = run.rank(rank);
  EXPECT_FALSE(body.is_damaged);
  EXPECT_EQ(body.entry.end, RankEnd::ended);
  EXPECT_EQ(body.content.facts.at(kBindingFact), std::to_string(rank));
  EXPECT_EQ(body.content.tables.at("calls"), testing::calls_of(rank));
  EXPECT_EQ(body.content.tables.at("peers"), testing::peers_of(rank));
  EXPECT_EQ(body.content.series.at(0).entries.back().last, rank + 499);
}

// What follows from record_something() for these ranks.
void expect_summary_of(const Summary& summary, const std::vector<std::uint32_t>& ranks) {
  const auto count = static_cast<std::uint32_t>(ranks.size());
  EXPECT_EQ(summary.ranks(), count);
  EXPECT_EQ(summary.table_names(), (Names{"calls"}));
  const TableSummary& calls = summary.table("calls");
  const auto& sent = std::get<Spread<std::int64_t>>(calls.at({"MPI_Send"}, "count"));
  EXPECT_EQ(sent.sum, std::accumulate(ranks.begin(), ranks.end(), std::int64_t{10} * count));
  EXPECT_EQ(sent.minimum, 10 + ranks.front());
  EXPECT_EQ(sent.minimum_rank, ranks.front());
  EXPECT_EQ(sent.maximum, 10 + ranks.back());
  EXPECT_EQ(sent.maximum_rank, ranks.back());
  const auto& waited = std::get<Spread<double>>(calls.at({"MPI_Send"}, "wait_s"));
  EXPECT_DOUBLE_EQ(waited.maximum, 0.5 * ranks.back());
  const auto even = std::count_if(ranks.begin(), ranks.end(), [](std::uint32_t rank) { return rank % 2 == 0; });
  const auto row = calls.rows.find({"MPI_Bcast"});
  EXPECT_EQ(row == calls.rows.end() ? 0 : row->second.ranks, even);
  EXPECT_TRUE(summary.facts().at(kProgramFact).same);
  EXPECT_EQ(summary.facts().at(kProgramFact).ranks, count);
  EXPECT_EQ(summary.facts().at(kBindingFact).same, count == 1);
  EXPECT_EQ(summary.facts().at(kBindingFact).value, std::to_string(ranks.front()));
}

std::vector<std::uint32_t> ranks_of(const MadeUpJob& job, std::uint32_t node) {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < job.node_of_rank().size(); ++rank) {
    if (job.node_of_rank()[rank] == node) ranks.push_back(rank);
  }
  return ranks;
}

void expect_whole(const RunReader& run, const MadeUpJob& job) {
  std::vector<std::uint32_t> all(job.node_of_rank().size());
  std::iota(all.begin(), all.end(), 0U);
  EXPECT_EQ(run.job(), MadeUpJob::kName);
  EXPECT_EQ(run.job_ranks(), all.size());
  EXPECT_EQ(run.missing_ranks(), 0U);
  EXPECT_EQ(run.notes(), Names{});
  for (const std::uint32_t rank : all) expect_body_of(run, rank);
  expect_summary_of(run.all(), all);
  for (const auto& [node, summary] : run.nodes()) expect_summary_of(summary, ranks_of(job, node));
}

struct Shape {
  std::uint32_t ranks;
  std::uint32_t nodes;
};

class Merging : public ::testing::TestWithParam<Shape> {
 protected:
  TemporaryFolder user_;
};
INSTANTIATE_TEST_SUITE_P(Jobs, Merging,
                         ::testing::Values(Shape{1, 1}, Shape{2, 1}, Shape{2, 2}, Shape{3, 1}, Shape{3, 2}, Shape{8, 1},
                                           Shape{8, 2}, Shape{8, 3}, Shape{8, 7}, Shape{8, 8}),
                         [](const auto& one) {
                           return std::to_string(one.param.ranks) + "_ranks_" + std::to_string(one.param.nodes) +
                                  "_nodes";
                         });

TEST_P(Merging, MakesOneFileOfAllRanksAndLeavesNothingElse) {
  const MadeUpJob job(GetParam().ranks, GetParam().nodes, {user_ / "run"});
  job.record_all();
  for (const MergeOutcome& outcome : merge_all(job)) {
    EXPECT_EQ(outcome.problem, "");
    EXPECT_EQ(outcome.file, user_ / "run/run.comity");
  }
  EXPECT_EQ(os::Folder(user_ / "run").names(), (Names{"run.comity"}));
  job.expect_nothing_in_scratch();
  const RunReader run(user_ / "run");
  EXPECT_EQ(run.nodes().size(), GetParam().nodes);
  expect_whole(run, job);
}

TEST_P(Merging, OfAKilledJobAfterwardsMakesTheSame) {
  const MadeUpJob job(GetParam().ranks, GetParam().nodes, {user_ / "run"});
  job.record_all();
  const Recovery recovery = recover(user_ / "run");
  EXPECT_EQ(recovery.ranks, GetParam().ranks);
  EXPECT_EQ(recovery.missing_ranks, 0U);
  EXPECT_EQ(recovery.notes, Names{});
  EXPECT_EQ(os::Folder(user_ / "run").names(), (Names{"run.comity"}));
  job.expect_nothing_in_scratch();
  expect_whole(RunReader(user_ / "run"), job);
  EXPECT_TRUE(recover(user_ / "run").was_there);
}

TEST_P(Merging, OnHostsThatDoNotShareTheFolderLeavesAFileANode) {
  const Shape shape = GetParam();
  std::vector<std::string> folders;
  for (std::uint32_t node = 0; node < shape.nodes; ++node) folders.push_back(user_ / ("host" + std::to_string(node)));
  const MadeUpJob job(shape.ranks, shape.nodes, folders);
  job.record_all();
  const auto outcomes = merge_all(job);
  for (std::uint32_t rank = 0; rank < shape.ranks; ++rank) {
    const std::uint32_t node = job.node_of_rank()[rank];
    const std::string name = node == 0 ? "run.comity" : node_run_name(node);
    EXPECT_EQ(outcomes[rank].problem, "");
    EXPECT_EQ(outcomes[rank].file, folders[node] + '/' + name);
    EXPECT_EQ(os::Folder(folders[node]).names(), (Names{name}));
    const RunReader run(folders[node] + '/' + name);
    expect_body_of(run, rank);
    expect_summary_of(run.all(), ranks_of(job, node));
    EXPECT_EQ(run.missing_ranks(), shape.ranks - ranks_of(job, node).size());
  }
  job.expect_nothing_in_scratch();
  for (std::uint32_t node = 1; node < shape.nodes; ++node) {  // as a user would copy them
    std::filesystem::rename(folders[node] + '/' + node_run_name(node), folders[0] + '/' + node_run_name(node));
  }
  const Recovery recovery = recover(folders[0]);
  EXPECT_EQ(recovery.missing_ranks, 0U);
  EXPECT_EQ(os::Folder(folders[0]).names(), (Names{"run.comity"}));
  expect_whole(RunReader(folders[0]), job);
}

class MergingJob : public ::testing::Test {
 protected:
  TemporaryFolder user_;
};

TEST_F(MergingJob, WhereOnlySomeHostsShareTheFolderGoesOnThroughTheOthers) {
  const std::string shared = user_ / "shared";
  const MadeUpJob job(8, 8, {shared, shared, user_ / "apart", shared, user_ / "apart too", shared, shared, shared});
  job.record_all();
  (void)merge_all(job);
  EXPECT_EQ(os::Folder(shared).names(), (Names{"run.comity"}));
  EXPECT_EQ(os::Folder(user_ / "apart").names(), (Names{"run-node-2.comity"}));
  EXPECT_EQ(os::Folder(user_ / "apart too").names(), (Names{"run-node-4.comity"}));
  EXPECT_EQ(RunReader(shared).ranks().size(), 6U);
  EXPECT_EQ(RunReader(shared).missing_ranks(), 2U);
}

TEST_F(MergingJob, ThatCannotWriteLeavesTheRanksFilesForLater) {
  const MadeUpJob job(4, 2, {user_ / "run"});
  job.record_all();
  testing::write_bytes(user_ / "run/run.comity", Bytes(10));  // somebody's, made meanwhile
  for (const MergeOutcome& outcome : merge_all(job)) {
    EXPECT_EQ(outcome.file, "");
    EXPECT_NE(outcome.problem.find("File exists"), std::string::npos) << outcome.problem;
  }
  EXPECT_EQ(std::filesystem::file_size(user_ / "run/run.comity"), 10U);
  EXPECT_EQ(os::Folder(user_ / "run").names(), (Names{"node-0.comity", "node-1.comity", "run.comity"}));
  std::filesystem::remove(user_ / "run/run.comity");
  EXPECT_EQ(recover(user_ / "run").ranks, 4U);
  job.expect_nothing_in_scratch();
}

TEST_F(MergingJob, WithRanksThatMadeNoRecordSaysWhich) {
  const MadeUpJob job(3, 1, {user_ / "run"});
  for (const std::uint32_t rank : {0U, 2U}) {
    const auto writer = job.writer(rank);
    testing::record_something(*writer, rank);
    writer->close();
  }
  EXPECT_TRUE(testing::run_exchange(3, [&](testing::ThreadExchange& exchange) {
    MergePlan plan = job.plan(static_cast<std::uint32_t>(exchange.rank()));
    if (exchange.rank() == 1) plan.job_folder.clear();
    EXPECT_EQ(merge(exchange, plan).problem, "");
  }));
  const RunReader run(user_ / "run");
  EXPECT_EQ(run.notes(), (Names{"rank 1: made no record"}));
  EXPECT_EQ(run.missing_ranks(), 1U);
  EXPECT_FALSE(run.has_rank(1));
  EXPECT_THROW((void)run.rank(1), Error);
  job.expect_nothing_in_scratch();
}

// --- ways ---

TEST(MergeWays, JoinAllLeadersInATreeOfLogarithmicDepth) {
  for (const int nodes : {1, 2, 3, 5, 8, 13, 100, 1000}) {
    std::vector<std::uint32_t> node_of_rank;
    for (int rank = 0; rank < 3 * nodes; ++rank) node_of_rank.push_back(static_cast<std::uint32_t>(rank % nodes));
    std::set<int> reached{0};
    int leaders = 0;
    for (int rank = 0; rank < 3 * nodes; ++rank) {
      const MergeWays ways = ways_of(rank, node_of_rank);
      EXPECT_EQ(ways.leader, rank % nodes);
      if (!ways.leads(rank)) continue;
      ++leaders;
      EXPECT_EQ(ways.node_ranks.size(), 2U);
      EXPECT_LE(ways.children.size(), 10U);
      for (const int child : ways.children) {
        EXPECT_TRUE(reached.insert(child).second);
        EXPECT_EQ(ways_of(child, node_of_rank).parent, rank);
      }
    }
    EXPECT_EQ(leaders, nodes);
    EXPECT_EQ(reached.size(), static_cast<std::size_t>(nodes));
  }
}

}  // namespace
}  // namespace comity::record
