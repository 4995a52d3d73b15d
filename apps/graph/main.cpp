// SPDX-License-Identifier: BSD-3-Clause
// Breadth-first searches on a power-law graph, each checked against one with a plain queue.
//   graph [SCALE [EDGES_PER_VERTEX [SEARCHES]]]     2^SCALE vertices; 15, 16 and 4 unless given
#include <algorithm>
#include <chrono>
#include <comity/sched.hpp>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "search.hpp"

namespace {

struct Wanted {
  int scale = 15;
  int per_vertex = 16;
  int searches = 4;
};

// Exits with a sentence where a number is none, or not in its range.
int number(const char* text, int least, int most, const char* what) {
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  if (end != text && *end == '\0' && value >= least && value <= most) return static_cast<int>(value);
  std::fprintf(stderr, "graph: %s `%s`: give a number from %d to %d\n", what, text, least, most);
  std::exit(2);
}

Wanted read(int argc, char** argv) {
  Wanted wanted;
  if (argc > 1) wanted.scale = number(argv[1], 1, 26, "scale");
  if (argc > 2) wanted.per_vertex = number(argv[2], 1, 64, "edges per vertex");
  if (argc > 3) wanted.searches = number(argv[3], 1, 64, "searches");
  return wanted;
}

int run(const Wanted& wanted) {
  constexpr std::uint64_t kSeed = 20;
  const graph::Graph graph(graph::Vertex{1} << wanted.scale,
                           graph::power_law_edges(wanted.scale, wanted.per_vertex, kSeed));
  std::size_t largest = 0;
  for (graph::Vertex vertex = 0; vertex < graph.vertices(); ++vertex) {
    largest = std::max(largest, graph.neighbours(vertex).size());
  }
  std::printf("graph: %u vertices, %lld arcs, at most %zu of one vertex; %d harts\n", graph.vertices(),
              static_cast<long long>(graph.arcs()), largest, comity::sched::harts());
  for (int i = 0; i < wanted.searches; ++i) {
    const graph::Vertex root = static_cast<graph::Vertex>(i) * 7919 % graph.vertices();
    const auto begin = std::chrono::steady_clock::now();
    const graph::Tree tree = search(graph, root);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    const std::string defect = defect_of(tree, graph, root);
    std::printf("from %u: %lld reached in %d levels, %.2f ms: %s\n", root, static_cast<long long>(tree.reached),
                tree.levels, took.count(), defect.empty() ? "right" : defect.c_str());
    if (!defect.empty()) return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const Wanted wanted = read(argc, argv);
  comity::sched::Harts harts;
  return harts.run([&] { return run(wanted); });
}
