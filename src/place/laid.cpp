// SPDX-License-Identifier: BSD-3-Clause
#include "place/laid.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "place/torus_walk.hpp"

namespace comity::place {
namespace {

constexpr std::size_t kMostWays = 8, kMostLaid = 3;
constexpr std::size_t kMostTorusDimensions = 6;      // that are longer than one node
constexpr std::size_t kMostLookedAt = 200'000;       // ways
constexpr std::size_t kMostOffsetCells = 2'000'000;  // boxes looked at, by all places of the first one

using Extents = std::vector<std::uint32_t>;
using Group = unsigned;  // dimensions of the torus, a bit each

// How a dimension of the grid is cut, and where it goes along.
struct Along {
  std::uint32_t boxes;
  Group group;
};

struct Way {
  double links;
  std::vector<Along> along;  // of each dimension of the grid
};

Extents extents_of(const Extents& torus, Group group) {
  Extents extents;
  for (std::size_t i = 0; i < torus.size(); ++i) {
    if ((group >> i & 1U) != 0) extents.push_back(torus[i]);
  }
  return extents;
}

TorusWalk walk_along(const Extents& torus, const Along& along, bool closed) {
  const Extents extents = extents_of(torus, along.group);
  return closed ? closed_walk(extents, along.boxes) : open_walk(extents, along.boxes);
}

// Of all ways with at most so many cells in a box those of fewest links, as far as boxes of a dimension are next to each other.
class Ways {
 public:
  Ways(const Grid& grid, const Extents& torus, std::size_t room) : grid_(grid), torus_(torus), room_(room) {}

  std::vector<Way> best() {
    now_.resize(grid_.dimensions());
    descend(0, (Group{1} << torus_.size()) - 1, 1, 0);
    return std::move(best_);
  }

 private:
  void descend(std::size_t dimension, Group left, std::size_t cells, double links) {
    if (looked_at_ > kMostLookedAt || (best_.size() == kMostWays && links >= best_.back().links)) return;
    if (dimension == grid_.dimensions()) {
      keep(links);
      return;
    }
    const std::uint32_t extent = grid_.extents[dimension];
    for (Group group = left;; group = (group - 1) & left) {
      std::uint32_t before = 0;
      for (std::uint32_t width = 1; width <= extent && cells * width <= room_; ++width) {
        const std::uint32_t boxes = (extent + width - 1) / width;
        if (boxes == std::exchange(before, boxes) || !suits(group, boxes, grid_.wraps(dimension))) continue;
        ++looked_at_;
        now_[dimension] = {boxes, group};
        descend(dimension + 1, left & ~group, cells * width, links + links_in(dimension, now_[dimension]));
      }
      if (group == 0) break;
    }
  }

  [[nodiscard]] std::size_t capacity(Group group) const {
    const Extents extents = extents_of(torus_, group);
    return std::accumulate(extents.begin(), extents.end(), std::size_t{1}, std::multiplies<>());
  }

  // A ring may need more of the torus than has room for its boxes; else that would be the same way again.
  [[nodiscard]] bool suits(Group group, std::uint32_t boxes, bool closed) const {
    if (boxes > capacity(group)) return false;
    if (closed && boxes > 1) return true;
    for (Group one = 1; one <= group; one <<= 1U) {
      if ((group & one) != 0 && boxes <= capacity(group & ~one)) return false;
    }
    return true;
  }

  double links_in(std::size_t dimension, const Along& along) {
    const std::size_t rows = grid_.cells() / grid_.extents[dimension];
    const double exchanged = static_cast<double>(grid_.halo_of(dimension)) * static_cast<double>(rows);
    if (!grid_.wraps(dimension)) return exchanged * (along.boxes - 1);
    const auto [known, is_new] = ring_links_.try_emplace({along.boxes, along.group}, 0.0);
    if (is_new) {
      known->second =
          static_cast<double>(links_of(walk_along(torus_, along, true), extents_of(torus_, along.group), true));
    }
    return exchanged * known->second;
  }

  void keep(double links) {
    const auto at = std::ranges::upper_bound(best_, links, {}, &Way::links);
    best_.insert(at, {links, now_});
    if (best_.size() > kMostWays) best_.pop_back();
  }

  const Grid& grid_;
  const Extents& torus_;
  std::size_t room_;
  std::size_t looked_at_ = 0;
  std::map<std::pair<std::uint32_t, Group>, double> ring_links_;
  std::vector<Along> now_;
  std::vector<Way> best_;
};

// The nodes of a torus by their cells.
class Nodes {
 public:
  Nodes(const Site& site, const Network& torus) : torus_(torus.torus), rooms_(torus.order.size(), 0), domains_(rooms_) {
    const Level& nodes = site.levels()[site.node_level()];
    for (Domain node = 0; node < nodes.domains(); ++node) {
      rooms_[site.number_of(node)] = static_cast<std::uint32_t>(nodes.size(node));
      domains_[site.number_of(node)] = node;
    }
    for (std::size_t i = 0; i < torus_.size(); ++i) {
      if (torus_[i] > 1) used_.push_back(i);
    }
  }

  // Without those of one node.
  [[nodiscard]] Extents extents() const {
    Extents extents;
    for (const std::size_t i : used_) extents.push_back(torus_[i]);
    return extents;
  }

  [[nodiscard]] std::size_t number(const TorusCell& cell) const {
    std::size_t number = 0;
    for (std::size_t i = 0, at = 0; i < torus_.size(); ++i) {
      const bool is_used = at < used_.size() && used_[at] == i;
      number = number * torus_[i] + (is_used ? cell[at++] : 0);
    }
    return number;
  }

