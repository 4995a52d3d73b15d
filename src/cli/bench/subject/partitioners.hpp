// SPDX-License-Identifier: BSD-3-Clause
// Partitioners of others, where the user has them: Scotch's gpart and KaHIP's kaffpa, asked for parts that differ by 1 %.
// Programs, not libraries: nothing of them is built in. Sources: Scotch 7 user's guide (gpart, graph files), KaHIP user
// guide (kaffpa, METIS files).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "place/job/graph.hpp"
#include "place/site.hpp"

namespace comity::cli::bench {

struct Partitioner {
  enum class Kind : std::uint8_t { scotch, kahip };

  Kind kind;
  std::string program;  // its whole path
  [[nodiscard]] const char* name() const { return kind == Kind::scotch ? "gpart" : "kaffpa"; }
};

// Those on the PATH.
[[nodiscard]] std::vector<Partitioner> partitioners_here();

struct Division {
  std::vector<place::Domain> part;  // of each rank
  double seconds;                   // of the program, its reading of the graph too
};

// None where the program failed.
[[nodiscard]] std::optional<Division> divide(const Partitioner& partitioner, const place::Graph& graph,
                                             std::size_t parts);

}  // namespace comity::cli::bench
