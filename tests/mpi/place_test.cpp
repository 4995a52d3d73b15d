// SPDX-License-Identifier: BSD-3-Clause
// Reordered communicators on a machine of two packages, whose cores ranks got in turn: neighbours come together, the
// topology is the one asked for, and wrong questions fail on all ranks.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "expect.hpp"

using namespace comity;
using namespace comity::testing;

namespace {

constexpr int kCoresOfPackage = 8;
constexpr int kFewRanks = 4;  // more take up to a second for a communicator on two cores

int package_of(int rank) { return rank % 2; }
int core_of(int rank) { return package_of(rank) * kCoresOfPackage + rank / 2 % kCoresOfPackage; }

// The packages of its ranks, in order.
std::vector<int> packages(MPI_Comm communicator) {
  const int mine = package_of(world_rank);
  int size = 0;
  MPI_Comm_size(communicator, &size);
  std::vector<int> all(static_cast<std::size_t>(size));
  MPI_Allgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, communicator);
  return all;
}

// How often two in a row are in different packages.
int changes(const std::vector<int>& all) {
  int found = 0;
  for (std::size_t i = 1; i < all.size(); ++i) found += all[i] == all[i - 1] ? 0 : 1;
  return found;
}

int rank_in(MPI_Comm communicator) {
  int rank = -1;
  MPI_Comm_rank(communicator, &rank);
  return rank;
}

void a_chain_changes_packages_once(int size) {
  MPI_Comm chain = reordered_grid(MPI_COMM_WORLD, {1, size});
  expect(changes(packages(chain)) <= 1, "a chain changes packages more than once");
  std::array<int, 2> extents{}, periodic{}, at{};
  MPI_Cart_get(chain, 2, extents.data(), periodic.data(), at.data());
  expect_equal(extents[1], size, "extent of the grid");
  expect_equal(periodic[1], 0, "an open grid");
  expect_equal(at[1], rank_in(chain), "coordinate of a chain's rank");
  const comity_place_figures found =
      figures_found().back();  // of packages, if there are two: on all ranks, though rank 0 found the order
  expect_equal(found.sum, size > 1 ? 1 : 0, "a chain crosses packages once");
  expect_equal(found.bound_sum, found.sum, "no order has less");
  expect(found.gap_sum == 0, "the gap of a proven order");
  if (size <= kFewRanks) {
    MPI_Comm again = reordered_grid(MPI_COMM_WORLD, {1, size});
    expect_equal(rank_in(again), rank_in(chain), "the same question again");
    MPI_Comm_free(&again);
  }
  MPI_Comm_free(&chain);
}

void a_ring_is_one_and_its_halo_decides(int size) {
  if (size < 4) return;
  MPI_Comm grid = reordered_grid(MPI_COMM_WORLD, {2, size / 2}, {{0, 1}, {1, 1000}, Objective::sum});
  std::array<int, 2> extents{}, periodic{}, at{};
  MPI_Cart_get(grid, 2, extents.data(), periodic.data(), at.data());
  expect_equal(periodic[0] * 10 + periodic[1], 1, "closed in the second dimension alone");
  const std::vector<int> all = packages(grid);
  const auto row_end = all.begin() + size / 2;
  expect_equal(changes({all.begin(), row_end}), 0, "a row, whose ring exchanges most, stays in a package");
  MPI_Comm_free(&grid);
}

