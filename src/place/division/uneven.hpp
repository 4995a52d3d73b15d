// SPDX-License-Identifier: BSD-3-Clause
// Uneven: a mapping of ranks with unequal numbers of threads. What a network has above nodes first, then nodes, then what is
// inside them, as in mapper.hpp, but ranks are no longer places of one size: nodes are filled by divisions with weights (widths.hpp) and
// packings (packing.hpp), what is inside them by packings. A rank counts where its first core is.
// Invariant: no two ranks share a core; a rank's cores are a run in one node; between nodes and above them never worse than a
// launcher's order that fits, inside them either where no rank of that lies across a border, for that counts before exchanges do. Where the objective weighs inner levels, or limits
// them, never worse than a launcher's by the whole of it.
// On a torus no more links times weight than in the sequential order where that fits, and this for the best of those of which that is
// true; by the aim `hops` as few as can be found.
#pragma once

#include <vector>

#include "place/mapper.hpp"
#include "place/network.hpp"

namespace comity::place {

// What else may be known or wanted.
struct UnevenHelp {
  const Grid* grid = nullptr;      // whose graph it is, if it is one's
  const Network* torus = nullptr;  // if that is what lies above the nodes
  Progress progress = {};
  Partition ask = {};
};

// `cores`: a site with one place a core; threads[r]: how many cores rank r takes. The mapping is of first cores. Throws
// Status::range where there is no packing, or none was found.
[[nodiscard]] Answer mapped_uneven(const Graph& graph, const Site& cores, const std::vector<std::uint32_t>& threads,
                                   const Objective& objective, const UnevenHelp& help = {});

}  // namespace comity::place
