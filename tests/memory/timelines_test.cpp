// SPDX-License-Identifier: BSD-3-Clause
// Series of ranks that are written down, as lines over time and as their sum at one moment.
#include "memory/job/timelines.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "memory/rank/growth.hpp"
#include "memory/rank/series.hpp"

namespace comity::memory {
namespace {

record::Content with(record::Entries<record::SampleEntry> total, record::Entries<record::SampleEntry> mpi = {}) {
  record::Content content;
  content.series[1] = {kTotalSeries, std::move(total)};
  content.series[2] = {series_name("mpi"), std::move(mpi)};
  content.series[3] = {"another", {record::sample_entry(0, 1e9)}};
  return content;
}

void add(Timelines& timelines, int rank, const record::Content& content, const record::ClockMap& clock) {
  if (std::optional<RankTimelines> one = timelines_of(rank, content, clock)) timelines.ranks.push_back(std::move(*one));
}

using record::sample_entry;

TEST(Timelines, RanksHaveTheirOwnAndTimesAreOfOneClock) {
  Timelines timelines;
  add(timelines, 0, with({sample_entry(10, 100), sample_entry(20, 200)}, {sample_entry(10, 5)}), {});
  const record::ClockMap ahead({.at_ns = 0, .offset_ns = -1000}, {.at_ns = 5000, .offset_ns = -1000});
  add(timelines, 3, with({sample_entry(1030, 300)}), ahead);
  ASSERT_EQ(timelines.ranks.size(), 2U);
  EXPECT_EQ(timelines.ranks[1].rank, 3);
  EXPECT_EQ(timelines.ranks[1].total.front().begin_ns, 30);
  EXPECT_EQ(timelines.ranks[0].of("mpi")->front().bytes, 5);
  EXPECT_EQ(timelines.begin_ns(), 10);
  EXPECT_EQ(timelines.end_ns(), 30);
}

TEST(Timelines, RanksWithoutSamplesAreLeftOut) {
  Timelines timelines;
  add(timelines, 0, {}, {});
  add(timelines, 1, with({}), {});
  EXPECT_TRUE(timelines.ranks.empty());
  EXPECT_EQ(timelines.begin_ns(), 0);
  EXPECT_EQ(timelines.end_ns(), 0);
}

TEST(Timelines, OfMergedSamplesTheMostCounts) {
  Timelines timelines;
  add(timelines, 0, with({merged(sample_entry(10, 700), sample_entry(20, 100))}), {});
  EXPECT_EQ(timelines.ranks[0].total.front().bytes, 700);
  EXPECT_EQ(timelines.ranks[0].total.front().end_ns, 20);
}

// A peak stood there until the next sample, which of what does not change may be at the end.
TEST(Timelines, WhatWasThereLastInAMergedStretchStaysBehindIt) {
  Timelines timelines;
  add(timelines, 0, with({merged(sample_entry(10, 700), sample_entry(20, 100)), sample_entry(90, 100)}), {});
  const Timeline& total = timelines.ranks[0].total;
  EXPECT_EQ(bytes_at(total, 15), 700);
  EXPECT_EQ(bytes_at(total, 50), 100);
}

TEST(Timelines, EachComponentHasItsOwnToTheEndOfAll) {
  record::Content content = with({sample_entry(10, 900), sample_entry(80, 900)}, {sample_entry(10, 5)});
  content.series[4] = {series_name("blas"), {sample_entry(20, 300), sample_entry(30, 200)}};
  Timelines timelines;
  add(timelines, 0, content, {});
  const auto& components = timelines.ranks[0].components;
  ASSERT_EQ(components.size(), 2U);
  EXPECT_EQ(bytes_at(components.at("blas"), 25), 300);
  EXPECT_EQ(bytes_at(components.at("blas"), 80), 200) << "it was not written again";
  EXPECT_EQ(bytes_at(components.at("blas"), 81), 0);
  EXPECT_EQ(bytes_at(components.at("mpi"), 80), 5);
}

TEST(Timelines, TheSumIsOfOneMoment) {
  Timelines timelines;
  add(timelines, 0, with({sample_entry(0, 100), sample_entry(40, 200)}), {});
  add(timelines, 1, with({sample_entry(20, 1000), sample_entry(30, 3000)}), {});
  const Timeline sum = sum_of(timelines, kTotalName, 5);  // at 0, 10, .. 40
  ASSERT_EQ(sum.size(), 5U);
  EXPECT_EQ(sum[0].bytes, 100);
  EXPECT_EQ(sum[1].bytes, 100) << "the second rank is not there yet";
  EXPECT_EQ(sum[2].bytes, 1100);
  EXPECT_EQ(sum[3].bytes, 3100);
  EXPECT_EQ(sum[4].bytes, 200) << "the second rank has ended";
}

// It was taken at points, between which each rank had a peak that its own line shows: 20 MiB of 900.
TEST(Timelines, TheSumHasTheMostOfEachStep) {
  Timelines timelines;
  add(timelines, 0, with({sample_entry(0, 10), sample_entry(13, 900), sample_entry(14, 10), sample_entry(40, 10)}), {});
  add(timelines, 1, with({sample_entry(0, 10), sample_entry(14, 800), sample_entry(15, 10), sample_entry(40, 10)}), {});
  const Timeline sum = sum_of(timelines, kTotalName, 5);  // from 0, 10, .. 40
  ASSERT_EQ(sum.size(), 5U);
  EXPECT_EQ(sum[0].bytes, 20);
  EXPECT_EQ(sum[1].bytes, 910) << "never 1,700: one has gone when the other comes";
  EXPECT_EQ(sum[2].bytes, 20);
  EXPECT_EQ(sum[4].bytes, 20);
}

// One step alone is the begin: what a rank has at its very end is there still, and then is not.
TEST(Timelines, TheSumEndsWithEachRank) {
  Timelines timelines;
  add(timelines, 0, with({sample_entry(0, 100), sample_entry(10, 100)}), {});
  add(timelines, 1, with({sample_entry(0, 1000), sample_entry(20, 1000)}), {});
  const Timeline sum = sum_of(timelines, kTotalName, 5);  // from 0, 5, 10, 15, 20
  EXPECT_EQ(sum[2].bytes, 1100);
  EXPECT_EQ(sum[3].bytes, 1000);
  EXPECT_EQ(sum[4].bytes, 1000);
  EXPECT_EQ(sum_of(timelines, kTotalName, 1).front().bytes, 1100);
}

TEST(Timelines, ShorterLinesKeepTheMost) {
  Timeline timeline;
  for (std::int64_t time = 0; time < 1000; ++time) timeline.push_back({time, time, time == 567 ? 99.0 : 1.0});
  const Timeline shorter = shortened(timeline, 0, 999, 10);
  EXPECT_LE(shorter.size(), 10U);
  EXPECT_EQ(shorter.front().begin_ns, 0);
  EXPECT_EQ(shorter.back().end_ns, 999);
  EXPECT_EQ(shorter[5].bytes, 99);
  EXPECT_EQ(shorter[4].bytes, 1);
  EXPECT_EQ(shortened(timeline, 0, 999, 1000).size(), 1000U);
}

TEST(Timelines, FiguresThatAreNobodysMemoryAreLeftOut) {
  Timelines timelines;
  add(timelines, 0,
      with({sample_entry(1, std::numeric_limits<double>::quiet_NaN()), sample_entry(2, -5),
            sample_entry(3, std::numeric_limits<double>::infinity()), sample_entry(4, 7)}),
      {});
  ASSERT_EQ(timelines.ranks.size(), 1U);
  ASSERT_EQ(timelines.ranks[0].total.size(), 1U);
  EXPECT_EQ(timelines.ranks[0].total[0].bytes, 7);
}

}  // namespace
}  // namespace comity::memory
