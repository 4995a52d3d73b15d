// SPDX-License-Identifier: BSD-3-Clause
// Statistics for paired timings. The ratio of a case to its reference is the Hodges-Lehmann estimate of the pairs' ratios,
// its interval comes from the signed ranks of their logarithms: exact for every number of pairs, no assumption on the
// shape of the noise but that a pair errs up as easily as down, and one slow pair among many moves neither.
// Source: Hodges, Lehmann (1963), Estimates of location based on rank tests; Wilcoxon (1945).
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace comity::cli::bench {

struct Interval {
  double low, high;

  // Half of its width, as a share of the middle.
  [[nodiscard]] double precision() const { return (high - low) / (high + low); }
};

[[nodiscard]] double median(std::vector<double> values);                  // of at least one
[[nodiscard]] double standard_deviation(std::span<const double> values);  // of a sample; 0 for fewer than two

// [rank] The lower end of the 95 % interval stands at this place (from 1) among the sorted n (n + 1) / 2 pairwise means, the
// upper end as far from the other side. 0: so few values tell nothing at 95 %.
[[nodiscard]] std::size_t signed_rank_place(std::size_t count);

// An estimate and its interval: a ratio of two figures, or where differences lie.
struct Ratio {
  double estimate;
  std::optional<Interval> ci95;  // none for fewer than six pairs
};

// Where values lie that may be below zero, by the same statistics; at least one.
[[nodiscard]] Ratio location(const std::vector<double>& values);
// Of case over reference; as many of each, at least one, all above 0.
[[nodiscard]] Ratio paired_ratio(std::span<const double> cases, std::span<const double> references);

}  // namespace comity::cli::bench
