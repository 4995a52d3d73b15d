// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/subject/random_jobs.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "place/division/random.hpp"

namespace comity::cli::bench {
namespace {

using place::Edge;
using place::Graph;
using place::Grid;
using place::Random;
using place::Rank;
using place::Weight;

constexpr double kKahipMargin = 1.02;

std::uint32_t from(Random& random, std::uint32_t low, std::uint32_t high) {
  return low + static_cast<std::uint32_t>(random.below(high - low + 1));
}

Grid random_grid(Random& random) {
  Grid grid;
  const std::uint32_t dimensions = from(random, 1, 4);
  std::size_t cells = 1;
  for (std::uint32_t i = 0; i < dimensions; ++i) {
    const auto most = static_cast<std::uint32_t>(std::min<std::size_t>(24, kMostJobRanks / cells));
    grid.extents.push_back(from(random, 1, std::max(1U, most)));
    grid.periodic.push_back(from(random, 0, 2) == 0);
    grid.halo.push_back(from(random, 0, 1) == 0 ? 1 : from(random, 1, 20));
    cells *= grid.extents.back();
  }
  if (from(random, 0, 3) == 0) grid.diagonal = from(random, 1, 3);
  return grid;
}

// Ranks are points of a square; near ones exchange something. Far ones too, now and then.
Graph random_graph(Random& random) {
  const std::size_t ranks = from(random, 8, kMostJobRanks);
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < ranks; ++i) points.emplace_back(random.fraction(), random.fraction());
  const double reach = std::sqrt(from(random, 4, 10) / (3.0 * static_cast<double>(ranks)));
  std::vector<Edge> edges;
  for (Rank a = 0; a < ranks; ++a) {
    for (Rank b = a + 1; b < ranks; ++b) {
      const double far = std::hypot(points[a].first - points[b].first, points[a].second - points[b].second);
      if (far < reach || random.below(20 * ranks) == 0) edges.push_back({a, b, from(random, 1, 9)});
    }
  }
  return {ranks, edges};
}

// Room for so many ranks, or some more.
std::vector<place::NodeRun> random_nodes(Random& random, std::size_t ranks) {
  static const std::vector<place::NodeShape> shapes{
      place::node_shape("pack:2 core:4"), place::node_shape("core:6"), place::node_shape("pack:2 numa:2 core:4"),
      place::without_cores(place::node_shape("pack:2 core:8"), {0, 9, 10})};
  std::vector<place::NodeRun> nodes;
  for (std::size_t places = 0; places < ranks;) {
    nodes.push_back({1, shapes[random.below(shapes.size())]});
    places += nodes.back().shape.cores;
  }
  return nodes;
}

// A divisor of the ranks, so that all nodes are alike and full.
std::vector<place::NodeRun> equal_nodes(Random& random, std::size_t ranks) {
  std::vector<std::size_t> counts;
  for (std::size_t nodes = 2; nodes <= ranks / 2; ++nodes) {
    if (ranks % nodes == 0) counts.push_back(nodes);
  }
  if (counts.empty()) return {};
  const std::size_t nodes = counts[random.below(counts.size())];
  return {{nodes, place::node_shape("core:" + std::to_string(ranks / nodes))}};
}

bool fits(const std::vector<place::Domain>& part, const place::Site& site) {
  std::vector<std::size_t> taken(site.nodes(), 0);
  for (const place::Domain one : part) ++taken[one];
  return *std::max_element(taken.begin(), taken.end()) <= site.levels().front().size(0);
}

}  // namespace

RandomJob random_job(std::size_t number) {
  Random random(number + 1);
  RandomJob job;
  if (number % 2 == 0) {
    job.grid = random_grid(random);
    job.graph = place::graph_of(*job.grid);
  } else {
    job.graph = random_graph(random);
  }
  job.aim = number % 4 < 2 ? place::Aim::sum : place::Aim::worst;
  if (random.below(2) == 0) job.nodes = equal_nodes(random, job.graph.ranks());
  job.equal_nodes = !job.nodes.empty();
  if (!job.equal_nodes) job.nodes = random_nodes(random, job.graph.ranks());
  return job;
}

void score(const RandomJob& job, const std::vector<Partitioner>& peers, RandomScore& into) {
  const place::Site site(job.nodes);
  const place::Objective objective{job.aim};
  const place::Answer answer = place::mapped(job.graph, job.grid ? &*job.grid : nullptr, site, objective);
  const auto figure = [&](const place::Crossing& nodes) {
    return static_cast<double>(1 + (job.aim == place::Aim::worst ? nodes.worst : nodes.sum));
  };
  ++into.jobs;
  bool beaten = false;
  double best = figure(answer.launchers.front().cut[0].weight);
  for (const place::Beside& launcher : answer.launchers) {
    beaten = beaten || place::key_of(objective, launcher.cut) < place::key_of(objective, answer.cut);
    best = std::min(best, figure(launcher.cut[0].weight));
  }
  into.beaten += beaten ? 1 : 0;
  into.gain += figure(answer.cut[0].weight) / best;
  if (!job.equal_nodes || job.aim != place::Aim::sum) return;
  for (const Partitioner& peer : peers) {
    const std::optional<Division> theirs = divide(peer, job.graph, site.nodes());
    if (!theirs || !fits(theirs->part, site)) continue;
    const double margin = peer.kind == Partitioner::Kind::kahip ? kKahipMargin : 1.0;
    const auto sum = static_cast<double>(place::node_cut(job.graph, site.nodes(), theirs->part).sum);
    if (static_cast<double>(answer.cut[0].weight.sum) > margin * sum) ++into.beaten_by_peer;
  }
}

}  // namespace comity::cli::bench
