// SPDX-License-Identifier: BSD-3-Clause
// All levels: the best mapping of few ranks by all levels of a site together, rank after rank into every innermost domain that has room,
// unless what crosses by then is no better than the best so far (branch and bound). Where nodes are unequally far from one another the links
// between them may come first. Not: one level alone (try_all.hpp), links alone (try_links.hpp), nor many ranks.
// Invariant: what it calls the best of all was compared with all; it stops after a count of steps, not after a time.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "place/objective.hpp"
#include "place/progress.hpp"

namespace comity::place {

inline constexpr std::size_t kMostRanksTried = 24, kMostDomainsTried = 64;

struct MappingsTask {
  const Graph& graph;
  const Site& site;
  const Objective& objective;
  const Key& known;  // of a mapping that there is
  std::size_t steps;
  const Portions& portions;  // of all steps that it may take
  // Links between each two nodes: what goes over them comes first then, behind limits alone, as in the key of what is known. Empty: nobody minds.
  std::vector<std::vector<Weight>> ways = {};
};

struct TriedMappings {
  std::optional<Mapping> better;  // than what was known
  bool all = false;               // the best of all; else steps ran out, or there are too many ranks or domains
};

[[nodiscard]] TriedMappings best_of_all_mappings(const MappingsTask& task);

}  // namespace comity::place
