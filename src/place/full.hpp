// SPDX-License-Identifier: BSD-3-Clause
// Full: the mapping of a job with as many ranks as places. Many ways to divide it among the nodes are tried, the best made better, and what is
// inside the nodes of the best is divided then (division/inside.hpp). Not: jobs with fewer ranks (some.hpp), which ask for jobs that fill
// some of the places.
#pragma once

#include <cstdint>
#include <vector>

#include "place/candidates.hpp"
#include "place/mapper.hpp"

namespace comity::place {

// Whether a job is mapped for the first time, or again with others asked. What does not depend on these is not done again: exact searches,
// numbers of nodes and smaller nodes that nobody is asked about.
enum class Round : std::uint8_t { first, with_others };

// As mapped(), which calls it.
[[nodiscard]] Answer mapped_to_all(const Graph& graph, const Grid* grid, const Site& site, const Objective& objective,
                                   const Progress& progress, const Partition& ask, Round round);

// An answer, and the divisions among the nodes to search on from: the best by each aim (candidates.hpp); of a large job none.
struct Begun {
  Answer answer;
  std::vector<Division> divisions;
};

enum class Search : std::uint8_t {
  thorough,
  quick,  // from few starts, and divisions are told to search on from
  brief,  // the same without an exact search, for one of many
};

// The same of as many ranks as places, for who looks at several sites (some.hpp): without launchers beside. `to_beat`: what was found
// elsewhere cuts so much, or none; of what is worse than that whatever is done inside nodes nothing is worked out there, and the answer may have
// no mapping.
[[nodiscard]] Begun begun(const Graph& graph, const Grid* grid, const Site& site, const Objective& objective,
                          Search search, const Cut* to_beat, const Progress& progress = {}, const Partition& ask = {},
                          Round round = Round::first);

}  // namespace comity::place