  [[nodiscard]] std::uint32_t room(std::size_t number) const { return rooms_[number]; }
  [[nodiscard]] Domain domain(std::size_t number) const { return domains_[number]; }
  // The largest, and the smallest one that there is.
  [[nodiscard]] std::set<std::size_t> rooms() const {
    std::set<std::size_t> rooms(rooms_.begin(), rooms_.end());
    rooms.erase(0);
    return {*rooms.rbegin(), *rooms.begin()};
  }

 private:
  const Extents& torus_;
  std::vector<std::uint32_t> rooms_;  // by number, 0 where no rank has room
  std::vector<Domain> domains_;
  std::vector<std::size_t> used_;  // dimensions
};

// The boxes of one way, and where they lie.
class Boxes {
 public:
  Boxes(const Grid& grid, const Nodes& nodes, const Way& way)
      : grid_(grid), nodes_(nodes), extents_(nodes.extents()), way_(way) {
    for (std::size_t i = 0; i < grid.dimensions(); ++i)
      walks_.push_back(walk_along(extents_, way.along[i], grid.wraps(i)));
    count_cells();
  }

  // The node of each rank, with the first box wherever all of them have room; none where that is nowhere.
  [[nodiscard]] std::optional<std::vector<Domain>> lay() const {
    const std::size_t all = std::accumulate(extents_.begin(), extents_.end(), std::size_t{1}, std::multiplies<>());
    const std::size_t tried = std::clamp<std::size_t>(kMostOffsetCells / cells_.size(), 1, all);
    for (const TorusCell& first : open_walk(extents_, tried)) {
      if (const auto numbers = numbers_from(first)) return node_of(*numbers);
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::uint32_t box_at(std::size_t dimension, std::uint32_t cell) const {
    return static_cast<std::uint32_t>(std::uint64_t{cell} * way_.along[dimension].boxes / grid_.extents[dimension]);
  }

  void count_cells() {
    cells_ = {1};
    for (std::size_t i = 0; i < grid_.dimensions(); ++i) {
      std::vector<std::uint32_t> widths(way_.along[i].boxes, 0);
      for (std::uint32_t cell = 0; cell < grid_.extents[i]; ++cell) ++widths[box_at(i, cell)];
      std::vector<std::uint32_t> product;
      for (const std::uint32_t cells : cells_) {
        for (const std::uint32_t width : widths) product.push_back(cells * width);
      }
      cells_ = std::move(product);
    }
  }

  // Of each box the number of its node.
  [[nodiscard]] std::optional<std::vector<std::size_t>> numbers_from(const TorusCell& first) const {
    std::vector<std::size_t> numbers;
    numbers.reserve(cells_.size());
    for (std::size_t box = 0; box < cells_.size(); ++box) {
      const std::size_t number = nodes_.number(cell_of(box, first));
      if (nodes_.room(number) < cells_[box]) return std::nullopt;
      numbers.push_back(number);
    }
    return numbers;
  }

  [[nodiscard]] TorusCell cell_of(std::size_t box, TorusCell cell) const {
    for (std::size_t i = grid_.dimensions(); i-- > 0; box /= way_.along[i].boxes) {
      const TorusCell& step = walks_[i][box % way_.along[i].boxes];
      for (std::size_t dimension = 0, at = 0; dimension < extents_.size(); ++dimension) {
        if ((way_.along[i].group >> dimension & 1U) == 0) continue;
        cell[dimension] = (cell[dimension] + step[at++]) % extents_[dimension];
      }
    }
    return cell;
  }

  [[nodiscard]] std::vector<Domain> node_of(const std::vector<std::size_t>& numbers) const {
    std::vector<Domain> nodes;
    nodes.reserve(grid_.cells());
    for (Rank rank = 0; rank < grid_.cells(); ++rank) {
      const Cell cell = grid_.cell_of(rank);
      std::size_t box = 0;
      for (std::size_t i = 0; i < grid_.dimensions(); ++i) box = box * way_.along[i].boxes + box_at(i, cell[i]);
      nodes.push_back(nodes_.domain(numbers[box]));
    }
    return nodes;
  }

  const Grid& grid_;
  const Nodes& nodes_;
  Extents extents_;
  const Way& way_;
  std::vector<TorusWalk> walks_;      // of each dimension of the grid
  std::vector<std::uint32_t> cells_;  // of each box, in row-major order
};

}  // namespace

std::vector<std::vector<Domain>> laid_on_torus(const Grid& grid, const Site& site, const Network& torus) {
  const Nodes nodes(site, torus);
  const Extents extents = nodes.extents();
  std::vector<std::vector<Domain>> laid;
  if (extents.empty() || extents.size() > kMostTorusDimensions) return laid;
  for (const std::size_t room : nodes.rooms()) {
    std::size_t left = kMostLaid;
    for (const Way& way : Ways(grid, extents, room).best()) {
      if (left == 0) break;
      auto node_of = Boxes(grid, nodes, way).lay();
      if (!node_of || std::ranges::find(laid, *node_of) != laid.end()) continue;
      laid.push_back(*std::move(node_of));
      --left;
    }
  }
  return laid;
}

std::vector<Domain> ring_of_nodes(const Site& site, const Network& torus, std::size_t count) {
  const Nodes nodes(site, torus);
  std::vector<Domain> ring;
  for (const TorusCell& cell : closed_walk(nodes.extents(), count)) ring.push_back(nodes.domain(nodes.number(cell)));
  return ring;
}

}  // namespace comity::place
