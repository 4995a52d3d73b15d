// SPDX-License-Identifier: BSD-3-Clause
// Coarse: a smaller graph in place of a large one: pairs of ranks that exchange much are taken together. What is found
// for it is a good start for the large one. Source: heavy-edge matching, Karypis and Kumar 1998.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "place/job/graph.hpp"

namespace comity::place {

// A graph whose ranks stand for several each.
struct SizedGraph {
  Graph graph;
  std::vector<std::uint32_t> size;  // of each rank

  [[nodiscard]] std::uint32_t largest() const;
};

[[nodiscard]] SizedGraph with_unit_sizes(Graph graph);

struct Coarse {
  SizedGraph sized;
  std::vector<Rank> of;  // the coarse rank of each fine one
};

// No coarse rank stands for more than `most`. Another seed takes other pairs. `group`: of each rank; those of two groups stay apart. Empty:
// all are of one.
[[nodiscard]] Coarse coarsened(const SizedGraph& fine, std::uint32_t most, std::uint64_t seed,
                               std::span<const std::uint32_t> group = {});

// The same again and again, until there are about so many or no more pairs.
[[nodiscard]] Coarse clustered(const Graph& graph, std::size_t clusters, std::uint32_t most, std::uint64_t seed,
                               std::vector<std::uint32_t> group = {});

}  // namespace comity::place
