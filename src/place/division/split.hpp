// SPDX-License-Identifier: BSD-3-Clause
// Split: a small graph into parts of given sizes, such that little crosses between them: the best there is where the
// graph is very small, else bisected and annealed. Not: whole jobs (mapper.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "place/job/graph.hpp"
#include "place/site.hpp"

namespace comity::place {

// How much may be tried.
struct Effort {
  std::uint64_t swaps = 0;   // by all trials together
  std::uint64_t trials = 3;  // each with random numbers of its own
};

[[nodiscard]] std::vector<Domain> split(const Graph& graph, std::span<const std::size_t> sizes, const Effort& effort);

// The same from parts that are known, which the answer is no worse than.
[[nodiscard]] std::vector<Domain> split_again(const Graph& graph, std::span<const std::size_t> sizes,
                                              const Effort& effort, const std::vector<Domain>& known);

inline constexpr std::size_t kVerySmall = 16;  // ranks of which all splits are tried

// Of so few ranks all splits are tried into parts that hold no more than their rooms; `part` is the best, unless that takes too many steps.
void try_all_splits(const Graph& graph, std::span<const std::size_t> rooms, std::vector<Domain>& part);

}  // namespace comity::place
