// SPDX-License-Identifier: BSD-3-Clause
#include "place/site.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "machine/loader.hpp"
#include "machine/restrict.hpp"
#include "place/division/launchers.hpp"
#include "place/network.hpp"
#include "place/spare.hpp"
#include "place/topology_conf.hpp"

namespace {

using namespace comity;
using namespace comity::place;

using Borders = std::vector<Place>;

TEST(Site, NodesAndPackagesAreRunsOfCores) {
  const Site site({{2, node_shape("pack:2 core:4")}});
  ASSERT_EQ(site.levels().size(), 2U);
  EXPECT_EQ(site.levels()[0].name, "node");
  EXPECT_EQ(site.levels()[0].first, (Borders{0, 8, 16}));
  EXPECT_EQ(site.levels()[1].name, "package");
  EXPECT_EQ(site.levels()[1].first, (Borders{0, 4, 8, 12, 16}));
  EXPECT_EQ(site.domain_of(1)[9], 2U);
}

TEST(Site, HardwareThreadsOfACoreAreOnePlace) { EXPECT_EQ(Site({{1, node_shape("pack:2 core:4 pu:2")}}).places(), 8U); }

TEST(Site, LevelsThatCutAlikeAreToldOnceAndCoarserOnesComeFirst) {
  const NodeShape shape = node_shape("pack:2 [numa] l3:2 core:2");
  ASSERT_EQ(shape.levels.size(), 2U);
  EXPECT_EQ(shape.levels[0].name, "package");
  EXPECT_EQ(shape.levels[1].name, "l3");
  EXPECT_EQ(shape.levels[1].first, (Borders{0, 2, 4, 6, 8}));
  EXPECT_EQ(node_shape("numa:4 core:2").levels.front().name, "numa");
}

TEST(Site, NodesMayBeUnequal) {
  const Site site({{1, node_shape("pack:2 core:2")}, {2, node_shape("core:3")}});
  EXPECT_EQ(site.levels()[0].first, (Borders{0, 4, 7, 10}));
  EXPECT_EQ(site.levels()[1].first, (Borders{0, 2, 4, 7, 10}));
}

// Nodes whose packages have one core each were one domain of the level beside others whose packages have several.
TEST(Site, PackagesOfOneCoreAreDomainsToo) {
  EXPECT_EQ(Site({{1, node_shape("pack:4 core:1")}}).levels().back().first, (Borders{0, 1, 2, 3, 4}));
  EXPECT_EQ(Site({{1, node_shape("numa:2 core:1")}}).levels().back().name, "numa");
  const Site site({{1, node_shape("pack:2 core:1")}, {1, node_shape("pack:2 core:2")}});
  ASSERT_EQ(site.levels().size(), 2U);
  EXPECT_EQ(site.levels()[1].name, "package");
  EXPECT_EQ(site.levels()[1].first, (Borders{0, 1, 2, 4, 6}));
  const NodeShape whole = node_shape("pack:2 core:2");
  EXPECT_EQ(Site({{1, whole}, {1, without_cores(whole, {1, 3})}}).levels()[1].first, (Borders{0, 2, 4, 5, 6}));
}

TEST(Site, CachesOfOneCoreAreDomainsWhereOtherNodesHaveThemOfSeveral) {
  EXPECT_EQ(Site({{2, node_shape("l2:4 core:1")}}).levels().size(), 1U) << "they tell what cores do";
  EXPECT_EQ(Site({{1, node_shape("l2:2 core:2")}, {1, node_shape("l2:3 core:1")}}).levels()[1].first,
            (Borders{0, 2, 4, 5, 6, 7}));
  const NodeShape whole = node_shape("l2:2 core:2");
  const Site site({{1, without_cores(whole, {0, 2})}, {1, whole}});
  EXPECT_EQ(site.levels()[1].first, (Borders{0, 1, 2, 4, 6}));
}

// A level that cuts one node as a coarser one does may cut another node in its own way.
TEST(Site, LevelsThatCutAlikeOnOneNodeOnlyAreAllTold) {
  const Site site({{1, node_shape("pack:2 l3:1 core:2")}, {1, node_shape("pack:1 l3:2 core:2")}});
  ASSERT_EQ(site.levels().size(), 3U);
  EXPECT_EQ(site.levels()[1].name, "package");
  EXPECT_EQ(site.levels()[1].first, (Borders{0, 2, 4, 8}));
  EXPECT_EQ(site.levels()[2].name, "l3");
  EXPECT_EQ(site.levels()[2].first, (Borders{0, 2, 4, 6, 8}));
}

TEST(Site, CoresMayBeMissing) {
  const NodeShape whole = node_shape("pack:2 core:4");
  EXPECT_EQ(without_cores(whole, {1, 6, 7}).levels.front().first, (Borders{0, 3, 5}));
  EXPECT_TRUE(without_cores(whole, {4, 5, 6, 7}).levels.empty());
  EXPECT_THROW((void)without_cores(whole, {8}), Error);
  EXPECT_THROW((void)without_cores(whole, CpuSet::first(8)), Error);
}

TEST(Site, RanksWithThreadsStayInsideADomainAsLongAsItHasRoom) {
  const Site site({{2, node_shape("pack:2 core:6")}}, 4);
  EXPECT_EQ(site.levels()[0].first, (Borders{0, 2, 4}));
  EXPECT_EQ(site.levels()[1].first, (Borders{0, 1, 2, 3, 4}));
  EXPECT_EQ(site.core(0), 0U);
  EXPECT_EQ(site.core(1), 6U);
  EXPECT_EQ(site.core(2), 12U);
}

TEST(Site, RanksWiderThanADomainSpreadOverSeveral) {
  const Site site({{2, node_shape("pack:4 core:2")}}, 4);
  EXPECT_EQ(site.levels()[0].first, (Borders{0, 2, 4}));
  EXPECT_EQ(site.levels()[1].first, (Borders{0, 1, 2, 3, 4}));
  EXPECT_EQ(site.core(1), 4U);
}

TEST(Site, PlacesMayLieAcrossBordersOfTheLevelsThatAreNotKept) {
  const std::vector<NodeRun> nodes{{2, node_shape("pack:2 l3:2 core:5")}};
  EXPECT_EQ(Site(nodes, 4).places(), 8U);
  const Site inside_packages(nodes, 4, {}, {}, 1);
  EXPECT_EQ(inside_packages.levels()[0].first, (Borders{0, 4, 8}));
  EXPECT_EQ(inside_packages.core(1), 4U) << "cores 4 to 7, in both parts of the first package";
  EXPECT_EQ(inside_packages.core(2), 10U);
  const Site anyhow(nodes, 4, {}, {}, 0);
  EXPECT_EQ(anyhow.levels()[0].first, (Borders{0, 5, 10}));
  EXPECT_EQ(anyhow.levels()[1].first, (Borders{0, 3, 5, 8, 10})) << "cores 8 to 11 count where 8 is";
  EXPECT_EQ(anyhow.levels()[2].first, (Borders{0, 2, 3, 4, 5, 7, 8, 9, 10}));
  EXPECT_EQ(anyhow.core(9), 36U);
}

TEST(Site, NodeHasNoMorePlacesThanItMayHaveRanks) {
  NodeShape shape = node_shape("pack:2 core:4");
  shape.most_ranks = 3;
  const Site site({{2, shape}}, 2);
  EXPECT_EQ(site.levels()[0].first, (Borders{0, 3, 6}));
  EXPECT_EQ(site.levels()[1].first, (Borders{0, 2, 3, 5, 6}));
  EXPECT_EQ(site.core(2), 4U);
  EXPECT_EQ(site.core(3), 8U);
}

TEST(Site, NodesTooNarrowForARankAreLeftOut) {
  const Site site({{3, node_shape("core:2")}, {1, node_shape("core:4")}}, 3);
  EXPECT_EQ(site.places(), 1U);
  EXPECT_EQ(site.core(0), 6U);
}

TEST(Site, WithoutPlacesIsRefused) {
  EXPECT_THROW(Site(std::vector<NodeRun>{}), Error);
  EXPECT_THROW(Site({{0, node_shape("core:2")}}), Error);
  EXPECT_THROW(Site({{2, node_shape("core:2")}}, 3), Error);
  EXPECT_THROW(Site({{2, node_shape("core:2")}}, 0), Error);
  EXPECT_THROW(Site({{1U << 24, node_shape("core:2")}}), Error);
  EXPECT_THROW((void)node_shape("nonsense:2"), Error);
}

TEST(Site, OfFewerRanksHasSomeOfItsPlaces) {
  const Site whole({{2, node_shape("pack:2 core:4")}});
  const std::vector<std::uint32_t> rooms = rooms_of(whole);
  EXPECT_EQ(rooms, (std::vector<std::uint32_t>{8, 8}));
  const Site site = whole.only(places_of(whole, filled_in_order(rooms, 10)));
  EXPECT_EQ(site.levels()[0].first, (Borders{0, 8, 10}));
  EXPECT_EQ(site.levels()[1].first, (Borders{0, 4, 8, 10}));
  EXPECT_EQ(site.core(9), 9U);
  EXPECT_EQ(whole.only(places_of(whole, filled_in_order(rooms, 8))).nodes(), 1U);
  EXPECT_EQ(places_of(whole, even_shares(rooms, 5, 2)), (std::vector<Place>{0, 1, 8, 9, 10}));
  EXPECT_EQ(whole.only(places_of(whole, even_shares(rooms, 5, 2))).levels()[1].first, (Borders{0, 2, 5}));
}

TEST(Spare, SharesAddUpAndFit) {
  const std::vector<std::uint32_t> rooms{2, 8, 8};
  EXPECT_EQ(fewest_nodes(rooms, 2), 1U);
  EXPECT_EQ(fewest_nodes(rooms, 3), 2U);
  EXPECT_EQ(filled_in_order(rooms, 12), (Shares{2, 8, 2}));
  EXPECT_EQ(even_shares(rooms, 12, 3), (Shares{2, 5, 5}));
  EXPECT_EQ(even_shares(rooms, 9, 2), (Shares{2, 7, 0}));
  EXPECT_EQ(in_proportion(rooms, 12), (Shares{1, 5, 6}));
  EXPECT_EQ(in_proportion(rooms, 18), (Shares{2, 8, 8}));
}

TEST(Spare, NumbersOfNodesThatDifferAreLookedAt) {
  const std::vector<std::uint32_t> rooms(32, 32);
  EXPECT_EQ(node_counts(rooms, 900, 64), (std::vector<std::size_t>{29, 30, 32}));
  EXPECT_EQ(node_counts(std::vector<std::uint32_t>(100, 32), 900, 3), (std::vector<std::size_t>{29, 45, 100}));
  EXPECT_EQ(node_counts(rooms, 1024, 64), std::vector<std::size_t>{32});
}

TEST(Spare, LargeNodesComeFirstTooWhereNodesDiffer) {
  const std::vector<std::uint32_t> rooms{2, 8, 2, 8, 8};
  const Graph graph(14, std::vector<Edge>{{0, 1, 1}});
  const std::vector<Shares> ways = more_shares_of_unlike(graph, nullptr, rooms, Aim::worst);
  ASSERT_GE(ways.size(), 2U);
  EXPECT_EQ(ways[0], (Shares{0, 8, 0, 6, 0}));
  EXPECT_EQ(ways[1], (Shares{0, 7, 0, 7, 0}));
  EXPECT_TRUE(more_shares_of_unlike(graph, nullptr, std::vector<std::uint32_t>(3, 8), Aim::worst).empty());
}

// Launchers that are told no hosts fill nodes from the first one on.
TEST(Spare, NoNodeIsLeftEmptyBeforeOthersWhereNodesAreAlike) {
  const std::vector<std::uint32_t> rooms(8, 2);
  EXPECT_EQ(node_counts(rooms, 4, 64), (std::vector<std::size_t>{2, 4}));
  const Graph graph(4, std::vector<Edge>{{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {3, 0, 1}});
  for (const Shares& shares : shares_to_try(graph, nullptr, rooms, Aim::worst)) {
    EXPECT_TRUE(std::is_partitioned(shares.begin(), shares.end(), [](std::uint32_t share) { return share > 0; }));
  }
}

TEST(Site, OfDescribedMachinesHoldsAllTheirCores) {
  for (const char* name : {"gpu-node", "knl-7250", "hybrid", "forbidden"}) {
    const machine::Image image = machine::load_xml(std::string(COMITY_TEST_DATA "/machines/") + name + ".xml");
    const machine::Machine machine(image);
    const NodeShape shape = node_shape(machine);
    EXPECT_EQ(shape.cores, static_cast<std::uint32_t>(machine.count(machine::ObjectType::core))) << name;
    EXPECT_EQ(Site({{3, shape}}).places(), 3 * shape.cores) << name;
  }
}

TEST(Site, CoresAreSeatedWhereTheMachineHasThem) {
  const NodeShape shape = node_shape("pack:2 [numa] core:2 pu:2");
  const CoreSeat seat = shape.seat(3);
  EXPECT_EQ(seat.number, 3U);
  EXPECT_EQ(seat.package, 1U);
  EXPECT_EQ(seat.in_package, 1U);
  EXPECT_EQ(seat.cpus, (CpuSet{6, 7}));
  EXPECT_EQ(seat.numa, 1);
  const CoreSeat behind_a_gap = without_cores(shape, {2}).seat(2);
  EXPECT_EQ(behind_a_gap.number, 2U);
  EXPECT_EQ(behind_a_gap.in_package, 1U);
  EXPECT_EQ(behind_a_gap.cpus, (CpuSet{6, 7}));
  EXPECT_EQ(behind_a_gap.slot, 3U);
  EXPECT_EQ(behind_a_gap.slots, 1U);
}

// A cgroup may leave one hardware thread of a core.
TEST(Site, SlotsCountHardwareThreadsWhereTheFirstCoreHasOne) {
  const machine::Image whole = machine::load_synthetic("core:3 pu:2");
  const auto slots_with = [&](const CpuSet& allowed) {
    const machine::Image image =
        machine::assemble(machine::restricted(machine::draft_of(machine::Machine(whole)), allowed));
    std::vector<std::pair<std::uint32_t, std::uint32_t>> slots;
    for (const CoreSeat& seat : node_shape(machine::Machine(image)).seats) slots.emplace_back(seat.slot, seat.slots);
    return slots;
  };
  using Slots = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  EXPECT_EQ(slots_with({0, 1, 2, 4, 5}), (Slots{{0, 1}, {1, 1}, {2, 1}}));
  EXPECT_EQ(slots_with({1, 2, 3, 4, 5}), (Slots{{0, 1}, {1, 2}, {3, 2}}));
}

TEST(Site, SpreadRanksHaveCoresOfEachPackageAndNothingPartsThem) {
  const NodeShape shape = spread(node_shape("pack:2 l3:2 core:2"), 4);
  EXPECT_TRUE(shape.levels.empty());
  std::vector<std::uint32_t> numbers;
  for (const CoreSeat& seat : shape.seats) numbers.push_back(seat.number);
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{0, 1, 4, 5, 2, 3, 6, 7}));
  EXPECT_EQ(spread(node_shape("pack:2 core:3"), 4).cores, 4U);
  EXPECT_THROW((void)spread(node_shape("pack:2 core:4"), 3), Error);
  EXPECT_EQ(spread(node_shape("core:4"), 3).cores, 4U);
}

