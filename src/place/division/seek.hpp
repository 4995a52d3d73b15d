// SPDX-License-Identifier: BSD-3-Clause
// Seek: good divisions of a small job among nodes, from many starts: the graph is halved again with its ranks and its nodes in other
// orders, each division improved (wander.hpp), some in clusters of ranks first, for what no single rank can begin; and of two of the best
// ones children are made: a child takes nodes of both in turn, those first that keep most inside (greedy partition crossover, Galinier and
// Hao 1999), or what both have together moves as a whole (Sanders and Schulz 2012), or of one alone some nodes that touch are halved anew
// (region.hpp), and is improved as well. Both aims are worked towards,
// each from what was found for the other too. Not: large jobs (mapper.hpp).
// Invariant: all that is found fits, and by each aim the best is never worse than any of those known. Equal input, equal answer: work is
// counted.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "place/division/anneal.hpp"
#include "place/division/borne.hpp"
#include "place/progress.hpp"

namespace comity::place {

// Whether the job is so small that this takes no longer than annealing a few divisions does.
[[nodiscard]] bool may_seek(std::size_t ranks, std::size_t nodes);

struct SeekTask {
  const Graph& graph;
  std::span<const std::uint32_t> rooms;  // of each node
  std::span<const std::vector<std::size_t>>
      shares;   // ways to share ranks out among the nodes, to halve by; at least one
  Score least;  // no division has less, so that the search may end
  Portions portions = {};
  std::size_t populations =
      1;  // how often it begins with nothing known: where one has only children alike, another comes on
};

// As many as pay for a job that is mapped once.
[[nodiscard]] std::size_t usual_populations(std::size_t ranks);

// A few, the best by each aim among them. `known`: divisions that fit, at least one.
[[nodiscard]] std::vector<std::vector<Domain>> sought(const SeekTask& task,
                                                      const std::vector<std::vector<Domain>>& known);

}  // namespace comity::place