void those_beyond_a_smaller_grid_get_none(int size) {
  if (size < 2) return;
  MPI_Comm grid = reordered_grid(MPI_COMM_WORLD, {size - 1});
  const int mine = grid == MPI_COMM_NULL ? 1 : 0;
  int left_out = 0;
  MPI_Allreduce(&mine, &left_out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect_equal(left_out, 1, "ranks left out");
  if (grid != MPI_COMM_NULL) MPI_Comm_free(&grid);
}

// Each rank names the edge to the next in a chain; the last none.
GraphEdges edge_to_the_next(int size) {
  if (world_rank + 1 == size) return {{}, {}};
  return {{world_rank}, {world_rank + 1}};
}

void a_graph_is_ordered_and_kept(int size) {
  MPI_Comm graph = reordered_graph(MPI_COMM_WORLD, edge_to_the_next(size));
  expect(changes(packages(graph)) <= 1, "a chain given as a graph changes packages more than once");
  int in = 0, out = 0, weighted = 0;
  MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
  const int mine = rank_in(graph);
  expect_equal(in, mine > 0 ? 1 : 0, "edges that end here");
  expect_equal(out, mine + 1 < size ? 1 : 0, "edges that begin here");
  MPI_Comm_free(&graph);
}

// All edges of a graph that is the same from wherever one looks, so that many orders of it are equally good; each rank names its own two.
struct RoundGraph {
  std::vector<std::int32_t> from, to;
};

RoundGraph round_graph(int size) {
  RoundGraph edges;
  for (int rank = 0; rank < size; ++rank) {
    for (const int step : {1, 5}) {
      if (step % size == 0) continue;
      edges.from.push_back(rank);
      edges.to.push_back((rank + step) % size);
    }
  }
  return edges;
}

std::vector<comity_place_seat> seats_of_all(const Context& context, int size) {
  comity_place_seat mine = seat_of(context);
  std::vector<comity_place_seat> seats(static_cast<std::size_t>(size));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, seats.data(), sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
  return seats;
}

// Each rank is a process of its own, as another run's are, and finds by itself what rank 0 found for all.
void every_process_finds_the_same_order(const Context& context, int size) {
  const RoundGraph all = round_graph(size);
  GraphEdges mine{{}, {}, false, {}, Objective::sum};
  for (std::size_t i = 0; i < all.from.size(); ++i) {
    if (all.from[i] != world_rank) continue;
    mine.from.push_back(all.from[i]);
    mine.to.push_back(all.to[i]);
  }
  std::vector<std::int32_t> order(static_cast<std::size_t>(size), -1);
  const std::vector<comity_place_seat> seats = seats_of_all(context, size);
  check(comity_place_graph(size, seats.data(), static_cast<std::int64_t>(all.from.size()), all.from.data(),
                           all.to.data(), nullptr, COMITY_PLACE_SUM, order.data()));
  for (int times = size <= kFewRanks ? 2 : 1; times > 0; --times) {
    MPI_Comm graph = reordered_graph(MPI_COMM_WORLD, mine);
    expect_equal(rank_in(graph), order[static_cast<std::size_t>(world_rank)], "the rank that this process finds too");
    MPI_Comm_free(&graph);
  }
  std::vector<std::int32_t> of_rank_0 = order;
  MPI_Bcast(of_rank_0.data(), size, MPI_INT32_T, 0, MPI_COMM_WORLD);
  expect(of_rank_0 == order, "the whole order as rank 0 finds it");
}

// The same of more processes than there are here, whose order is not found by trying all: on nodes that are not alike.
void every_process_finds_the_same_order_of_many(int size) {
  if (size != 2) return;
  constexpr int kProcesses = 600, kNodes = 7;
  const RoundGraph edges = round_graph(kProcesses);
  std::vector<comity_place_seat> seats(kProcesses, {0, -1, -1, -1, -1, -1});
  for (int i = 0; i < kProcesses; ++i) {
    seats[static_cast<std::size_t>(i)].node = static_cast<std::uint64_t>(i * i % kNodes);
    seats[static_cast<std::size_t>(i)].position = i;
  }
  std::vector<std::int32_t> order(kProcesses, -1);
  check(comity_place_graph(kProcesses, seats.data(), static_cast<std::int64_t>(edges.from.size()), edges.from.data(),
                           edges.to.data(), nullptr, COMITY_PLACE_SUM, order.data()));
  std::vector<std::int32_t> of_rank_0 = order;
  MPI_Bcast(of_rank_0.data(), kProcesses, MPI_INT32_T, 0, MPI_COMM_WORLD);
  expect(of_rank_0 == order, "the order of many as rank 0 finds it");
}

void weights_decide(int size) {
  if (size != 4) return;
  GraphEdges edges{
      {}, {}, true, {}, Objective::sum};  // heavy between 0 and 1 and between 2 and 3, which sit in different packages
  if (world_rank == 3) edges = {{0, 2, 1}, {1, 3, 2}, true, {5'000'000'000, 70, 1}, Objective::sum};
  MPI_Comm graph = reordered_graph(MPI_COMM_WORLD, edges);
  const std::vector<int> all = packages(graph);
  expect(all[0] == all[1] && all[2] == all[3], "those who exchange much are in one package");
  int in = 0, out = 0, weighted = 0;
  MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
  expect_equal(weighted, 1, "the graph has weights");
  MPI_Comm_free(&graph);
}

void expect_refused(comity_status found, comity_status wanted, MPI_Comm made, const std::string& what) {
  expect_status(found, wanted, what);
  expect(made == MPI_COMM_SELF, what + ": the place of the communicator was written to");
}

// One rank is wrong, all learn it, and the next call works.
void one_wrong_rank_fails_all(int size) {
  MPI_Comm made = MPI_COMM_SELF;
  const bool wrong = world_rank == size - 1;
  const std::array<std::int32_t, 1> extent{wrong ? size + 1 : size};
  if (size > 1) {
    expect_refused(
        comity_place_cart_create(MPI_COMM_WORLD, 1, extent.data(), nullptr, nullptr, COMITY_PLACE_WORST, &made),
        COMITY_ERR_ARGUMENT, made, "grids that differ");
  }
  expect_refused(comity_place_cart_create(MPI_COMM_WORLD, wrong ? 0 : 1, extent.data(), nullptr, nullptr,
                                          COMITY_PLACE_WORST, &made),
                 COMITY_ERR_RANGE, made, "no dimension on one rank");
  const std::array<std::int32_t, 1> here{world_rank}, nowhere{size};
  expect_refused(comity_place_graph_create(MPI_COMM_WORLD, wrong ? 1 : 0, here.data(), nowhere.data(), nullptr,
                                           COMITY_PLACE_WORST, &made),
                 COMITY_ERR_RANGE, made, "an end that is no rank");
  expect_refused(comity_place_graph_create(MPI_COMM_WORLD, wrong ? 1 : 0, here.data(), here.data(), nullptr,
                                           COMITY_PLACE_WORST, &made),
                 COMITY_ERR_ARGUMENT, made, "an edge to itself");
  const std::array<std::int64_t, 1> weight{1};
  if (size > 1) {
    expect_refused(comity_place_graph_create(MPI_COMM_WORLD, 0, here.data(), here.data(),
                                             wrong ? weight.data() : nullptr, COMITY_PLACE_WORST, &made),
                   COMITY_ERR_ARGUMENT, made, "weights on one rank alone");
  }
  const std::array<std::int32_t, 1> too_many{size + 1};
  expect_refused(
      comity_place_cart_create(MPI_COMM_WORLD, 1, too_many.data(), nullptr, nullptr, COMITY_PLACE_WORST, &made),
      COMITY_ERR_RANGE, made, "more cells than ranks");
  expect_refused(comity_place_cart_create(MPI_COMM_NULL, 1, extent.data(), nullptr, nullptr, COMITY_PLACE_WORST, &made),
                 COMITY_ERR_MPI, made, "no communicator");
}

// It reaches the one rank that finds the order, and is part of what all are asked.
void objectives_are_handed_on_and_compared(int size) {
  const std::array<std::int32_t, 1> extent{size};
  MPI_Comm made = MPI_COMM_SELF;
  const auto grid_for = [&](comity_place_objective objective) {
    return comity_place_cart_create(MPI_COMM_WORLD, 1, extent.data(), nullptr, nullptr, objective, &made);
  };
  const auto graph_for = [&](comity_place_objective objective) {
    return comity_place_graph_create(MPI_COMM_WORLD, 0, nullptr, nullptr, nullptr, objective, &made);
  };
  const auto none_such = static_cast<comity_place_objective>(3);
  expect_refused(grid_for(none_such), COMITY_ERR_ARGUMENT, made, "no such objective of a grid");
  expect_refused(graph_for(none_such), COMITY_ERR_ARGUMENT, made, "no such objective of a graph");
  if (size == 1) return;
  const comity_place_objective mine = world_rank == size - 1 ? COMITY_PLACE_TIME : COMITY_PLACE_SUM;
  expect_refused(grid_for(mine), COMITY_ERR_ARGUMENT, made, "objectives of a grid that differ");
  expect_refused(graph_for(mine), COMITY_ERR_ARGUMENT, made, "objectives of a graph that differ");
}

// A square cut in two: the heavy diagonals stay whole, and all four faces cross.
void settings_of_rank_0_count(int size) {
  if (size != 4) return;
  if (world_rank == 0) setenv("COMITY_PLACE_DIAGONAL", "7", 1);
  MPI_Comm square = reordered_grid(MPI_COMM_WORLD, {2, 2});
  expect_equal(figures_found().back().sum, 4, "without the diagonals two faces would cross");
  MPI_Comm_free(&square);
  if (world_rank == 0) unsetenv("COMITY_PLACE_DIAGONAL");
  if (world_rank == 0) setenv("COMITY_PLACE_COSTS", "package", 1);
  const std::array<std::int32_t, 1> extent{size};
  MPI_Comm made = MPI_COMM_SELF;
  expect_refused(comity_place_cart_create(MPI_COMM_WORLD, 1, extent.data(), nullptr, nullptr, COMITY_PLACE_TIME, &made),
                 COMITY_ERR_OPTION, made, "costs that say nothing, on rank 0");
  if (world_rank == 0) unsetenv("COMITY_PLACE_COSTS");
}

void errors_are_handled_as_on_the_given_communicator() {
  MPI_Comm given = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &given);
  MPI_Comm_set_errhandler(given, MPI_ERRORS_ARE_FATAL);
  MPI_Comm grid = reordered_grid(given, {1});
  if (grid != MPI_COMM_NULL) {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(grid, &handler);
    expect(handler == MPI_ERRORS_ARE_FATAL, "the error handler is that of the communicator");
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&grid);
  }
  MPI_Comm_free(&given);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  world_rank = world().rank;
  const int size = world().size;
  {
    Context context = make_context(MPI_COMM_WORLD);
    const BindingGuard bound = context.bound(Resource::core, core_of(world_rank));
    a_chain_changes_packages_once(size);
    a_graph_is_ordered_and_kept(size);
    every_process_finds_the_same_order(context, size);
    every_process_finds_the_same_order_of_many(size);
    if (size <= kFewRanks) {
      a_ring_is_one_and_its_halo_decides(size);
      those_beyond_a_smaller_grid_get_none(size);
      weights_decide(size);
      one_wrong_rank_fails_all(size);
      objectives_are_handed_on_and_compared(size);
      settings_of_rank_0_count(size);
      errors_are_handled_as_on_the_given_communicator();
    }
  }
  MPI_Finalize();
  return finish();
}
