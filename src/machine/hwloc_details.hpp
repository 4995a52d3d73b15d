// SPDX-License-Identifier: BSD-3-Clause
// What hwloc tells of memories and cores beyond the tree. Each answer has a fallback for versions that know less.
#pragma once

#include <vector>

#include "machine/draft.hpp"

struct hwloc_topology;
struct hwloc_obj;

namespace comity::machine {

// By hwloc's word where it has one, by bandwidth where that is known (2.3), else by whether PUs are near it.
[[nodiscard]] MemoryKind memory_kind(hwloc_topology* topology, const hwloc_obj* node);

// Cut to the allowed PUs, kinds without one left out. Before 2.4: none.
[[nodiscard]] std::vector<DraftCoreKind> core_kinds(hwloc_topology* topology, const CpuSet& allowed);

}  // namespace comity::machine
