// SPDX-License-Identifier: BSD-3-Clause
// Piece: the ranks of one domain, and how they are split among the domains in it: very small ones in every way, others by bisection and
// annealing, cells of a grid between its layers too, or by these alone where they are many. Where there is more room than ranks, in a few
// ways to leave places empty (spare.hpp). Not: which pieces a level has (inside.hpp), nor graphs without rooms (split.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "place/division/split.hpp"
#include "place/job/grid.hpp"
#include "place/job/subgraph.hpp"
#include "place/spare.hpp"

namespace comity::place {

struct Piece {
  std::vector<Rank> ranks;           // of the first domain that has such a piece
  std::vector<std::uint32_t> rooms;  // [places] of the domains in it
  std::vector<Domain> part = {};     // of each of the ranks, when it is split

  [[nodiscard]] std::vector<std::size_t> sizes() const { return {rooms.begin(), rooms.end()}; }
};

class PieceSplitter {
 public:
  // `grid`: whose cells the ranks are, or none.
  explicit PieceSplitter(const Grid* grid) : grid_(grid) {}

  // The part of each of its ranks. `subgraphs`: of the job's graph.
  [[nodiscard]] std::vector<Domain> split(const Piece& piece, Subgraphs& subgraphs, const Effort& effort) const;

  // Whether to split them takes no longer than to compare them.
  [[nodiscard]] static bool all_are_quick(const std::vector<Piece>& pieces, const Effort& effort);

 private:
  [[nodiscard]] std::vector<Domain> split_exactly(const Graph& graph, const std::vector<Rank>& ranks,
                                                  const std::vector<std::size_t>& sizes, const Effort& effort) const;
  [[nodiscard]] std::vector<Domain> share_out(const Graph& graph, const Piece& piece, const Effort& effort) const;
  [[nodiscard]] std::vector<Domain> split_by(const Shares& shares, const Graph& graph, const std::vector<Rank>& ranks,
                                             const Effort& effort) const;

  const Grid* grid_;
};

}  // namespace comity::place
