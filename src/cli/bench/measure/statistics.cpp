// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/measure/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace comity::cli::bench {
namespace {

constexpr double kTail = 0.025;  // what a 95 % interval leaves out on each side

// The probability of each signed-rank sum 0 .. n (n + 1) / 2, if every difference is above 0 as easily as below.
std::vector<double> signed_rank_distribution(std::size_t count) {
  std::vector<double> probability(count * (count + 1) / 2 + 1, 0.0);
  probability[0] = 1.0;
  for (std::size_t rank = 1; rank <= count; ++rank) {
    for (std::size_t sum = probability.size(); sum-- > 0;) {
      const double without = probability[sum];
      const double with = sum >= rank ? probability[sum - rank] : 0.0;
      probability[sum] = 0.5 * (without + with);
    }
  }
  return probability;
}

std::vector<double> pairwise_means(const std::vector<double>& values) {
  std::vector<double> means;
  means.reserve(values.size() * (values.size() + 1) / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i; j < values.size(); ++j) means.push_back(0.5 * (values[i] + values[j]));
  }
  std::sort(means.begin(), means.end());
  return means;
}

}  // namespace

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

double standard_deviation(std::span<const double> values) {
  if (values.size() < 2) return 0.0;
  const auto count = static_cast<double>(values.size());
  double mean = 0.0;
  for (const double value : values) mean += value / count;
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / (count - 1.0));
}

std::size_t signed_rank_place(std::size_t count) {
  const std::vector<double> probability = signed_rank_distribution(count);
  double below = 0.0;
  std::size_t place = 0;
  while (place < probability.size() && below + probability[place] <= kTail) below += probability[place++];
  return place;
}

Ratio location(const std::vector<double>& values) {
  const std::vector<double> means = pairwise_means(values);
  Ratio found{median(means), std::nullopt};
  const std::size_t place = signed_rank_place(values.size());
  if (place > 0) found.ci95 = Interval{means[place - 1], means[means.size() - place]};
  return found;
}

Ratio paired_ratio(std::span<const double> cases, std::span<const double> references) {
  std::vector<double> logarithms;
  for (std::size_t pair = 0; pair < cases.size(); ++pair)
    logarithms.push_back(std::log(cases[pair] / references[pair]));
  const Ratio found = location(logarithms);
  Ratio ratio{std::exp(found.estimate), std::nullopt};
  if (found.ci95) ratio.ci95 = Interval{std::exp(found.ci95->low), std::exp(found.ci95->high)};
  return ratio;
}

}  // namespace comity::cli::bench
