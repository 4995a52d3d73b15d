// SPDX-License-Identifier: BSD-3-Clause
// Ranks on two nodes, whose memory is written down.
#include "memory/job/nodes.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace comity::memory {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

RankMemory rank(int number, int node, const std::string& host, std::int64_t mpi_mib) {
  RankMemory one;
  one.rank = number;
  one.node = node;
  one.host = host;
  one.components["mpi"] = {.peak = mpi_mib * kMiB, .last = 2 * kMiB, .start = kMiB};
  one.components["pmix"] = {.peak = 3 * kMiB, .last = kMiB, .start = kMiB};
  one.components["application"] = {.peak = 100 * kMiB, .last = 50 * kMiB};
  one.peak_rss_bytes = 200 * kMiB;
  one.totals.push_back({"at the end", {{"rss_bytes", 70 * kMiB}}});
  one.nearness = {30, 40};
  return one;
}

Job job() { return {{rank(0, 0, "alpha", 10), rank(1, 1, "beta", 20), rank(2, 1, "beta", 30)}}; }

TEST(Nodes, HaveTheSumsOfTheirRanks) {
  const std::vector<NodeMemory> nodes = nodes_of(job());
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[0].ranks, 1);
  const NodeMemory& beta = nodes[1];
  EXPECT_EQ(beta.node, 1);
  EXPECT_EQ(beta.host, "beta");
  EXPECT_EQ(beta.ranks, 2);
  EXPECT_EQ(beta.first_rank, 1);
  EXPECT_EQ(beta.peaks, 400 * kMiB);
  EXPECT_EQ(beta.last, 106 * kMiB);
  EXPECT_EQ(beta.start, 4 * kMiB);
  EXPECT_EQ(beta.last_rss, 140 * kMiB);
  EXPECT_EQ(beta.with_mpi.peak, 56 * kMiB);
  EXPECT_EQ(beta.components.at("mpi").peak, 50 * kMiB);
  EXPECT_EQ(beta.nearness.far_bytes, 80U);
}

// Containers of one host name are nodes of their own, and a record that tells no numbers has hosts.
TEST(Nodes, AreToldByNumberAndElseByHost) {
  EXPECT_EQ(nodes_of({{rank(0, 0, "same", 1), rank(1, 1, "same", 1)}}).size(), 2U);
  EXPECT_EQ(nodes_of({{rank(0, -1, "one", 1), rank(1, -1, "two", 1), rank(2, -1, "one", 1)}}).size(), 2U);
  EXPECT_TRUE(nodes_json_of({{rank(0, -1, "one", 1)}}, {})[0]["node"].is_null());
}

TEST(Nodes, ThoseWithMostAtTheEndComeFirst) {
  const std::string text = nodes_text_of(job(), {});
  EXPECT_TRUE(
      says(text, "  beta                   2      1       106.00      4.00      6.00      100.00       400.00\n"))
      << text;
  EXPECT_FALSE(says(text, "at one time")) << text;
  EXPECT_LT(text.find("beta"), text.find("alpha")) << text;
  EXPECT_EQ(nodes_text_of({{rank(0, 0, "alpha", 10)}}, {}), "") << "one rank is a node of its own";
}

