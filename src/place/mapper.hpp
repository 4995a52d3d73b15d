// SPDX-License-Identifier: BSD-3-Clause
// Mapper: which rank runs at which place. Nodes first, the costliest boundary; then what is inside them. Many ways to
// divide the job among the nodes are tried, the best made better, and the best of all kept: walks through the grid, what
// launchers do, bisection, an exact search where the job is small. Source: Hager, Jost, Rabenseifner 2009, section 3.1.1
// (multi-level decomposition).
// Invariant: no two ranks share a place; the answer is never worse than any launcher's by the objective; equal input,
// equal answer.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "place/bounds/bounds.hpp"
#include "place/candidates.hpp"
#include "place/job/grid.hpp"
#include "place/objective.hpp"
#include "place/progress.hpp"

namespace comity::place {

struct Beside {
  std::string_view name;
  Cut cut;
};

struct Answer {
  Mapping mapping;
  std::string made_by;           // which way of dividing it came from
  Cut cut;                       // a level of the site each, as the bounds
  std::vector<Bound> bounds;     // no mapping has less, at an inner level none that leaves as much outside
  std::vector<Weight> together;  // what all levels down to each cut together at least, of which the bounds are made
  Weight least_worst = 0;        // of the outermost level, where more is known than follows from these
  double least_time = 0;         // of the objective of that name, where all mappings were compared
  Weight least_links = 0;        // of a torus, where more is known likewise
  std::vector<Beside> launchers;
  // On a torus, of all ranks' exchanges on the shortest ways: of the mapping, and of the ranks in order.
  struct Links {
    Weight ours, sequential;
  };
  std::optional<Links> links = std::nullopt;
};

// Somebody else's division of a graph into parts of about these sizes: the part of each rank, with the name that answers
// tell. None where nobody has one. `widths`: what each rank counts for in the sizes; empty: all count for 1. `portions`: told how many of
// those who are asked have answered.
struct Foreign {
  std::string name;
  std::vector<Domain> part;
};
using Partition =
    std::function<std::vector<Foreign>(const Graph& graph, const std::vector<std::size_t>& sizes,
                                       const std::vector<std::uint32_t>& widths, const Portions& portions)>;

// A job with fewer ranks than places may fill any of them. `grid`: whose graph it is, if it is
// one's. `ask`: others, whose divisions are made to fit and take part; a job of few ranks is never mapped worse with them than without. Throws Status::range where the site has fewer places than there are ranks.
[[nodiscard]] Answer mapped(const Graph& graph, const Grid* grid, const Site& site, const Objective& objective,
                            const Progress& progress = {}, const Partition& ask = {});

}  // namespace comity::place
