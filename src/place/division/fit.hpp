// SPDX-License-Identifier: BSD-3-Clause
// Fit: whether items of these widths go into bins with so much room each at all, and how. The widest first, each where the least room
// is left; where that does not come out, bin after bin is filled in every way that leaves nothing out that would still fit, and rests
// that did not come out are remembered (bin completion, Korf 2003). Not: what is good (packing.hpp).
// Invariant: `none` was proven; the search stops after a count of steps, not after a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "place/site.hpp"

namespace comity::place {

struct Fit {
  enum class End : std::uint8_t { found, none, gave_up };

  End end = End::gave_up;
  std::vector<Domain> bin_of = {};  // of each item, where one was found
};

// The widest first, each where the least room is left, of equals into the first one: what packs most tightly as a rule. Empty where it does
// not come out.
[[nodiscard]] std::vector<Domain> tightest(std::span<const std::uint32_t> widths, std::span<const std::uint32_t> rooms);

inline constexpr std::size_t kUsualFitSteps = 2'000'000;

[[nodiscard]] Fit fit_of(std::span<const std::uint32_t> widths, std::span<const std::uint32_t> rooms,
                         std::size_t most_steps = kUsualFitSteps);

}  // namespace comity::place