// ---- networks above the nodes

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += name + ' ';
  return all;
}

constexpr const char* kTree =
    "# two floors\n"
    "SwitchName=top Switches=s[1-2]\n"
    "switchname=s1 Nodes=n[1-2] LinkSpeed=100 # leaf\n"
    "\r\n"
    "SwitchName=s2 \\\n  Nodes=n3,n[5-6]\n";

TEST(Network, TreeOfSwitchesIsLevelsOfRunsOfNodes) {
  const Network network = parse_topology_conf(kTree, "topology.conf");
  EXPECT_EQ(joined(network.hosts), "n1 n2 n3 n5 n6 ");
  ASSERT_EQ(network.levels.size(), 1U);
  EXPECT_EQ(network.levels[0].name, "switch");
  EXPECT_EQ(network.levels[0].first, (Borders{0, 2, 5}));
  const Network higher =
      switch_tree({{"a", {"b", "c"}}, {"d", {}, {"n5"}}, {"b", {}, {"n1", "n2"}}, {"c", {}, {"n3", "n4"}}}, "tree");
  EXPECT_EQ(joined(higher.hosts), "n1 n2 n3 n4 n5 ");
  ASSERT_EQ(higher.levels.size(), 2U);
  EXPECT_EQ(higher.levels[0].name, "switch2");
  EXPECT_EQ(higher.levels[0].first, (Borders{0, 4, 5}));
  EXPECT_EQ(higher.levels[1].first, (Borders{0, 2, 4, 5}));
}

