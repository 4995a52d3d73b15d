// SPDX-License-Identifier: BSD-3-Clause
#include "graph.hpp"

#include <atomic>
#include <comity/sched.hpp>
#include <memory>

namespace graph {
namespace {

namespace sched = comity::sched;

// A number for each place of a sequence (splitmix64).
std::uint64_t scrambled(std::uint64_t number) {
  number += 0x9e37'79b9'7f4a'7c15;
  number = (number ^ (number >> 30)) * 0xbf58'476d'1ce4'e5b9;
  number = (number ^ (number >> 27)) * 0x94d0'49bb'1331'11eb;
  return number ^ (number >> 31);
}

// One bit of each end a step: the quarters have 57, 19, 19 and 5 of 100 edges.
Edge power_law_edge(int scale, std::uint64_t random) {
  Edge edge{0, 0};
  for (int bit = 0; bit < scale; ++bit) {
    random = scrambled(random);
    const std::uint64_t of_100 = random % 100;
    edge.from = edge.from << 1 | (of_100 >= 76 ? 1 : 0);
    edge.to = edge.to << 1 | ((of_100 >= 57 && of_100 < 76) || of_100 >= 95 ? 1 : 0);
  }
  return edge;
}

}  // namespace

std::vector<Edge> power_law_edges(int scale, int per_vertex, std::uint64_t seed) {
  std::vector<Edge> edges(static_cast<std::size_t>(per_vertex) << scale);
  sched::parallel_for(0, static_cast<std::int64_t>(edges.size()), [&](std::int64_t i) {
    edges[static_cast<std::size_t>(i)] = power_law_edge(scale, scrambled(seed) + static_cast<std::uint64_t>(i));
  });
  return edges;
}

Graph::Graph(Vertex vertices, const std::vector<Edge>& edges) : first_(vertices + std::size_t{1}, 0) {
  const auto count = static_cast<std::int64_t>(edges.size());
  const auto room =
      std::make_unique<std::atomic<std::int64_t>[]>(vertices);  // first neighbours, then how far it is filled
  const auto for_both_ends = [&](const auto& act) {
    sched::parallel_for(0, count, [&](std::int64_t i) {
      const Edge edge = edges[static_cast<std::size_t>(i)];
      act(edge.from, edge.to);
      act(edge.to, edge.from);
    });
  };
  for_both_ends([&](Vertex from, Vertex) { room[from].fetch_add(1, std::memory_order_relaxed); });
  for (Vertex vertex = 0; vertex < vertices; ++vertex) {
    first_[vertex + std::size_t{1}] = first_[vertex] + room[vertex].exchange(first_[vertex], std::memory_order_relaxed);
  }
  neighbours_.resize(static_cast<std::size_t>(first_.back()));
  for_both_ends([&](Vertex from, Vertex to) {
    neighbours_[static_cast<std::size_t>(room[from].fetch_add(1, std::memory_order_relaxed))] = to;
  });
}

}  // namespace graph
