// SPDX-License-Identifier: BSD-3-Clause
// Runs whose memory is written down, side by side.
#include "memory/job/scaling.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "base/error.hpp"
#include "memory/job/older_page.hpp"
#include "memory/job/older_tool.hpp"

namespace comity::memory {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

RankMemory rank(int number, const std::string& host, std::int64_t mpi_mib) {
  RankMemory one;
  one.rank = number;
  one.host = host;
  one.knows_owners = true;
  one.components["mpi"] = {.peak = mpi_mib * kMiB, .last = kMiB};
  one.components["pmix"] = {.peak = kMiB, .last = kMiB};
  one.components["application"] = {.peak = 100 * kMiB, .last = 50 * kMiB};
  one.peak_rss_bytes = 200 * kMiB;
  return one;
}

std::vector<RunFigures> runs() {
  const Job small{{rank(0, "n1", 10)}};
  const Job large{{rank(0, "n1", 20), rank(1, "n1", 24), rank(2, "n2", 20), rank(3, "n2", 24)}};
  return {figures_of(small, "np1", "Open MPI v4.1.4, package: x"),
          figures_of(large, "a/very/long/folder/np4", "MPICH Version: 4.0.2")};
}

TEST(Scaling, OfARankMeansAndOfANodeSumsAreTold) {
  const RunFigures large = runs()[1];
  EXPECT_EQ(large.ranks, 4U);
  EXPECT_EQ(large.nodes, 2U);
  EXPECT_EQ(large.mpi.mean, 22.0 * kMiB);
  EXPECT_EQ(large.mpi.deviation, 2.0 * kMiB);
  EXPECT_EQ(large.with_mpi.mean, 23.0 * kMiB);
  EXPECT_EQ(large.node_with_mpi, 46.0 * kMiB);
  EXPECT_EQ(large.node_total, 104.0 * kMiB);
}

TEST(Scaling, ALineIsARun) {
  EXPECT_EQ(
      text_of(runs()),
      "MiB at the peak of a rank, mean +- standard deviation; of a node MPI with what it brings, and all at the end\n"
      "  run                  MPI                  ranks nodes                  mpi  with what it brings"
      "          application      total, resident  MPI/node  all/node\n"
      "  np1                  Open MPI v4.1.4          1     1     10.00 +- 0.00        11.00 +- 0.00"
      "       100.00 +- 0.00       200.00 +- 0.00        11.00     52.00\n"
      "  ..ry/long/folder/np4 MPICH Version: 4.0.2     4     2     22.00 +- 2.00        23.00 +- 2.00"
      "       100.00 +- 0.00       200.00 +- 0.00        46.00    104.00\n"
      "  np1: MPI/node is an upper bound, of what each component of a rank had at a moment of its own\n"
      "  a/very/long/folder/np4: MPI/node is an upper bound, of what each component of a rank had at a moment of its "
      "own\n");
}

// Peaks of moments that are not the same came to a node's memory that never was, and nothing said so.
TEST(Scaling, OfANodeWhatItsRanksHadAtOneMomentStandsBesideWhereSamplesTell) {
  Job job{{rank(0, "n1", 100), rank(1, "n1", 100), rank(2, "n2", 20)}};
  for (RankMemory& one : job.ranks) one.node = one.rank / 2;
  const RunFigures bound = figures_of(job, "x", "y");
  EXPECT_TRUE(bound.node_with_mpi_is_bound);
  EXPECT_FALSE(bound.node_with_mpi_at_one_moment);
  Together together;
  auto& lines = together.over_time[0];
  for (const char* const name : {"mpi", "pmix", "application"}) lines[name].assign(Together::kMoments, 5 * kMiB);
  lines["mpi"][7] = 101 * kMiB;
  together.nodes[0].components = {{"mpi", 108 * kMiB}, {"pmix", kMiB}, {"application", 300 * kMiB}};
  together.over_time[1]["mpi"].assign(Together::kMoments, 0);
  EXPECT_FALSE(figures_of(job, "x", "y", together).node_with_mpi_at_one_moment) << "of the other node no sample tells";
  together.over_time[1]["mpi"][3] = 16 * kMiB;  // of one rank too its components' peaks are of moments of their own
  const RunFigures run = figures_of(job, "x", "y", together);
  for (const RunFigures& one : {bound, run}) EXPECT_EQ(one.node_with_mpi, (202.0 + 21.0) / 2 * kMiB);
  EXPECT_EQ(run.node_with_mpi_at_one_moment, (109.0 + 16.0) / 2 * kMiB);
  EXPECT_NE(
      text_of({run}).find("x: MPI/node is an upper bound, of what each component of a rank had at a moment of its own; "
                          "samples saw 62.50 at one moment\n"),
      std::string::npos)
      << text_of({run});
  EXPECT_EQ(json_of({run})["runs"][0]["node_with_mpi_at_one_moment_bytes"], 62.5 * kMiB);
  const auto json = json_of({bound})["runs"][0];
  EXPECT_EQ(json["node_with_mpi_is_bound"], true);
  EXPECT_TRUE(json["node_with_mpi_at_one_moment_bytes"].is_null());
}

TEST(Scaling, ARunWithoutOwnersIsWarnedOf) {
  Job job{{rank(0, "n1", 10)}};
  job.ranks[0].knows_owners = false;
  EXPECT_NE(text_of({figures_of(job, "x", "y")}).find("WARNING"), std::string::npos);
  EXPECT_FALSE(figures_of(job, "x", "y").node_with_mpi_is_bound) << "nobody knows what it has";
  EXPECT_EQ(text_of(runs()).find("WARNING"), std::string::npos);
}

// Tables of older tools stay comparable: their rule stands beside, where all ranks have kept it.
TEST(Scaling, TheRuleOfOlderToolsStandsBesideWhereItWasKept) {
  Job job{{rank(0, "n1", 10), rank(1, "n1", 10)}};
  for (const std::int64_t mib : {30, 34})
    job.ranks[mib == 30 ? 0 : 1].delta =
        DeltaFigures{.method = "delta-pss", .peak = mib * kMiB, .by_function = {}, .over_time = {}};
  const std::vector<RunFigures> with{figures_of(job, "old", "y")};
  EXPECT_NE(text_of(with).find("\n  old: MPI's by delta-pss, what its calls changed all by: 32.00 +- 2.00\n"),
            std::string::npos)
      << text_of(with);
  EXPECT_EQ(json_of(with)["runs"][0]["delta"]["peak_max_bytes"], 34.0 * kMiB);
  EXPECT_EQ(json_of(with)["runs"][0]["delta"]["method"], "delta-pss");
  EXPECT_TRUE(rows_of(with).ends_with(",\"delta-pss\",33554432,2097152\n")) << rows_of(with);
  job.ranks[1].delta.reset();
  const std::vector<RunFigures> without{figures_of(job, "old", "y")};
  EXPECT_EQ(text_of(without).find("delta"), std::string::npos);
  EXPECT_TRUE(json_of(without)["runs"][0]["delta"].is_null());
  EXPECT_TRUE(rows_of(without).ends_with(",,,\n")) << rows_of(without);
}

TEST(Scaling, RowsAndJsonHaveAllOfIt) {
  const std::string rows = rows_of(runs());
  EXPECT_EQ(rows.substr(0, rows.find(",mpi_peak")), "run,mpi_library,ranks,nodes");
  EXPECT_NE(rows.find("\n\"np1\",\"Open MPI v4.1.4, package: x\",1,1,10485760,0,"), std::string::npos) << rows;
  const auto json = json_of(runs());
  EXPECT_EQ(json["runs"][1]["mpi"]["peak_max_bytes"], 24.0 * kMiB);
  EXPECT_EQ(json["runs"][1]["node_end_bytes"], 104.0 * kMiB);
}

TEST(Page, OfARecordThatLacksFiguresIsWrittenAllTheSame) {
  Job job;
  job.ranks.push_back(rank(0, "n1", 10));
  TotalFigures& end = job.ranks.front().totals.emplace_back();
  end.moment = "at the end";
  EXPECT_EQ(text_of(job).find("WARNING"), std::string::npos);
  end.bytes["pss_bytes"] = 100 * kMiB;
  end.bytes["residual_bytes"] = 2 * kMiB;
  EXPECT_NE(text_of(job).find("WARNING: rank 0, at the end: 2048 KiB of 102400 are"), std::string::npos)
      << text_of(job);
}

// Of a rank, as memnesia writes it: a block of facts and then its samples.
std::string older_rank(int rank, const char* mpi_mb, const char* all_mb) {
  return "# [Run Info Begin]\n# Report Date Time: 20170301-101112\n# Application Name: lulesh2.0\n# Hostname: n1\n"
         "# MPI_COMM_WORLD Rank: " +
         std::to_string(rank) +
         "\n# MPI_COMM_WORLD Size: 2\n# MPI Init Time (s): 0.5\n# Number of smaps Captures Performed: 12\n"
         "# High Memory Usage Watermark (MPI) (MB): " +
         mpi_mb + "\n# High Memory Usage Watermark (Application + MPI) (MB): " + all_mb +
         "\n# [Run Info End]\n# MPI Library Memory Usage (B) Over Time (Since MPI_Init):\n"
         "MPI_MEM_USAGE MPI_Init 0.5 4194304\nALL_MEM_USAGE MPI_Init 0 1\n";
}

TEST(OlderTool, ItsRunsStandBesideOurs) {
  const std::string text = older_rank(0, "10.5", "40") + older_rank(1, "12.5", "42");
  EXPECT_TRUE(is_of_older_tool(text));
  EXPECT_FALSE(is_of_older_tool("# [Run Info End]"));
  const Job job = job_of_older_tool(text);
  ASSERT_EQ(job.ranks.size(), 2U);
  EXPECT_EQ(job.ranks[1].rank, 1);
  EXPECT_EQ(job.ranks[1].host, "n1");
  const RunFigures run = figures_of(job, "old.memnesia", "");
  EXPECT_EQ(run.delta_method, "delta-pss");
  EXPECT_EQ(run.delta.mean, 11.5 * 1048576);
  EXPECT_EQ(run.total.most, 42.0 * 1048576);
  EXPECT_FALSE(run.owners_known);
}

TEST(OlderTool, WhatMakesNoSenseIsNamedWithItsLine) {
  const auto why = [](const std::string& text) -> std::string {
    try {
      (void)job_of_older_tool(text);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const std::string good = older_rank(0, "1", "2");
  EXPECT_EQ(why(good), "");
  EXPECT_EQ(why(older_rank(0, "many", "2")),
            "line 9: \"High Memory Usage Watermark (MPI) (MB)\" is no number that can be: \"many\"");
  for (const char* const number : {"-1", "nan", "inf", "1e300", ""})
    EXPECT_NE(why(older_rank(0, "1", number)), "") << number;
  EXPECT_EQ(why(good.substr(0, good.find("# High"))), "line 8: the block of a rank ends without its watermarks");
  EXPECT_EQ(why("# [Run Info Begin]\nnonsense\n"), "line 2: \"nonsense\" is no `# KEY: VALUE`");
}

// As memnesia writes them: MPI's a line a call, which is a sum, and all before and behind it.
std::string older_samples(const char* last = "MPI_MEM_USAGE MPI_Recv 1.5 -0.5\n") {
  return std::string("MPI_MEM_USAGE MPI_Recv 1 6\n") + last +
         "ALL_MEM_USAGE MPI_Init 0 1\nALL_MEM_USAGE MPI_Recv 1e0 8\n";
}

TEST(OlderTool, WhatItsCallsChangedAndItsSamplesAreTold) {
  const OlderRun run = run_of_older_tool(older_rank(0, "10.5", "40") + older_samples() + older_rank(1, "12.5", "42"));
  ASSERT_EQ(run.job.ranks.size(), 2U);
  EXPECT_EQ(run.program, "lulesh2.0");
  const DeltaFigures& delta = *run.job.ranks[0].delta;
  EXPECT_EQ(delta.by_function.at("MPI_Init").grown, 4194304 * kMiB) << "its MB";
  const DeltaFigures::Calls& received = delta.by_function.at("MPI_Recv");
  EXPECT_EQ(received.calls, 2);
  EXPECT_EQ(received.impossible, 1) << "less than nothing";
  ASSERT_EQ(run.timelines.ranks.size(), 2U);
  EXPECT_EQ(run.timelines.ranks[0].total.back().begin_ns, 1'000'000'000);
  EXPECT_EQ(run.timelines.ranks[0].total.back().bytes, 8.0 * kMiB);
  EXPECT_EQ(run.timelines.ranks[0].components.at("mpi").back().bytes, 0)
      << "it cannot be less, so it is drawn as nothing";
  const std::string text = text_of(run);
  EXPECT_NE(
      text.find(
          "  MPI's                      12.50     1 n1               10.50     0 n1               11.50     1.00\n"),
      std::string::npos)
      << text;
  EXPECT_EQ(json_of(run)["functions"][0]["function"], "MPI_Init");
  EXPECT_EQ(json_of(run)["total"]["most"]["host"], "n1");
}

TEST(OlderTool, ASampleThatMakesNoSenseIsNamedWithItsLine) {
  for (const char* const line :
       {"MPI_MEM_USAGE MPI_Recv x 1\n", "MPI_MEM_USAGE MPI_Recv 1\n", "ALL_MEM_USAGE MPI_Recv 1 nan\n"}) {
    try {
      (void)run_of_older_tool(older_rank(0, "1", "2") + older_samples(line));
      ADD_FAILURE() << line;
    } catch (const Error& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("line 16: ")) << error.what();
    }
  }
}

}  // namespace
}  // namespace comity::memory
