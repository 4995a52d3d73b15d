// SPDX-License-Identifier: BSD-3-Clause
// Try all: the best packing of few items, item after item into every bin that has room, unless what must cross by then is already as
// much as the best so far has (branch and bound). Not: many items (packing.hpp).
// Invariant: what it calls the best of all was compared with all; it stops after a count of steps, not after a time.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "place/division/packing.hpp"

namespace comity::place {

inline constexpr std::size_t kMostItemsTried = 24, kMostBinsTried = 64;

struct Tried {
  std::optional<std::vector<Domain>> better;  // than what was known
  bool all = false;  // the best of all; else steps ran out, or there are too many items or bins
};

// `known`: of a packing that there is.
[[nodiscard]] Tried best_of_all(const PackingTask& task, const std::optional<PackingScore>& known);

}  // namespace comity::place
