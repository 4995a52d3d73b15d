// SPDX-License-Identifier: BSD-3-Clause
// Which figures of a rank's samples are written down.
#include "memory/rank/series.hpp"

#include <gtest/gtest.h>

#include <map>

namespace comity::memory {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

class SeriesTest : public ::testing::Test {
 protected:
  using Told = std::map<std::string, std::int64_t>;

  Told tell(SampleOf of = SampleOf::run) {
    Told told;
    series_.note(sample_, components_, of, [&](const char* name, std::int64_t bytes) { told[name] = bytes; });
    return told;
  }
  std::int64_t& operator[](Component component) { return sample_.components[static_cast<std::size_t>(component)]; }

  Components components_;
  Sample sample_;

 private:
  Series series_;
};

TEST_F(SeriesTest, AllOfMpiAndOfTheApplicationIsToldEachTime) {
  sample_.total = 3;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(tell(), (Told{{"memory_total_bytes", 3}, {"memory_mpi_bytes", 0}, {"memory_application_bytes", 0}}));
  }
}

TEST_F(SeriesTest, OfAnotherComponentWhatHasChangedIs) {
  (*this)[Component::blas] = 32 * kMiB;
  EXPECT_EQ(tell().at("memory_blas_bytes"), 32 * kMiB);
  EXPECT_FALSE(tell().contains("memory_blas_bytes"));
  (*this)[Component::blas] += kMiB / 8;
  EXPECT_FALSE(tell().contains("memory_blas_bytes")) << "a 256th of it";
  (*this)[Component::blas] += kMiB / 8;
  EXPECT_TRUE(tell().contains("memory_blas_bytes")) << "with what was not told before";
  (*this)[Component::blas] = 0;
  EXPECT_EQ(tell().at("memory_blas_bytes"), 0);
}

TEST_F(SeriesTest, WhatIsLittleIsNeverTold) {
  (*this)[Component::pmix] = kMiB / 32;
  EXPECT_FALSE(tell().contains("memory_pmix_bytes"));
  EXPECT_FALSE(tell(SampleOf::end).contains("memory_pmix_bytes"));
}

TEST_F(SeriesTest, WhatIsNobodysIsToldLikeAComponents) {
  EXPECT_FALSE(tell().contains(kUntoldSeries));
  sample_.untold = kMiB;
  EXPECT_EQ(tell().at(kUntoldSeries), kMiB);
  EXPECT_FALSE(tell().contains(kUntoldSeries));
  EXPECT_EQ(tell(SampleOf::end).at(kUntoldSeries), kMiB);
}

TEST_F(SeriesTest, TheSizeOfAllMappingsIsToldWhereItHasChanged) {
  EXPECT_FALSE(tell().contains(kVirtualSeries));
  sample_.virtual_bytes = 1024 * kMiB;
  EXPECT_EQ(tell().at(kVirtualSeries), 1024 * kMiB);
  sample_.virtual_bytes += 4 * kMiB;
  EXPECT_FALSE(tell().contains(kVirtualSeries)) << "a 256th of it";
  EXPECT_EQ(tell(SampleOf::end).at(kVirtualSeries), 1028 * kMiB);
}

TEST_F(SeriesTest, TheLastSampleHasAllThatWasToldBefore) {
  (*this)[Component::blas] = kMiB;
  (void)tell();
  EXPECT_EQ(tell(SampleOf::end).at("memory_blas_bytes"), kMiB);
}

}  // namespace
}  // namespace comity::memory
