// SPDX-License-Identifier: BSD-3-Clause
// C++ over place.h: an order of processes, and grids cut into boxes.
#pragma once

#include <comity/place.h>

#include <comity/comity.hpp>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

namespace comity {

// What an order is to make small.
enum class Objective : int { worst = COMITY_PLACE_WORST, sum = COMITY_PLACE_SUM, time = COMITY_PLACE_TIME };

// What neighbours of a grid exchange (empty: it closes nowhere, and every exchange weighs 1), and what is to be small of it.
struct GridPattern {
  std::vector<std::int32_t> periodic = {};
  std::vector<std::int64_t> halo = {};
  Objective objective = Objective::worst;
};

namespace detail {

template <typename T>
const T* pointer_to(const std::vector<T>& some, std::size_t dimensions) {
  if (some.empty()) return nullptr;
  if (some.size() != dimensions)
    throw std::invalid_argument("comity: a grid pattern has one entry a dimension, or none");
  return some.data();
}

}  // namespace detail

[[nodiscard]] inline comity_place_seat seat_of(const Context& context) {
  comity_place_seat seat{};
  check(comity_context_seat(context.handle(), &seat));
  return seat;
}

// The new rank of each process; -1 for those that a grid with fewer cells leaves out.
[[nodiscard]] inline std::vector<std::int32_t> order_for_grid(const std::vector<comity_place_seat>& seats,
                                                              const std::vector<std::int32_t>& extents,
                                                              const GridPattern& pattern = {}) {
  std::vector<std::int32_t> new_ranks(seats.size());
  check(comity_place_grid(
      static_cast<std::int32_t>(seats.size()), seats.data(), static_cast<std::int32_t>(extents.size()), extents.data(),
      detail::pointer_to(pattern.periodic, extents.size()), detail::pointer_to(pattern.halo, extents.size()),
      static_cast<comity_place_objective>(pattern.objective), new_ranks.data()));
  return new_ranks;
}

// How good the last order is that a call of this thread found: a level each, nodes first.
[[nodiscard]] inline std::vector<comity_place_figures> figures_found() {
  std::vector<comity_place_figures> found(1);
  check(comity_place_found(0, found.data()));
  found.resize(static_cast<std::size_t>(found.front().levels));
  for (std::size_t level = 1; level < found.size(); ++level) {
    check(comity_place_found(static_cast<std::int32_t>(level), &found[level]));
  }
  return found;
}

// Levels of boxes: Decomposition({480, 320}, {in_parts(16), in_parts(4), in_cells(32768)}).
[[nodiscard]] inline comity_place_level in_parts(std::int64_t parts) { return {parts, 0}; }
[[nodiscard]] inline comity_place_level in_cells(std::int64_t most_cells) { return {0, most_cells}; }

struct Box {
  std::vector<std::int64_t> first;   // [cells] of each dimension
  std::vector<std::int64_t> extent;  // [cells]
};

class Decomposition {
 public:
  Decomposition(std::vector<std::int64_t> extents, const std::vector<comity_place_level>& levels)
      : extents_(std::move(extents)), cuts_(levels.size() * extents_.size()) {
    check(comity_place_decompose(dimensions(), extents_.data(), static_cast<std::int32_t>(levels.size()), levels.data(),
                                 cuts_.data()));
  }

  // [pieces] of each dimension at a level.
  [[nodiscard]] std::vector<std::int32_t> cuts(std::size_t level) const {
    const auto first = cuts_.begin() + static_cast<std::ptrdiff_t>(level * extents_.size());
    return {first, first + static_cast<std::ptrdiff_t>(extents_.size())};
  }
  // [boxes] that each box of the level before is cut into.
  [[nodiscard]] std::int64_t parts(std::size_t level) const {
    std::int64_t all = 1;
    for (const std::int32_t pieces : cuts(level)) all *= pieces;
    return all;
  }
  // The index[l]-th box at each level l, in row-major order of the cuts; with fewer indices an outer box.
  [[nodiscard]] Box box(const std::vector<std::int64_t>& index) const {
    if (index.size() * extents_.size() > cuts_.size()) {
      throw std::invalid_argument("comity: a box has one index a level at most");
    }
    Box found{std::vector<std::int64_t>(extents_.size()), std::vector<std::int64_t>(extents_.size())};
    check(comity_place_box(dimensions(), extents_.data(), static_cast<std::int32_t>(index.size()), cuts_.data(),
                           index.data(), found.first.data(), found.extent.data()));
    return found;
  }

 private:
  [[nodiscard]] std::int32_t dimensions() const { return static_cast<std::int32_t>(extents_.size()); }

  std::vector<std::int64_t> extents_;
  std::vector<std::int32_t> cuts_;
};

}  // namespace comity
