// SPDX-License-Identifier: BSD-3-Clause
// The tool of the source tree that emulates hosts on this machine (tools/emulated-hosts), for cases that need two.
#pragma once

#include <string>
#include <vector>

namespace comity::cli::bench {

struct EmulatedHosts {
  std::string tool = {};
  std::string why_not = {};  // a sentence, where there can be none

  // Before a command that is to run on the first of two hosts, each with room for so many ranks.
  [[nodiscard]] std::vector<std::string> words(int slots = 1) const;
};

[[nodiscard]] EmulatedHosts find_emulated_hosts();

}  // namespace comity::cli::bench
