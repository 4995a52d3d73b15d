// SPDX-License-Identifier: BSD-3-Clause
// What `comity place` reads of others. Measured costs: which pairs are measured, what their answers make of each boundary, and what
// that makes a level cost. Divisions of partitioners.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "../../bench/place/pairs.hpp"
#include "base/error.hpp"
#include "cli/bench/subject/partitioners.hpp"
#include "cli/place/in_place/costs.hpp"
#include "cli/place/in_place/measure.hpp"
#include "place/cut.hpp"
#include "place/job/grid.hpp"
#include "place/network.hpp"
#include "place/topology_conf.hpp"

namespace {

using namespace comity;
using namespace comity::cli;
using Names = std::vector<std::string>;
namespace others = comity::cli::bench;

// ---- pairs

// Nodes of two packages with two cores, ranks one after the other.
std::vector<comity_place_seat> seats(int nodes) {
  std::vector<comity_place_seat> all;
  for (int rank = 0; rank < 4 * nodes; ++rank) {
    const std::int32_t core = rank % 4;
    all.push_back({static_cast<std::uint64_t>(rank / 4), core, core / 2, core / 2, core / 2, core});
  }
  return all;
}

TEST(Pairs, CrossEachKindOfBoundary) {
  const std::vector<comity_place_seat> all = seats(40);
  std::set<Names> kinds;
  std::set<int> distances;
  std::size_t of_nodes = 0;
  for (const ::bench::place::Pair& pair : ::bench::place::pairs_of(all)) {
    const Names between =
        ::bench::place::apart(all[static_cast<std::size_t>(pair.first)], all[static_cast<std::size_t>(pair.second)]);
    kinds.insert(between);
    if (between != Names{"node"}) continue;
    ++of_nodes;
    distances.insert(pair.second - pair.first);
  }
  EXPECT_EQ(kinds, (std::set<Names>{{"l2"}, {"package", "numa", "l3", "l2"}, {"node"}}));
  EXPECT_GT(of_nodes, 8U);
  EXPECT_LE(of_nodes, 32U);
  EXPECT_GT(distances.size(), 2U);  // near nodes and far ones
}

TEST(Pairs, ShareNoCore) {
  std::vector<comity_place_seat> all = seats(1);
  all[1] = all[0];
  for (const ::bench::place::Pair& pair : ::bench::place::pairs_of(all)) EXPECT_NE(pair.first + pair.second, 1);
  all.resize(2);
  EXPECT_TRUE(::bench::place::pairs_of(all).empty());
}

TEST(Pairs, OfRanksThatNothingBindsAreCoresAlone) {
  const comity_place_seat free{7, 0, -1, -1, -1, -1}, other{7, 1, 0, 0, 0, 1};
  EXPECT_TRUE(::bench::place::apart(free, other).empty());
}

// ---- what they tell

constexpr const char* kTold = R"({"case": "pairs", "ranks": 4, "nodes": 2, "bytes": [8, 1024], "pairs": [
  {"apart": ["l2"], "hosts": ["n1", "n1"], "ns": [100, 200], "unrest": 1.1},
  {"apart": ["node"], "hosts": ["n1.site", "n2.site"], "ns": [1000, 2000], "unrest": 1.5},
  {"apart": ["node"], "hosts": ["n1", "n3"], "ns": [1500, 2600], "unrest": 1.0},
  {"apart": ["l2"], "hosts": ["n1", "n1"], "ns": [300, 400], "unrest": 1.0},
  {"apart": ["l2"], "hosts": ["n1", "n1"], "ns": [200, 900], "unrest": 1.0}]})";

PartHosts nothing_parts() {
  return [](const std::string&, const std::string&) { return Names{}; };
}

