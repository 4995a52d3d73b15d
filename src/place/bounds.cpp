// SPDX-License-Identifier: BSD-3-Clause
#include "place/bounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

namespace comity::place {
namespace {

// n^(d-1): the product of the d shadows of n cells is at least this.
double least_product(std::size_t cells, std::size_t dimensions) {
  return std::pow(static_cast<double>(cells), static_cast<double>(dimensions - 1));
}

// The least sum of price[i] * shadow[i] with the product of shadows at least `product` and each at least its own least.
class LeastShadows {
 public:
  LeastShadows(std::vector<double> price, std::vector<double> least, double cells)
      : price_(std::move(price)), least_(std::move(least)), cells_(cells) {}

  double find(double product) { return from(0, product * (1 - 1e-12)); }

 private:
  // No shadow exceeds the number of cells. All but the last are tried, as long as they alone cost less than the best so far.
  double from(std::size_t i, double product) {
    if (i + 1 == price_.size()) return price_[i] * std::max(least_[i], std::ceil(product));
    double best = std::numeric_limits<double>::infinity();
    for (double shadow = least_[i]; shadow <= cells_; ++shadow) {
      const double here = price_[i] * shadow;
      if (here >= best) break;
      best = std::min(best, here + from(i + 1, product / shadow));
    }
    return best;
  }

  std::vector<double> price_, least_;
  double cells_;
};

// Without rounding to whole cells, where trying all would take too long: by the means of Lagrange, all terms are equal. Shadows that
// cannot be below their least only make it larger.
double least_real(const std::vector<double>& price, double product) {
  double all = product;
  for (const double one : price) all *= one;
  const auto d = static_cast<double>(price.size());
  return d * std::pow(all, 1 / d) * (1 - 1e-12);
}

// Alonso and Cerf: the largest cube, then squares on its faces, then a row, then cells; in faces.
Weight least_faces_3d(std::size_t cells) {
  const auto n = static_cast<Weight>(cells);
  Weight side = 0;
  while ((side + 1) * (side + 1) * (side + 1) <= n) ++side;
  std::array<Weight, 3> box{side, side, side};
  for (std::size_t i = 0; i < 2; ++i) {  // to side+1 times side times side, and on
    std::array<Weight, 3> larger = box;
    ++larger[i];
    if (larger[0] * larger[1] * larger[2] <= n) box = larger;
  }
  const Weight rest = n - box[0] * box[1] * box[2];
  Weight faces = 2 * (box[0] * box[1] + box[1] * box[2] + box[0] * box[2]);
  if (rest > 0) faces += 2 * static_cast<Weight>(std::ceil(2 * std::sqrt(static_cast<double>(rest)) - 1e-9));
  return faces;
}

bool all_equal(const std::vector<double>& price) {
  return std::adjacent_find(price.begin(), price.end(), std::not_equal_to<>()) == price.end();
}

// The search tries few shadows beyond the best ones, which are about this large.
bool can_try_all(std::size_t cells, std::size_t dimensions) {
  constexpr double kMostTried = 4e6;
  const auto d = static_cast<double>(dimensions);
  return std::pow(3 * std::pow(static_cast<double>(cells), (d - 1) / d), d - 1) <= kMostTried;
}

// Any set of cells all of whose rows show both ends; price: what a row in each dimension shows.
Weight least_of_shadows(const std::vector<double>& price, const std::vector<double>& least, std::size_t cells) {
  const double product = least_product(cells, price.size());
  double found = least_real(price, product);
  if (can_try_all(cells, price.size())) {
    found = std::max(found, LeastShadows(price, least, static_cast<double>(cells)).find(product));
  }
  return static_cast<Weight>(std::ceil(found * (1 - 1e-12) - 1e-9));
}

// Where a periodic dimension is no longer than the set is large, some rows may be closed and show nothing: then the set is at least as
// long there, and so are its shadows in the other dimensions.
Weight least_with_closed_rows(const Grid& grid, std::size_t cells, unsigned closed) {
  std::vector<double> price, least(grid.dimensions(), 1.0);
  double shown_too_much = 0;
  for (std::size_t i = 0; i < grid.dimensions(); ++i) {
    price.push_back(2.0 * static_cast<double>(grid.halo_of(i)));
    if (((closed >> i) & 1U) == 0) continue;
    const std::size_t rings = cells / grid.extents[i];
    shown_too_much += price[i] * static_cast<double>(rings);
    for (std::size_t j = 0; j < grid.dimensions(); ++j) {
      if (j != i) least[j] = std::max(least[j], static_cast<double>(grid.extents[i]));
    }
  }
  Weight surface = least_of_shadows(price, least, cells);
  // A set shorter than every round trip lies in the torus as it would in endless space.
  bool unrolls = closed == 0;
  for (std::size_t i = 0; i < grid.dimensions(); ++i) unrolls = unrolls && !(grid.wraps(i) && grid.extents[i] <= cells);
  if (unrolls && price.size() == 3 && all_equal(price)) {
    surface = std::max(surface, least_faces_3d(cells) * grid.halo_of(0));
  }
  return std::max<Weight>(0, surface - static_cast<Weight>(shown_too_much));
}

// What the borders of the open dimensions show, all around the grid.
Weight border_of(const Grid& grid) {
  Weight border = 0;
  for (std::size_t i = 0; i < grid.dimensions(); ++i) {
    if (!grid.wraps(i)) border += 2 * grid.halo_of(i) * static_cast<Weight>(grid.cells() / grid.extents[i]);
  }
  return border;
}

// In a plane every set has two shadows along the diagonals too, and the same holds for them.
Weight least_diagonal(const Grid& grid, std::size_t cells) {
  const auto price = static_cast<double>(2 * grid.diagonal);
  return least_of_shadows({price, price}, {1, 1}, cells);
}

Weight diagonal_border(const Grid& grid) {
  const auto rows = static_cast<Weight>(grid.extents[0]), columns = static_cast<Weight>(grid.extents[1]);
  return 4 * grid.diagonal * (rows * columns - (rows - 1) * (columns - 1));
}

template <typename Surface>
Weight least_sum_of(const Level& level, Weight border, Surface&& surface) {
  std::map<std::size_t, Weight> by_size;
  Weight total = 0;
  for (std::size_t domain = 0; domain < level.domains(); ++domain) {
    const std::size_t size = level.size(domain);
    const auto [at, fresh] = by_size.try_emplace(size, 0);
    if (fresh) at->second = surface(size);
    total += at->second;
  }
  return std::max<Weight>(0, (total - border + 1) / 2);
}

// Of any graph: a rank keeps at most its heaviest edges to as many others as fit into its domain.
Weight least_by_degree(const Graph& graph, const Level& level) {
  std::size_t largest = 0;
  for (std::size_t domain = 0; domain < level.domains(); ++domain) largest = std::max(largest, level.size(domain));
  Weight leaving = 0;
  std::map<Rank, Weight> exchanged;  // with each neighbour, however many edges join the two
  std::vector<Weight> weights;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    if (graph.edges_of(rank) < largest) continue;
    exchanged.clear();
    weights.clear();
    graph.for_each_edge(rank, [&](Rank other, Weight weight) { exchanged[other] += weight; });
    for (const auto& [other, weight] : exchanged) weights.push_back(weight);
    std::sort(weights.begin(), weights.end());
    for (std::size_t i = 0; i + largest <= weights.size(); ++i) leaving += weights[i];
  }
  return (leaving + 1) / 2;
}

}  // namespace

