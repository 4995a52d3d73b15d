// SPDX-License-Identifier: BSD-3-Clause
// Samples of ranks that are written down, and the moments at which they had most together.
#include "memory/job/together.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "memory/rank/growth.hpp"
#include "memory/rank/series.hpp"

namespace comity::memory {
namespace {

using record::sample_entry;
using Entries = record::Entries<record::SampleEntry>;

record::Content with(const std::map<std::string, Entries>& lines) {
  record::Content content;
  for (const auto& [component, entries] : lines)
    content.series[static_cast<record::StreamId>(content.series.size())] = {series_name(component), entries};
  return content;
}

struct Rank {
  int rank;
  int node;
  record::Content content;
};

// Ranks whose lines find no room are added again.
Together together_of(const std::vector<Rank>& ranks, const TogetherRoom& room = {}) {
  Together together(room);
  for (const Rank& one : ranks) {
    if (std::optional<RankTimelines> lines = timelines_of(one.rank, one.content, {}))
      together.add(std::move(*lines), one.node);
  }
  together.find_moments();
  for (const Rank& one : ranks) {
    if (together.lacks(one.rank)) together.add_again(*timelines_of(one.rank, one.content, {}));
  }
  return together;
}

// Each had its own most at another moment: 900 and 800, which were never there at once.
std::vector<Rank> ranks() {
  return {{0, 0,
           with({{kTotalName, {sample_entry(0, 900), sample_entry(100, 300), sample_entry(200, 400)}},
                 {"mpi", {sample_entry(0, 10), sample_entry(200, 20)}}})},
          {1, 0,
           with({{kTotalName, {sample_entry(50, 100), sample_entry(150, 800), sample_entry(200, 800)}},
                 {"mpi", {sample_entry(50, 5)}},
                 {"blas", {sample_entry(150, 700)}}})},
          {2, 1, with({{kTotalName, {sample_entry(0, 50), sample_entry(60, 1)}}})}};
}

TEST(Together, TheMostIsThatOfOneMoment) {
  const Together together = together_of(ranks());
  ASSERT_TRUE(together.is_known());
  EXPECT_EQ(together.job->total, 1200) << "and not 1750, the sum of what each had most";
  EXPECT_EQ(together.job->time_ns, 200);
  EXPECT_EQ(together.job->ranks, 2) << "the third had ended";
  EXPECT_EQ(together.job->components.at("mpi"), 25) << "what had not changed since was not written again";
  EXPECT_EQ(together.job->components.at("blas"), 700);
}

// 10,000 samples, of which the moments are looked for in some: the one that has the most is among them, at its own time.
TEST(Together, OfALongRunTheMostIsWhatWasThereAtItsTime) {
  constexpr std::int64_t kSpike = 7123;
  Entries total, mpi;
  for (std::int64_t time = 10; time < 10'010; ++time) {
    total.push_back(sample_entry(time, time == kSpike ? 5000 : 100));
    mpi.push_back(sample_entry(time, time == kSpike ? 4000 : 10));
  }
  const Together together = together_of({{0, 0, with({{kTotalName, total}, {"mpi", mpi}})}});
  EXPECT_EQ(together.begin_ns, 10);
  EXPECT_EQ(together.end_ns, 10'009);
  EXPECT_EQ(together.job->time_ns, kSpike);
  EXPECT_EQ(together.job->total, 5000);
  EXPECT_EQ(together.job->components.at("mpi"), 4000);
}

// A double does not hold the nanoseconds of a clock that is months old.
TEST(Together, OfAnOldClockAllMomentsLieInTheRun) {
  constexpr std::int64_t kBegin = (std::int64_t{1} << 53) + 1;
  for (std::int64_t length = 0; length < 50; ++length) {
    const Together together =
        together_of({{0, 0, with({{kTotalName, {sample_entry(kBegin, 7), sample_entry(kBegin + 3 * length, 7)}}})}});
    EXPECT_EQ(together.moment_ns(0), kBegin);
    EXPECT_EQ(together.moment_ns(Together::kMoments - 1), kBegin + 3 * length);
    for (const std::int64_t bytes : together.over_time.at(Together::kJob).at(kTotalName)) ASSERT_EQ(bytes, 7) << length;
  }
}

TEST(Together, EachNodeHasAMomentOfItsOwn) {
  const Together together = together_of(ranks());
  EXPECT_EQ(together.of_node(0)->total, 1200);
  EXPECT_EQ(together.of_node(1)->total, 50);
  EXPECT_EQ(together.of_node(1)->time_ns, 0);
  EXPECT_EQ(together.of_node(7), nullptr);
  EXPECT_EQ(together.of_node(-1), nullptr);
}

TEST(Together, OverTheRunEachComponentHasALine) {
  const Together together = together_of(ranks());
  const Together::Lines& job = together.over_time.at(Together::kJob);
  const auto& total = job.at(kTotalName);
  ASSERT_EQ(total.size(), Together::kMoments);
  EXPECT_EQ(total.front(), 950);
  EXPECT_EQ(total.back(), 1200);
  EXPECT_EQ(job.at("blas").front(), 0);
  EXPECT_EQ(job.at("blas").back(), 700);
  const std::string rows = series_rows_of(together);
  EXPECT_TRUE(rows.starts_with(
      "time_s,node,component,bytes\n0.000000,,\"blas\",0\n0.000000,,\"mpi\",10\n0.000000,,\"total\",950\n"
      "0.000000,0,\"blas\",0\n0.000000,0,\"mpi\",10\n0.000000,0,\"total\",900\n"
      "0.000000,1,\"total\",50\n"))
      << rows.substr(0, 300);
  const nlohmann::ordered_json told = json_of(together);
  EXPECT_EQ(told["most"]["total_bytes"], 1200);
  EXPECT_EQ(told["times_s"].size(), told["bytes"]["mpi"].size());
}

// What is mapped is no part of what is resident: no component has it, and no most is of it.
TEST(Together, TheSizeOfAllMappingsHasALineBesideThem) {
  std::vector<Rank> two = ranks();
  two[0].content =
      with({{kTotalName, {sample_entry(0, 900), sample_entry(200, 400)}}, {kVirtualName, {sample_entry(0, 7000)}}});
  two[1].content = with({{kTotalName, {sample_entry(0, 100), sample_entry(200, 800)}},
                         {kVirtualName, {sample_entry(0, 5000), sample_entry(200, 9000)}}});
  for (const std::size_t lines : {std::size_t{0}, TogetherRoom{}.lines}) {
    const Together together = together_of(two, {.lines = lines});
    const auto& virtual_line = together.over_time.at(Together::kJob).at(kVirtualName);
    EXPECT_EQ(virtual_line.front(), 12000);
    EXPECT_EQ(virtual_line.back(), 16000) << "what had not changed was not written again";
    EXPECT_EQ(together.over_time.at(0).at(kVirtualName).back(), 16000);
    EXPECT_FALSE(together.over_time.at(1).contains(kVirtualName)) << "nobody told there";
    EXPECT_EQ(together.job->total, 1200);
    EXPECT_FALSE(together.job->components.contains(kVirtualName));
    EXPECT_EQ(json_of(together)["bytes"]["virtual"].size(), Together::kMoments);
  }
}

// What is kept of lines is bounded, and what is told does not hang on it.
TEST(Together, LinesWithoutRoomAreAskedAgain) {
  const Together with_room = together_of(ranks());
  for (const std::size_t lines : {0U, 3U, 6U, 9U}) {
    const Together without = together_of(ranks(), {.lines = lines});
    EXPECT_EQ(without.job, with_room.job) << lines;
    EXPECT_EQ(without.nodes, with_room.nodes) << lines;
    EXPECT_EQ(without.over_time, with_room.over_time) << lines;
  }
  Together together({.lines = 6});
  for (const Rank& one : ranks()) together.add(*timelines_of(one.rank, one.content, {}), one.node);
  together.find_moments();
  EXPECT_FALSE(together.lacks(0)) << "five stretches";
  EXPECT_TRUE(together.lacks(1)) << "five more";
  EXPECT_TRUE(together.lacks(2)) << "two";
}

// 64 ranks of 1,000 samples, of which one rank has most at a moment of its own.
TEST(Together, OfManyRanksAsMuchIsKeptAsOfOne) {
  constexpr int kRanks = 64, kSpiky = 40;
  constexpr std::int64_t kSpike = 613;
  std::vector<Rank> many;
  for (int rank = 0; rank < kRanks; ++rank) {
    Entries total;
    for (std::int64_t time = 0; time < 1000; ++time)
      total.push_back(sample_entry(time, rank == kSpiky && time == kSpike ? 5000 : 100));
    many.push_back({rank, 0, with({{kTotalName, total}})});
  }
  const TogetherRoom room{.lines = 2500, .totals = 2000};
  Together together(room);
  for (const Rank& one : many) {
    together.add(*timelines_of(one.rank, one.content, {}), one.node);
    ASSERT_LE(together.kept_stretches(), room.lines + room.totals) << one.rank;
  }
  const Together all = together_of(many, room);
  EXPECT_EQ(all.job->time_ns, kSpike);
  EXPECT_EQ(all.job->total, 5000 + 63 * 100);
}

// Two ranks with spikes in turns, which are all that is kept of them: at no spike both have much, but for a while between spikes.
TEST(Together, TheMostIsNotBelowTheLinesOverTheRun) {
  std::vector<Rank> spiky;
  for (int rank = 0; rank < 2; ++rank) {
    Entries total, mpi;
    for (std::int64_t time = 0; time < 1000; ++time) {
      const bool is_much = time >= 500 && time < 520;
      total.push_back(sample_entry(time, is_much ? 900 : (time % 10 == 5 * rank ? 1000 : 10)));
      mpi.push_back(sample_entry(time, is_much ? 300 : 3));
    }
    spiky.push_back({rank, 0, with({{kTotalName, total}, {"mpi", mpi}})});
  }
  for (const std::size_t lines : {std::size_t{0}, std::size_t{2500}, TogetherRoom().lines}) {
    const Together together = together_of(spiky, {.lines = lines, .totals = 16});
    const auto& totals = together.over_time.at(Together::kJob).at(kTotalName);
    EXPECT_GE(together.job->total, *std::max_element(totals.begin(), totals.end())) << lines;
    EXPECT_EQ(together.job->total, 1800) << lines;
    EXPECT_TRUE(together.job->time_ns >= 500 && together.job->time_ns < 520) << together.job->time_ns;
    EXPECT_EQ(together.job->ranks, 2) << lines;
    EXPECT_EQ(together.job->components.at("mpi"), 600) << lines;
    EXPECT_EQ(together.nodes.at(0), *together.job) << lines;
  }
  Together kept({.lines = 0, .totals = 1});
  for (const Rank& one : spiky) kept.add(*timelines_of(one.rank, one.content, {}), one.node);
  EXPECT_EQ(kept.kept_stretches(), 2U * 8U) << "so many are kept where there is no room at all";
}

// Of each of the spiky ranks only spikes are kept, so the job's moment is sought where they are, though they never meet. The node with most had it
// at another time, and between the moments of the lines over the run.
TEST(Together, TheMostOfTheJobIsNotBelowThatOfANode) {
  std::vector<Rank> all;
  for (int rank = 0; rank < 8; ++rank) {
    Entries total;
    for (std::int64_t time = 0; time < 10'000; ++time)
      total.push_back(sample_entry(time, time > 200 && time % 16 == 2 * rank ? 1000 : 1));
    all.push_back({rank, 0, with({{kTotalName, total}})});
  }
  Entries total;
  for (std::int64_t time = 0; time < 10'000; ++time) total.push_back(sample_entry(time, time == 77 ? 5000 : 1));
  all.push_back({8, 1, with({{kTotalName, total}})});
  for (const std::size_t lines : {std::size_t{0}, TogetherRoom().lines}) {
    const Together together = together_of(all, {.lines = lines, .totals = 16});
    ASSERT_EQ(together.nodes.at(1).total, 5000) << lines;
    EXPECT_EQ(together.job->total, 5000 + 8) << lines;
    EXPECT_EQ(together.job->time_ns, 77) << lines;
    EXPECT_EQ(together.job->ranks, 9) << lines;
  }
}

TEST(Together, OfRanksWithoutSamplesNothingIsKnown) {
  const Together together = together_of({{0, 0, {}}});
  EXPECT_FALSE(together.is_known());
  EXPECT_EQ(text_of(together), "");
  EXPECT_TRUE(json_of(together).is_null());
  EXPECT_EQ(series_rows_of(together), "time_s,node,component,bytes\n");
}

TEST(Together, ItsLineNamesWhatHadMost) {
  constexpr std::int64_t kMiB = 1 << 20;
  const Together together =
      together_of({{0, 0,
                    with({{kTotalName, {sample_entry(0, 1), sample_entry(250'000'000, 30.0 * kMiB)}},
                          {"mpi", {sample_entry(250'000'000, 4.0 * kMiB)}},
                          {"blas", {sample_entry(250'000'000, 20.0 * kMiB)}},
                          {"pmix", {sample_entry(0, 100)}}})}});
  EXPECT_EQ(
      text_of(together),
      "  together most at one moment, 0.250 s after the first sample: 30.00 MiB of 1 ranks; blas 20.00, mpi 4.00\n\n");
}

}  // namespace
}  // namespace comity::memory
