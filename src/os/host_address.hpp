// SPDX-License-Identifier: BSD-3-Clause
// The addresses by which other hosts know this one.
#pragma once

#include <string>
#include <vector>

namespace comity::os {

// IPv4 and IPv6 of all interfaces but the loopback; empty where the kernel does not tell.
[[nodiscard]] std::vector<std::string> host_addresses();

}  // namespace comity::os
