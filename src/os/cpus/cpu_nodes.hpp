// SPDX-License-Identifier: BSD-3-Clause
// Which NUMA node each CPU belongs to, as the kernel says in /sys: for parts that have no topology at hand (machine has it).
#pragma once

#include <string>
#include <vector>

namespace comity::os {

// By the CPU's number; 0 for those of which the kernel says nothing, and for all that are not in the vector.
[[nodiscard]] std::vector<int> nodes_of_cpus(const std::string& folder = "/sys/devices/system/node");

}  // namespace comity::os
