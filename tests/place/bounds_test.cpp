// SPDX-License-Identifier: BSD-3-Clause
#include "place/bounds/bounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <future>
#include <limits>
#include <optional>
#include <string>
#include <tuple>

#include "oracle.hpp"
#include "place/bounds/connected.hpp"
#include "place/bounds/distance_queue.hpp"
#include "place/bounds/flows.hpp"
#include "place/bounds/proof.hpp"
#include "place/bounds/weighed.hpp"
#include "place/division/launchers.hpp"
#include "place/torus.hpp"

namespace {

using namespace comity::place;

TEST(LeastSurface, IsTheKnownOne) {
  const Grid plane{{100, 100}}, space{{50, 50, 50}};
  for (const auto& [cells, faces] : std::vector<std::pair<std::size_t, Weight>>{{1, 4}, {8, 12}, {32, 24}, {128, 46}}) {
    EXPECT_EQ(least_surface(plane, cells), faces);
  }
  for (const auto& [cells, faces] : std::vector<std::pair<std::size_t, Weight>>{{1, 6}, {16, 40}, {27, 54}, {32, 64}}) {
    EXPECT_EQ(least_surface(space, cells), faces);
  }
  EXPECT_EQ(least_surface({{100}}, 7), 2);
  EXPECT_EQ(least_surface({{7}, {true}}, 7), 0);
  EXPECT_EQ(least_surface({{10, 10}, {}, {1, 4}}, 16), 2 * (8 * 1 + 2 * 4));
}

TEST(LeastSurface, IsTheKnownOneInFourDimensions) {
  const Grid grid{{30, 30, 30, 30}};
  for (const auto& [cells, faces] :
       std::vector<std::pair<std::size_t, Weight>>{{1, 8}, {3, 20}, {5, 30}, {16, 64}, {24, 88}}) {
    EXPECT_EQ(least_surface(grid, cells), faces) << cells << " cells";
  }
}

// What squares of cells have is proven, or nearly so.
TEST(Bounds, OfAPlaneWithDiagonalsCountAllNeighboursTogether) {
  for (const auto& [extents, nodes, sum] : std::vector<std::tuple<std::vector<std::uint32_t>, std::size_t, Weight>>{
           {{4, 4}, 4, 18}, {{8, 8}, 4, 42}, {{8, 8}, 16, 114}}) {
    const Grid grid{extents, {}, {}, 1};
    const Site site = oracle::site(nodes, "core:" + std::to_string(grid.cells() / nodes));
    const Graph graph = graph_of(grid);
    EXPECT_LE(least_together(graph, &grid, site)[0], sum);
    EXPECT_GE(20 * least_together(graph, &grid, site)[0], 17 * sum) << extents[0] << " on " << nodes;
    EXPECT_EQ(mapped(graph, &grid, site, {Aim::sum}).cut[0].weight.sum, sum);
  }
}

// Every set of cells of small grids: what it shows, faces on the border included.
TEST(LeastSurface, IsNeverMoreThanAnySetOfCellsShows) {
  const std::vector<Grid> grids{{{4, 4}},
                                {{4, 4}, {true, true}},
                                {{3, 5}, {true, false}, {2, 5}},
                                {{2, 2, 4}, {false, true, true}, {1, 3, 2}},
                                {{2, 2, 2, 2}, {true, false, true, false}},
                                {{2, 3, 2}},
                                {{3, 2, 3}, {true, true, false}}};
  for (const Grid& grid : grids) {
    const std::vector<Edge> edges = oracle::edges(grid);
    std::vector<Weight> least(grid.cells() + 1, std::numeric_limits<Weight>::max());
    for (std::uint32_t set = 1; set < (1U << grid.cells()); ++set) {
      Weight shown = 0;
      for (const Edge& edge : edges) shown += ((set >> edge.a) & 1U) != ((set >> edge.b) & 1U) ? edge.weight : 0;
      for (Rank rank = 0; rank < grid.cells(); ++rank) {
        if (((set >> rank) & 1U) == 0) continue;
        const Cell cell = grid.cell_of(rank);
        for (std::size_t i = 0; i < grid.dimensions(); ++i) {
          if (grid.wraps(i)) continue;
          shown += (cell[i] == 0 ? grid.halo_of(i) : 0) + (cell[i] + 1 == grid.extents[i] ? grid.halo_of(i) : 0);
        }
      }
      const auto cells = static_cast<std::size_t>(std::popcount(set));
      least[cells] = std::min(least[cells], shown);
    }
    for (std::size_t cells = 1; cells <= grid.cells(); ++cells) {
      EXPECT_LE(least_surface(grid, cells), least[cells]) << cells << " cells";
    }
  }
}

// The smallest of which no dimension is one cell.
Grid of_four_dimensions(oracle::Dice& dice) {
  Grid grid{{2, 2, 2, 2}};
  for (std::size_t i = 0; i < grid.dimensions(); ++i) {
    grid.periodic.push_back(dice.from(0, 1) == 1);
    grid.halo.push_back(dice.from(1, 9));
  }
  grid.diagonal = dice.from(0, 3);
  return grid;
}

TEST(Bounds, OfSmallGridsAreBelowEveryDivision) {
  oracle::Dice dice(3);
  for (int i = 0; i < 150; ++i) {
    const Grid grid = i % 5 == 0 ? of_four_dimensions(dice) : dice.grid(4);
    if (grid.cells() > 16) continue;
    const auto ranks = static_cast<std::uint32_t>(grid.cells());
    const std::uint32_t some = dice.from(1, ranks);
    std::vector<NodeRun> nodes{{1, {some}}};
    if (some < ranks) nodes.push_back({1, {ranks - some}});
    const Site site(nodes);
    const std::vector<Edge> edges = oracle::edges(grid);
    const Weight bound = least_together(graph_of(grid), &grid, site)[0];
    Weight least = kNoLimit;
    std::vector<std::size_t> room{some};
    if (some < ranks) room.push_back(ranks - some);
    oracle::every_division(ranks, room, [&](const std::vector<Domain>& part) {
      least = std::min(least, oracle::of_division(edges, part).sum);
    });
    EXPECT_LE(bound, least) << i;
  }
}

TEST(Bounds, OfSmallGraphsAreBelowEveryDivision) {
  oracle::Dice dice(4);
  Weight best = 0;
  for (int i = 0; i < 60; ++i) {
    const std::uint32_t ranks = dice.from(2, 8);
    const Graph graph(ranks, dice.edges(ranks, 3 * ranks));
    std::vector<NodeRun> nodes{{1, {ranks / 2}}, {1, {ranks - ranks / 2}}};
    const Site site(nodes);
    const Weight bound = least_together(graph, nullptr, site)[0];
    best = std::max(best, bound);
    oracle::every_division(ranks, {ranks / 2, ranks - ranks / 2},
                           [&](const std::vector<Domain>& part) { EXPECT_LE(bound, node_cut(graph, 2, part).sum); });
  }
  EXPECT_GT(best, 0);
}

// ---- what hangs together by few edges

TEST(Connected, BoundsAreBelowEveryDivision) {
  oracle::Dice dice(24);
  Weight best = 0;
  for (int i = 0; i < 80; ++i) {
    const std::uint32_t ranks = dice.from(2, 9), parts = dice.from(1, 3);
    const std::vector<Edge> edges = dice.edges(ranks, dice.from(0, 2 * ranks));
    std::vector<std::size_t> sizes(parts, ranks / parts);
    sizes.back() += ranks % parts;
    if (sizes.front() == 0) continue;
    const Weight bound = least_by_connection(Graph(ranks, edges), sizes);
    best = std::max(best, bound);
    oracle::every_division(
        ranks, sizes, [&](const std::vector<Domain>& part) { EXPECT_LE(bound, oracle::of_division(edges, part).sum); });
  }
  EXPECT_GT(best, 0);
}

TEST(Connected, ChainsAndRingsAreProven) {
  const std::vector<std::size_t> ten(10, 10);
  std::vector<Edge> chain, ring;
  for (Rank rank = 1; rank < 100; ++rank) chain.push_back({rank - 1, rank, 5});
  ring = chain;
  ring.push_back({99, 0, 5});
  EXPECT_EQ(least_by_connection(Graph(100, chain), ten), 9 * 5);
  EXPECT_EQ(least_by_connection(Graph(100, ring), ten), 10 * 5);
  ring.back().weight = 2;
  EXPECT_EQ(least_by_connection(Graph(100, ring), ten), 9 * 5 + 2) << "the lightest of all, or of a tree and one more";
  EXPECT_EQ(least_by_connection(Graph(100, std::vector<Edge>{{0, 1, 3}}), ten), 0) << "ten parts without it";
  EXPECT_EQ(least_by_connection(Graph(100, chain), std::vector<std::size_t>(20, 50)), 5) << "two may hold all";
}

// Of two edges that join the same ranks none is one without which these would not hang together.
TEST(Connected, DoubleEdgesCountTwice) {
  const std::vector<Edge> edges{{0, 1, 1}, {0, 1, 1}};
  EXPECT_EQ(least_by_connection(Graph(2, edges), std::vector<std::size_t>{1, 1}), 2);
}

TEST(Bounds, OfRingsInDisorderAreReached) {
  std::vector<Edge> edges;
  for (Rank rank = 0; rank < 6000; ++rank) edges.push_back({rank * 7 % 6000, (rank + 1) * 7 % 6000});
  const Graph ring(6000, edges);
  const Answer answer = mapped(ring, nullptr, oracle::site(600, "core:10"), {});
  EXPECT_EQ(answer.cut[0].weight, (Crossing{600, 2}));
  EXPECT_EQ(answer.bounds[0].sum, 600);
}

Graph star(std::uint32_t ranks, Weight weight) {
  std::vector<Edge> edges;
  for (Rank other = 1; other < ranks; ++other) edges.push_back({0, other, weight});
  return {ranks, edges};
}

TEST(Bounds, OfAHubAreWhatItsDomainHasNoRoomFor) {
  const Graph graph = star(40, 10);
  for (const char* const node : {"core:10", "pack:2 core:5"}) {
    const Site site = oracle::site(4, node);
    Answer answer = mapped(graph, nullptr, site, {Aim::worst});
    prove_more(answer, graph, nullptr, site);
    for (std::size_t level = 0; level < site.levels().size(); ++level) {
      EXPECT_EQ(answer.bounds[level].sum, level == 0 ? 300 : 50) << node;
      EXPECT_EQ(answer.bounds[level].worst, level == 0 ? 300 : 50) << node;
      EXPECT_EQ(answer.cut[level].weight.worst, answer.bounds[level].worst) << node;
    }
  }
}

TEST(Bounds, OfOneRankAreBelowEveryDivision) {
  oracle::Dice dice(29);
  for (int i = 0; i < 40; ++i) {
    const std::uint32_t ranks = dice.from(4, 8), some = dice.from(2, ranks - 1);
    std::vector<Edge> edges = dice.edges(ranks, ranks);
    for (Rank other = 1; other < ranks; ++other) edges.push_back({0, other, dice.from(1, 9)});
    const Graph graph(ranks, edges);
    Answer answer;
    const Site site({{1, {some}}, {1, {ranks - some}}});
    answer.cut = Cut(1);
    answer.bounds = {{0, 0}};
    raise_bounds_by_one_rank(answer, graph, site);
    EXPECT_GT(answer.bounds[0].worst, 0);
    oracle::every_division(ranks, {some, ranks - some}, [&](const std::vector<Domain>& part) {
      EXPECT_LE(answer.bounds[0].worst, node_cut(graph, 2, part).worst);
      EXPECT_LE(answer.bounds[0].sum, node_cut(graph, 2, part).sum);
    });
  }
}

// ---- flows

// Distances grow as in a search, around all buckets and into full ones.
TEST(DistanceQueue, GivesTheNearestFirstAndEachOnce) {
  oracle::Dice dice(22);
  DistanceQueue<std::uint32_t> queue;
  for (int again = 0; again < 2; ++again) {
    queue.clear();
    std::vector<std::uint32_t> waits(1, 0);  // the distance of each
    std::vector<bool> came;
    queue.push(0, 0);
    std::uint32_t now = 0;
    while (!queue.empty()) {
      const auto next = queue.pop();
      EXPECT_GE(next.distance, now);
      EXPECT_EQ(next.distance, waits[next.item]);
      now = next.distance;
      came.resize(waits.size(), false);
      EXPECT_FALSE(came[next.item]);
      came[next.item] = true;
      for (std::uint32_t more = dice.from(0, 4); more > 0 && waits.size() < 3'000; --more) {
        waits.push_back(now + dice.from(0, 1) * dice.from(1, DistanceQueue<std::uint32_t>::kBuckets - 1));
        queue.push(waits.back(), static_cast<std::uint32_t>(waits.size() - 1));
      }
      if (queue.empty() && waits.size() < 3'000) {
        waits.push_back(now + 1);
        queue.push(waits.back(), static_cast<std::uint32_t>(waits.size() - 1));
      }
    }
    EXPECT_EQ(std::count(came.begin(), came.end(), true), 3'000);
    EXPECT_GT(now, 2 * DistanceQueue<std::uint32_t>::kBuckets);
  }
}

// Every division into parts of at most so many ranks.
Weight least_of_all(std::uint32_t ranks, const Graph& graph, std::size_t most) {
  Weight least = std::numeric_limits<Weight>::max();
  oracle::every_division(ranks, std::vector<std::size_t>(ranks, most), [&](const std::vector<Domain>& part) {
    least = std::min(least, node_cut(graph, ranks, part).sum);
  });
  return least;
}

TEST(Flows, ProveNothingThatADivisionRefutes) {
  oracle::Dice dice(20);
  Weight all = 0, proven = 0;
  for (int i = 0; i < 60; ++i) {
    const std::uint32_t ranks = dice.from(2, 6);
    const Graph graph(ranks, dice.edges(ranks, dice.from(0, 3 * ranks)));
    const std::size_t most = dice.from(1, ranks);
    const Weight least = least_of_all(ranks, graph, most), bound = least_by_flows(graph, most);
    ASSERT_LE(bound, least) << ranks << " ranks in parts of " << most;
    all += least;
    proven += bound;
  }
  EXPECT_GE(10 * proven, 7 * all);
}

// Against the best divisions of larger graphs that are known, and against what the mapper finds.
TEST(Flows, ProveMuchOfGraphsWhoseRanksHaveFewNeighbours) {
  const auto path = graph_of(Grid{{100}}), ring = graph_of(Grid{{60}, {true}}), plane = graph_of(Grid{{16, 16}}),
             space = graph_of(Grid{{8, 8, 8}});
  for (const auto& [graph, most, best] : std::vector<std::tuple<const Graph*, std::size_t, Weight>>{
           {&path, 10, 9}, {&ring, 20, 3}, {&plane, 16, 96}, {&space, 32, 320}, {&space, 16, 448}}) {
    const Weight bound = least_by_flows(*graph, most);
    EXPECT_LE(bound, best);
    EXPECT_GE(20 * bound, 11 * best) << graph->ranks() << " ranks in parts of " << most;
  }
}

TEST(Flows, HoldForWeightsOfAnySize) {
  constexpr Weight kLarge = kMostWeight / 8;
  const Weight bound = least_by_flows(Graph(3, std::vector<Edge>{{0, 1, kLarge}, {1, 2, kLarge}}), 1);
  EXPECT_LE(bound, 2 * kLarge);
  EXPECT_GE(bound, kLarge);
  EXPECT_LE(least_by_flows(Graph(3, std::vector<Edge>{{0, 1, kLarge}, {1, 2, 1}}), 2), 1);
  EXPECT_EQ(least_by_flows(Graph(4, std::vector<Edge>{}), 2), 0);
  EXPECT_EQ(least_by_flows(Graph(2, std::vector<Edge>{{0, 1, 5}}), 2), 0);
}

TEST(Bounds, OfRandomGraphsAreRaisedByFlowsAtEachLevel) {
  oracle::Dice dice(21);
  for (int i = 0; i < 2; ++i) {
    const std::uint32_t ranks = dice.from(30, 60);
    const std::vector<Edge> edges = dice.edges(ranks, 4 * ranks);
    const Graph graph(ranks, edges);
    const Site site = oracle::site(8, "pack:2 core:4");
    Answer answer = mapped(graph, nullptr, site, {});
    prove_more(answer, graph, nullptr, site);
    EXPECT_GT(answer.bounds[0].sum, 0);
    for (std::size_t level = 0; level < answer.bounds.size(); ++level) {
      EXPECT_LE(answer.bounds[level].sum, answer.cut[level].weight.sum);
      EXPECT_LE(answer.bounds[level].worst, answer.cut[level].weight.worst);
    }
  }
}

// The command proves while it maps: both read one graph and one site at the same time, and write neither.
TEST(Bounds, FoundBesideTheMapperAreThoseFoundBehindIt) {
  std::vector<Edge> edges;  // three for each step, which are too many for a look at what hangs together
  for (Rank rank = 1; rank < 48; ++rank) edges.insert(edges.end(), 3, {rank - 1, rank});
  const Graph chain(48, edges);
  const Site site({{3, node_shape("core:16")}, {1, node_shape("core:1")}});
  const auto answer_to = [&] { return mapped(chain, nullptr, site, {Aim::sum}); };
  ASSERT_TRUE(flows_prove_more(chain, nullptr, site));
  auto proof = std::async(std::launch::async, [&] { return least_together_by_flows(chain, site); });
  Answer beside = answer_to();
  raise_bounds(beside, site, proof.get());
  Answer behind = answer_to();
  EXPECT_EQ(behind.bounds[0].sum, 0) << "else flows need not prove it";
  prove_more(behind, chain, nullptr, site);
  EXPECT_EQ(beside.mapping, behind.mapping);
  EXPECT_EQ(beside.bounds[0].sum, behind.bounds[0].sum);
  EXPECT_EQ(beside.bounds[0].sum, beside.cut[0].weight.sum) << "all of a chain";
}

// The figures of docs/place.md.
TEST(Bounds, OfGridsGivenAsGraphsAreProvenInPartByFlows) {
  struct Known {
    Grid grid;
    std::size_t nodes;
    const char* node;
    Weight proven, best;
  };
  for (const Known& one : {Known{{{12, 12}}, 9, "core:16", 38, 48}, Known{{{16, 16}}, 16, "core:16", 74, 96},
                           Known{{{8, 8, 8}}, 16, "core:32", 198, 320}}) {
    const Weight proven = least_together_by_flows(graph_of(one.grid), oracle::site(one.nodes, one.node)).front();
    EXPECT_GE(proven, one.proven) << one.nodes;
    EXPECT_LE(proven, one.best) << "nothing has less than a bound";
  }
}

TEST(Bounds, OfInnerLevelsFollowWhatCrossesOutside) {
  const Grid grid{{8, 8, 8}};
  const Site site = oracle::site(16, "pack:2 core:16");
  const std::vector<Weight> together = least_together(graph_of(grid), &grid, site);
  EXPECT_EQ(together, (std::vector<Weight>{320, 448}));
  const std::vector<Bound> bounds = bounds_of(site, together, cut_of(graph_of(grid), site, sequential(site, 512)));
  EXPECT_EQ(bounds[0].worst, 40);
  EXPECT_EQ(bounds[1].sum, 0);  // sequential ranks leave 512 between nodes, more than all levels together need
}

// ---- figures that take the levels together

// The least of all ways to put eight ranks onto pairs of cores.
template <typename Figure>
auto least_of_pairs(Figure&& figure) {
  std::optional<decltype(figure(Mapping{}))> least;
  oracle::every_division(8, {2, 2, 2, 2}, [&](const std::vector<Domain>& part) {
    std::array<Place, 4> taken{};
    Mapping mapping;
    for (const Domain pair : part) mapping.push_back(2 * pair + taken.at(pair)++);
    const auto found = figure(mapping);
    if (!least || found < *least) least = found;
  });
  return *least;
}

TEST(Bounds, OfTimeAreBelowEveryMapping) {
  oracle::Dice dice(22);
  const Site site = oracle::site(2, "pack:2 core:2");
  double all = 0, proven = 0;
  for (int i = 0; i < 24; ++i) {
    const Grid grid{{2, 4}, {}, {dice.from(1, 4), dice.from(1, 4)}};
    const bool is_grid = dice.from(0, 1) == 1;
    const Graph graph = is_grid ? graph_of(grid) : Graph(8, dice.edges(8, dice.from(6, 20)));
    const Objective objective{Aim::time, {1.0 * dice.from(0, 9), 0.5 * dice.from(0, 9)}};
    const double least =
        least_of_pairs([&](const Mapping& mapping) { return time_of(objective, cut_of(graph, site, mapping)); });
    Answer answer =
        mapped(graph, is_grid ? &grid : nullptr, site, {i % 2 == 0 ? Aim::time : Aim::sum, objective.costs});
    prove_more(answer, graph, is_grid ? &grid : nullptr, site);
    const double bound = least_time(site, objective, answer);
    EXPECT_LE(bound, least);
    all += least;
    proven += bound;
  }
  EXPECT_GE(2 * proven, all);
}

TEST(Bounds, OfTimeCountWhatMustCrossSomewhere) {
  const Grid grid{{5, 16}};
  const Site site = oracle::site(10, "pack:2 core:4");
  const Objective objective{Aim::time, {1, 0.1}};
  // 9 in the worst node, which 45 between nodes would leave it; of the 59 that cross, 14 more inside ten nodes.
  EXPECT_NEAR(least_time(site, objective, mapped(graph_of(grid), &grid, site, objective)), 9 + 0.1 * 14 / 10, 1e-9);
  EXPECT_EQ(
      least_time(oracle::site(1, "core:80"), objective, mapped(graph_of(grid), &grid, oracle::site(1, "core:80"), {})),
      0);
}

TEST(Bounds, OfLinksAreBelowEveryMapping) {
  oracle::Dice dice(23);
  const Network ring = torus_network({4});
  const Site site(in_order({{4, node_shape("core:2")}}, ring.order), 1, ring.levels, ring.order);
  Weight all = 0, proven = 0;
  for (int i = 0; i < 12; ++i) {
    const Graph graph(8, dice.edges(8, dice.from(6, 20)));
    const Weight least = least_of_pairs([&](const Mapping& mapping) { return links_of(graph, site, ring, mapping); });
    Answer answer = mapped_on_torus(graph, nullptr, site, ring, {i % 2 == 0 ? Aim::hops : Aim::worst});
    prove_more(answer, graph, nullptr, site);
    const Weight bound = least_links(site, answer);
    EXPECT_LE(bound, least);
    all += least;
    proven += bound;
  }
  EXPECT_GE(2 * proven, all);
}

}  // namespace