TEST(Nodes, AreToldToProgramsWithTheirMoment) {
  Together together;
  together.begin_ns = 1'000'000'000;
  together.nodes[1] = {.time_ns = 3'500'000'000, .total = 150 * kMiB, .ranks = 2, .components = {{"mpi", 4 * kMiB}}};
  const nlohmann::ordered_json told = nodes_json_of(job(), together);
  EXPECT_TRUE(told[0]["at_one_moment"].is_null());
  EXPECT_EQ(told[1]["at_one_moment"]["total_bytes"], 150 * kMiB);
  EXPECT_DOUBLE_EQ(told[1]["at_one_moment"]["at_s"].get<double>(), 2.5);
  EXPECT_EQ(told[1]["components"]["mpi"]["peak_sum_bytes"], 50 * kMiB);
  EXPECT_EQ(told[1]["with_mpi"]["last_bytes"], 6 * kMiB);
  EXPECT_TRUE(says(nodes_text_of(job(), together), "100.00       150.00      400.00\n"));
  EXPECT_EQ(json_of(job())["nodes"].size(), 2U);
  const std::string rows = node_rows_of(job());
  EXPECT_TRUE(says(rows, "1,\"beta\",2,1,\"mpi\",52428800,4194304,2097152\n")) << rows;
  EXPECT_TRUE(says(rows, "1,\"beta\",2,1,\"total\",419430400,111149056,4194304\n")) << rows;
}

Job job_with_totals() {
  Job all = job();
  for (RankMemory& one : all.ranks) {
    one.totals.back().bytes = {{"rss_bytes", 70 * kMiB},        {"pss_bytes", 60 * kMiB},     {"uss_bytes", 50 * kMiB},
                               {"swap_bytes", one.rank * kMiB}, {"locked_bytes", kMiB / 2},   {"hugetlb_bytes", 0},
                               {"page_table_bytes", 300},       {"virtual_bytes", 900 * kMiB}};
  }
  return all;
}

TEST(LastTotals, AreSumsOfNodesAndOfAllRanks) {
  const Job all = job_with_totals();
  const std::string text = last_totals_text_of(all);
  EXPECT_TRUE(
      says(text, "  by node, at the end [MiB]          RSS        PSS        USS       swap     locked    virtual\n"))
      << text;
  EXPECT_TRUE(
      says(text, "  beta                            140.00     120.00     100.00       3.00       1.00    1800.00\n"))
      << text;
  EXPECT_TRUE(
      says(text, "  all nodes                       210.00     180.00     150.00       3.00       1.50    2700.00\n"))
      << text;
  EXPECT_TRUE(says(page_of(all), text));
  EXPECT_EQ(last_totals_text_of({{rank(0, 0, "alpha", 10)}}), "");
  const nlohmann::ordered_json told = json_of(all);
  EXPECT_EQ(told["nodes"][1]["last_uss_bytes"], 100 * kMiB);
  EXPECT_EQ(told["nodes"][1]["last_swap_bytes"], 3 * kMiB);
  EXPECT_EQ(told["nodes"][1]["last_locked_bytes"], kMiB);
  EXPECT_EQ(told["job"]["ranks"], 3);
  EXPECT_EQ(told["job"]["last_uss_bytes"], 150 * kMiB);
  EXPECT_EQ(told["job"]["last_virtual_bytes"], 2700 * kMiB);
  EXPECT_EQ(last_total_rows_of(all),
            "node,host,ranks,last_rss_bytes,last_pss_bytes,last_uss_bytes,last_swap_bytes,last_locked_bytes,last_"
            "hugetlb_bytes,"
            "last_page_table_bytes,last_virtual_bytes\n"
            "0,\"alpha\",1,73400320,62914560,52428800,0,524288,0,300,943718400\n"
            "1,\"beta\",2,146800640,125829120,104857600,3145728,1048576,0,600,1887436800\n"
            ",,3,220200960,188743680,157286400,3145728,1572864,0,900,2831155200\n");
}

// Of a rank that was killed nobody has asked all mappings since.
TEST(LastTotals, WhatARankDidNotTellIsToldOfNoSumItIsIn) {
  Job all = job_with_totals();
  all.ranks[0].totals.back().bytes["pss_bytes"] = 0;
  all.ranks[0].totals.back().bytes["uss_bytes"] = 0;
  const nlohmann::ordered_json told = json_of(all);
  EXPECT_TRUE(told["job"]["last_uss_bytes"].is_null());
  EXPECT_TRUE(told["nodes"][0]["last_uss_bytes"].is_null());
  EXPECT_EQ(told["nodes"][1]["last_uss_bytes"], 100 * kMiB);
  EXPECT_EQ(told["job"]["last_locked_bytes"], 3 * kMiB / 2);
  EXPECT_TRUE(
      says(last_totals_text_of(all), "  all nodes                       210.00          -          -       3.00"))
      << last_totals_text_of(all);
  EXPECT_TRUE(says(last_total_rows_of(all), "0,\"alpha\",1,73400320,,,0,524288,0,300,943718400\n"))
      << last_total_rows_of(all);
}

TEST(Nodes, TellAllMemoryOfThemselvesAndWhereLeastWasAvailable) {
  EXPECT_EQ(least_available_text_of(job()), "") << "nobody told";
  Job two = job();
  const auto moment = [](const char* name, std::int64_t available_mib) {
    return TotalFigures{name, {{"total_bytes", 1000 * kMiB}, {"available_bytes", available_mib * kMiB}}};
  };
  two.ranks[0].node_totals = {moment("before MPI_Init", 900), moment("at the end", 400)};
  two.ranks[2].node_totals = {moment("before MPI_Init", 300), moment("at the end", 500), {"as old kernels", {}}};
  EXPECT_EQ(least_available_text_of(two),
            "  least memory was available on beta, before MPI_Init: 300.00 of 1000.00 MiB\n\n");
  EXPECT_TRUE(says(page_of(two), "least memory was available on beta"));
  const nlohmann::ordered_json told = nodes_json_of(two, {});
  EXPECT_EQ(told[0]["totals"][1]["moment"], "at the end");
  EXPECT_EQ(told[0]["totals"][1]["available_bytes"], 400 * kMiB);
  EXPECT_EQ(told[1]["totals"].size(), 3U) << "of the first of its ranks that told";
}

}  // namespace
}  // namespace comity::memory
