// SPDX-License-Identifier: BSD-3-Clause
// A program that knows nothing of Comity, and lets MPI reorder communicators of grids and graphs.
//   topologies on|off     whether they are expected to be
// Its ranks sit on two packages of a simulated machine in turn. A chain of them is in a good order where packages change once.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr int kCoresOfPackage = 8;  // as the environment of this test describes it

int failures = 0, me = 0, ranks = 1;
bool expected = false;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  ++failures;
  std::printf("FAIL: rank %d: %s\n", me, what.c_str());
}

int rank_in(MPI_Comm communicator) {
  int rank = -1;
  MPI_Comm_rank(communicator, &rank);
  return rank;
}

// In the order of the communicator: which rank of MPI_COMM_WORLD each is.
std::vector<int> members(MPI_Comm communicator) {
  int size = 0;
  MPI_Comm_size(communicator, &size);
  std::vector<int> all(static_cast<std::size_t>(size));
  MPI_Allgather(&me, 1, MPI_INT, all.data(), 1, MPI_INT, communicator);
  return all;
}

void expect_order(MPI_Comm communicator, bool reordered, const std::string& what) {
  const std::vector<int> all = members(communicator);
  int changes = 0;
  for (std::size_t i = 1; i < all.size(); ++i) changes += all[i] % 2 == all[i - 1] % 2 ? 0 : 1;
  if (reordered) {
    expect(changes <= 1, what + ": packages change " + std::to_string(changes) + " times");
  } else {
    expect(std::is_sorted(all.begin(), all.end()), what + ": the order has changed");
  }
}

MPI_Comm chain(int size, int reorder) {
  MPI_Comm cart = MPI_COMM_NULL;
  const std::array<int, 3> extents{1, size, 1}, periodic{0, 0, 0};
  MPI_Cart_create(MPI_COMM_WORLD, 3, extents.data(), periodic.data(), reorder, &cart);
  return cart;
}

void grids() {
  MPI_Comm cart = chain(ranks, 1);
  expect_order(cart, expected, "a grid");
  int left = 0, right = 0;
  MPI_Cart_shift(cart, 1, 1, &left, &right);
  expect(right == (rank_in(cart) + 1 < ranks ? rank_in(cart) + 1 : MPI_PROC_NULL), "a grid's neighbour");
  MPI_Comm_free(&cart);
  cart = chain(ranks, 0);
  expect_order(cart, false, "a grid that must keep its order");
  MPI_Comm_free(&cart);
}

