// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/measure/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <utility>

namespace comity::cli::bench {
namespace {

TEST(Statistics, TheMedianOfAnEvenCountIsTheMiddleOfTheTwoInTheMiddle) {
  EXPECT_EQ(median({3.0}), 3.0);
  EXPECT_EQ(median({9.0, 1.0, 5.0}), 5.0);
  EXPECT_EQ(median({9.0, 1.0, 5.0, 2.0}), 3.5);
}

TEST(Statistics, TheDeviationIsThatOfASample) {
  const std::vector<double> values{2, 4, 4, 4, 5, 5, 7, 9};
  EXPECT_NEAR(standard_deviation(values), std::sqrt(32.0 / 7.0), 1e-12);
  EXPECT_EQ(standard_deviation(std::vector<double>{5.0}), 0.0);
}

// The printed tables of Wilcoxon's test give the largest sum that is significant at 5 % on two sides: one below the place.
TEST(Statistics, SignedRankPlacesAgreeWithThePrintedTable) {
  const std::vector<std::pair<std::size_t, std::size_t>> table{{6, 0},   {7, 2},   {8, 3},   {9, 5},   {10, 8},
                                                               {12, 13}, {15, 25}, {20, 52}, {25, 89}, {30, 137}};
  for (const auto& [count, critical] : table) EXPECT_EQ(signed_rank_place(count), critical + 1) << count << " pairs";
}

TEST(Statistics, FivePairsAreTooFewForAnInterval) {
  EXPECT_EQ(signed_rank_place(5), 0U);
  const std::vector<double> values{1, 2, 3, 4, 5};
  EXPECT_FALSE(paired_ratio(values, values).ci95.has_value());
}

TEST(Statistics, SixPairsGiveTheirSmallestAndLargestRatio) {
  const std::vector<double> cases{1.10, 1.00, 1.05, 1.20, 1.02, 1.07}, references(6, 1.0);
  const Ratio ratio = paired_ratio(cases, references);
  ASSERT_TRUE(ratio.ci95);
  EXPECT_NEAR(ratio.ci95->low, 1.00, 1e-12);
  EXPECT_NEAR(ratio.ci95->high, 1.20, 1e-12);
}

TEST(Statistics, AFactorThatAllPairsShareIsFoundThoughTheMachineDrifts) {
  std::vector<double> cases, references;
  for (int pair = 0; pair < 10; ++pair) {
    references.push_back(1.0 + 0.3 * pair);
    cases.push_back(1.25 * references.back());
  }
  const Ratio ratio = paired_ratio(cases, references);
  EXPECT_NEAR(ratio.estimate, 1.25, 1e-12);
  EXPECT_LT(ratio.ci95->precision(), 1e-12);
}

TEST(Statistics, OneVerySlowPairAmongTwentyBarelyMovesTheInterval) {
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0.0, 0.01);
  std::vector<double> cases, references(20, 1.0);
  for (int pair = 0; pair < 20; ++pair) cases.push_back(std::exp(noise(random)));
  cases[7] = 5.0;
  const Ratio ratio = paired_ratio(cases, references);
  EXPECT_LT(ratio.ci95->high, 1.02);
  EXPECT_GT(ratio.ci95->low, 0.98);
}

// The share of simulated series whose interval holds the true ratio; `noise` is symmetric about 0.
template <typename Noise>
double coverage(std::size_t pairs, Noise noise) {
  constexpr int kSeries = 4000;
  constexpr double kTrue = 1.3;
  std::mt19937 random(20240229);
  int holds = 0;
  for (int series = 0; series < kSeries; ++series) {
    std::vector<double> cases, references;
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      references.push_back(std::exp(noise(random)));
      cases.push_back(kTrue * std::exp(noise(random)));
    }
    const Interval ci95 = *paired_ratio(cases, references).ci95;
    if (ci95.low <= kTrue && kTrue <= ci95.high) ++holds;
  }
  return static_cast<double>(holds) / kSeries;
}

TEST(Statistics, IntervalsHoldTheTruthNineteenTimesInTwentyUnderNormalNoise) {
  const double share = coverage(12, std::normal_distribution<double>(0.0, 0.04));
  EXPECT_GT(share, 0.945);
  EXPECT_LT(share, 0.97);  // an interval that always holds is too wide to be of use
}

TEST(Statistics, IntervalsHoldTheTruthNineteenTimesInTwentyUnderNoiseWithoutAMean) {
  const double share = coverage(12, std::cauchy_distribution<double>(0.0, 0.01));
  EXPECT_GT(share, 0.945);
  EXPECT_LT(share, 0.97);
}

}  // namespace
}  // namespace comity::cli::bench
