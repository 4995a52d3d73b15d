// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/sliced_halves.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "place/division/coarse.hpp"
#include "place/division/halves.hpp"
#include "place/job/subgraph.hpp"

namespace comity::place {
namespace {

constexpr std::size_t kRefined = 2;  // of the cuts across each dimension the best ones

// The first ones by their layers along a dimension: a layer that belongs to both halves is cut.
Sides cut_across(std::size_t dimension, std::span<const Cell> cells, std::size_t left) {
  std::vector<Rank> order(cells.size());
  std::iota(order.begin(), order.end(), Rank{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Rank one, Rank other) { return cells[one][dimension] < cells[other][dimension]; });
  Sides sides(cells.size(), 1);
  for (std::size_t i = 0; i < left; ++i) sides[order[i]] = 0;
  return sides;
}

// The best of some cuts between layers, and of one half that grows from a corner, each refined: either alone often ends where the other does not.
Sides sides_of(const SizedGraph& piece, const Grid& grid, std::span<const Cell> cells, std::size_t left) {
  std::vector<Halves> ways;
  for (std::size_t dimension = 0; dimension < grid.dimensions(); ++dimension)
    ways.emplace_back(piece, left).take(cut_across(dimension, cells, left));
  const auto cut_of_way = [&](std::size_t way) { return ways[way].cut(); };
  std::vector<std::size_t> by_cut(ways.size());
  std::iota(by_cut.begin(), by_cut.end(), std::size_t{0});
  std::ranges::stable_sort(by_cut, {}, cut_of_way);
  by_cut.resize(std::min(kRefined, by_cut.size()));
  by_cut.push_back(ways.size());
  ways.emplace_back(piece, left).grow_from(0);
  for (const std::size_t way : by_cut) {
    ways[way].refine();
    if (ways[way].surplus() == 0) continue;
    ways[way].balance();
    ways[way].refine();
  }
  return ways[*std::ranges::min_element(by_cut, {}, cut_of_way)].sides();
}

void halve(const SizedGraph& piece, const Grid& grid, std::span<const Cell> cells, std::span<const std::size_t> sizes,
           std::span<const Rank> names, Domain first_part, std::vector<Domain>& part) {
  if (cells.empty()) return;
  if (sizes.size() == 1) {
    for (const Rank name : names) part[name] = first_part;
    return;
  }
  const auto some = sizes.first(sizes.size() / 2);
  const std::size_t left = std::accumulate(some.begin(), some.end(), std::size_t{0});
  const Sides side = sides_of(piece, grid, cells, left);
  Subgraphs subgraphs(piece.graph);
  for (std::uint8_t half = 0; half < 2; ++half) {
    std::vector<Rank> locals, their_names;
    std::vector<Cell> theirs;
    for (Rank local = 0; local < side.size(); ++local) {
      if (side[local] != half) continue;
      locals.push_back(local);
      theirs.push_back(cells[local]);
      their_names.push_back(names[local]);
    }
    const auto their_sizes = half == 0 ? some : sizes.subspan(some.size());
    const Domain their_first = first_part + (half == 0 ? 0 : static_cast<Domain>(some.size()));
    const SizedGraph sub = their_sizes.size() == 1 ? SizedGraph{} : with_unit_sizes(subgraphs.of(locals));
    halve(sub, grid, theirs, their_sizes, their_names, their_first, part);
  }
}

}  // namespace

std::vector<Domain> halved_by_slices(const Graph& piece, const Grid& grid, std::span<const Rank> ranks,
                                     std::span<const std::size_t> sizes) {
  std::vector<Domain> part(ranks.size(), 0);
  std::vector<Rank> names(ranks.size());
  std::iota(names.begin(), names.end(), Rank{0});
  std::vector<Cell> cells;
  cells.reserve(ranks.size());
  for (const Rank rank : ranks) cells.push_back(grid.cell_of(rank));
  halve(with_unit_sizes(piece), grid, cells, sizes, names, 0, part);
  return part;
}

}  // namespace comity::place
