// SPDX-License-Identifier: BSD-3-Clause
// Small jobs on a torus whose exchanges are to go over few links: the answer is the best of all mappings by links and then by levels, and
// the links are proven.
#include "place/small_on_torus.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "oracle.hpp"
#include "place/bounds/weighed.hpp"
#include "place/division/try_links.hpp"
#include "place/division/uneven.hpp"
#include "place/torus.hpp"

namespace {

using namespace comity::place;

constexpr Objective kHops{Aim::hops};

Site site_on(const Network& torus, const std::vector<NodeRun>& nodes) {
  return Site(in_order(nodes, torus.order), 1, torus.levels, torus.order);
}

// One step at a time, each way around.
Weight way(const std::vector<std::uint32_t>& extents, std::uint32_t from, std::uint32_t to) {
  Weight steps = 0;
  for (std::size_t i = extents.size(); i-- > 0; from /= extents[i], to /= extents[i]) {
    Weight on = 0, back = 0;
    while ((from + on) % extents[i] != to % extents[i]) ++on;
    while ((to + back) % extents[i] != from % extents[i]) ++back;
    steps += std::min(on, back);
  }
  return steps;
}

Weight links(const std::vector<Edge>& edges, const Site& site, const Network& torus, const Mapping& mapping) {
  const Level& nodes = site.levels()[site.node_level()];
  Weight all = 0;
  for (const Edge& edge : edges) {
    const auto one = static_cast<Domain>(oracle::domain(nodes, mapping[edge.a]));
    const auto other = static_cast<Domain>(oracle::domain(nodes, mapping[edge.b]));
    all += edge.weight * way(torus.torus, site.number_of(one), site.number_of(other));
  }
  return all;
}

// Limits, links, levels.
Key key_on(const std::vector<Edge>& edges, const Site& site, const Network& torus, const Objective& objective,
           const Mapping& mapping) {
  Cut cut;
  for (std::size_t level = 0; level < site.levels().size(); ++level) {
    const oracle::Figures figures = oracle::figures(edges, site, mapping, level);
    cut.push_back({{figures.sum, figures.worst}, {}});
  }
  Key key = key_of(objective, cut);
  key.insert(key.begin() + 1, static_cast<double>(links(edges, site, torus, mapping)));
  return key;
}

struct Least {
  std::optional<Key> key;
  Weight links = std::numeric_limits<Weight>::max();
};

Least least_of(const std::vector<Edge>& edges, std::size_t ranks, const Site& site, const Network& torus,
               const Objective& objective) {
  Least least;
  oracle::every_division(ranks, site.levels().back().sizes(), [&](const std::vector<Domain>& leaf_of) {
    std::vector<Place> next = site.levels().back().first;
    Mapping mapping;
    for (const Domain leaf : leaf_of) mapping.push_back(next[leaf]++);
    const Weight own = links(edges, site, torus, mapping);
    least.links = std::min(least.links, own);
    if (least.key && objective.at_most.empty() && static_cast<double>(own) > (*least.key)[1]) return;
    Key key = key_on(edges, site, torus, objective, mapping);
    if (!least.key || key < *least.key) least.key = std::move(key);
  });
  return least;
}

void expect_the_best(const std::vector<Edge>& edges, std::uint32_t ranks, const Site& site, const Network& torus,
                     const Objective& objective) {
  const Graph graph(ranks, edges);
  const Answer answer = mapped_on_torus(graph, nullptr, site, torus, objective);
  ASSERT_TRUE(oracle::is_injective(answer.mapping, site));
  const Least least = least_of(edges, ranks, site, torus, objective);
  EXPECT_EQ(key_on(edges, site, torus, objective, answer.mapping), *least.key);
  EXPECT_EQ(answer.links->ours, links(edges, site, torus, answer.mapping));
  EXPECT_EQ(least_links(site, answer), least.links);
}

// Dividing first and arranging nodes then finds 13.
TEST(SmallOnTorus, HasTheFewestLinksAndProvesThem) {
  const std::vector<Edge> edges{{0, 2, 2}, {0, 4, 1}, {1, 3, 1}, {1, 4, 5}, {2, 3, 5}, {2, 4, 2}, {4, 5, 5}};
  const Network torus = torus_network({2, 2});
  const Site site = site_on(torus, {{4, node_shape("core:2")}});
  const Answer answer = mapped_on_torus(Graph(6, edges), nullptr, site, torus, kHops);
  EXPECT_EQ(answer.links->ours, 12);
  EXPECT_EQ(least_links(site, answer), 12);
}

TEST(SmallOnTorus, IsMappedAsWellAsAnyMappingIs) {
  const std::vector<std::vector<std::uint32_t>> toruses{{2, 2}, {4}, {5}, {3, 2}, {2, 2, 2}};
  oracle::Dice dice(51);
  for (int i = 0; i < oracle::jobs(150); ++i) {
    SCOPED_TRACE(i);
    const Network torus = torus_network(toruses[dice.from(0, 4)]);
    const std::size_t nodes = torus.order.size();
    const std::uint32_t cores = dice.from(nodes > 6 ? 1 : 2, nodes > 4 ? 2 : 3);
    const Site site = site_on(torus, {{nodes, {cores}}});
    const std::uint32_t ranks = dice.from(4, nodes > 6 ? 5 : 6);
    expect_the_best(dice.edges(ranks, dice.from(ranks, 3 * ranks)), ranks, site, torus, kHops);
  }
}

TEST(SmallOnTorus, IsMappedAsWellAsAnyMappingIsOnNodesThatAreUnlike) {
  oracle::Dice dice(52);
  for (int i = 0; i < oracle::jobs(90); ++i) {
    SCOPED_TRACE(i);
    const Network torus = torus_network({dice.from(2, 3), 2});
    std::vector<NodeRun> nodes;
    for (std::size_t node = 0; node < torus.order.size(); ++node)
      nodes.push_back({1, dice.from(0, 2) == 0 ? node_shape("pack:2 core:1") : node_shape("core:1")});
    const Site site = site_on(torus, nodes);
    const auto ranks = static_cast<std::uint32_t>(std::min<std::size_t>(site.places(), 5));
    Objective objective{Aim::hops};
    if (dice.from(0, 2) == 0) objective.at_most.assign(site.levels().size(), static_cast<Weight>(dice.from(2, 12)));
    expect_the_best(dice.edges(ranks, dice.from(ranks, 3 * ranks)), ranks, site, torus, objective);
  }
}

TEST(SmallOnTorus, HasTheFewestLinksOfUnequalThreads) {
  oracle::Dice dice(53);
  int mapped = 0;
  for (int i = 0; i < oracle::jobs(60); ++i) {
    SCOPED_TRACE(i);
    const Network torus = torus_network({dice.from(2, 3), 2});
    const Site cores = site_on(torus, {{torus.order.size(), node_shape("core:4")}});
    const std::uint32_t ranks = 6;
    std::vector<std::uint32_t> threads;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) threads.push_back(dice.from(1, 3));
    const std::vector<Edge> edges = dice.edges(ranks, 2 * ranks);
    Weight least = std::numeric_limits<Weight>::max();
    const std::size_t nodes = torus.order.size();
    oracle::every_division(ranks, std::vector<std::size_t>(nodes, ranks), [&](const std::vector<Domain>& node_of) {
      std::vector<std::uint32_t> taken(nodes, 0);
      for (Rank rank = 0; rank < ranks; ++rank) taken[node_of[rank]] += threads[rank];
      if (*std::max_element(taken.begin(), taken.end()) > 4) return;
      Weight all = 0;
      for (const Edge& edge : edges) {
        all += edge.weight * way(torus.torus, cores.number_of(node_of[edge.a]), cores.number_of(node_of[edge.b]));
      }
      least = std::min(least, all);
    });
    if (least == std::numeric_limits<Weight>::max()) continue;  // they do not fit
    const Answer answer = mapped_uneven(Graph(ranks, edges), cores, threads, kHops, {.torus = &torus});
    ++mapped;
    EXPECT_EQ(links(edges, cores, torus, answer.mapping), least);
    EXPECT_EQ(least_links(cores, answer), least);
  }
  EXPECT_GT(mapped, oracle::jobs(30));
}

