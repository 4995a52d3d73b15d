// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/piece.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "place/cut.hpp"
#include "place/division/anneal.hpp"
#include "place/division/roam.hpp"
#include "place/division/sliced_halves.hpp"
#include "place/division/slices.hpp"

namespace comity::place {
namespace {

constexpr std::size_t kMostHalvedCells = 5'000;  // of a grid, which slices suit better then
constexpr std::size_t kFewestSlicedCells = 100;  // below, nothing is better than what is found anyway
constexpr std::uint64_t kFewestSwapsACell =
    40;  // below, pieces are so many and unlike that halving each takes longest of all

Weight cut(const Graph& graph, const std::vector<Domain>& part, std::size_t parts) {
  return node_cut(graph, parts, part).sum;
}

bool suits_slices(std::size_t cells, const Effort& effort) {
  return cells > kMostHalvedCells || (cells >= kFewestSlicedCells && effort.swaps < kFewestSwapsACell * cells);
}

// Of a grid: one of so many that its layers tell where to cut it.
bool is_one_of_many(std::size_t cells, const Effort& effort) {
  return cells > kVerySmall && effort.swaps < kFewestSwapsACell * cells;
}

}  // namespace

std::vector<Domain> PieceSplitter::split(const Piece& piece, Subgraphs& subgraphs, const Effort& effort) const {
  const std::size_t room = std::accumulate(piece.rooms.begin(), piece.rooms.end(), std::size_t{0});
  if (room > piece.ranks.size()) return share_out(subgraphs.of(piece.ranks), piece, effort);
  const std::vector<std::size_t> sizes = piece.sizes();
  if (grid_ != nullptr && suits_slices(piece.ranks.size(), effort))
    return split_of_grid([&] { return subgraphs.of(piece.ranks); }, *grid_, piece.ranks, sizes);
  return split_exactly(subgraphs.of(piece.ranks), piece.ranks, sizes, effort);
}

bool PieceSplitter::all_are_quick(const std::vector<Piece>& pieces, const Effort& effort) {
  const Effort each{effort.swaps / pieces.size(), effort.trials};
  return std::ranges::all_of(pieces, [&](const Piece& piece) {
    const std::size_t cells = piece.ranks.size();
    return suits_slices(cells, each) || is_one_of_many(cells, each) || cells <= kVerySmall;
  });
}

std::vector<Domain> PieceSplitter::split_exactly(const Graph& graph, const std::vector<Rank>& ranks,
                                                 const std::vector<std::size_t>& sizes, const Effort& effort) const {
  if (grid_ != nullptr && suits_slices(graph.ranks(), effort))
    return split_of_grid([&]() -> const Graph& { return graph; }, *grid_, ranks, sizes);
  if (grid_ != nullptr && is_one_of_many(graph.ranks(), effort)) return halved_by_slices(graph, *grid_, ranks, sizes);
  std::vector<Domain> part = place::split(graph, sizes, effort);
  if (grid_ == nullptr || graph.ranks() < kFewestSlicedCells) return part;
  std::vector<Domain> slices = sliced(*grid_, ranks, sizes);
  return cut(graph, slices, sizes.size()) < cut(graph, part, sizes.size()) ? slices : part;
}

// The best of a few ways to leave places empty. Of equal ones the first: domains are filled in order.
std::vector<Domain> PieceSplitter::share_out(const Graph& graph, const Piece& piece, const Effort& effort) const {
  const std::size_t domains = piece.rooms.size();
  if (graph.ranks() == 0 || domains == 1) return std::vector<Domain>(graph.ranks(), 0);
  if (graph.ranks() <= kVerySmall) {
    std::vector<Domain> part = split_by(filled_in_order(piece.rooms, graph.ranks()), graph, piece.ranks, {});
    try_all_splits(graph, std::vector<std::size_t>(piece.rooms.begin(), piece.rooms.end()), part);
    return part;
  }
  const bool of_many = effort.swaps < kFewestSwapsACell * graph.ranks();
  std::vector<Shares> ways = of_many ? std::vector{filled_in_order(piece.rooms, graph.ranks()),
                                                   even_shares(piece.rooms, graph.ranks(), domains)}
                                     : shares_to_try(graph, nullptr, piece.rooms, Aim::sum);
  std::vector<Domain> best;
  Weight least = kNoLimit;
  for (const Shares& shares : ways) {
    std::vector<Domain> part = split_by(shares, graph, piece.ranks, {effort.swaps / ways.size(), effort.trials});
    const Weight found = cut(graph, part, domains);
    if (found >= least) continue;
    least = found;
    best = std::move(part);
  }
  if (least > 0 && !of_many && graph.ranks() <= kMostDividedForBothAims) {
    const std::uint64_t moves = std::min(effort.swaps / ways.size(), usual_moves(graph.ranks()));
    roam(graph, best, piece.rooms, {}, {Wanted::least_sum, moves, 1});
  }
  return best;
}

// Domains without ranks take no part.
std::vector<Domain> PieceSplitter::split_by(const Shares& shares, const Graph& graph, const std::vector<Rank>& ranks,
                                            const Effort& effort) const {
  std::vector<Domain> used;
  std::vector<std::size_t> sizes;
  for (Domain domain = 0; domain < shares.size(); ++domain) {
    if (shares[domain] == 0) continue;
    used.push_back(domain);
    sizes.push_back(shares[domain]);
  }
  std::vector<Domain> part = split_exactly(graph, ranks, sizes, effort);
  for (Domain& one : part) one = used[one];
  return part;
}

}  // namespace comity::place