TEST(Network, OfAJobHasItsHostsAlone) {
  const Network network = network_of(parse_topology_conf(kTree, "t"), {{"n6"}, {"n1"}, {"n3"}, {"n2"}}, "t");
  EXPECT_EQ(joined(network.hosts), "n1 n2 n3 n6 ");
  EXPECT_EQ(network.order, (std::vector<std::uint32_t>{1, 3, 2, 0}));
  ASSERT_EQ(network.levels.size(), 1U);
  EXPECT_EQ(network.levels[0].first, (Borders{0, 2, 4}));
  EXPECT_TRUE(network_of(network, {{"n1"}, {"n2"}}, "t").levels.empty());
  EXPECT_THROW((void)network_of(network, {{"n1"}, {"n9"}}, "t"), Error);
}

// As Slurm reads them.
TEST(Network, LinesMayHaveQuotesAndBlanks) {
  const Network network = parse_topology_conf(
      "SwitchName=\"s0\" Nodes=\"n[0-1]\"\nSwitchName = s1\tNodes= n2 LinkSpeed =100\nSwitchName=\"t\" "
      "Switches=\"s[0-1]\"",
      "t");
  EXPECT_EQ(network.hosts, (std::vector<std::string>{"n0", "n1", "n2"}));
  EXPECT_EQ(network.levels.at(0).first, (Borders{0, 2, 3}));
}

