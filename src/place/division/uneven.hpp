// SPDX-License-Identifier: BSD-3-Clause
// Uneven: a mapping of ranks with unequal numbers of threads. What a network has above nodes first, then nodes, then what is
// inside them, as in mapper.hpp,
// but by packing (packing.hpp): ranks are no longer places of one size. A rank counts where its first core is.
// Invariant: no two ranks share a core; a rank's cores are a run in one node; between nodes and above them never worse than the
// launcher's order, where that fits. Inside them ranks that lie across a border count before exchanges that do.
#pragma once

#include <vector>

#include "place/mapper.hpp"

namespace comity::place {

// `cores`: a site with one place a core; threads[r]: how many cores rank r takes. The mapping is of first cores. Throws
// Status::range where no packing is found.
[[nodiscard]] Answer mapped_uneven(const Graph& graph, const Site& cores, const std::vector<std::uint32_t>& threads,
                                   const Objective& objective);

}  // namespace comity::place
