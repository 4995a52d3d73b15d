// SPDX-License-Identifier: BSD-3-Clause
// Anneal: makes a partition better by swapping ranks of two parts; worse swaps are taken too, ever more rarely. Source:
// Kirkpatrick, Gelatt, Vecchi 1983. The same input gives the same answer everywhere: random numbers come from a fixed
// seed, and the number of swaps tried is given, not a time. Invariant: sizes of parts never change, and the answer is
// never worse than what came in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "place/job/graph.hpp"
#include "place/progress.hpp"
#include "place/site.hpp"

namespace comity::place {

enum class Wanted : std::uint8_t { least_sum, least_worst };

// Ranks: up to so many, divisions are made for both aims, whatever was asked, and ranks change places one by one. Of more that takes longer
// than all else.
inline constexpr std::size_t kMostDividedForBothAims = 20'000;

struct Annealing {
  Wanted wanted = Wanted::least_sum;
  std::uint64_t swaps = 0;  // tried
  std::uint64_t seed = 1;
};

// `portions`: of all swaps.
void anneal(const Graph& graph, std::vector<Domain>& part, std::size_t parts, const Annealing& how,
            const Portions& portions = {});

}  // namespace comity::place