Weight share(Weight total, std::size_t domains) {
  const auto count = static_cast<Weight>(domains);
  return (total + count - 1) / count;
}

Weight least_surface(const Grid& grid, std::size_t cells) {
  Weight least = std::numeric_limits<Weight>::max();
  for (unsigned closed = 0; closed < (1U << grid.dimensions()); ++closed) {
    bool can = true;
    for (std::size_t i = 0; i < grid.dimensions(); ++i) {
      if (((closed >> i) & 1U) != 0) can = can && grid.wraps(i) && grid.extents[i] <= cells;
    }
    if (can) least = std::min(least, least_with_closed_rows(grid, cells, closed));
  }
  return least;
}

std::vector<Weight> least_together(const Graph& graph, const Grid* grid, const Site& site) {
  std::vector<Weight> together;
  Weight before = 0;
  for (const Level& level : site.levels()) {
    Weight least = level.domains() > 1 ? least_by_degree(graph, level) : 0;
    if (grid != nullptr && level.domains() > 1) {
      Weight faces =
          least_sum_of(level, border_of(*grid), [&](std::size_t size) { return least_surface(*grid, size); });
      if (grid->diagonal > 0 && grid->dimensions() == 2 && !grid->wraps()) {
        faces +=
            least_sum_of(level, diagonal_border(*grid), [&](std::size_t size) { return least_diagonal(*grid, size); });
      }
      least = std::max(least, faces);
    }
    before = std::max(before, least);
    together.push_back(before);
  }
  return together;
}

std::vector<Bound> bounds_of(const Site& site, const std::vector<Weight>& together, const Cut& cut) {
  std::vector<Bound> bounds;
  Weight outside = 0;
  for (std::size_t level = 0; level < together.size(); ++level) {
    const Weight sum = std::max<Weight>(0, together[level] - outside);
    // At the first level an edge burdens both of its nodes.
    const Weight worst = level == 0 ? share(2 * sum, site.nodes()) : share(sum, site.levels()[level - 1].domains());
    bounds.push_back({sum, worst});
    outside += cut[level].weight.sum;
  }
  return bounds;
}

}  // namespace comity::place