TEST(Measured, PairsOfAKindAreOneCostByTheMedian) {
  const MeasuredCosts measured = read_pairs(kTold, nothing_parts());
  ASSERT_EQ(measured.costs.size(), 2U);
  EXPECT_EQ(measured.costs[0].apart, Names{"node"});
  EXPECT_EQ(measured.costs[0].pairs, 2U);
  EXPECT_EQ(measured.costs[1].ns, (std::vector<double>{200, 400}));
  EXPECT_EQ(measured.unrest, 1.5);
  EXPECT_NE(measured_text(measured, "f").find("50 % longer"), std::string::npos);
}

TEST(Measured, NetworkTellsPairsOfHostsApart) {
  const place::Network network = place::parse_topology_conf(
      "SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n[3-4]\nSwitchName=top Switches=a,b\n", "t");
  const MeasuredCosts measured = read_pairs(kTold, parting_in(network, network.hosts));
  ASSERT_EQ(measured.costs.size(), 3U);
  EXPECT_EQ(measured.costs[0].apart, (Names{"switch", "node"}));
  EXPECT_EQ(measured.costs[1].apart, Names{"node"});
}

// Their short name is one, so that nothing parted them once.
TEST(Measured, NetworkTellsHostsOfTwoDomainsApart) {
  const place::Network network = place::parse_topology_conf(
      "SwitchName=a Nodes=n1.a,n2.a\nSwitchName=b Nodes=n1.b,n2.b\nSwitchName=top Switches=a,b\n", "t");
  const PartHosts part = parting_in(network, network.hosts);
  EXPECT_EQ(part("n1.a", "n1.b"), Names{"switch"});
  EXPECT_EQ(part("n1.b", "n2.b"), Names{});
  EXPECT_EQ(part("n1", "n2.b"), Names{}) << "nobody knows which n1 that is";
}

