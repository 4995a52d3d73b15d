// SPDX-License-Identifier: BSD-3-Clause
// Oracle: the same figures as the mapper's, worked out the slow way from places and neighbours alone; and small random cases.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "place/mapper.hpp"
#include "sanitizer.hpp"

namespace oracle {

using namespace comity::place;

inline Site site(std::size_t nodes, const std::string& topology) { return Site({{nodes, node_shape(topology)}}); }

// Where a step from a cell leads, if it does not leave the grid or end where it began.
inline std::optional<Rank> after_step(const Grid& grid, Rank rank, const std::vector<int>& step) {
  Cell cell = grid.cell_of(rank);
  for (std::size_t i = 0; i < grid.dimensions(); ++i) {
    const int extent = static_cast<int>(grid.extents[i]), at = static_cast<int>(cell[i]) + step[i];
    if ((at < 0 || at >= extent) && !grid.wraps(i)) return std::nullopt;
    cell[i] = static_cast<std::uint32_t>((at + extent) % extent);
  }
  const Rank to = grid.rank_of(cell);
  return to == rank ? std::nullopt : std::optional(to);
}

// Exchanges of an open or closed grid: each cell with the next one in each dimension, and those that touch at an edge or a corner. Of a
// step and its opposite one counts: that whose first part leads on.
inline std::vector<Edge> edges(const Grid& grid) {
  std::vector<Edge> result;
  std::vector<int> step(grid.dimensions(), -1);
  const auto next_step = [&] {
    std::size_t i = 0;
    while (i < step.size() && step[i] == 1) step[i++] = -1;
    if (i < step.size()) ++step[i];
    return i < step.size();
  };
  do {
    const auto moves = std::count_if(step.begin(), step.end(), [](int one) { return one != 0; });
    const auto first = std::find_if(step.begin(), step.end(), [](int one) { return one != 0; });
    if (moves == 0 || *first < 0 || (moves > 1 && grid.diagonal == 0)) continue;
    const Weight weight = moves == 1 ? grid.halo_of(static_cast<std::size_t>(first - step.begin())) : grid.diagonal;
    for (Rank rank = 0; rank < grid.cells(); ++rank) {
      if (const auto to = after_step(grid, rank, step)) result.push_back({rank, *to, weight});
    }
  } while (next_step());
  return result;
}

struct Figures {
  Weight sum = 0, worst = 0;