// Slurm has short names in its tree where a job's list may have whole ones.
TEST(Network, KnowsHostsByTheirOtherNames) {
  const Network network = parse_topology_conf("SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n3,n4.x,n4.y", "t");
  const Network kept = network_of(network, {{"n3.x"}, {"n2"}, {"n1.x"}, {"n4.y"}}, "t");
  EXPECT_EQ(kept.order, (std::vector<std::uint32_t>{2, 1, 0, 3}));
  const auto refusal = [&](const std::vector<Host>& hosts) -> std::string {
    try {
      (void)network_of(network, hosts, "t");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal({{"n4"}}), "t: host n4 may be n4.x or n4.y; write its whole name");
  EXPECT_EQ(refusal({{"n1.x"}, {"n1.y"}}), "t: hosts n1.x and n1.y are both n1 there; write whole names in it");
  EXPECT_EQ(refusal({{"n1"}, {"n4.z"}}), "t does not tell at which switch host n4.z is; add it, or leave the host out");
}

TEST(Network, ThatIsNoTreeIsRefused) {
  const auto refusal = [](const std::string& text) -> std::string {
    try {
      (void)parse_topology_conf(text, "t");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal("# none\n"), "t tells of no switch");
  EXPECT_EQ(refusal("\nSwitchName=s1 Node=n1"),
            "t, line 2: \"Node\" is no key of a tree; there are SwitchName, Switches, Nodes and LinkSpeed");
  EXPECT_EQ(refusal("include other.conf"),
            "t, line 1: lines of other files (include) are not read; write them in here");
  EXPECT_EQ(refusal("SwitchName=\"s1 Nodes=n1"), "t, line 1: \"SwitchName\" has a quote that does not end");
  EXPECT_EQ(refusal("SwitchName=\"\" Nodes=n1"), "t, line 1: \"SwitchName\" has an empty value");
  EXPECT_EQ(refusal("SwitchName=s1 Nodes = "), "t, line 1: \"Nodes\" is no KEY=VALUE");
  EXPECT_EQ(refusal("Nodes=n1"), "t, line 1: the line names no switch; write SwitchName= first");
  EXPECT_EQ(refusal("SwitchName=s1 Nodes"), "t, line 1: \"Nodes\" is no KEY=VALUE");
  EXPECT_EQ(refusal("SwitchName=s1 Nodes=n[1-"), "t, line 1: \"n[1-\" has a [ without its ]");
  EXPECT_EQ(refusal("SwitchName=s1 Nodes=a nodes=b"), "t, line 1: \"nodes\" stands there twice; tell it once");
  EXPECT_EQ(refusal("SwitchName=s1 Nodes=a,a"), "t, line 1: a comes twice here, or has slots; name it once, without");
  EXPECT_EQ(refusal("SwitchName=s1 Nodes=a:4"), "t, line 1: a comes twice here, or has slots; name it once, without");
  EXPECT_EQ(refusal("SwitchName=s[1-2] Nodes=a"),
            "t: \"s[1-2]\" is no name of a switch; each has one of its own, without blanks, commas and brackets");
  EXPECT_EQ(refusal("SwitchName=s1"), "t: switch s1 has neither switches nor nodes");
  EXPECT_EQ(refusal("SwitchName=s1 Switches=s2"), "t: switch s1 is above switch s2, of which no line tells");
  EXPECT_EQ(refusal("SwitchName=s1 Nodes=a\nSwitchName=s1 Nodes=b"), "t: switch s1 is told twice");
  EXPECT_EQ(refusal("SwitchName=s1 Nodes=a\nSwitchName=s2 Nodes=a"), "t: node a is at two switches");
  EXPECT_EQ(refusal("SwitchName=s1 Nodes=a\nSwitchName=x Switches=s1\nSwitchName=y Switches=s1"),
            "t: switch s1 is below two switches");
  EXPECT_EQ(refusal("SwitchName=s1 Nodes=a\nSwitchName=x Switches=y\nSwitchName=y Switches=x"),
            "t: some switches are below themselves");
  std::string deep = "SwitchName=s0 Nodes=a\n";
  for (int i = 1; i < 20; ++i)
    deep += "SwitchName=s" + std::to_string(i) + " Switches=s" + std::to_string(i - 1) + "\n";
  EXPECT_EQ(refusal(deep), "t: the tree has more than 16 levels");
}

TEST(Network, TorusIsCutIntoBlocksOfNeighbours) {
  const Network network = torus_network({4, 4});
  EXPECT_EQ(network.order, (std::vector<std::uint32_t>{0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15}));
  ASSERT_EQ(network.levels.size(), 1U);
  EXPECT_EQ(network.levels[0].name, "block");
  EXPECT_EQ(network.levels[0].first, (Borders{0, 4, 8, 12, 16}));
  EXPECT_EQ(torus_network({5, 3}).order.size(), 15U);
  EXPECT_TRUE(torus_network({1, 2}).levels.empty());
  EXPECT_THROW((void)torus_network({}), Error);
  EXPECT_THROW((void)torus_network({4, 0}), Error);
  EXPECT_THROW((void)torus_network({1000, 1001}), Error);
}

TEST(Network, HopsOfATorusGoTheShorterWay) {
  const TorusWays ways({4, 6});
  EXPECT_EQ(ways.links(0, 0), 0U);
  EXPECT_EQ(ways.links(0, 23), 2U);
  EXPECT_EQ(ways.links(0, 15), 2U + 3U);
  EXPECT_EQ(TorusWays({3, 2, 5}).links(0, 29), 1U + 1U + 1U);
  EXPECT_EQ(TorusWays({3, 2, 5}).links(7, 13), 1U + 1U + 1U);
}

TEST(Launchers, TakeNodesInTheirOwnOrderWhateverTheNetworks) {
  const Network network = torus_network({4, 4});
  const std::vector<NodeRun> nodes{{16, node_shape("pack:2 core:1")}};
  const Site site(in_order(nodes, network.order), 1, network.levels, network.order);
  const Mapping sequential_order = sequential(site, 32), turns = round_robin(site, 32);
  for (Rank rank = 0; rank < 32; ++rank) {
    EXPECT_EQ(network.order[sequential_order[rank] / 2], rank / 2);
    EXPECT_EQ(network.order[turns[rank] / 2], rank % 16);
  }
  EXPECT_EQ(block_cyclic(site, 32), sequential_order);
}

TEST(Site, HasTheLevelsOfANetworkFirst) {
  const std::vector<NodeRun> nodes{{3, node_shape("pack:2 core:2")}, {1, node_shape("core:2")}};
  const Network network = network_of(parse_topology_conf("SwitchName=a Nodes=n0,n3\nSwitchName=b Nodes=n1,n2", "t"),
                                     {{"n0"}, {"n1"}, {"n2"}, {"n3"}}, "t");
  EXPECT_EQ(network.order, (std::vector<std::uint32_t>{0, 3, 1, 2}));
  const Site site(in_order(nodes, network.order), 1, network.levels);
  ASSERT_EQ(site.levels().size(), 3U);
  EXPECT_EQ(site.node_level(), 1U);
  EXPECT_EQ(site.levels()[0].first, (Borders{0, 6, 14}));
  EXPECT_EQ(site.levels()[1].first, (Borders{0, 4, 6, 10, 14}));
  EXPECT_EQ(Site(in_order(nodes, network.order), 4, network.levels).levels()[0].first, (Borders{0, 1, 3}));
}

}  // namespace
