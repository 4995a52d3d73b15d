// SPDX-License-Identifier: BSD-3-Clause
// Seats, orders of processes and boxes, as C arrays.
#include <comity/place.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "base/options.hpp"
#include "capi/guard.hpp"
#include "capi/handle.hpp"
#include "os/environment.hpp"
#include "place/decompose.hpp"
#include "place/seats.hpp"

using namespace comity;
using capi::guard;
using capi::required;
using capi::unwrap;

static_assert(COMITY_PLACE_DIMENSIONS == place::kMostDimensions);
static_assert(COMITY_PLACE_LEVELS == 1 + place::kLevelTypes.size());

namespace {

// Of the last order that this thread was told. Fixed room, so that it needs no destructor at a thread's end.
struct Found {
  std::size_t levels;
  std::array<comity_place_figures, COMITY_PLACE_LEVELS> figures;
};
thread_local Found last_found{};

template <typename T>
std::span<const T> array(const T* first, std::int64_t count, const char* parameter) {
  if (count == 0) return {};
  return {&required(first, parameter, "an array"), static_cast<std::size_t>(count)};
}

template <typename T>
std::span<const T> optional_array(const T* first, std::int64_t count) {
  return first == nullptr ? std::span<const T>() : std::span<const T>(first, static_cast<std::size_t>(count));
}

void require_count(std::int64_t count, std::int64_t least, std::int64_t most, const char* what) {
  if (count >= least && count <= most) return;
  throw Error(Status::range, "place: there are " + std::to_string(count) + ' ' + what + "; give " +
                                 std::to_string(least) + " to " + std::to_string(most));
}

std::vector<place::Seat> seats_of(std::int32_t ranks, const comity_place_seat* seats) {
  require_count(ranks, 1, place::kMostRanks, "ranks");
  std::vector<place::Seat> all;
  all.reserve(static_cast<std::size_t>(ranks));
  for (const comity_place_seat& seat : array(seats, ranks, "seats")) {
    all.push_back({seat.node, seat.position, {seat.package, seat.numa, seat.l3, seat.l2}});
  }
  return all;
}

// Diagonals through a ring of one cell end at the neighbour that the rest of their way leads to: as MPI_Cart_rank counts coordinates, and as
// MPI's own lists have both ways of a ring of two. Each such ring gives every way two more beside it.
void add_ways_through(std::size_t rings, place::Grid& grid) {
  place::Weight ways = 1;
  for (; rings > 0 && ways <= place::kMostHalo; --rings) ways *= 3;
  if (grid.halo.empty()) grid.halo.assign(grid.dimensions(), 1);
  for (place::Weight& halo : grid.halo) halo += (ways - 1) * grid.diagonal;
  const place::Weight most = *std::max_element(grid.halo.begin(), grid.halo.end());
  grid.diagonal *= ways;
  if (std::max(most, grid.diagonal) <= place::kMostHalo) return;
  throw Error(Status::range,
              "place: diagonals through rings of one cell are so many that neighbours exchange more than " +
                  std::to_string(place::kMostHalo) + "; give less in COMITY_PLACE_DIAGONAL");
}

// Dimensions of one cell are left out, but for diagonals through those that close to a ring: programs have them for directions that they
// do not divide.
place::Grid grid_of(std::int32_t dimensions, const std::int32_t* extents, const std::int32_t* periodic,
                    const std::int64_t* halo, place::Weight diagonal) {
  constexpr std::int64_t kMostWritten = 64;  // dimensions, those of one cell too
  std::size_t rings_of_one = 0;
  require_count(dimensions, 1, kMostWritten, "dimensions");
  place::Grid grid;
  for (std::int32_t i = 0; i < dimensions; ++i) {
    const std::int32_t extent = (&required(extents, "extents", "an array"))[i];
    require_count(extent, 1, place::kMostRanks, ("cells in dimension " + std::to_string(i)).c_str());
    const bool is_ring = periodic != nullptr && periodic[i] != 0;
    if (extent == 1) {
      rings_of_one += is_ring ? 1U : 0U;
      continue;
    }
    grid.extents.push_back(static_cast<std::uint32_t>(extent));
    grid.periodic.push_back(is_ring);
    if (halo != nullptr) grid.halo.push_back(halo[i]);
  }
  if (grid.extents.empty()) grid = {{1}};
  grid.diagonal = diagonal;
  grid.check();
  if (diagonal > 0 && rings_of_one > 0) add_ways_through(rings_of_one, grid);
  return grid;
}

std::vector<place::Edge> edges_of(std::int32_t ranks, std::int64_t edges, const std::int32_t* from,
                                  const std::int32_t* to, const std::int64_t* weights) {
  require_count(edges, 0, std::int64_t{1} << 40, "edges");
  const auto one_end = array(from, edges, "from"), other_end = array(to, edges, "to");
  const auto weighed = optional_array(weights, edges);
  std::vector<place::Edge> all;
  all.reserve(one_end.size());
  for (std::size_t i = 0; i < one_end.size(); ++i) {
    if (one_end[i] < 0 || other_end[i] < 0) {
      throw Error(Status::range, "place: edge " + std::to_string(i) + " joins ranks " + std::to_string(one_end[i]) +
                                     " and " + std::to_string(other_end[i]) + "; ranks are 0 or more");
    }
    all.push_back({static_cast<place::Rank>(one_end[i]), static_cast<place::Rank>(other_end[i]),
                   weighed.empty() ? 1 : weighed[i]});
  }
  return place::together(static_cast<std::size_t>(ranks), std::move(all));
}

place::Objective objective_of(comity_place_objective objective) {
  if (objective == COMITY_PLACE_WORST) return {place::Aim::worst};
  if (objective == COMITY_PLACE_SUM) return {place::Aim::sum};
  if (objective == COMITY_PLACE_TIME) return {place::Aim::time};
  throw Error(Status::argument, "there is no objective " + std::to_string(static_cast<int>(objective)) +
                                    "; use COMITY_PLACE_WORST .. COMITY_PLACE_TIME");
}

void tell(const place::Reordering& found, std::size_t processes) {
  if (!log::enabled(log::Level::info)) return;
  const auto add = [](std::string& text, place::Weight worst, place::Weight sum) {
    text += (text.empty() ? "" : ", ") + std::to_string(worst) + '/' + std::to_string(sum);
  };
  std::string before, after, bounds;
  for (std::size_t level = 0; level < found.after.size(); ++level) {
    add(before, found.before[level].weight.worst, found.before[level].weight.sum);
    add(after, found.after[level].weight.worst, found.after[level].weight.sum);
    add(bounds, found.bounds[level].worst, found.bounds[level].sum);
  }
  log::info("place", "ordered " + std::to_string(processes) +
                         " processes: worst/sum of each level, nodes first, were " + before + " and are " + after +
                         ", at least " + bounds);
}

// By what part a figure exceeds its bound; -1 where the bound is 0 and tells nothing.
double gap_of(double figure, double bound) {
  constexpr double kRounding = 1e-9;  // of sums of costs
  if (figure <= bound * (1 + kRounding)) return 0;
  return bound <= 0 ? -1 : (figure - bound) / bound;
}

comity_place_figures figures_of(const place::Reordering& found, std::size_t level) {
  const place::Crossing &before = found.before[level].weight, &after = found.after[level].weight;
  const place::Bound& bound = found.bounds[level];
  const auto gap = [](place::Weight figure, place::Weight least) {
    return gap_of(static_cast<double>(figure), static_cast<double>(least));
  };
  const std::string& name = found.levels[level];
  const auto type = name == place::kNodeLevel ? machine::ObjectType::machine : machine::parse_type(name);
  return {before.sum,
          before.worst,
          after.sum,
          after.worst,
          bound.sum,
          bound.worst,
          gap(after.sum, bound.sum),
          gap(after.worst, bound.worst),
          found.time,
          found.least_time,
          gap_of(found.time, found.least_time),
          static_cast<std::int32_t>(type),
          static_cast<std::int32_t>(found.levels.size())};
}

void write_order(const place::Reordering& found, std::int32_t* new_ranks) {
  tell(found, found.new_rank.size());
  std::copy(found.new_rank.begin(), found.new_rank.end(), &required(new_ranks, "new_ranks"));
  last_found.levels = found.levels.size();
  for (std::size_t level = 0; level < last_found.levels; ++level) {
    last_found.figures[level] = figures_of(found, level);
  }
}

// What the calls have no arguments for.
struct Settings {
  place::Weight diagonal;
  place::NamedCosts costs;
};

Settings settings() {
  const Options options(os::environment);
  return {options.number(OptionId::place_diagonal), place::parse_named_costs(options.text(OptionId::place_costs))};
}

void write_extents(const place::Extents& extents, std::int32_t dimensions, std::int64_t* out, const char* parameter) {
  std::copy_n(extents.begin(), dimensions, &required(out, parameter));
}

}  // namespace