void smaller_grids() {
  if (ranks < 2) return;
  MPI_Comm cart = chain(ranks - 1, 1);
  const int out = cart == MPI_COMM_NULL ? 1 : 0;
  int all_out = 0;
  MPI_Allreduce(&out, &all_out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect(all_out == 1, "one rank is left out of a smaller grid");
  if (cart != MPI_COMM_NULL) MPI_Comm_free(&cart);
}

std::vector<int> neighbours_in_chain(int rank) {
  std::vector<int> all;
  if (rank + 1 < ranks) all.push_back(rank + 1);
  if (rank > 0) all.push_back(rank - 1);
  return all;
}

void graphs() {
  std::vector<int> index, edges;
  for (int rank = 0; rank < ranks; ++rank) {
    for (const int other : neighbours_in_chain(rank)) edges.push_back(other);
    index.push_back(static_cast<int>(edges.size()));
  }
  edges.push_back(0);  // of one rank too there is an array
  MPI_Comm graph = MPI_COMM_NULL;
  MPI_Graph_create(MPI_COMM_WORLD, ranks, index.data(), edges.data(), 1, &graph);
  expect_order(graph, expected, "a graph");
  const std::vector<int> wanted = neighbours_in_chain(rank_in(graph));
  std::vector<int> found(wanted.size() + 1);
  int count = 0;
  MPI_Graph_neighbors_count(graph, rank_in(graph), &count);
  expect(count == static_cast<int>(wanted.size()), "how many neighbours a node has");
  MPI_Graph_neighbors(graph, rank_in(graph), count, found.data());
  expect(std::equal(wanted.begin(), wanted.end(), found.begin()), "a node's neighbours");
  MPI_Comm_free(&graph);
}

int degree(MPI_Comm graph, bool in, bool weighted) {
  int indegree = 0, outdegree = 0, has_weights = 0;
  MPI_Dist_graph_neighbors_count(graph, &indegree, &outdegree, &has_weights);
  expect((has_weights != 0) == weighted, "whether the graph has weights");
  return in ? indegree : outdegree;
}

// Rank 0 names all edges; one to itself and one of no weight among them.
void graphs_that_one_rank_knows() {
  std::vector<int> sources, degrees, destinations, weights;
  for (int rank = 0; me == 0 && rank < ranks; ++rank) {
    sources.push_back(rank);
    degrees.push_back(rank + 1 < ranks ? 3 : 2);
    destinations.insert(destinations.end(), {rank, 0});
    weights.insert(weights.end(), {7, 0});
    if (rank + 1 < ranks) destinations.push_back(rank + 1);
    if (rank + 1 < ranks) weights.push_back(3);
  }
  const bool none = sources.empty();
  MPI_Comm graph = MPI_COMM_NULL;
  MPI_Dist_graph_create(MPI_COMM_WORLD, static_cast<int>(sources.size()), sources.data(), degrees.data(),
                        destinations.data(), none ? MPI_WEIGHTS_EMPTY : weights.data(), MPI_INFO_NULL, 1, &graph);
  expect_order(graph, expected, "a graph that one rank knows");
  expect(degree(graph, false, true) == (rank_in(graph) + 1 < ranks ? 3 : 2), "edges that begin at a node");
  MPI_Comm_free(&graph);
}

// Each rank names its neighbours, the upper one first; the order and the weights go to who gets its place.
void graphs_of_neighbours(bool weighted) {
  const auto weights_of = [](int rank) { return std::vector<int>{100 * rank + 1, 100 * rank + 2}; };
  const std::vector<int> mine = neighbours_in_chain(me), my_weights = weights_of(me);
  const auto count = static_cast<int>(mine.size());
  MPI_Comm graph = MPI_COMM_NULL;
  const int* const weights = !weighted ? MPI_UNWEIGHTED : count == 0 ? MPI_WEIGHTS_EMPTY : my_weights.data();
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, count, mine.data(), weights, count, mine.data(), weights,
                                 MPI_INFO_NULL, 1, &graph);
  expect_order(graph, expected, "a graph of neighbours");
  const int place = rank_in(graph);
  const std::vector<int> wanted = neighbours_in_chain(place), wanted_weights = weights_of(place);
  std::vector<int> sources(3), source_weights(3), destinations(3), destination_weights(3);
  const int found = degree(graph, true, weighted);
  expect(found == static_cast<int>(wanted.size()), "how many neighbours a place has");
  MPI_Dist_graph_neighbors(graph, found, sources.data(), weighted ? source_weights.data() : MPI_UNWEIGHTED, found,
                           destinations.data(), weighted ? destination_weights.data() : MPI_UNWEIGHTED);
  expect(std::equal(wanted.begin(), wanted.end(), sources.begin()), "neighbours in the order of who named them");
  expect(std::equal(wanted.begin(), wanted.end(), destinations.begin()), "the same outwards");
  for (std::size_t i = 0; weighted && i < wanted.size(); ++i) {
    expect(source_weights[i] == wanted_weights[i] && destination_weights[i] == wanted_weights[i], "a weight");
  }
  MPI_Comm_free(&graph);
}

void what_is_wrong_is_mpis_to_tell() {
  MPI_Comm world = MPI_COMM_NULL, made = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &world);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  const std::array<int, 1> too_many{ranks + 1}, open{0};
  expect(MPI_Cart_create(world, 1, too_many.data(), open.data(), 1, &made) != MPI_SUCCESS,
         "a grid with too many cells");
  MPI_Comm_free(&world);
}

// One rank has the grid.
void a_grid_may_have_no_dimensions() {
  MPI_Comm cart = MPI_COMM_NULL;
  const std::array<int, 1> nothing{0};
  expect(MPI_Cart_create(MPI_COMM_WORLD, 0, nothing.data(), nothing.data(), 1, &cart) == MPI_SUCCESS,
         "a grid without dimensions");
  if (cart != MPI_COMM_NULL) MPI_Comm_free(&cart);
}

void one_rank_alone() {
  MPI_Comm cart = MPI_COMM_NULL;
  const std::array<int, 1> one{1}, open{0};
  MPI_Cart_create(MPI_COMM_SELF, 1, one.data(), open.data(), 1, &cart);
  expect(cart != MPI_COMM_NULL && rank_in(cart) == 0, "a grid of one rank");
  MPI_Comm_free(&cart);
}

}  // namespace

int main(int count, char** words) {
  expected = count > 1 && std::strcmp(words[1], "on") == 0;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int core = me % 2 * kCoresOfPackage + me / 2 % kCoresOfPackage;
  setenv("COMITY_MACHINE_BINDING", std::to_string(core).c_str(), 1);
  const bool few = ranks <= 4;  // more take up to a second for a communicator on two cores
  grids();
  if (few) smaller_grids();
  if (few) graphs();
  if (expected) {  // else Open MPI reorders these by itself, not always with the right neighbours
    if (few) graphs_that_one_rank_knows();
    if (few) graphs_of_neighbours(false);
    graphs_of_neighbours(true);
  }
  if (few) what_is_wrong_is_mpis_to_tell();
  if (few) one_rank_alone();
  a_grid_may_have_no_dimensions();
  if (failures == 0) std::printf("rank %d: fine\n", me);
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
