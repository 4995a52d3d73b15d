// SPDX-License-Identifier: BSD-3-Clause
// What lies between nodes: whole nodes change places for shorter ways, on a torus and below switches, with equal and unequal
// numbers of threads.
#include "place/network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "oracle.hpp"
#include "place/arrange.hpp"
#include "place/division/launchers.hpp"
#include "place/division/uneven.hpp"
#include "place/torus.hpp"

namespace {

using namespace comity::place;

Site site_of(const Network& network, const std::vector<NodeRun>& nodes) {
  return Site(in_order(nodes, network.order), 1, network.levels, network.order);
}

// ---- arranging

// No two nodes could change places then and have a shorter way.
TEST(Arranged, NoSwapIsLeftThatPays) {
  oracle::Dice dice(42);
  const Neighbourhood row{[](Domain a, Domain b) { return static_cast<double>(a > b ? a - b : b - a); },
                          [](Domain) { return std::vector<Domain>{}; }};
  for (int i = 0; i < 30; ++i) {
    const std::uint32_t nodes = dice.from(2, 12);
    const std::vector<Edge> edges = dice.edges(2 * nodes, 3 * nodes);
    const auto sum_of = [&](const Mapping& mapping) {
      double sum = 0;
      for (const Edge& edge : edges) {
        sum += static_cast<double>(edge.weight) * row.way(mapping[edge.a] / 2, mapping[edge.b] / 2);
      }
      return sum;
    };
    Mapping mapping(2 * nodes);
    std::iota(mapping.begin(), mapping.end(), Place{0});
    const double before = sum_of(mapping);
    mapping = arranged(Graph(2 * nodes, edges), Site({{nodes, node_shape("core:2")}}), mapping, row).mapping;
    const double after = sum_of(mapping);
    EXPECT_LE(after, before);
    for (Place one = 0; one < nodes; ++one) {
      for (Place other = 0; other < one; ++other) {
        Mapping swapped = mapping;
        for (Place& place : swapped) {
          if (place / 2 == one || place / 2 == other) place = (place / 2 == one ? other : one) * 2 + place % 2;
        }
        EXPECT_GE(sum_of(swapped), after);
      }
    }
  }
}

TEST(Arranged, NodesOfOneShapeChangePlacesAsLongAsThatPays) {
  // Nodes in a row, a rank each, whose ranks are a chain in disorder.
  const std::vector<Edge> chain{{0, 3}, {3, 1}, {1, 5}, {5, 2}, {2, 4}};
  const Graph graph(6, chain);
  const Site site({{6, node_shape("core:1")}});
  const Neighbourhood row{[](Domain a, Domain b) { return static_cast<double>(a > b ? a - b : b - a); },
                          [](Domain) { return std::vector<Domain>{}; }};
  const Mapping mapping = arranged(graph, site, {0, 1, 2, 3, 4, 5}, row).mapping;
  ASSERT_TRUE(oracle::is_injective(mapping, site));
  Place before = 0, after = 0;
  for (const auto& [a, b, weight] : chain) {
    before += a > b ? a - b : b - a;
    after += mapping[a] > mapping[b] ? mapping[a] - mapping[b] : mapping[b] - mapping[a];
  }
  EXPECT_LT(after, before);
}

TEST(Arranged, NodesOfDifferentShapesStay) {
  const Site site({{1, node_shape("pack:2 core:2")}, {1, node_shape("core:4")}, {1, node_shape("core:3")}});
  const Graph graph(3, std::vector<Edge>{{0, 2}});
  const Neighbourhood row{[](Domain a, Domain b) { return static_cast<double>(a > b ? a - b : b - a); },
                          [](Domain) { return std::vector<Domain>{}; }};
  EXPECT_EQ(arranged(graph, site, {0, 4, 8}, row).mapping, (Mapping{0, 4, 8}));
}

// ---- torus

Weight links_in_order(const Graph& graph, const Site& site, const Network& torus) {
  return links_of(graph, site, torus, sequential(site, graph.ranks()));
}

TEST(Torus, GridThatIsAlikeGoesOverOneLinkAnExchange) {
  for (const std::vector<std::uint32_t>& extents :
       std::vector<std::vector<std::uint32_t>>{{4, 4}, {6, 5}, {4, 4, 2}, {8}}) {
    const Grid grid{extents, std::vector<bool>(extents.size(), true)};
    const Network torus = torus_network(extents);
    const Graph graph = graph_of(grid);
    const Site site = site_of(torus, {{grid.cells(), node_shape("core:1")}});
    for (const Aim aim : {Aim::worst, Aim::sum, Aim::time, Aim::hops}) {
      const Answer answer = mapped_on_torus(graph, &grid, site, torus, {aim});
      EXPECT_TRUE(oracle::is_injective(answer.mapping, site));
      EXPECT_EQ(links_of(graph, site, torus, answer.mapping), static_cast<Weight>(graph.edges()));
    }
  }
}

// Of 8x8 closed ranks on nodes of four each node shows eight faces at least: 64 in all, and each goes over a link.
TEST(Torus, FewestLinksAreFoundOnRequest) {
  const Grid grid{{8, 8}, {true, true}};
  const Network torus = torus_network({4, 4});
  const Graph graph = graph_of(grid);
  const Site site = site_of(torus, {{16, node_shape("core:4")}});
  const Answer answer = mapped_on_torus(graph, &grid, site, torus, {Aim::hops});
  EXPECT_EQ(links_of(graph, site, torus, answer.mapping), 64);
  EXPECT_EQ(answer.cut.size(), site.levels().size());
}

TEST(Torus, HasNeverMoreLinksThanTheSequentialOrder) {
  oracle::Dice dice(40);
  for (int i = 0; i < oracle::jobs(8); ++i) {
    std::vector<std::uint32_t> extents{dice.from(2, 4), dice.from(2, 4)};
    if (dice.from(0, 1) == 1) extents.push_back(2);
    const Network torus = torus_network(extents);
    std::vector<NodeRun> nodes;
    std::size_t places = 0;
    for (std::size_t node = 0; node < torus.order.size(); ++node) {
      nodes.push_back({1, dice.from(0, 3) == 0 ? node_shape("core:3") : node_shape("pack:2 core:2")});
      places += nodes.back().shape.cores;
    }
    const auto ranks = static_cast<std::uint32_t>(places - dice.from(0, 5));
    const std::vector<Edge> edges = dice.edges(ranks, 2 * ranks);
    const Graph graph(ranks, edges);
    const Site site = site_of(torus, nodes);
    const Objective objective{static_cast<Aim>(dice.from(0, 3))};
    const Answer answer = mapped_on_torus(graph, nullptr, site, torus, objective);
    ASSERT_TRUE(oracle::is_injective(answer.mapping, site));
    const Weight most = links_in_order(graph, site, torus);
    EXPECT_LE(links_of(graph, site, torus, answer.mapping), most);
    for (const Launcher& launcher : kLaunchers) {
      const Mapping theirs = launcher.map(site, ranks);
      if (objective.aim == Aim::hops || links_of(graph, site, torus, theirs) > most) continue;
      EXPECT_LE(key_of(objective, answer.cut), key_of(objective, cut_of(graph, site, theirs))) << launcher.name;
    }
    for (std::size_t level = 0; level < site.levels().size(); ++level) {
      const oracle::Figures figures = oracle::figures(edges, site, answer.mapping, level);
      ASSERT_EQ(oracle::told(answer.cut, level), figures);
      EXPECT_LE(answer.bounds[level].sum, figures.sum);
      EXPECT_LE(answer.bounds[level].worst, figures.worst);
    }
  }
}

TEST(Torus, LinksAreThoseOfTheShorterWays) {
  const Network torus = torus_network({5});
  const Site site = site_of(torus, {{5, node_shape("core:2")}});
  const Graph graph(10, std::vector<Edge>{{0, 1, 7}, {0, 2, 3}, {0, 4, 10}, {0, 9, 100}});
  EXPECT_EQ(links_in_order(graph, site, torus), 3 * 1 + 10 * 2 + 100 * 1);
}

TEST(UnevenTorus, HasNeverMoreLinksThanTheSequentialOrder) {
  oracle::Dice dice(43);
  int in_order = 0, fewer = 0;
  for (int i = 0; i < oracle::jobs(40); ++i) {
    const Network torus = torus_network({dice.from(2, 5), dice.from(2, 4)});
    const Site cores = site_of(torus, {{torus.order.size(), node_shape("pack:2 core:4")}});
    std::vector<std::uint32_t> threads;
    for (std::uint32_t taken = 0; taken + 7 <= cores.places() * 8 / 10; taken += threads.back()) {
      threads.push_back(dice.from(1, 3));
    }
    const auto ranks = static_cast<std::uint32_t>(threads.size());
    std::vector<Edge> edges = dice.edges(ranks, ranks / 2);
    for (Rank rank = 1; rank < ranks; ++rank) edges.push_back({rank - 1, rank, 3});  // which the order suits
    const Graph graph(ranks, edges);
    const Objective objective{i % 2 == 0 ? Aim::worst : Aim::sum};
    const Answer answer = mapped_uneven(graph, cores, threads, objective, {.torus = &torus});
    const Weight ours = links_of(graph, cores, torus, answer.mapping);
    const std::optional<Mapping> order = sequential_of_widths(cores, threads);
    if (!order) continue;
    ++in_order;
    const Weight most = links_of(graph, cores, torus, *order);
    EXPECT_LE(ours, most);
    fewer += ours < most ? 1 : 0;
    if (i % 8 == 1) {  // of the same divisions as for the sum
      const Answer shortest = mapped_uneven(graph, cores, threads, {Aim::hops}, {.torus = &torus});
      EXPECT_LE(links_of(graph, cores, torus, shortest.mapping), ours);
    }
    for (const UnevenLauncher& launcher : kUnevenLaunchers) {
      const auto theirs = launcher.map(cores, threads);
      if (!theirs || links_of(graph, cores, torus, *theirs) > most) continue;
      EXPECT_LE(key_of(objective, answer.cut[0].weight), key_of(objective, cut_of(graph, cores, *theirs)[0].weight));
    }
  }
  EXPECT_EQ(in_order, oracle::jobs(40));
  EXPECT_GT(fewer, oracle::jobs(20));
}

// ---- unequal numbers of threads below switches

Network two_floors(std::size_t switches, std::size_t nodes_each) {
  std::vector<Switch> tree;
  for (std::size_t i = 0; i < switches; ++i) {
    Switch one{"s" + std::to_string(i)};
    for (std::size_t j = 0; j < nodes_each; ++j) one.nodes.push_back("n" + std::to_string(i * nodes_each + j));
    tree.push_back(one);
  }
  return switch_tree(tree, "tree");
}

// Two cliques that both fit below one switch, in ranks that a launcher deals to both.
TEST(UnevenNetwork, RanksThatExchangeMuchShareASwitch) {
  const Network network = two_floors(2, 2);
  const Site cores = site_of(network, {{4, node_shape("core:4")}});
  ASSERT_EQ(cores.levels().size(), 2U);
  std::vector<Edge> edges;
  for (Rank a = 0; a < 8; ++a) {
    for (Rank b = a + 1; b < 8; ++b) {
      if ((a + b) % 2 == 0) edges.push_back({a, b, 10});
    }
  }
  edges.push_back({0, 1, 1});
  const Answer answer = mapped_uneven(Graph(8, edges), cores, {1, 1, 3, 3, 2, 2, 2, 2}, {});
  EXPECT_EQ(answer.cut[0].weight.sum, 1);
}

TEST(UnevenNetwork, HoldsItsPromisesOnRandomGraphs) {
  oracle::Dice dice(41);
  int placed = 0, better = 0;
  for (int i = 0; i < oracle::jobs(40); ++i) {
    const Network network = two_floors(dice.from(2, 4), dice.from(2, 3));
    const Site cores = site_of(network, {{network.order.size(), node_shape("pack:2 core:4")}});
    std::vector<std::uint32_t> threads;
    std::uint32_t taken = 0;
    while (taken + 7 <= cores.places() * 9 / 10) {
      threads.push_back(dice.from(1, 3));
      taken += threads.back();
    }
    const auto ranks = static_cast<std::uint32_t>(threads.size());
    const std::vector<Edge> edges = dice.edges(ranks, 2 * ranks);
    const Graph graph(ranks, edges);
    const Objective objective{i % 2 == 0 ? Aim::worst : Aim::sum};
    const Answer answer = mapped_uneven(graph, cores, threads, objective);
    ++placed;
    std::set<Place> used;
    for (Rank rank = 0; rank < ranks; ++rank) {
      for (std::uint32_t core = 0; core < threads[rank]; ++core)
        ASSERT_TRUE(used.insert(answer.mapping[rank] + core).second);
    }
    for (std::size_t level = 0; level < cores.levels().size(); ++level) {
      const oracle::Figures figures = oracle::figures(edges, cores, answer.mapping, level);
      ASSERT_EQ(oracle::told(answer.cut, level), figures);
      EXPECT_LE(answer.bounds[level].sum, figures.sum);
    }
    for (const Beside& launcher : answer.launchers) {
      const Key ours = key_of(objective, answer.cut[0].weight), theirs = key_of(objective, launcher.cut[0].weight);
      EXPECT_LE(ours, theirs);
      better += ours < theirs ? 1 : 0;
    }
  }
  EXPECT_EQ(placed, oracle::jobs(40));
  EXPECT_GE(better, oracle::jobs(35));
}

}  // namespace
