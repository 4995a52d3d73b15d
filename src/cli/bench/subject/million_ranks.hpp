// SPDX-License-Identifier: BSD-3-Clause
// A million ranks of a grid on 10,000 nodes, in the cases that cost differently: nodes side by side, below switches, on tori that
// they fit and do not, with places to spare, with diagonals in three and four dimensions, on nodes that are not alike, by each objective, with
// unequal threads. Each is mapped in a child of its own, so that what the process needed before is not
// counted. Not: how the command is run (place_command.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "place/cut.hpp"

namespace comity::cli::bench {

struct Million {
  // What one mapping was.
  struct Figures {
    double mapping_s = 0;   // from the grid to the mapping
    double counting_s = 0;  // of what it cuts, once
    double peak_MB = 0;     // of the whole process, 1e6 bytes
    std::uint64_t ranks = 0;
    place::Weight sum = 0, inside = 0;  // what crosses nodes and what is above them; the next level
    place::Weight bound = 0;            // of `sum`; 0 where there is something above the nodes
  };

  const char* name;
  Figures (*map)();                             // in this process
  std::vector<const char*> command_words = {};  // of `comity place` for the same
  std::string (*network_text)() = nullptr;      // of the file of --network; null: it needs none
  std::size_t ranks = 1'000'000;
  std::vector<const char*> node_words = {};  // of the command; empty: of 10,000 alike
};

[[nodiscard]] const std::vector<Million>& million_cases();

// In a child. None where it came to no end.
[[nodiscard]] std::optional<Million::Figures> in_child(const Million& one);

// All that the command is to be told, but for the file.
[[nodiscard]] std::vector<std::string> command_words(const Million& one);

}  // namespace comity::cli::bench
