// SPDX-License-Identifier: BSD-3-Clause
// What is to be placed, as the words of `comity place` say it: a grid or the graph of a file, and what counts as good.
// Throws UsageError for words without sense.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "place/job/grid.hpp"
#include "place/objective.hpp"

namespace comity::cli {

struct GridWords {
  std::string extents;                // "5x16"
  std::optional<std::string> closed;  // "1,0"; "" for all dimensions
  std::string halo;                   // "32,25"
  std::string diagonal;
};

[[nodiscard]] place::Grid read_grid(const GridWords& words);

// The graph that the file holds; says on standard error what a table of messages has no rank for. Throws Error, naming file and line.
[[nodiscard]] place::Graph read_graph(const std::string& path);

// "8", or one number a rank: "8,4,4", "2*8,12*4". One number stands for all ranks.
[[nodiscard]] std::vector<std::uint32_t> read_threads(const std::string& words);

// What the ranks of a recorded run exchanged with one another, by messages and one-sided, in bytes of both directions.
// Says on standard error how much of it has no rank of its own in the record. Throws Error where the folder has none, or
// its ranks exchanged nothing.
[[nodiscard]] place::Graph read_traffic(const std::string& folder);

struct ObjectiveWords {
  std::string aim = "worst";
  std::string costs;     // "node=10,package=3"
  std::string measured;  // a file of measured costs
  std::string message;   // bytes of an exchange there; "": 8192
  std::string at_most;   // "package=2"
};

// For the levels of a machine by their names.
[[nodiscard]] place::Objective read_objective(const ObjectiveWords& words, const std::vector<std::string>& levels);

}  // namespace comity::cli
