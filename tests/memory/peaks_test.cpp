// SPDX-License-Identifier: BSD-3-Clause
// Which peaks are written down at once, so that they are not lost where a rank is killed.
#include "memory/rank/peaks.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <utility>

namespace comity::memory {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

TEST(MemoryPeaks, AreNewsWhereTheyHaveRisenByMoreThanALittle) {
  Peaks peaks;
  peaks.note(100 * kMiB, {}, 1, "MPI_Recv", {}, 0);
  EXPECT_TRUE(peaks.has_news());
  peaks.note_told();
  EXPECT_FALSE(peaks.has_news());
  peaks.note(100 * kMiB + kMiB / 2, {}, 2, "MPI_Recv", {}, 0);
  EXPECT_FALSE(peaks.has_news()) << "less than a 128th";
  peaks.note(101 * kMiB, {}, 3, "MPI_Recv", {}, 0);
  EXPECT_TRUE(peaks.has_news());
}

// Before the first look at all pages nobody knows what a component has beside its blocks.
TEST(MemoryPeaks, AreLiftedByWhatNobodyKnewAndKeepTheirMoment) {
  const Components components;
  Peaks::Bytes most{};
  most[static_cast<std::size_t>(Component::mpi)] = 10 * kMiB;
  most[static_cast<std::size_t>(Component::application)] = 80 * kMiB;
  Peaks peaks;
  peaks.note(100 * kMiB, most, 7, "MPI_Init_thread", {}, 0);
  Peaks::Bytes beside{};
  beside.fill(30 * kMiB);
  peaks.lift(beside, 100 * kMiB);
  EXPECT_EQ(peaks.most_of(Component::mpi), 40 * kMiB);
  EXPECT_EQ(peaks.most_of(Component::application), 100 * kMiB) << "there was not more of all";
  EXPECT_EQ(peaks.most_of(Component::stack), 0) << "it was not noted";
  most[static_cast<std::size_t>(Component::mpi)] = 40 * kMiB + 1;
  peaks.note(100 * kMiB, most, 9, "MPI_Recv", {}, 0);
  EXPECT_EQ(peaks.most_of(Component::mpi), 40 * kMiB + 1);
  const record::Table table = peaks.table(components, {});
  EXPECT_EQ(table.rows(), 3U);
  for (std::size_t row = 0; row < table.rows(); ++row)
    EXPECT_EQ(table.integer(row, "time_ns"), 7) << "a little more has not moved " << table.text(row, "component");
}

// What came and went between two looks was written down up to two seconds later, or never where the rank was killed before.
TEST(MemoryPeaks, OfTheKernelsMarkAloneAreNewsToo) {
  Rise rise;
  rise.note(100 * kMiB, 1, "MPI_Recv", {});
  EXPECT_TRUE(rise.has_news());
  rise.note_told();
  rise.note(100 * kMiB, 2, "MPI_Barrier", {});
  EXPECT_FALSE(rise.has_news());
  EXPECT_EQ(rise.table({}, 0).integer(0, "before_ns"), 1);
  EXPECT_EQ(rise.table({}, 0).integer(0, "last_ns"), 2);
  rise.note(400 * kMiB, 3, "MPI_Barrier", {});
  EXPECT_TRUE(rise.has_news());
  rise.note_told();
  EXPECT_FALSE(rise.has_news());
}

// Of what came and went between two looks the second one has the most by then, and not its moment.
// A look from beside sees all of a block before it knows whose it is; where it goes that is known, of hardly more. It was told as nobody's.
TEST(MemoryPeaks, KnowWhoseTheyWereFromWhatWasFoundOfHardlyMore) {
  Peaks peaks;
  peaks.note(320 * kMiB, {}, 1, "MPI_Send", {}, 43 * kMiB);
  EXPECT_EQ(peaks.untold(), 43 * kMiB);
  peaks.note_found(Peaks::kTotal, {310 * kMiB, 2, "", {}, 0});
  EXPECT_EQ(peaks.untold(), 43 * kMiB) << "that was another moment";
  peaks.note_found(Peaks::kTotal, {321 * kMiB, 3, "", {}, kMiB});
  EXPECT_EQ(peaks.untold(), kMiB);
  peaks.note_found(Peaks::kTotal, {340 * kMiB, 4, "", {}, 2 * kMiB});
  EXPECT_EQ(peaks.untold(), 2 * kMiB) << "a peak of its own";
}

TEST(MemoryPeaks, ThatWereFoundBetweenLooksKeepTheirMomentAndPlace) {
  const Components components;
  std::array<std::int64_t, kMostComponents> most{};
  auto& of_application = most[static_cast<std::size_t>(Component::application)];
  Peaks peaks;
  of_application = 10 * kMiB;
  peaks.note(30 * kMiB, most, 100, "MPI_Barrier", {}, 0);
  peaks.note_found(static_cast<std::size_t>(Component::application), {200 * kMiB, 150, kBetweenCalls, {3, 2}});
  peaks.note_found(Peaks::kTotal, {220 * kMiB, 150, kBetweenCalls, {3, 2}});
  peaks.note_found(Peaks::kTotal, {220 * kMiB + kMiB, 160, "MPI_Send", {}});
  of_application = 200 * kMiB;
  peaks.note(31 * kMiB, most, 200, "MPI_Recv", {}, 0);
  RegionSource regions;
  regions.path = [](RegionNumber region) { return "region " + std::to_string(region); };
  regions.phase = [](PhaseNumber phase) { return "phase " + std::to_string(phase); };
  const record::Table table = peaks.table(components, regions);
  std::map<std::string, std::size_t> rows;
  for (std::size_t row = 0; row < table.rows(); ++row) rows[table.text(row, "component")] = row;
  for (const auto& [name, bytes] : {std::pair("application", 200 * kMiB), std::pair(kTotalName, 220 * kMiB)}) {
    const std::size_t row = rows.at(name);
    EXPECT_EQ(table.integer(row, "seen_bytes"), bytes) << name;
    EXPECT_EQ(table.integer(row, "time_ns"), 150) << name;
    EXPECT_EQ(table.text(row, "where"), kBetweenCalls) << name;
    EXPECT_EQ(table.text(row, "region"), "region 3") << name;
    EXPECT_EQ(table.text(row, "phase"), "phase 2") << name;
  }
}

}  // namespace
}  // namespace comity::memory
