// SPDX-License-Identifier: BSD-3-Clause
// `comity place` as a user runs it: a process of its own, from its start to its end. Not: mappings in this process.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "place/job/graph.hpp"

namespace comity::cli::bench {

struct CommandFigures {
  double seconds = 0;
  double peak_MB = 0;    // of the whole process, 1e6 bytes
  double output_MB = 0;  // of what it wrote
};

// `comity place --json` with these words behind it, and with its output in a file. None where it fails.
[[nodiscard]] std::optional<CommandFigures> by_command(const std::vector<std::string>& words);

// As --graph takes it: an edge a line.
void write_graph(const place::Graph& graph, const std::string& path);

}  // namespace comity::cli::bench
