// SPDX-License-Identifier: BSD-3-Clause
// Graph file: a graph as text. Two forms: our own (`ranks N`, then a line `A B [WEIGHT]` for each two ranks that exchange
// something; # begins a comment), and the table that `comity report --csv=messages` prints of a run's traffic. Not:
// opening files (cli).
#pragma once

#include <string>
#include <string_view>

#include "place/job/graph.hpp"

namespace comity::place {

struct FileGraph {
  Graph graph;
  Weight left_out = 0;  // [bytes] of a table: what went to ranks that it does not tell apart
};

// Two ranks that stand on several lines, in either order, exchange what the lines say together. `name` is what errors
// call the text, with the number of the line. Of a table the ranks are 0 to the last one that it names. Throws Status::argument or Status::range.
[[nodiscard]] FileGraph parse_graph(std::string_view text, const std::string& name);

}  // namespace comity::place
