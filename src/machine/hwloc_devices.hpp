// SPDX-License-Identifier: BSD-3-Clause
// GPUs and NICs that hwloc found: one for each PCI function, with all the names that the system has for it.
#pragma once

#include <vector>

#include "machine/draft.hpp"

struct hwloc_topology;

namespace comity::machine {

class Selection;

// In the order of their numbers: by PCI address, then those on no PCI bus.
[[nodiscard]] std::vector<DraftDevice> draft_devices(hwloc_topology* topology, const Selection& selection);

}  // namespace comity::machine
