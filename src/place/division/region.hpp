// SPDX-License-Identifier: BSD-3-Clause
// Region: nodes of a division that touch one another, to be divided anew while the rest stays (ruin and recreate, Schrimpf, Schneider,
// Stamm-Wilbrandt, Dueck 2000). Not: how (seek).
#pragma once

#include <cstddef>
#include <vector>

#include "place/division/random.hpp"
#include "place/job/graph.hpp"
#include "place/site.hpp"

namespace comity::place {

// Grown from a random rank's node: the next one is that of any of the ranks that those inside exchange with. Up to `most` nodes, fewer where no
// others are exchanged with; each once.
[[nodiscard]] std::vector<Domain> random_region(const Graph& graph, const std::vector<Domain>& part, std::size_t nodes,
                                                std::size_t most, Random& random);

}  // namespace comity::place