comity_status comity_context_seat(const comity_context* context, comity_place_seat* seat) {
  return guard([&] {
    const context::Context& target = unwrap(context);
    const CpuSet binding = target.binding();
    const auto enclosing = [&](machine::ObjectType type) {
      const auto closest = target.closest(type, binding);
      return closest && closest->covers ? closest->index : place::kNoObject;
    };
    const auto first = target.closest(machine::ObjectType::pu, binding);
    required(seat, "seat") = {target.node()->id(),
                              first ? first->index : 0,
                              enclosing(machine::ObjectType::package),
                              enclosing(machine::ObjectType::numa),
                              enclosing(machine::ObjectType::l3),
                              enclosing(machine::ObjectType::l2)};
  });
}

comity_status comity_place_grid(int32_t ranks, const comity_place_seat* seats, int32_t dimensions,
                                const int32_t* extents, const int32_t* periodic, const int64_t* halo,
                                comity_place_objective objective, int32_t* new_ranks) {
  return guard([&] {
    (void)required(new_ranks, "new_ranks");
    const std::vector<place::Seat> all = seats_of(ranks, seats);
    const Settings set = settings();
    const place::Grid grid = grid_of(dimensions, extents, periodic, halo, set.diagonal);
    write_order(place::reordered(place::graph_of(grid), &grid, all, objective_of(objective), set.costs), new_ranks);
  });
}

