// SPDX-License-Identifier: BSD-3-Clause
#include "place/torus_walk.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

namespace comity::place {
namespace {

using Extents = std::vector<std::uint32_t>;

std::size_t cells_of(const Extents& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::size_t{1}, std::multiplies<>());
}

// One dimension and the others, for walks that go through the others row by row.
struct Split {
  std::size_t dimension;
  std::uint32_t rows;
  Extents others;

  [[nodiscard]] TorusCell cell(std::uint32_t row, const TorusCell& column) const {
    TorusCell cell = column;
    cell.insert(cell.begin() + static_cast<std::ptrdiff_t>(dimension), row);
    return cell;
  }
};

std::vector<Split> splits_of(const Extents& extents) {
  std::vector<Split> splits;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    Extents others = extents;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    splits.push_back({i, extents[i], std::move(others)});
  }
  return splits;
}

// Down the first column of an even number of rows, and back through the other columns in pairs of rows, as far in each pair as there are
// cells: a comb, all of whose steps are one link, of any even number of cells from twice the rows on.
std::optional<TorusWalk> comb(const Split& split, std::size_t cells) {
  const std::size_t columns = cells_of(split.others);
  std::size_t rows = 2;
  while (rows * columns < cells) rows += 2;
  if (columns < 2 || rows > split.rows || cells % 2 != 0 || cells < 2 * rows) return std::nullopt;
  const TorusWalk column = open_walk(split.others, columns);
  TorusWalk walk;
  walk.reserve(cells);
  for (std::size_t row = 0; row < rows; ++row) walk.push_back(split.cell(static_cast<std::uint32_t>(row), column[0]));
  std::size_t left = cells - rows, pairs = rows / 2;
  for (std::size_t pair = pairs; pair-- > 0; --pairs) {
    const std::size_t tooth = std::min(columns - 1, left / 2 - (pairs - 1));  // each later pair has one at least
    const auto row = static_cast<std::uint32_t>(2 * pair);
    for (std::size_t i = 1; i <= tooth; ++i) walk.push_back(split.cell(row + 1, column[i]));
    for (std::size_t i = tooth; i > 0; --i) walk.push_back(split.cell(row, column[i]));
    left -= 2 * tooth;
  }
  return walk;
}

// Through all cells of an odd number of rows of an odd number of columns, which both close to rings: each row is gone through all around,
// and so many one way and the other that the last one ends where the first began.
std::optional<TorusWalk> around(const Split& split) {
  const TorusWalk rings = closed_walk(split.others, cells_of(split.others));
  if (links_of(rings, split.others, true) != rings.size()) return std::nullopt;
  const bool by_rows = split.rows >= rings.size();
  const std::size_t rows = by_rows ? split.rows : rings.size(), columns = by_rows ? rings.size() : split.rows;
  TorusWalk walk;
  walk.reserve(rows * columns);
  const std::size_t forwards = (rows + columns) / 2;
  std::size_t at = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t step = row < forwards ? 1 : columns - 1;
    for (std::size_t i = 0; i < columns; ++i, at = (at + step) % columns) {
      walk.push_back(by_rows ? split.cell(static_cast<std::uint32_t>(row), rings[at])
                             : split.cell(static_cast<std::uint32_t>(at), rings[row]));
    }
    at = (at + columns - step) % columns;  // where the row ended, the next one begins
  }
  return walk;
}

}  // namespace

std::uint32_t links_between(const TorusCell& one, const TorusCell& other, const std::vector<std::uint32_t>& extents) {
  std::uint32_t links = 0;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::uint32_t way = one[i] > other[i] ? one[i] - other[i] : other[i] - one[i];
    links += std::min(way, extents[i] - way);
  }
  return links;
}

std::uint64_t links_of(const TorusWalk& walk, const std::vector<std::uint32_t>& extents, bool closed) {
  std::uint64_t links = 0;
  for (std::size_t i = 1; i < walk.size(); ++i) links += links_between(walk[i - 1], walk[i], extents);
  return closed && walk.size() > 1 ? links + links_between(walk.back(), walk.front(), extents) : links;
}

// To and fro: each dimension is gone through backwards where the slower ones have made an odd number of steps.
TorusWalk open_walk(const std::vector<std::uint32_t>& extents, std::size_t cells) {
  TorusWalk walk(cells, TorusCell(extents.size(), 0));
  for (std::size_t step = 0; step < cells; ++step) {
    std::size_t rest = step;
    for (std::size_t i = extents.size(); i-- > 0; rest /= extents[i]) {
      const auto at = static_cast<std::uint32_t>(rest % extents[i]);
      walk[step][i] = rest / extents[i] % 2 == 1 ? extents[i] - 1 - at : at;
    }
  }
  return walk;
}

TorusWalk closed_walk(const std::vector<std::uint32_t>& extents, std::size_t cells) {
  TorusWalk best = open_walk(extents, cells);
  if (extents.size() < 2) return best;
  const std::size_t all = cells_of(extents);
  const auto consider = [&](std::optional<TorusWalk> walk) {
    if (!walk) return;
    walk->resize(cells);  // without the last ones, if it is longer
    if (links_of(*walk, extents, true) < links_of(best, extents, true)) best = *std::move(walk);
  };
  for (const Split& split : splits_of(extents)) {
    if (links_of(best, extents, true) == cells) break;
    consider(comb(split, cells + cells % 2));
    if (all % 2 == 1 && cells + 1 >= all) consider(around(split));
  }
  return best;
}

}  // namespace comity::place
