// SPDX-License-Identifier: BSD-3-Clause
// How fast the CPUs are beside one another, as the kernel says in /sys: for parts that have no topology at hand (machine has the
// kinds of cores).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/cpu_set.hpp"

namespace comity::os {

// By the CPU's number, of those in the set: the capacity where the kernel has it (big and little cores), else the highest
// clock; any unit. Empty: of one it says nothing.
[[nodiscard]] std::vector<int> speeds_of_cpus(const CpuSet& cpus,
                                              const std::string& folder = "/sys/devices/system/cpu");

}  // namespace comity::os