comity_status comity_place_graph(int32_t ranks, const comity_place_seat* seats, int64_t edges, const int32_t* from,
                                 const int32_t* to, const int64_t* weights, comity_place_objective objective,
                                 int32_t* new_ranks) {
  return guard([&] {
    (void)required(new_ranks, "new_ranks");
    const std::vector<place::Seat> all = seats_of(ranks, seats);
    const place::Graph graph(all.size(), edges_of(ranks, edges, from, to, weights));
    write_order(place::reordered(graph, nullptr, all, objective_of(objective), settings().costs), new_ranks);
  });
}

comity_status comity_place_found(int32_t level, comity_place_figures* figures) {
  return guard([&] {
    comity_place_figures& out = required(figures, "figures");
    if (level < 0)
      throw Error(Status::range, "place: there is no level " + std::to_string(level) + "; 0 is that of nodes");
    const auto index = static_cast<std::size_t>(level);
    if (index >= last_found.levels) {
      throw Error(Status::not_found, "place: the last order that this thread found has " +
                                         std::to_string(last_found.levels) + " levels; ask for one of them");
    }
    out = last_found.figures[index];
  });
}

comity_status comity_place_report(int32_t levels, const comity_place_figures* figures) {
  return guard([&] {
    require_count(levels, 0, COMITY_PLACE_LEVELS, "levels");
    const auto all = array(figures, levels, "figures");
    std::copy(all.begin(), all.end(), last_found.figures.begin());
    last_found.levels = all.size();
  });
}

comity_status comity_place_decompose(int32_t dimensions, const int64_t* extents, int32_t levels,
                                     const comity_place_level* wanted, int32_t* cuts) {
  return guard([&] {
    (void)required(cuts, "cuts");
    require_count(dimensions, 1, COMITY_PLACE_DIMENSIONS, "dimensions");
    require_count(levels, 1, 64, "levels");
    std::vector<place::BoxLevel> all;
    for (const comity_place_level& level : array(wanted, levels, "wanted")) {
      all.push_back({level.parts, level.most_cells});
    }
    for (const place::Cuts& level : place::decomposed(array(extents, dimensions, "extents"), all)) {
      cuts = std::copy_n(level.begin(), dimensions, cuts);
    }
  });
}

comity_status comity_place_box(int32_t dimensions, const int64_t* extents, int32_t levels, const int32_t* cuts,
                               const int64_t* box, int64_t* first, int64_t* extent) {
  return guard([&] {
    require_count(dimensions, 1, COMITY_PLACE_DIMENSIONS, "dimensions");
    require_count(levels, 0, 64, "levels");
    const auto flat = array(cuts, std::int64_t{levels} * dimensions, "cuts");
    std::vector<place::Cuts> all(static_cast<std::size_t>(levels));
    for (std::size_t level = 0; level < all.size(); ++level) {
      all[level].fill(1);
      std::copy_n(flat.begin() + static_cast<std::ptrdiff_t>(level) * dimensions, dimensions, all[level].begin());
    }
    const place::Box found = place::box_at(array(extents, dimensions, "extents"), all, array(box, levels, "box"));
    (void)required(extent, "extent");
    write_extents(found.first, dimensions, first, "first");
    write_extents(found.extent, dimensions, extent, "extent");
  });
}
