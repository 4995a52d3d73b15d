// SPDX-License-Identifier: BSD-3-Clause
// Partitioners of others, where the user has them: Scotch's gpart and KaHIP's kaffpa, asked for parts that differ by 1 %, or, of Scotch
// (gmap), for parts as large as nodes that are not alike. Programs, not libraries: nothing of them is built in. Sources: Scotch 7 user's
// guide (gpart, gmap, graph and target files), KaHIP user guide (kaffpa, METIS files).
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "place/job/graph.hpp"
#include "place/site.hpp"

namespace comity::cli::bench {

struct Partitioner {
  enum class Kind : std::uint8_t { scotch, kahip };

  Kind kind;
  std::string program;        // its whole path
  std::string weighing = {};  // the program of the same kind that takes parts of unequal sizes; "": there is none
  [[nodiscard]] const char* name() const { return kind == Kind::scotch ? "gpart" : "kaffpa"; }
};

// Those on the PATH.
[[nodiscard]] std::vector<Partitioner> partitioners_here();

struct Division {
  std::vector<place::Domain> part;  // of each rank
  double seconds;                   // of the program, its reading of the graph too
};

// Of the file that one has written: the part of each rank, all below `parts`. None where it does not tell each rank's once.
[[nodiscard]] std::optional<std::vector<place::Domain>> read_parts(Partitioner::Kind kind, std::istream& file,
                                                                   std::size_t ranks, std::size_t parts);

// Whether it can be told that parts are to be of these sizes.
[[nodiscard]] bool takes_sizes(const Partitioner& partitioner, const std::vector<std::size_t>& sizes);

// A part for each of `sizes`, about as large as that in proportion; alike where it cannot be told of sizes. `widths`: what each
// rank counts for in them; empty: all count for 1. `seed`: of kaffpa's random numbers. Scotch's have none, and with few ranks
// its answer is the same in each run: it is told the ranks in an order of their own for each seed, for 1 in that which they have. None where
// the program failed.
[[nodiscard]] std::optional<Division> divide(const Partitioner& partitioner, const place::Graph& graph,
                                             const std::vector<std::size_t>& sizes,
                                             const std::vector<std::uint32_t>& widths = {}, std::size_t seed = 1);

}  // namespace comity::cli::bench
