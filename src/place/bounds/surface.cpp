// SPDX-License-Identifier: BSD-3-Clause
#include "place/bounds/surface.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <utility>

#include "place/bounds/filling.hpp"

namespace comity::place {
namespace {

// n^(d-1): the product of the d shadows of n cells is at least this.
double least_product(std::size_t cells, std::size_t dimensions) {
  return std::pow(static_cast<double>(cells), static_cast<double>(dimensions - 1));
}

// Without rounding to whole cells: by the means of Lagrange all terms are equal. Shadows that cannot be below their least only make it larger.
double least_real(std::span<const double> price, double product) {
  double all = product;
  for (const double one : price) all *= one;
  const auto d = static_cast<double>(price.size());
  if (price.size() == 1) return all * (1 - 1e-12);
  return d * (price.size() == 2 ? std::sqrt(all) : std::pow(all, 1 / d)) * (1 - 1e-12);
}

// The least sum of price[i] * shadow[i] with the product of shadows at least `product` and each at least its own least.
class LeastShadows {
 public:
  LeastShadows(std::vector<double> price, std::vector<double> least, double cells)
      : price_(std::move(price)), least_(std::move(least)), cells_(cells) {}

  double find(double product) { return from(0, product * (1 - 1e-12)); }

 private:
  // What a shadow costs together with the least that the others may cost beside it falls and then rises: from its lowest on shadows are tried,
  // longer ones and shorter ones, until that alone is no less than the best so far. No shadow exceeds the number of cells.
  double from(std::size_t i, double product) {
    if (i + 1 == price_.size()) return price_[i] * std::max(least_[i], std::ceil(product));
    double best = std::numeric_limits<double>::infinity();
    const auto try_one = [&](double shadow) {
      const double here = price_[i] * shadow;
      if (here + least_real(std::span(price_).subspan(i + 1), product / shadow) >= best) return false;
      best = std::min(best, here + from(i + 1, product / shadow));
      return true;
    };
    const double lowest = least_[i] + std::floor(std::max(0.0, std::min(cheapest(i, product), cells_) - least_[i]));
    for (double shadow = lowest; shadow <= cells_ && try_one(shadow); ++shadow) {
    }
    for (double shadow = lowest - 1; shadow >= least_[i] && try_one(shadow); --shadow) {
    }
    return best;
  }

  // Where the derivative is nothing, were shadows not whole numbers.
  [[nodiscard]] double cheapest(std::size_t i, double product) const {
    const auto others = static_cast<double>(price_.size() - i - 1);
    const double beside = least_real(std::span(price_).subspan(i + 1), product);  // of a shadow of one
    return std::pow(beside / (others * price_[i]), others / (others + 1));
  }

