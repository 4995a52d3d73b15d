// SPDX-License-Identifier: BSD-3-Clause
// Ranks of unequal width: whether they fit at all, the best packing of few, divisions of many, and what is proven of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "oracle.hpp"
#include "place/bounds/proof.hpp"
#include "place/division/first_fit.hpp"
#include "place/division/fit.hpp"
#include "place/division/repair.hpp"
#include "place/division/roam.hpp"
#include "place/division/try_all.hpp"
#include "place/division/uneven.hpp"
#include "place/division/widths.hpp"

namespace {

using namespace comity::place;
using Widths = std::vector<std::uint32_t>;

bool fits(const std::vector<Domain>& part, const Widths& widths, const Widths& rooms) {
  Widths taken(rooms.size(), 0);
  for (Rank rank = 0; rank < part.size(); ++rank) taken[part[rank]] += widths[rank];
  return std::equal(taken.begin(), taken.end(), rooms.begin(), std::less_equal<>());
}

// Calls visit(part) for every packing of these widths.
template <typename Visit>
void every_packing(const Widths& widths, const Widths& rooms, Visit&& visit) {
  oracle::every_division(widths.size(), std::vector<std::size_t>(rooms.size(), widths.size()),
                         [&](const std::vector<Domain>& part) {
                           if (fits(part, widths, rooms)) visit(part);
                         });
}

Widths some(oracle::Dice& dice, std::uint32_t count, std::uint32_t low, std::uint32_t high) {
  Widths widths;
  for (std::uint32_t i = 0; i < count; ++i) widths.push_back(dice.from(low, high));
  return widths;
}

// ---- whether they fit

// Best fit puts the 4 into the room of 5, and has no place for the last 2.
TEST(Fit, IsFoundWhereTheTightestRoomIsTheWrongOne) {
  const Widths widths{4, 3, 2, 2}, rooms{6, 5};
  const Fit fit = fit_of(widths, rooms);
  ASSERT_EQ(fit.end, Fit::End::found);
  EXPECT_TRUE(fits(fit.bin_of, widths, rooms));
  const Answer answer = mapped_uneven(Graph(4, std::vector<Edge>{{0, 2, 1}, {1, 3, 1}}),
                                      Site({{1, node_shape("core:6")}, {1, node_shape("core:5")}}), widths, {});
  EXPECT_EQ(answer.cut[0].weight.sum, 0);
}

TEST(Fit, IsFoundWheneverThereIsOne) {
  oracle::Dice dice(41);
  int found = 0, none = 0;
  for (int i = 0; i < 300; ++i) {
    const Widths rooms = some(dice, dice.from(1, 3), 4, 12);
    Widths widths = some(dice, dice.from(1, 8), 1, 6);
    bool exists = false;
    every_packing(widths, rooms, [&](const std::vector<Domain>&) { exists = true; });
    const Fit fit = fit_of(widths, rooms);
    ASSERT_EQ(fit.end, exists ? Fit::End::found : Fit::End::none) << i;
    if (exists) {
      EXPECT_TRUE(fits(fit.bin_of, widths, rooms));
    }
    ++(exists ? found : none);
  }
  EXPECT_GT(found, 50);
  EXPECT_GT(none, 50);
}

// No core is left over, so that each node must be filled exactly.
TEST(Fit, FillsManyNodesWithoutALeftCore) {
  oracle::Dice dice(42);
  for (int i = 0; i < 20; ++i) {
    const Widths rooms(40, 16);
    Widths widths;
    for (const std::uint32_t room : rooms) {
      for (std::uint32_t left = room; left > 0; left -= widths.back())
        widths.push_back(std::min(left, dice.from(2, 9)));
    }
    const Fit fit = fit_of(widths, rooms);
    ASSERT_EQ(fit.end, Fit::End::found) << i;
    EXPECT_TRUE(fits(fit.bin_of, widths, rooms));
  }
}

// The widest first leaves 1 in each, and a 2 over.
TEST(Fit, DoesNotTakeAShortSearchForAProof) {
  const Widths widths{4, 3, 2, 2}, rooms{6, 5};
  EXPECT_EQ(fit_of(widths, rooms, 1).end, Fit::End::gave_up);
  EXPECT_EQ(fit_of(widths, rooms).end, Fit::End::found);
}

TEST(Fit, SaysWhereNotAllWasTried) {
  // Even widths and odd rooms: a core of each is lost, which a search finds out late.
  Widths widths, rooms(60, 101);
  for (std::uint32_t i = 0; i < 300; ++i) widths.push_back(14 + 2 * (i % 8));
  std::uint32_t all = std::accumulate(widths.begin(), widths.end(), 0U);
  for (; all + 14 <= 60 * 101; all += 14) widths.push_back(14);
  const Fit fit = fit_of(widths, rooms);
  EXPECT_NE(fit.end, Fit::End::found);
  try {
    (void)mapped_uneven(Graph(widths.size(), {}), oracle::site(60, "core:101"), widths, {});
    FAIL();
  } catch (const comity::Error& error) {
    const bool gave_up = std::string(error.what()).find("was found, though there may be one") != std::string::npos;
    EXPECT_EQ(gave_up, fit.end == Fit::End::gave_up) << error.what();
  }
}

// ---- the best of few

TEST(TryAll, FindsTheBestOfAllPackings) {
  oracle::Dice dice(43);
  for (int i = 0; i < 60; ++i) {
    const std::uint32_t ranks = dice.from(2, 7);
    const std::vector<Edge> edges = dice.edges(ranks, 2 * ranks);
    const Graph graph(ranks, edges);
    const Widths widths = some(dice, ranks, 1, 3), rooms = some(dice, 3, 3, 8);
    std::vector<Rank> items(ranks);
    std::iota(items.begin(), items.end(), Rank{0});
    for (const Spare spare : {Spare::worst_bin, Spare::sum}) {
      std::optional<std::pair<Weight, Weight>> least;
      every_packing(widths, rooms, [&](const std::vector<Domain>& part) {
        const oracle::Figures figures = oracle::of_division(edges, part);
        const auto key = PackingScore{figures.worst, 2 * figures.sum}.key(spare);
        least = least ? std::min(*least, key) : key;
      });
      const Packing packing = packed({graph, items, widths, rooms, spare});
      EXPECT_TRUE(packing.proven);
      ASSERT_EQ(packing.bin_of.has_value(), least.has_value());
      if (least) {
        EXPECT_EQ(packing.score.key(spare), *least);
      }
    }
  }
}

TEST(UnevenMapper, ProvesTheBestOfAChain) {
  // 2 and 1 in turn on nodes of 3: three pairs, which two edges part.
  std::vector<Edge> edges;
  for (Rank rank = 0; rank + 1 < 6; ++rank) edges.push_back({rank, rank + 1});
  const Answer answer = mapped_uneven(Graph(6, edges), oracle::site(3, "core:3"), {2, 1, 2, 1, 2, 1}, {Aim::sum});
  EXPECT_EQ(answer.cut[0].weight.sum, 2);
  EXPECT_EQ(answer.bounds[0].sum, 2);
  // The wide ones cannot be beside their neighbours.
  const Answer apart = mapped_uneven(Graph(6, edges), oracle::site(4, "core:3"), {3, 1, 3, 1, 1, 3}, {});
  EXPECT_EQ(apart.cut[0].weight.sum, 4);
  EXPECT_EQ(apart.bounds[0].sum, 4);
  EXPECT_EQ(apart.cut[0].weight.worst, apart.bounds[0].worst);
}

// ---- inner levels that count

// Nodes alone were compared first, once: an order with less time in all lost, and one that kept a limit.
TEST(UnevenMapper, IsNeverWorseThanALauncherByTheWholeObjective) {
  oracle::Dice dice(47);
  const Objective costly_inside{Aim::time, {1, 5}};
  int launchers_best = 0;
  for (int i = 0; i < oracle::jobs(45); ++i) {
    const std::uint32_t ranks = dice.from(8, 14);
    const Graph graph(ranks, dice.edges(ranks, 3 * ranks));
    const Widths threads = some(dice, ranks, 1, 3);
    const std::uint32_t all = std::accumulate(threads.begin(), threads.end(), 0U);
    const Site cores = oracle::site(all / 8 + dice.from(1, 3), "pack:2 core:5");
    const Objective limited{static_cast<Aim>(dice.from(0, 2)), {}, {kNoLimit, static_cast<Weight>(dice.from(0, 9))}};
    for (const Objective& objective : {costly_inside, limited}) {
      const Answer answer = mapped_uneven(graph, cores, threads, objective);
      EXPECT_FALSE(answer.launchers.empty());
      for (const Beside& launcher : answer.launchers) {
        EXPECT_LE(key_of(objective, answer.cut), key_of(objective, launcher.cut)) << i << ' ' << launcher.name;
        launchers_best += answer.made_by == launcher.name ? 1 : 0;
      }
    }
  }
  if (!comity::testing::kHasSanitizer) {  // which tries few
    EXPECT_GT(launchers_best, 0) << "else there is nothing to see";
  }
}

// Between nodes cross four instead of two, so that nothing does between packages.
TEST(UnevenMapper, LetsNodesExchangeMoreWherePackagesMayNot) {
  const Graph square(4, std::vector<Edge>{{0, 1}, {1, 2}, {2, 3}, {3, 0}});
  const Widths threads{2, 1, 2, 1};
  const Site cores = oracle::site(2, "pack:2 core:2");
  const Answer answer = mapped_uneven(square, cores, threads, {.at_most = {kNoLimit, 0}});
  EXPECT_EQ(answer.cut[1].weight.worst, 0);
  EXPECT_GT(mapped_uneven(square, cores, threads, {}).cut[1].weight.worst, 0) << "else there is nothing to see";
}

TEST(UnevenMapper, HasDivisionsOfUnlikeShapesThatFit) {
  const Grid grid{{12, 8}};
  const Graph graph = graph_of(grid);
  Widths threads(grid.cells(), 1);
  for (std::size_t rank = 0; rank < threads.size(); rank += 7) threads[rank] = 2;
  const Widths rooms(8, 16);
  const Fit fit = fit_of(threads, rooms);
  const Objective objective{Aim::time, {1, 1}};
  const Progress silent;
  const Partition nobody;
  constexpr std::size_t kMost = 20;
  const std::vector<NamedDivision> found =
      divisions_of_shapes({graph, &grid, threads, rooms, fit, objective, silent, nobody}, kMost);
  EXPECT_GT(found.size(), 4U);
  EXPECT_LE(found.size(), kMost);
  for (const NamedDivision& one : found) {
    EXPECT_TRUE(fits(one.node_of, threads, rooms));
    EXPECT_EQ(std::ranges::count(found, one.node_of, &NamedDivision::node_of), 1);
  }
  EXPECT_TRUE(divisions_of_shapes({graph, nullptr, threads, rooms, fit, objective, silent, nobody}, kMost).empty());
}

// ---- many

TEST(UnevenMapper, GivesBoxesToAGridWithOneWideRank) {
  const Grid grid{{32, 32}};
  const Graph graph = graph_of(grid);
  Widths threads(grid.cells(), 1);
  threads.back() = 2;
  const Site cores = oracle::site(17, "core:64");
  for (const Aim aim : {Aim::worst, Aim::sum}) {
    Answer answer = mapped_uneven(graph, cores, threads, {aim}, {.grid = &grid});
    EXPECT_LE(answer.cut[0].weight.sum, 208);
    EXPECT_LE(answer.cut[0].weight.worst, 34);
    EXPECT_GE(answer.bounds[0].sum, 190);
    EXPECT_LE(answer.bounds[0].sum, answer.cut[0].weight.sum);
    prove_more(answer, graph, &grid, cores, threads);
    EXPECT_LE(answer.bounds[0].sum, answer.cut[0].weight.sum);
  }
}

// More than 65,536 were refused once.
TEST(UnevenMapper, TakesAsManyRanksAsOthers) {
  const Grid grid{{300, 300}};
  const Site site = oracle::site(1880, "pack:2 core:24");
  Widths threads(90'000, 1);
  for (std::size_t rank = 0; rank < threads.size(); rank += 1'000) threads[rank] = 3;
  const Answer answer = mapped_uneven(graph_of(grid), site, threads, {}, {.grid = &grid});
  Widths taken(site.places(), 0);
  for (Rank rank = 0; rank < threads.size(); ++rank) {
    for (std::uint32_t i = 0; i < threads[rank]; ++i) ++taken[answer.mapping[rank] + i];
  }
  EXPECT_EQ(*std::max_element(taken.begin(), taken.end()), 1U) << "no core twice";
  const auto in_order = std::ranges::find(answer.launchers, "sequential", &Beside::name);
  ASSERT_NE(in_order, answer.launchers.end());
  EXPECT_LT(3 * answer.cut[0].weight.sum, in_order->cut[0].weight.sum);
}

// As by looking at all rooms for each.
TEST(FirstFit, FindsTheFirstRoomThatIsLargeEnough) {
  oracle::Dice dice(7);
  for (int i = 0; i < 200; ++i) {
    Widths rooms = some(dice, dice.from(1, 9), 0, 12);
    FirstFit fit(rooms);
    for (const std::uint32_t width : some(dice, 12, 1, 6)) {
      const auto first = std::ranges::find_if(rooms, [&](std::uint32_t room) { return room >= width; });
      const std::optional<Domain> found = fit.put(width);
      ASSERT_EQ(found.has_value(), first != rooms.end());
      if (!found) continue;
      EXPECT_EQ(*found, first - rooms.begin());
      *first -= width;
    }
  }
}

// Four ranks that fit in two ways, each with the nodes in either order. What others answer is among the divisions that are kept, for
// none of ours parts the heavy pairs.
TEST(UnevenMapper, AsksOthersWithWidths) {
  const Graph graph(4, std::vector<Edge>{{0, 1, 9}, {2, 3, 9}});
  const Widths threads{1, 2, 1, 2}, rooms{3, 3};
  const Fit fit = fit_of(threads, rooms);
  const std::vector<Domain> theirs{0, 1, 1, 0};
  int asked = 0;
  const auto names_of = [&](const std::vector<Domain>& answer) {
    const Partition ask = [&](const Graph& of, const std::vector<std::size_t>& sizes, const Widths& widths,
                              const Portions&) {
      ++asked;
      EXPECT_EQ(of.ranks(), 4U);
      EXPECT_EQ(widths, threads);
      EXPECT_EQ(sizes, (std::vector<std::size_t>{3, 3}));
      return std::vector<Foreign>{{"theirs", answer}};
    };
    const Objective objective;
    const Progress silent;
    std::vector<std::string> names;
    for (const NamedDivision& one :
         divisions_of_widths({graph, nullptr, threads, rooms, fit, objective, silent, ask})) {
      EXPECT_TRUE(fits(one.node_of, threads, rooms)) << one.name;
      if (one.node_of == theirs) names.push_back(one.name);
    }
    return names;
  };
  EXPECT_EQ(names_of(theirs), std::vector<std::string>{"theirs, repaired"});
  EXPECT_GT(asked, 0);
  // All on one node: it is repaired before it takes part, and the ranks that cost least go.
  EXPECT_TRUE(names_of({0, 0, 0, 0}).empty());
}

TEST(UnevenMapper, TakesNoHarmFromWhatOthersSay) {
  const Grid grid{{8, 8}};
  Widths threads(64, 1);
  for (Rank rank = 0; rank < 64; ++rank) threads[rank] = 1 + rank % 2;
  const Site cores = oracle::site(8, "core:12");
  const Answer alone = mapped_uneven(graph_of(grid), cores, threads, {}, {.grid = &grid});
  const Partition ask = [&](const Graph& graph, const std::vector<std::size_t>& sizes, const Widths& widths,
                            const Portions&) {
    EXPECT_EQ(widths, threads);
    EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}), 96U);
    return std::vector<Foreign>{{"theirs", std::vector<Domain>(graph.ranks(), 0)}};
  };
  const Answer answer = mapped_uneven(graph_of(grid), cores, threads, {}, {.grid = &grid, .ask = ask});
  EXPECT_EQ(key_of(Objective{}, answer.cut), key_of(Objective{}, alone.cut));
}

