// SPDX-License-Identifier: BSD-3-Clause
// What the cgroup of this process, and those above it, limit: version 1 and 2, also as seen from inside a container.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/doctor/host.hpp"

namespace comity::cli {

struct CgroupLimits {
  std::optional<double> cpus;  // processors' worth of time; none: no quota
  std::optional<std::uint64_t> memory_bytes;
  std::string cpuset;  // effective list; "" where it is not told
};

[[nodiscard]] CgroupLimits cgroup_limits(const Host& host);

}  // namespace comity::cli
