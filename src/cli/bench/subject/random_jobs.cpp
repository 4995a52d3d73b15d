// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/subject/random_jobs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "base/clock.hpp"
#include "place/division/random.hpp"
#include "place/division/repair.hpp"

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

bool fits(const std::vector<place::Domain>& part, const std::vector<std::size_t>& sizes) {
  std::vector<std::size_t> taken(sizes.size(), 0);
  for (const place::Domain one : part) ++taken[one];
  return std::equal(taken.begin(), taken.end(), sizes.begin(), std::less_equal<>());
}

}  // namespace

RandomJob random_job(std::size_t number) {
  Random random(number + 1);
  RandomJob job;
  job.number = number;
  if (number % 2 == 0) {
    job.grid = random_grid(random);
    job.graph = place::graph_of(*job.grid);
  } else {
    job.graph = random_graph(random);
  }
  job.aim = number % 4 < 2 ? place::Aim::sum : place::Aim::worst;
  if (random.below(2) == 0) job.nodes = equal_nodes(random, job.graph.ranks());
  if (job.nodes.empty()) job.nodes = random_nodes(random, job.graph.ranks());
  return job;
}

Graph large_graph() {
  constexpr std::size_t kRanks = 100'000, kColumns = 180;
  constexpr double kReach = 0.00505;
  Random random(1);
  std::vector<std::array<double, 2>> points(kRanks);
  std::vector<std::vector<Rank>> cells(kColumns * kColumns);
  const auto column = [](double x) { return static_cast<std::size_t>(x * kColumns); };
  for (Rank rank = 0; rank < kRanks; ++rank) {
    points[rank] = {random.fraction(), random.fraction()};
    cells[column(points[rank][0]) * kColumns + column(points[rank][1])].push_back(rank);
  }
  std::vector<Edge> edges;
  for (Rank rank = 0; rank < kRanks; ++rank) {
    const std::size_t x = column(points[rank][0]), y = column(points[rank][1]);
    for (std::size_t i = x > 0 ? x - 1 : 0; i <= std::min(x + 1, kColumns - 1); ++i) {
      for (std::size_t j = y > 0 ? y - 1 : 0; j <= std::min(y + 1, kColumns - 1); ++j) {
        for (const Rank other : cells[i * kColumns + j]) {
          const double far = std::hypot(points[rank][0] - points[other][0], points[rank][1] - points[other][1]);
          if (rank < other && far < kReach) edges.push_back({rank, other});
        }
      }
    }
  }
  return {kRanks, edges};
}

Graph hub_graph() {
  constexpr Rank kRanks = 100'000;
  std::vector<Edge> edges;
  for (Rank rank = 1; rank < kRanks; ++rank) {
    edges.push_back({0, rank, 10});
    if (rank > 1) edges.push_back({rank - 1, rank});
  }
  return {kRanks, edges};
}

double figure_of(const RandomJob& job, const place::Crossing& nodes) {
  return static_cast<double>(job.aim == place::Aim::worst ? nodes.worst : nodes.sum);
}

std::optional<PeersFigure> figure_of_peer(const RandomJob& job, const Partitioner& peer, std::size_t seed) {
  const place::Site site(job.nodes);
  const std::vector<std::size_t> sizes = site.levels()[site.node_level()].sizes();
  std::optional<Division> theirs = divide(peer, job.graph, sizes, {}, seed);
  if (!theirs) return std::nullopt;
  if (!fits(theirs->part, sizes)) theirs->part = place::repaired(job.graph, std::move(theirs->part), sizes);
  return PeersFigure{figure_of(job, place::node_cut(job.graph, site.nodes(), theirs->part)), theirs->seconds};
}

Verdict verdict_on(const RandomScore& found) {
  if (found.lost > 0) return Verdict::missed;
  constexpr std::array kOthers{"gpart", "kaffpa"};
  const bool all_asked = std::all_of(kOthers.begin(), kOthers.end(), [&](const char* name) {
    const auto peer = found.peers.find(name);
    return peer != found.peers.end() && peer->second.jobs > 0;
  });
  return all_asked && found.jobs >= kRandomJobs ? Verdict::met : Verdict::undecided;
}

void score(const RandomJob& job, const std::vector<Partitioner>& peers, RandomScore& into) {
  const place::Site site(job.nodes);
  const place::Objective objective{job.aim};
  const std::int64_t begin_ns = now_ns();
  const place::Answer answer = place::mapped(job.graph, job.grid ? &*job.grid : nullptr, site, objective);
  const double seconds = 1e-9 * static_cast<double>(now_ns() - begin_ns);
  const auto figure = [&](const place::Crossing& nodes) { return figure_of(job, nodes); };
  const double ours = figure(answer.cut[0].weight);
  ++into.jobs;
  bool beaten = false;
  double best = figure(answer.launchers.front().cut[0].weight);
  for (const place::Beside& launcher : answer.launchers) {
    const double theirs = figure(launcher.cut[0].weight);
    best = std::min(best, theirs);
    if (place::key_of(objective, launcher.cut) >= place::key_of(objective, answer.cut)) continue;
    beaten = true;
    into.lost_jobs.push_back({job.number, std::string(launcher.name), ours, theirs});
  }
  into.beaten += beaten ? 1 : 0;
  into.gain += (1 + ours) / (1 + best);
  const std::vector<std::size_t> sizes = site.levels()[site.node_level()].sizes();
  for (const Partitioner& peer : peers) {
    if (!takes_sizes(peer, sizes)) continue;
    const double margin = peer.kind == Partitioner::Kind::kahip ? kKahipMargin : 1.0;
    bool better = false;
    double spent = 0;
    std::size_t runs = 0;
    while (!better && (runs == 0 || spent < seconds)) {
      const std::optional<PeersFigure> theirs = figure_of_peer(job, peer, runs + 1);
      if (!theirs) break;
      ++runs;
      spent += theirs->seconds;
      better = ours > margin * theirs->figure;
      if (better) into.lost_jobs.push_back({job.number, peer.name(), ours, theirs->figure});
    }
    if (runs == 0) continue;
    RandomScore::Peer& scored = into.peers[peer.name()];
    ++scored.jobs;
    scored.runs += runs;
    scored.better += better ? 1 : 0;
    scored.seconds += spent;
    scored.ours_seconds += seconds;
    beaten = beaten || better;
  }
  into.lost += beaten ? 1 : 0;
}

}  // namespace comity::cli::bench
