// SPDX-License-Identifier: BSD-3-Clause
// Roam: makes a division better where nodes have room left or ranks are unequally wide: a rank moves to where there is room, or
// others make room for it. Worse ones are taken too, ever more rarely, as in anneal.hpp, which swaps equal ranks of full nodes and
// is faster at that.
// Invariant: no node holds more than its room, and the answer is never worse than what came in. Equal input, equal answer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "place/division/anneal.hpp"
#include "place/progress.hpp"

namespace comity::place {

// Moves tried of a job of so many ranks.
[[nodiscard]] constexpr std::uint64_t usual_moves(std::size_t ranks) {
  constexpr std::uint64_t kMost = 1'500'000, kARank = 3'000;
  return std::min<std::uint64_t>(kMost, kARank * ranks);
}

// `widths`: of each rank; empty: all are 1. `how.swaps`: moves tried.
void roam(const Graph& graph, std::vector<Domain>& part, std::span<const std::uint32_t> rooms,
          std::span<const std::uint32_t> widths, const Annealing& how, const Portions& portions = {});

}  // namespace comity::place
