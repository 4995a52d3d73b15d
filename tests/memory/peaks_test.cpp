// SPDX-License-Identifier: BSD-3-Clause
// Which peaks are written down at once, so that they are not lost where a rank is killed.
#include "memory/rank/peaks.hpp"

#include <gtest/gtest.h>

namespace comity::memory {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

TEST(MemoryPeaks, AreNewsWhereTheyHaveRisenByMoreThanALittle) {
  Peaks peaks;
  peaks.note(100 * kMiB, {}, 1, "MPI_Recv", 0);
  EXPECT_TRUE(peaks.has_news());
  peaks.note_told();
  EXPECT_FALSE(peaks.has_news());
  peaks.note(100 * kMiB + kMiB / 2, {}, 2, "MPI_Recv", 0);
  EXPECT_FALSE(peaks.has_news()) << "less than a 128th";
  peaks.note(101 * kMiB, {}, 3, "MPI_Recv", 0);
  EXPECT_TRUE(peaks.has_news());
}

// What came and went between two looks was written down up to two seconds later, or never where the rank was killed before.
TEST(MemoryPeaks, OfTheKernelsMarkAloneAreNewsToo) {
  Rise rise;
  rise.note(100 * kMiB, 1, "MPI_Recv", 0);
  EXPECT_TRUE(rise.has_news());
  rise.note_told();
  rise.note(100 * kMiB, 2, "MPI_Barrier", 0);
  EXPECT_FALSE(rise.has_news());
  rise.note(400 * kMiB, 3, "MPI_Barrier", 0);
  EXPECT_TRUE(rise.has_news());
  rise.note_told();
  EXPECT_FALSE(rise.has_news());
}

}  // namespace
}  // namespace comity::memory
