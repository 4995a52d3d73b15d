// SPDX-License-Identifier: BSD-3-Clause
// The tool of the source tree that emulates hosts on this machine (tools/emulated-hosts), for cases that need two.
#pragma once

#include <string>
#include <vector>

namespace comity::cli::bench {

struct EmulatedHosts {
  std::vector<std::string> words = {};  // before a command that is to run on the first of two hosts
  std::string why_not = {};             // a sentence, where there can be none
};

[[nodiscard]] EmulatedHosts find_emulated_hosts();

}  // namespace comity::cli::bench