  friend bool operator==(const Figures&, const Figures&) = default;
};

inline std::size_t domain(const Level& level, Place place) {
  std::size_t domain = 0;
  while (level.first[domain + 1] <= place) ++domain;
  return domain;
}

// Between nodes by their ends; between domains of an inner level inside each enclosing domain.
inline Figures figures(const std::vector<Edge>& edges, const Site& site, const Mapping& mapping, std::size_t level) {
  Figures result;
  std::vector<Weight> borne(site.places(), 0);
  for (const Edge& edge : edges) {
    const Place a = mapping[edge.a], b = mapping[edge.b];
    const Level& own = site.levels()[level];
    if (domain(own, a) == domain(own, b)) continue;
    if (level == 0) {
      borne[domain(own, a)] += edge.weight;
      borne[domain(own, b)] += edge.weight;
    } else {
      const Level& outer = site.levels()[level - 1];
      if (domain(outer, a) != domain(outer, b)) continue;
      borne[domain(outer, a)] += edge.weight;
    }
    result.sum += edge.weight;
  }
  for (const Weight one : borne) result.worst = std::max(result.worst, one);
  return result;
}

inline Figures told(const Cut& cut, std::size_t level) { return {cut[level].weight.sum, cut[level].weight.worst}; }

inline bool is_injective(const Mapping& mapping, const Site& site) {
  const std::set<Place> places(mapping.begin(), mapping.end());
  return places.size() == mapping.size() && (places.empty() || *places.rbegin() < site.places());
}

// Calls visit(part of each rank) for every division into parts of these sizes.
template <typename Visit>
void every_division(std::size_t ranks, std::vector<std::size_t> room, Visit&& visit) {
  std::vector<Domain> part(ranks, 0);
  const auto place = [&](auto&& self, std::size_t rank) -> void {
    if (rank == ranks) {
      visit(part);
      return;
    }
    for (Domain one = 0; one < room.size(); ++one) {
      if (room[one] == 0) continue;
      --room[one];
      part[rank] = one;
      self(self, rank + 1);
      ++room[one];
    }
  };
  place(place, 0);
}

inline Figures of_division(const std::vector<Edge>& edges, const std::vector<Domain>& part) {
  const Domain parts = part.empty() ? 0 : 1 + *std::max_element(part.begin(), part.end());  // maybe more than ranks
  std::vector<Weight> borne(parts, 0);
  Figures result;
  for (const Edge& edge : edges) {
    if (part[edge.a] == part[edge.b]) continue;
    result.sum += edge.weight;
    borne[part[edge.a]] += edge.weight;
    borne[part[edge.b]] += edge.weight;
  }
  for (const Weight one : borne) result.worst = std::max(result.worst, one);
  return result;
}

// How many of so many random jobs are tried: the first third, and all where PLACE_JOBS says so (label "all"). Sanitizers make a mapper
// twenty times as slow.
inline int jobs(int all) {
  const char* const wish = std::getenv("PLACE_JOBS");
  const bool every = wish != nullptr && std::string(wish) == "all";
  return std::max(1, comity::testing::kHasSanitizer ? all / 12 : every ? all : all / 3);
}

class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed) {}
  std::uint32_t from(std::uint32_t low, std::uint32_t high) {
    return low + static_cast<std::uint32_t>(random_() % (high - low + 1));
  }

  static constexpr std::size_t kMostCells = 216;

  // Of one to four dimensions.
  Grid grid(std::uint32_t most_extent, bool weighted = true) {
    Grid grid;
    for (std::uint32_t i = from(1, 4); i > 0; --i) {
      const std::size_t cells =
          std::accumulate(grid.extents.begin(), grid.extents.end(), std::size_t{1}, std::multiplies<>());
      const auto most = static_cast<std::uint32_t>(kMostCells / cells);
      grid.extents.push_back(from(1, std::clamp<std::uint32_t>(most, 1, most_extent)));
    }
    if (from(0, 1) == 1) {
      for (std::size_t i = 0; i < grid.dimensions(); ++i) grid.periodic.push_back(from(0, 1) == 1);
    }
    if (weighted && from(0, 1) == 1) {
      for (std::size_t i = 0; i < grid.dimensions(); ++i) grid.halo.push_back(from(1, 9));
    }
    if (from(0, 2) == 0) grid.diagonal = from(1, 3);
    return grid;
  }

  std::vector<Edge> edges(std::uint32_t ranks, std::uint32_t count) {
    std::vector<Edge> result;
    while (ranks > 1 && result.size() < count) {
      const Rank a = from(0, ranks - 1), b = from(0, ranks - 1);
      if (a != b) result.push_back({a, b, from(1, 5)});
    }
    return result;
  }

  // Ranks are points of a square; near ones exchange something.
  std::vector<Edge> edges_of_near_ones(std::uint32_t ranks) {
    constexpr std::uint32_t kSide = 1'000;
    constexpr double kNear = 2.0;  // of a rank: about twice three
    std::vector<std::array<double, 2>> points;
    for (std::uint32_t i = 0; i < ranks; ++i) points.push_back({1.0 * from(0, kSide), 1.0 * from(0, kSide)});
    const double reach = kSide * std::sqrt(kNear / ranks);
    std::vector<Edge> result;
    for (Rank a = 0; a < ranks; ++a) {
      for (Rank b = a + 1; b < ranks; ++b) {
        const double far = std::hypot(points[a][0] - points[b][0], points[a][1] - points[b][1]);
        if (far < reach) result.push_back({a, b, from(1, 9)});
      }
    }
    return result;
  }

 private:
  std::mt19937 random_;  // the same numbers everywhere
};

}  // namespace oracle
