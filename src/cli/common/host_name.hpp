// SPDX-License-Identifier: BSD-3-Clause
// Names of hosts, as launchers, kernels and users give them.
#pragma once

#include <string>

namespace comity::cli {

// "node7.cluster" and "node7" are the same host; an address is as it is.
[[nodiscard]] inline std::string short_name(const std::string& host) {
  const bool is_address = host.find_first_not_of("0123456789.:") == std::string::npos;
  return is_address ? host : host.substr(0, host.find('.'));
}

}  // namespace comity::cli