TEST(Measured, AnswersWithoutSenseAreRefused) {
  EXPECT_THROW((void)read_pairs("{", nothing_parts()), Error);
  EXPECT_THROW((void)read_pairs(R"({"bytes": [8], "pairs": []})", nothing_parts()), Error);
  const auto refusal = [](const std::string& bytes, const std::string& ns) -> std::string {
    try {
      (void)read_pairs(R"({"bytes": )" + bytes + R"(, "pairs": [{"apart": [], "ns": )" + ns + R"(, "unrest": 1}]})",
                       nothing_parts());
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal("[8]", "[9]"), "");
  for (const char* ns : {"[]", "[9, 9]", "[\"9\"]"}) {
    EXPECT_NE(refusal("[8]", ns).find("measure costs: the program's answer makes no sense"), std::string::npos) << ns;
  }
  // No size at all, or one that no file of costs may have.
  for (const char* bytes : {"[]", "[0]", "[8, 8]"}) {
    const std::string ns = bytes == std::string("[]") ? "[]" : bytes == std::string("[0]") ? "[1]" : "[1, 2]";
    EXPECT_EQ(refusal(bytes, ns), "measure costs: the program's answer: bytes are a list of ascending sizes from 1 on");
  }
  EXPECT_EQ(refusal("[8]", "[-1]"), "measure costs: the program's answer: ns are numbers above 0");
}

TEST(Measured, UnrestThatIsNoneIsToldAsFarAsAnIntGoes) {
  const MeasuredCosts measured =
      read_pairs(R"({"bytes": [8], "pairs": [{"apart": [], "ns": [9], "unrest": 1e300}]})", nothing_parts());
  EXPECT_NE(measured_text(measured, "f").find("Messages took 99999900 % longer"), std::string::npos);
}

// ---- divisions of others

constexpr auto kScotch = others::Partitioner::Kind::scotch;
constexpr auto kKahip = others::Partitioner::Kind::kahip;

std::optional<std::vector<place::Domain>> parts_in(others::Partitioner::Kind kind, const std::string& text) {
  std::istringstream file(text);
  return others::read_parts(kind, file, 3, 2);
}

TEST(Parts, AreThoseOfTheRanksThatTheFileNames) {
  const std::vector<place::Domain> parts{1, 0, 1};
  EXPECT_EQ(parts_in(kScotch, "3\n0\t1\n1\t0\n2\t1\n"), parts);
  EXPECT_EQ(parts_in(kScotch, "3\n2 1\n0 1\n1 0\n"), parts);
  EXPECT_EQ(parts_in(kKahip, "1\n0\n1\n"), parts);
}

TEST(Parts, OfAFileWithoutSenseAreNone) {
  for (const char* text : {"", "3\n0 1\n1 0\n", "2\n0 1\n1 0\n", "3\n0 1\n1 0\n2 2\n", "3\n0 1\n1 0\n1 1\n",
                           "3\n0 1\n1 0\n3 1\n", "3\n0 1\n1 0\n2 -1\n", "3\n0 1\n1 0\n2 x\n"}) {
    EXPECT_EQ(parts_in(kScotch, text), std::nullopt) << text;
  }
  for (const char* text : {"", "1\n0\n", "1\n0\n2\n", "1\n0\n-1\n"})
    EXPECT_EQ(parts_in(kKahip, text), std::nullopt) << text;
}

constexpr const char* kNoScotch = "NOT TESTED: Scotch's gpart is not on the PATH (Debian: scotch)";

std::optional<others::Partitioner> scotch_here() {
  const std::vector<others::Partitioner> all = others::partitioners_here();
  const auto scotch = std::find_if(all.begin(), all.end(), [](const auto& one) { return one.kind == kScotch; });
  return scotch == all.end() ? std::nullopt : std::optional(*scotch);
}

// A grid of 8 x 8 ranks. The bounds leave a partitioner its choice: only an answer that was not read right is beyond them.
void expect_divided(const others::Partitioner& partitioner, const std::vector<std::size_t>& sizes,
                    const std::vector<std::uint32_t>& widths) {
  const place::Graph graph = place::graph_of(place::Grid{{8, 8}});
  const auto found = others::divide(partitioner, graph, sizes, widths);
  ASSERT_TRUE(found.has_value());
  std::vector<std::size_t> taken(sizes.size(), 0);
  for (place::Rank rank = 0; rank < graph.ranks(); ++rank)
    taken[found->part[rank]] += widths.empty() ? 1 : widths[rank];
  for (std::size_t part = 0; part < sizes.size(); ++part) {
    const auto size = static_cast<double>(sizes[part]);
    EXPECT_NEAR(static_cast<double>(taken[part]), size, size / 4) << part;
  }
  EXPECT_LT(place::node_cut(graph, sizes.size(), found->part).sum, 50);
}

TEST(Scotch, DividesAGridAsItIsAsked) {
  const std::optional<others::Partitioner> scotch = scotch_here();
  if (!scotch.has_value()) GTEST_SKIP() << kNoScotch;
  expect_divided(*scotch, {16, 16, 16, 16}, {});
  std::vector<std::uint32_t> widths(64, 1);
  std::fill(widths.begin(), widths.begin() + 16, 3);  // the two upper rows
  expect_divided(*scotch, {24, 24, 24, 24}, widths);
}

TEST(Scotch, DividesAGridIntoPartsOfUnequalSizes) {
  const std::optional<others::Partitioner> scotch = scotch_here();
  if (!scotch.has_value()) GTEST_SKIP() << kNoScotch;
  const std::vector<std::size_t> sizes{32, 16, 16};
  if (!others::takes_sizes(*scotch, sizes)) GTEST_SKIP() << "NOT TESTED: Scotch's gmap is not beside its gpart";
  expect_divided(*scotch, sizes, {});
}

// ---- costs

MeasuredCosts costs() {
  return {{8, 1000, 3000},
          {{{"node"}, 3, {1000, 2000, 6000}},
           {{"package", "numa", "l2"}, 1, {500, 700, 900}},
           {{"l2"}, 3, {100, 200, 300}},
           {{}, 1, {500, 600, 700}}}};
}

TEST(Costs, OfASizeLieBetweenThoseMeasured) {
  const MeasuredCosts all = costs();
  EXPECT_EQ(cost_of(all, all.costs[0], 1), 1000);
  EXPECT_EQ(cost_of(all, all.costs[0], 8), 1000);
  EXPECT_EQ(cost_of(all, all.costs[0], 2000), 4000);
  EXPECT_EQ(cost_of(all, all.costs[0], 3000), 6000);
  EXPECT_EQ(cost_of(all, all.costs[0], 9000), 18000);
}

// What parts cores and is no level of the site lies inside its innermost one: l2 and nothing, three pairs and one.
TEST(Costs, OfALevelAreWhatItTakesMoreThanStayingInside) {
  EXPECT_EQ(level_costs(costs(), {"node", "package"}, 8), (LevelCosts{{"node", 800}, {"package", 300}}));
  EXPECT_EQ(level_costs(costs(), {"node", "numa"}, 8), (LevelCosts{{"node", 800}, {"numa", 300}}));
  EXPECT_EQ(level_costs(costs(), {"node", "package", "l2"}, 8), (LevelCosts{{"node", 500}, {"package", 0}, {"l2", 0}}));
  EXPECT_EQ(level_costs(costs(), {"switch", "node"}, 8).size(), 1U);  // no pair crossed a switch
}

TEST(Costs, AreReadAsTheyAreWritten) {
  MeasuredCosts all = costs();
  all.unrest = 12.5;
  const MeasuredCosts read = parse_costs(costs_json(all).dump(), "f");
  EXPECT_EQ(read.bytes, all.bytes);
  EXPECT_EQ(read.unrest, all.unrest);
  ASSERT_EQ(read.costs.size(), all.costs.size());
  for (std::size_t i = 0; i < all.costs.size(); ++i) {
    EXPECT_EQ(read.costs[i].apart, all.costs[i].apart);
    EXPECT_EQ(read.costs[i].pairs, all.costs[i].pairs);
    EXPECT_EQ(read.costs[i].ns, all.costs[i].ns);
  }
}

TEST(Costs, WithoutSenseAreRefused) {
  const auto refusal = [](const std::string& text) -> std::string {
    try {
      (void)parse_costs(text, "f");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal("{"), "f: this is no JSON");
  EXPECT_EQ(refusal(R"({"bytes": [8], "bytes": [9]})"), "f: \"bytes\" stands twice in one object; tell it once");
  EXPECT_EQ(refusal("[]"), R"(f: costs are {"bytes": [..], "costs": [..]}, as comity place --measure writes them)");
  for (const char* bytes : {"[]", "[0]", "[-1]", "[8, 8]", "8", "[1e300]"}) {
    EXPECT_EQ(refusal(std::string(R"({"costs": [{}], "bytes": )") + bytes + "}"),
              "f: bytes are a list of ascending sizes from 1 on");
  }
  const auto of_cost = [&](const std::string& cost) { return refusal(R"({"bytes": [8], "costs": [)" + cost + "]}"); };
  EXPECT_EQ(of_cost(""), "f: costs are a list that is not empty");
  EXPECT_EQ(of_cost("{}"), R"(f: a cost is {"apart": [..], "ns": [..]})");
  EXPECT_EQ(of_cost(R"({"apart": [1], "ns": [1]})"), "f: apart is a list of names of levels");
  EXPECT_EQ(of_cost(R"({"apart": [], "ns": [1, 2]})"), "f: ns has a number for each of the bytes");
  for (const char* ns : {"0", "-1", "\"1\"", "1e300"}) {
    EXPECT_EQ(of_cost(std::string(R"({"apart": [], "ns": [)") + ns + "]}"), "f: ns are numbers above 0");
  }
  for (const char* pairs : {"0", "-1", "1.5", "4e9"}) {
    EXPECT_EQ(of_cost(std::string(R"({"apart": [], "ns": [1], "pairs": )") + pairs + "}"),
              "f: pairs is a whole number from 1 on");
  }
}

}  // namespace