  std::vector<double> price_, least_;
  double cells_;
};

// In faces: the largest cube, one layer more in as many dimensions as fit, and what is left as the best set of one
// dimension less on a side of that. In three dimensions of Alonso and Cerf, in any of Ahlswede and Bezrukov.
Weight least_faces(std::size_t cells, std::size_t dimensions) {
  if (cells == 0 || dimensions == 0) return 0;
  const auto n = static_cast<Weight>(cells);
  const auto volume = [&](Weight side, std::size_t longer) {
    Weight all = 1;
    for (std::size_t i = 0; i < dimensions; ++i) all *= side + (i < longer ? 1 : 0);
    return all;
  };
  Weight side = 1;
  while (volume(side + 1, 0) <= n) ++side;
  std::size_t longer = 0;
  while (longer + 1 < dimensions && volume(side, longer + 1) <= n) ++longer;
  const Weight box = volume(side, longer);
  Weight faces = 0;
  for (std::size_t i = 0; i < dimensions; ++i) faces += 2 * box / (side + (i < longer ? 1 : 0));
  return faces + least_faces(static_cast<std::size_t>(n - box), dimensions - 1);
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

// A set of fewer cells than every round trip has leaves a layer of each ring empty: it lies in the torus as it would in
// endless space.
bool unrolls(const Grid& grid, std::size_t cells) {
  for (std::size_t i = 0; i < grid.dimensions(); ++i) {
    if (grid.wraps(i) && grid.extents[i] <= cells) return false;
  }
  return true;
}

// Where a periodic dimension is no longer than the set is large, some rows may be closed and show nothing: then the set
// is at least as long there, and so are its shadows in the other dimensions.
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
  if (closed == 0 && unrolls(grid, cells) && all_equal(price)) {
    surface = std::max(surface, least_faces(cells, price.size()) * grid.halo_of(0));
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

// A set has shadows along diagonals too, and for as many of these as there are dimensions, none in the span of others,
// the same holds. All diagonals fall into such groups but some, in three dimensions one (Edmonds 1965 says when: no plane
// holds too many).
Weight least_diagonal(std::size_t dimensions, Weight weight, std::size_t cells) {
  std::size_t directions = 1;
  for (std::size_t i = 0; i < dimensions; ++i) directions *= 3;
  const std::size_t groups = ((directions - 1) / 2 - dimensions) / dimensions;
  const std::vector<double> price(dimensions, static_cast<double>(2 * weight)), least(dimensions, 1.0);
  return weight == 0 || groups == 0 ? 0 : static_cast<Weight>(groups) * least_of_shadows(price, least, cells);
}

// In a plane, all eight neighbours alike: so many pairs of n cells touch at most (Brass 1996).
Weight least_around(std::size_t cells) {
  const auto n = static_cast<Weight>(cells), radicand = 28 * n - 12;
  auto root = static_cast<Weight>(std::sqrt(static_cast<double>(radicand)));
  while (root * root < radicand) ++root;
  while ((root - 1) * (root - 1) >= radicand) --root;
  return 8 * n - 2 * (4 * n - root);
}

// Faces and diagonals of a plane together: what all neighbours have in common, and then what the larger weights have more.
Weight least_in_plane(const Grid& grid, std::size_t cells) {
  const Weight common = std::min({grid.halo_of(0), grid.halo_of(1), grid.diagonal});
  const std::vector<double> more{static_cast<double>(2 * (grid.halo_of(0) - common)),
                                 static_cast<double>(2 * (grid.halo_of(1) - common))};
  const bool flat = more[0] == 0 || more[1] == 0;
  const Weight faces = flat ? static_cast<Weight>(more[0] + more[1]) : least_of_shadows(more, {1, 1}, cells);
  return common * least_around(cells) + faces + least_diagonal(2, grid.diagonal - common, cells);
}

// Of a grid whose rings are all longer than the set.
Weight least_with_diagonals(const Grid& grid, std::size_t cells) {
  const Weight apart = least_surface(grid, cells) + least_diagonal(grid.dimensions(), grid.diagonal, cells);
  return grid.dimensions() == 2 ? std::max(apart, least_in_plane(grid, cells)) : apart;
}

// Steps along diagonals that leave the grid.
Weight diagonal_border(const Grid& grid) {
  std::size_t steps = 1;
  for (std::size_t i = 0; i < grid.dimensions(); ++i) steps *= 3;
  Weight leaving = 0;
  for (std::size_t code = 0; code < steps; ++code) {
    std::size_t rest = code, moved = 0;
    Weight staying = 1;
    for (std::size_t i = 0; i < grid.dimensions(); ++i, rest /= 3) {
      const bool moves = rest % 3 != 1;
      moved += moves ? 1 : 0;
      staying *= static_cast<Weight>(grid.extents[i]) - (moves && !grid.wraps(i) ? 1 : 0);
    }
    if (moved > 1) leaving += static_cast<Weight>(grid.cells()) - staying;
  }
  return grid.diagonal * leaving;
}

// What cells of the largest domain would have to be looked at for one surface, roughly.
double effort_of(const Grid& grid, std::size_t cells) {
  const auto d = static_cast<double>(grid.dimensions());
  double tried = std::pow(3 * std::pow(static_cast<double>(cells), (d - 1) / d), d - 1) / std::tgamma(d);
  for (std::size_t i = 0; i < grid.dimensions(); ++i) tried *= grid.wraps(i) ? 2 : 1;
  return tried;
}

}  // namespace

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

Weight least_between(const Grid& grid, const std::vector<std::size_t>& most) {
  const std::size_t largest = std::min(grid.cells(), *std::max_element(most.begin(), most.end()));
  const auto sum = [&](Weight border, bool monotone, const std::function<Weight(std::size_t)>& surface) {
    const Weight shown = least_filled(most, grid.cells(), {surface, monotone, effort_of(grid, largest)});
    return std::max<Weight>(0, (shown - border + 1) / 2);
  };
  Weight least =
      sum(border_of(grid), unrolls(grid, largest), [&](std::size_t size) { return least_surface(grid, size); });
  if (grid.diagonal > 0 && unrolls(grid, largest)) {
    least = std::max(least, sum(border_of(grid) + diagonal_border(grid), true,
                                [&](std::size_t size) { return least_with_diagonals(grid, size); }));
  }
  return least;
}

}  // namespace comity::place