TEST(FewestLinks, SaySoWhereTheyAreTooManyToTry) {
  oracle::Dice dice(54);
  const std::vector<std::uint32_t> extents{4, 4}, rooms(16, 2), widths(24, 1);
  std::vector<std::uint32_t> cells(16);
  std::iota(cells.begin(), cells.end(), 0U);
  const Graph graph(24, dice.edges(24, 90));
  const TriedLinks tried = fewest_links({graph, extents, cells, rooms, widths, 1'000'000, 500});
  EXPECT_TRUE(tried.node_of);
  EXPECT_FALSE(tried.all);
  EXPECT_GT(tried.at_least, 0);
  const Graph larger(25, {});
  EXPECT_FALSE(fewest_links({larger, extents, cells, rooms, std::vector<std::uint32_t>(25, 1), 1}).all);
}

// A closed grid as large as the torus has a link an exchange and no fewer: known at once.
TEST(FewestLinks, AreKnownWhereAllGoOverOne) {
  const std::vector<std::uint32_t> extents{4, 4}, rooms(16, 1), widths(16, 1);
  std::vector<std::uint32_t> cells(16);
  std::iota(cells.begin(), cells.end(), 0U);
  const TriedLinks tried = fewest_links({graph_of({{4, 4}, {true, true}}), extents, cells, rooms, widths, 33});
  EXPECT_TRUE(tried.all);
  EXPECT_EQ(tried.at_least, 32);
}

}  // namespace
