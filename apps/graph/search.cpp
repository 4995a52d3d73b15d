// SPDX-License-Identifier: BSD-3-Clause
#include "search.hpp"

#include <algorithm>
#include <atomic>
#include <comity/sched.hpp>

namespace graph {
namespace {

namespace sched = comity::sched;

// What one hart has found of the next level. A fiber stays on its hart, and a part of the loop waits for nothing, so each
// list has one writer at a time.
struct alignas(64) Found {
  std::vector<Vertex> vertices;
};

void look_around(const Graph& graph, Vertex at, std::vector<Vertex>& parent, std::vector<Vertex>& found) {
  for (const Vertex next : graph.neighbours(at)) {
    const std::atomic_ref<Vertex> reached_from(parent[next]);
    Vertex none = kNone;
    if (reached_from.load(std::memory_order_relaxed) == kNone &&
        reached_from.compare_exchange_strong(none, at, std::memory_order_relaxed)) {
      found.push_back(next);
    }
  }
}

}  // namespace

Tree search(const Graph& graph, Vertex root) {
  Tree tree{std::vector<Vertex>(graph.vertices(), kNone), 0, 0};
  std::vector<Found> found(static_cast<std::size_t>(sched::harts()));
  std::vector<Vertex> level{root};
  tree.parent[root] = root;
  while (!level.empty()) {
    ++tree.levels;
    tree.reached += static_cast<std::int64_t>(level.size());
    const auto part = [&](std::int64_t first, std::int64_t last) {
      std::vector<Vertex>& mine = found[static_cast<std::size_t>(sched::hart())].vertices;
      for (std::int64_t i = first; i < last; ++i)
        look_around(graph, level[static_cast<std::size_t>(i)], tree.parent, mine);
    };
    sched::parallel_for_parts(0, static_cast<std::int64_t>(level.size()), part, {sched::Schedule::guided, 16});
    level.clear();
    for (Found& one : found) {
      level.insert(level.end(), one.vertices.begin(), one.vertices.end());
      one.vertices.clear();
    }
  }
  return tree;
}

std::vector<int> distances(const Graph& graph, Vertex root) {
  std::vector<int> distance(graph.vertices(), -1);
  std::vector<Vertex> queue{root};
  distance[root] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const Vertex at = queue[i];
    for (const Vertex next : graph.neighbours(at)) {
      if (distance[next] >= 0) continue;
      distance[next] = distance[at] + 1;
      queue.push_back(next);
    }
  }
  return distance;
}

std::string defect_of(const Tree& tree, const Graph& graph, Vertex root) {
  const std::vector<int> distance = distances(graph, root);
  std::int64_t reached = 0;
  for (Vertex vertex = 0; vertex < graph.vertices(); ++vertex) {
    const Vertex parent = tree.parent[vertex];
    const std::string name = "vertex " + std::to_string(vertex);
    if ((parent == kNone) != (distance[vertex] < 0)) return name + " is reached by one search alone";
    if (parent == kNone) continue;
    ++reached;
    if (vertex == root) {
      if (parent != root) return "the root has a parent";
      continue;
    }
    if (distance[parent] + 1 != distance[vertex]) return name + " is not reached by a shortest way";
    const auto near = graph.neighbours(parent);
    if (std::find(near.begin(), near.end(), vertex) == near.end()) return name + " is no neighbour of its parent";
  }
  if (reached != tree.reached) return "it counts " + std::to_string(tree.reached) + " of " + std::to_string(reached);
  return "";
}

}  // namespace graph
