// SPDX-License-Identifier: BSD-3-Clause
// CPUs in such an order that those which share more stand nearer one another, as the kernel says in /sys: for parts that have no
// topology at hand (machine has it).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/cpu_set.hpp"

namespace comity::os {

// By package, core and number; by number alone among those of which the kernel says nothing.
[[nodiscard]] std::vector<std::size_t> in_order_of_cores(const CpuSet& cpus,
                                                         const std::string& folder = "/sys/devices/system/cpu");

}  // namespace comity::os
