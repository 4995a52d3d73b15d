// SPDX-License-Identifier: BSD-3-Clause
// The rule of older tools: what several threads in MPI at once have of it, and which samples are kept.
#include "memory/rank/delta.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace comity::memory {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

class DeltaTest : public ::testing::Test {
 protected:
  void begins(const interpose::Facts& facts) { delta_.before({.facts = &facts, .begin_ns = 0, .level = 0}); }
  void ends(const interpose::Facts& facts) {
    interpose::Event event{};
    event.facts = &facts;
    event.succeeded = true;
    delta_.after(event);
  }
  // Of what was touched here nothing is given back.
  void grow(std::int64_t bytes) {
    std::vector<char>& block = blocks_.emplace_back();
    block.resize(static_cast<std::size_t>(bytes), 1);
  }
  std::vector<DeltaSample> told() {
    std::vector<DeltaSample> all;
    delta_.tell_samples([&](const DeltaSample& one) { all.push_back(one); });
    return all;
  }
  std::int64_t grown_in(const interpose::Facts& facts) const {
    record::Content content;
    delta_.add_to(content);
    const record::Table& calls = content.tables.at(kDeltaCallsTable);
    for (std::size_t row = 0; row < calls.rows(); ++row) {
      if (calls.text(row, "function") == facts.name) return calls.integer(row, "grown_bytes");
    }
    return -1;
  }

  static constexpr interpose::Facts kSend{"MPI_Send", interpose::Kind::send, true, 0};
  static constexpr interpose::Facts kRecv{"MPI_Recv", interpose::Kind::receive, true, 1};

 private:
  Delta delta_{2, Measure::resident};
  std::vector<std::vector<char>> blocks_;
};

// Each thread had all that came while it was in its call.
TEST_F(DeltaTest, WhatComesWhileTwoThreadsAreInMpiCountsOnce) {
  begins(kSend);
  begins(kRecv);
  grow(32 * kMiB);
  ends(kRecv);
  grow(16 * kMiB);
  ends(kSend);
  const std::vector<DeltaSample> samples = told();
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_NEAR(static_cast<double>(samples.back().mpi), 48.0 * kMiB, 1.0 * kMiB);
  EXPECT_NEAR(static_cast<double>(grown_in(kRecv)), 32.0 * kMiB, 1.0 * kMiB) << "that of the call that ends first";
  EXPECT_NEAR(static_cast<double>(grown_in(kSend)), 16.0 * kMiB, 1.0 * kMiB);
}

TEST_F(DeltaTest, WhatComesBetweenCallsIsNotMpis) {
  begins(kSend);
  ends(kSend);
  grow(32 * kMiB);
  begins(kRecv);
  ends(kRecv);
  const std::vector<DeltaSample> samples = told();
  ASSERT_FALSE(samples.empty());
  EXPECT_LT(samples.back().mpi, kMiB);
  EXPECT_TRUE(told().empty()) << "each is told once";
}

TEST(DeltaSamples, ThoseThatCannotBeAreKeptHoweverManyCome) {
  DeltaSamples samples;
  const DeltaSample impossible{5000, 9 * kMiB, 8 * kMiB};
  for (std::int64_t i = 0; i < 10'000; ++i) samples.add(i == 5000 ? impossible : DeltaSample{i, i % 7, 8 * kMiB});
  EXPECT_LE(samples.all().size(), 512U);
  const auto kept = std::count_if(samples.all().begin(), samples.all().end(),
                                  [](const DeltaSample& one) { return one.is_impossible(); });
  EXPECT_EQ(kept, 1);
}

TEST(DeltaSamples, WhatHasNotChangedIsNoSample) {
  DeltaSamples samples;
  for (std::int64_t i = 0; i < 100; ++i) samples.add({i, kMiB, 8 * kMiB + i});
  EXPECT_EQ(samples.all().size(), 1U);
}

}  // namespace
}  // namespace comity::memory
