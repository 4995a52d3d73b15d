// SPDX-License-Identifier: BSD-3-Clause
// Two jobs whose memory is written down, compared.
#include "memory/job/comparison.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace comity::memory {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

RankMemory rank(int number, std::map<std::string, std::int64_t> peaks_mib, std::int64_t rss_mib) {
  RankMemory one;
  one.rank = number;
  one.knows_owners = true;
  for (const auto& [name, peak] : peaks_mib) one.components[name] = {.peak = peak * kMiB, .last = peak * kMiB / 2};
  one.peak_rss_bytes = rss_mib * kMiB;
  one.totals.push_back({"at the end", {{"rss_bytes", rss_mib * kMiB / 2}}});
  return one;
}

Job before() {
  return {{rank(0, {{"mpi", 10}, {"application", 100}}, 120), rank(1, {{"mpi", 14}, {"application", 100}}, 124)}};
}
Job after() {
  return {{rank(0, {{"mpi", 30}, {"application", 99}, {"pmix", 2}}, 140),
           rank(1, {{"mpi", 30}, {"application", 99}, {"pmix", 2}}, 140),
           rank(2, {{"mpi", 30}, {"application", 99}, {"pmix", 2}}, 140)}};
}

TEST(Comparison, MeansOverRanksAreComparedByComponent) {
  const Comparison told = compare(before(), after());
  EXPECT_EQ(told.ranks_a, 2U);
  EXPECT_EQ(told.ranks_b, 3U);
  ASSERT_EQ(told.components.size(), 3U);
  EXPECT_EQ(told.components[0].name, "mpi") << "what differs most comes first";
  EXPECT_EQ(told.components[0].peak_a.mean, 12.0 * kMiB);
  EXPECT_EQ(told.components[0].peak_a.deviation, 2.0 * kMiB);
  EXPECT_EQ(told.components[0].peak_difference(), 18.0 * kMiB);
  EXPECT_EQ(told.components[0].last_difference(), 9.0 * kMiB);
  EXPECT_EQ(told.components[1].name, "pmix") << "what one run lacks is there with 0";
  EXPECT_EQ(told.components[1].peak_difference(), 2.0 * kMiB);
  EXPECT_EQ(told.components[2].peak_difference(), -1.0 * kMiB);
  EXPECT_EQ(told.with_mpi.peak_difference(), 20.0 * kMiB);
  EXPECT_EQ(told.total.peak_difference(), 18.0 * kMiB);
  EXPECT_EQ(told.total.last_difference(), 9.0 * kMiB);
}

TEST(Comparison, TheTextSaysWhatHasChanged) {
  EXPECT_EQ(text_of(compare(before(), after())),
            "A rank of B has at its peak 18.00 MiB more than one of A (+14.8 %); most has changed in mpi, by +18.00.\n"
            "The runs have different numbers of ranks: what ranks share is divided among those of a node.\n"
            "  MiB a rank            A: peak      sd  B: peak      sd  peak B-A   end B-A\n"
            "  mpi                        12.00    2.00     30.00    0.00    +18.00     +9.00\n"
            "  pmix                        0.00    0.00      2.00    0.00     +2.00     +1.00\n"
            "  application               100.00    0.00     99.00    0.00     -1.00     -0.50\n"
            "  MPI and what it brings     12.00    2.00     32.00    0.00    +20.00    +10.00\n"
            "  total, resident           122.00    2.00    140.00    0.00    +18.00     +9.00\n");
}

TEST(Comparison, EqualRunsDifferInNothing) {
  const std::string text = text_of(compare(before(), before()));
  EXPECT_NE(text.find("as much memory"), std::string::npos);
  EXPECT_EQ(text.find('+'), std::string::npos) << text;
  EXPECT_EQ(text.find("different numbers"), std::string::npos);
}

TEST(Comparison, RunsOfWhichOneKnowsNoOwnersDoNotCompare) {
  Job other = before();
  other.ranks[1].knows_owners = false;
  EXPECT_NE(text_of(compare(before(), other)).find("WARNING"), std::string::npos);
  EXPECT_EQ(text_of(compare(other, other)).find("WARNING"), std::string::npos);
}

TEST(Comparison, JsonHasAllOfIt) {
  const auto json = json_of(compare(before(), after()));
  EXPECT_EQ(json["components"]["mpi"]["peak_difference_bytes"], 18.0 * kMiB);
  EXPECT_EQ(json["components"]["mpi"]["a"]["peak_max_bytes"], 14.0 * kMiB);
  EXPECT_EQ(json["ranks"]["b"], 3);
  EXPECT_EQ(json["total"]["last_difference_bytes"], 9.0 * kMiB);
}

TEST(Comparison, TheRuleOfOlderToolsIsComparedWhereBothRunsHaveKeptIt) {
  Job a = before();
  Job b = after();
  for (RankMemory& one : a.ranks)
    one.delta = DeltaFigures{.method = "delta", .peak = 4 * kMiB, .last = kMiB, .by_function = {}, .over_time = {}};
  EXPECT_FALSE(compare(a, b).delta);
  EXPECT_TRUE(json_of(compare(a, b))["delta"].is_null());
  for (RankMemory& one : b.ranks)
    one.delta = DeltaFigures{.method = "delta", .peak = 9 * kMiB, .last = kMiB, .by_function = {}, .over_time = {}};
  EXPECT_EQ(json_of(compare(a, b))["delta"]["peak_difference_bytes"], 5.0 * kMiB);
  EXPECT_EQ(json_of(compare(a, b))["delta"]["method"], "delta");
  EXPECT_TRUE(text_of(compare(a, b))
                  .ends_with("  MPI's by delta              4.00    0.00      9.00    0.00     +5.00      0.00\n"))
      << text_of(compare(a, b));
  b.ranks[0].delta->method = "delta-pss";
  EXPECT_FALSE(compare(a, b).delta);
}

TEST(Comparison, ARankThatLeftNoTotalsHasNone) {
  Job job = before();
  job.ranks[0].totals.clear();
  job.ranks[1].totals[0].bytes.clear();
  EXPECT_EQ(compare(job, job).total.last_a.mean, 0.0);
}

}  // namespace
}  // namespace comity::memory