TEST(RepairWidths, FitsWheneverAPackingDoes) {
  oracle::Dice dice(44);
  int repaired = 0;
  for (int i = 0; i < 200; ++i) {
    const std::uint32_t ranks = dice.from(1, 8);
    const Graph graph(ranks, dice.edges(ranks, 2 * ranks));
    const Widths widths = some(dice, ranks, 1, 4), rooms = some(dice, 3, 2, 9);
    bool exists = false;
    every_packing(widths, rooms, [&](const std::vector<Domain>&) { exists = true; });
    const auto part = repaired_widths(graph, some(dice, ranks, 0, 2), widths, rooms, fit_of(widths, rooms));
    ASSERT_EQ(part.has_value(), exists);
    if (part) {
      EXPECT_TRUE(fits(*part, widths, rooms));
    }
    repaired += part ? 1 : 0;
  }
  EXPECT_GT(repaired, 50);
}

TEST(Roam, KeepsWithinRoomsAndIsNeverWorse) {
  oracle::Dice dice(45);
  int better = 0;
  for (int i = 0; i < 100; ++i) {
    const std::uint32_t ranks = dice.from(4, 40);
    const std::vector<Edge> edges = dice.edges(ranks, 2 * ranks);
    const Graph graph(ranks, edges);
    const Widths widths = some(dice, ranks, 1, 3);
    Widths rooms(4, 0);
    std::vector<Domain> part;
    for (Rank rank = 0; rank < ranks; ++rank) {
      part.push_back(dice.from(0, 3));
      rooms[part.back()] += widths[rank];
    }
    for (std::uint32_t& room : rooms) room += dice.from(0, 2);
    for (const Wanted wanted : {Wanted::least_sum, Wanted::least_worst}) {
      std::vector<Domain> moved = part;
      roam(graph, moved, rooms, widths, {wanted, 20'000, 1});
      EXPECT_TRUE(fits(moved, widths, rooms));
      const oracle::Figures before = oracle::of_division(edges, part), after = oracle::of_division(edges, moved);
      const auto key = [&](const oracle::Figures& one) {
        return wanted == Wanted::least_sum ? std::pair(one.sum, Weight{0}) : std::pair(one.worst, one.sum);
      };
      EXPECT_LE(key(after), key(before));
      better += key(after) < key(before) ? 1 : 0;
    }
  }
  EXPECT_GT(better, 150);
}

// ---- what is proven

// Every packing of small grids, and every way of leaving places empty.
TEST(Filling, NoWayOfFillingNodesHasLess) {
  oracle::Dice dice(46);
  int something = 0;
  for (int i = 0; i < 120; ++i) {
    Grid grid = dice.grid(3);
    if (grid.cells() < 2 || grid.cells() > 8) continue;
    if (dice.from(0, 2) == 0) grid.diagonal = dice.from(1, 3);
    const Graph graph = graph_of(grid);
    const Widths widths = some(dice, static_cast<std::uint32_t>(graph.ranks()), 1, dice.from(1, 2));
    const Widths rooms = some(dice, 3, 1, 6);
    std::vector<NodeRun> nodes;
    for (const std::uint32_t room : rooms) nodes.push_back({1, node_shape("core:" + std::to_string(room))});
    const Site cores(nodes);
    Weight least = std::numeric_limits<Weight>::max();
    every_packing(widths, rooms, [&](const std::vector<Domain>& part) {
      least = std::min(least, node_cut(graph, rooms.size(), part).sum);
    });
    if (least == std::numeric_limits<Weight>::max()) continue;
    const Weight bound = least_together(graph, &grid, most_ranks(cores, widths)).front();
    EXPECT_LE(bound, least) << i;
    something += bound > 0 ? 1 : 0;
  }
  EXPECT_GT(something, 12);
}

TEST(Filling, ByRatesIsNoMoreThanByAllCombinations) {
  const Grid grid{{30, 30}};
  const auto bound = [&](std::size_t nodes) {
    return least_together(graph_of(grid), &grid, oracle::site(nodes, "core:32")).front();
  };
  EXPECT_EQ(bound(32), 270);
  EXPECT_LE(bound(1'000), 270);  // too many for combinations
  EXPECT_GE(bound(1'000), 265);
}

// 30 nodes of 5x6: neither the fewest nodes, 29, nor all.
TEST(Mapper, LeavesNodesEmptyWhereBoxesComeOut) {
  const Grid grid{{30, 30}};
  const Answer answer = mapped(graph_of(grid), &grid, oracle::site(32, "core:32"), {Aim::sum});
  EXPECT_EQ(answer.cut[0].weight.sum, 270);
  EXPECT_EQ(answer.bounds[0].sum, 270);
}

}  // namespace
