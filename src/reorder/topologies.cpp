// SPDX-License-Identifier: BSD-3-Clause
#include "reorder/topologies.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <exception>
#include <string>

#include "base/log.hpp"
#include "interpose/handles.hpp"
#include "interpose/loaded_mpi.hpp"
#include "interpose/requests/members.hpp"
#include "real.hpp"
#include "reorder/graphs.hpp"
#include "reorder/library.hpp"

namespace comity::reorder {
namespace {

namespace real = interpose::real;

// Ranks of another job may know nothing of this. All members find the same.
bool may_reorder(int reorder, MPI_Comm communicator) {
  if (reorder == 0 || communicator == interpose::handles().no_communicator) return false;
  if (!all_reorder.load(std::memory_order_acquire)) return false;
  const interpose::Members* const members = interpose::members_of_communicator(communicator);
  return members != nullptr && !members->between_groups && members->size() > 1 &&
         std::ranges::none_of(members->peers, [](std::int32_t rank) { return rank < 0; });
}

// The same on all ranks. A wrong argument is the MPI's to tell.
bool succeeded(comity_status status) {
  if (status == COMITY_OK) return true;
  if (interpose::may_speak_for_the_job()) {
    log::warning_once("reorder", std::string("a communicator keeps its order: ") + library().last_error());
  }
  return false;
}

// reorder() gives the MPI's code, or is false where the MPI is to do it.
struct Outcome {
  bool done = false;
  int code = MPI_SUCCESS;
};

template <typename Reorder>
Outcome attempt(int wish, MPI_Comm communicator, Reorder&& reorder) noexcept {
  try {
    if (may_reorder(wish, communicator)) return reorder();
  } catch (const std::exception& error) {
    log::warning_once("reorder", error.what());
  }
  return {};
}

// The communicator in the order of these edges; the graph that it has goes with it.
template <typename Make>
Outcome with_reordered(MPI_Comm communicator, const NamedEdges& edges, Make&& make) {
  MPI_Comm reordered = interpose::handles().no_communicator;
  const auto count = static_cast<std::int64_t>(edges.from.size());
  const comity_status status = library().graph_create(communicator, count, edges.from.data(), edges.to.data(),
                                                      edges.weights.data(), COMITY_PLACE_WORST, &reordered);
  if (!succeeded(status)) return {};
  const int code = make(reordered);
  real::MPI_Comm_free(&reordered);
  return {true, code};
}

int cart_create(MPI_Comm communicator, int dimensions, const int* extents, const int* periodic, int reorder,
                MPI_Comm* cart) {
  const int wish = dimensions == 0 ? 0 : reorder;  // of one rank, on all ranks: there is nothing to order
  const Outcome outcome = attempt(wish, communicator, [&]() -> Outcome {
    return {succeeded(
        library().cart_create(communicator, dimensions, extents, periodic, nullptr, COMITY_PLACE_WORST, cart))};
  });
  if (outcome.done) return outcome.code;
  return real::MPI_Cart_create(communicator, dimensions, extents, periodic, reorder, cart);
}

// Each rank has the whole graph, and names the neighbours of its own node.
NamedEdges edges_of_my_node(MPI_Comm communicator, int nodes, const int* index, const int* edges) {
  NamedEdges named;
  named.weights.reserve(1);  // where there are none their place is no null either: that would mean something else
  int rank = 0;
  real::MPI_Comm_rank(communicator, &rank);
  if (rank >= nodes) return named;
  for (int i = rank == 0 ? 0 : index[rank - 1]; i < index[rank]; ++i) named.add(rank, edges[i], 1);
  return named;
}

int graph_create(MPI_Comm communicator, int nodes, const int* index, const int* edges, int reorder, MPI_Comm* graph) {
  const Outcome outcome = attempt(reorder, communicator, [&] {
    return with_reordered(communicator, edges_of_my_node(communicator, nodes, index, edges), [&](MPI_Comm reordered) {
      return real::MPI_Graph_create(reordered, nodes, index, edges, 0, graph);
    });
  });
  if (outcome.done) return outcome.code;
  return real::MPI_Graph_create(communicator, nodes, index, edges, reorder, graph);
}

// Whoever names an edge, it is one of the nodes that it names.
int dist_graph_create(MPI_Comm communicator, int count, const int* sources, const int* degrees, const int* destinations,
                      const int* weights, MPI_Info info, int reorder, MPI_Comm* graph) {
  const Outcome outcome = attempt(reorder, communicator, [&] {
    NamedEdges named;
    named.weights.reserve(1);
    for (int i = 0, edge = 0; i < count; ++i) {
      for (int end = edge + degrees[i]; edge < end; ++edge) {
        named.add(sources[i], destinations[edge], weight_at(weights, edge));
      }
    }
    return with_reordered(communicator, named, [&](MPI_Comm reordered) {
      return real::MPI_Dist_graph_create(reordered, count, sources, degrees, destinations, weights, info, 0, graph);
    });
  });
  if (outcome.done) return outcome.code;
  return real::MPI_Dist_graph_create(communicator, count, sources, degrees, destinations, weights, info, reorder,
                                     graph);
}

// Null for an empty array means something else to MPI.
const int* data_of(const std::vector<int>& some) {
  static constexpr int kNothing = 0;
  return some.empty() ? &kNothing : some.data();
}

int dist_graph_create_adjacent(MPI_Comm communicator, int indegree, const int* sources, const int* source_weights,
                               int outdegree, const int* destinations, const int* destination_weights, MPI_Info info,
                               int reorder, MPI_Comm* graph) {
  const Outcome outcome = attempt(reorder, communicator, [&] {
    int rank = 0;
    real::MPI_Comm_rank(communicator, &rank);
    NamedEdges named;
    named.weights.reserve(1);
    for (int i = 0; i < outdegree; ++i) named.add(rank, destinations[i], weight_at(destination_weights, i));
    const Neighbours mine =
        Neighbours::of(indegree, sources, source_weights, outdegree, destinations, destination_weights);
    return with_reordered(communicator, named, [&](MPI_Comm reordered) {
      Neighbours my;
      const int code = exchange(reordered, rank, mine, my);
      if (code != MPI_SUCCESS) return code;
      const bool unweighted = source_weights == interpose::handles().unweighted;
      return real::MPI_Dist_graph_create_adjacent(
          reordered, static_cast<int>(my.sources.size()), data_of(my.sources),
          unweighted ? source_weights : data_of(my.source_weights), static_cast<int>(my.destinations.size()),
          data_of(my.destinations), unweighted ? source_weights : data_of(my.destination_weights), info, 0, graph);
    });
  });
  if (outcome.done) return outcome.code;
  return real::MPI_Dist_graph_create_adjacent(communicator, indegree, sources, source_weights, outdegree, destinations,
                                              destination_weights, info, reorder, graph);
}

struct NamedReplacement {
  std::string_view name;
  interpose::Replacement function;
};

template <typename Function>
NamedReplacement named(std::string_view name, Function* function) {
  return {name, reinterpret_cast<interpose::Replacement>(function)};
}

}  // namespace

interpose::Replacement replacement_of(std::string_view name) {
  static const std::array all{named("MPI_Cart_create", cart_create), named("MPI_Graph_create", graph_create),
                              named("MPI_Dist_graph_create", dist_graph_create),
                              named("MPI_Dist_graph_create_adjacent", dist_graph_create_adjacent)};
  const auto found = std::ranges::find(all, name, &NamedReplacement::name);
  return found == all.end() ? nullptr : found->function;
}

}  // namespace comity::reorder
