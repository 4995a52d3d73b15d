// SPDX-License-Identifier: BSD-3-Clause
// On which NUMA nodes the pages of a process lie, by area, as numa_maps tells it. Text in, figures out.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace comity::os {

using NodeBytes = std::map<int, std::uint64_t>;  // by the kernel's number of the node

struct AreaNodes {
  std::uint64_t start = 0;  // of the area
  NodeBytes bytes;          // nodes that hold none of its pages are left out
};

// By address. Throws Status::system with the line that makes no sense.
[[nodiscard]] std::vector<AreaNodes> parse_node_pages(std::string_view numa_maps);

}  // namespace comity::os
