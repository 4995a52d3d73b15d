// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/subject/million_ranks.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <string>

#include "base/clock.hpp"
#include "cli/bench/subject/scratch_file.hpp"
#include "os/proc.hpp"
#include "os/process/trial.hpp"
#include "place/division/uneven.hpp"
#include "place/mapper.hpp"
#include "place/network.hpp"
#include "place/torus.hpp"

namespace comity::cli::bench {
namespace {

using place::Answer;
using place::Graph;
using place::Grid;
using place::Network;
using place::Site;

constexpr std::size_t kNodes = 10'000;
constexpr const char* kNode = "pack:2 core:50";
constexpr const char* kNarrowNode = "pack:2 core:45";
constexpr std::chrono::seconds kPatience{300};

double seconds_since(std::int64_t begin_ns) { return 1e-9 * static_cast<double>(now_ns() - begin_ns); }

place::NodeShape wide_node() { return place::node_shape(kNode); }

// The sum of nodes and of what is above them; and of the next level inside.
Million::Figures figures_of(const Graph& graph, const Site& site, const Answer& answer) {
  Million::Figures figures;
  figures.ranks = graph.ranks();
  const std::int64_t begin_ns = now_ns();
  const place::Cut cut = place::cut_of(graph, site, answer.mapping);
  figures.counting_s = seconds_since(begin_ns);
  for (std::size_t level = 0; level <= site.node_level(); ++level) figures.sum += cut[level].weight.sum;
  figures.inside = cut.at(site.node_level() + 1).weight.sum;
  if (site.node_level() == 0) figures.bound = answer.bounds.front().sum;
  return figures;
}

// With what makes an answer of a graph.
template <typename Map>
Million::Figures figures_with(const Site& site, const Grid& grid, Map&& map) {
  const std::int64_t begin_ns = now_ns();
  const Graph graph = place::graph_of(grid);
  const Answer answer = map(graph);
  const double mapping_s = seconds_since(begin_ns);
  Million::Figures figures = figures_of(graph, site, answer);
  figures.mapping_s = mapping_s;
  return figures;
}

Million::Figures on(const Site& site, const Grid& grid, place::Aim aim = place::Aim::worst) {
  return figures_with(site, grid, [&](const Graph& graph) { return place::mapped(graph, &grid, site, {aim}); });
}

Million::Figures side_by_side() { return on(Site({{kNodes, wide_node()}}), {{1000, 1000}}); }

// Diagonals make the most edges a rank.
Million::Figures with_diagonals() {
  Grid grid{{100, 100, 100}};
  grid.diagonal = 1;
  return on(Site({{kNodes, wide_node()}}), grid);
}

// The most that touch: 80 of each.
Million::Figures in_four_dimensions() {
  Grid grid{{40, 25, 40, 25}};
  grid.diagonal = 1;
  return on(Site({{kNodes, wide_node()}}), grid);
}

// And each direction has a weight of its own.
Million::Figures in_four_dimensions_weighted() {
  Grid grid{{40, 25, 40, 25}, std::vector<bool>(4, true), {1, 2, 3, 4}};
  grid.diagonal = 1;
  return on(Site({{kNodes, wide_node()}}), grid);
}

// No boxes come out, and a sixtieth of the places is left.
constexpr std::size_t kFourUnlike = std::size_t{31} * 32 * 31 * 32;

Grid four_unlike_dimensions() {
  Grid grid{{31, 32, 31, 32}};
  grid.diagonal = 1;
  return grid;
}

Million::Figures in_four_dimensions_unlike() { return on(Site({{kNodes, wide_node()}}), four_unlike_dimensions()); }

Million::Figures in_four_dimensions_unlike_for_time() {
  return on(Site({{kNodes, wide_node()}}), four_unlike_dimensions(), place::Aim::time);
}

Million::Figures for_least_time() { return on(Site({{kNodes, wide_node()}}), {{1000, 1000}}, place::Aim::time); }

Million::Figures for_least_sum() { return on(Site({{kNodes, wide_node()}}), {{1000, 1000}}, place::Aim::sum); }

// All others are filled: no boxes come out.
Million::Figures without_a_core() {
  const place::NodeShape lacking = place::without_cores(wide_node(), CpuSet{0});
  return on(Site({{1, lacking}, {kNodes - 1, wide_node()}}), {{999, 1001}});
}

Million::Figures on_two_kinds() {
  return on(Site({{kNodes / 2, wide_node()}, {kNodes / 2, place::node_shape(kNarrowNode)}}), {{1000, 950}});
}

// A hundred have four threads; of the places 9,700 are left.
Million::Figures with_unequal_threads() {
  constexpr std::size_t kWide = 100;
  const Site cores({{kNodes, wide_node()}});
  const Grid grid{{1000, 990}};
  std::vector<std::uint32_t> threads(grid.cells(), 1);
  std::fill_n(threads.begin(), kWide, 4);
  return figures_with(cores, grid, [&](const Graph& graph) {
    return place::mapped_uneven(graph, cores, threads, {}, {.grid = &grid});
  });
}

// A tenth of the places stays empty.
Million::Figures with_spare_places() { return on(Site({{kNodes, wide_node()}}), {{1000, 900}}); }

// 250 switches with 40 nodes each, 10 of them below one of 25 more.
std::vector<place::Switch> tree_of_switches() {
  constexpr std::size_t kAbove = 25, kSwitches = 250, kNodesEach = kNodes / kSwitches;
  std::vector<place::Switch> tree;
  for (std::size_t i = 0; i < kAbove; ++i) tree.push_back({"a" + std::to_string(i)});
  for (std::size_t i = 0; i < kSwitches; ++i) {
    place::Switch one{"s" + std::to_string(i)};
    for (std::size_t j = 0; j < kNodesEach; ++j) one.nodes.push_back("n" + std::to_string(i * kNodesEach + j));
    tree[i / (kSwitches / kAbove)].switches.push_back(one.name);
    tree.push_back(std::move(one));
  }
  return tree;
}

// As topology.conf tells it.
std::string text_of_switches() {
  std::string text;
  const auto add_list = [&](const char* key, const std::vector<std::string>& names) {
    if (names.empty()) return;
    text += key + names.front();
    for (std::size_t i = 1; i < names.size(); ++i) text += ',' + names[i];
  };
  for (const place::Switch& one : tree_of_switches()) {
    text += "SwitchName=" + one.name;
    add_list(" Switches=", one.switches);
    add_list(" Nodes=", one.nodes);
    text += '\n';
  }
  return text;
}

Million::Figures below_switches_as(const Grid& grid) {
  const Network network = place::switch_tree(tree_of_switches(), "a tree");
  const Site site(place::in_order({{kNodes, wide_node()}}, network.order), 1, network.levels, network.order);
  return on(site, grid);
}

Million::Figures below_switches() { return below_switches_as({{1000, 1000}}); }

// Diagonals, and a hundredth of the places left.
Grid three_unlike_dimensions() {
  Grid grid{{100, 100, 99}};
  grid.diagonal = 1;
  return grid;
}

Million::Figures below_switches_with_diagonals() { return below_switches_as(three_unlike_dimensions()); }

Million::Figures on_torus(const std::vector<std::uint32_t>& extents, const Grid& grid) {
  const Network torus = place::torus_network(extents);
  const Site site(place::in_order({{kNodes, wide_node()}}, torus.order), 1, torus.levels, torus.order);
  return figures_with(site, grid,
                      [&](const Graph& graph) { return place::mapped_on_torus(graph, &grid, site, torus, {}); });
}

Million::Figures on_a_torus() { return on_torus({100, 100}, {{1000, 1000}}); }

// Primes: no boxes come out, so that few pieces are alike.
Million::Figures on_a_torus_unlike() { return on_torus({100, 100}, {{1009, 991}}); }

Million::Figures on_a_torus_of_three() { return on_torus({25, 20, 20}, {{100, 100, 100}}); }

Million::Figures on_a_torus_of_three_with_diagonals() { return on_torus({25, 20, 20}, three_unlike_dimensions()); }

Million::Figures on_a_torus_of_four() { return on_torus({10, 10, 10, 10}, four_unlike_dimensions()); }

// The most memory that this process had, so far.
double peak_MB() {
  const std::string status = os::read_text("/proc/self/status").value_or("");
  double kib = 0;
  std::istringstream(std::string(os::status_field(status, "VmHWM"))) >> kib;
  return 1024e-6 * kib;
}

}  // namespace

const std::vector<Million>& million_cases() {
  // Cases of equally many ranks stand together, as tables of them do.
  static const std::vector<Million> all{
      {"million_ranks", side_by_side, {"--grid", "1000x1000"}},
      {"million_ranks_diagonals", with_diagonals, {"--grid", "100x100x100", "--diagonal", "1"}},
      {"million_ranks_4d", in_four_dimensions, {"--grid", "40x25x40x25", "--diagonal", "1"}},
      {"million_ranks_4d_weighted",
       in_four_dimensions_weighted,
       {"--grid", "40x25x40x25", "--diagonal", "1", "--periodic", "--halo", "1,2,3,4"}},
      {"million_ranks_time", for_least_time, {"--grid", "1000x1000", "--objective", "time"}},
      {"million_ranks_sum", for_least_sum, {"--grid", "1000x1000", "--objective", "sum"}},
      {"million_ranks_switches", below_switches, {"--grid", "1000x1000"}, text_of_switches},
      {"million_ranks_torus", on_a_torus, {"--grid", "1000x1000", "--torus", "100x100"}},
      {"million_ranks_torus_3d", on_a_torus_of_three, {"--grid", "100x100x100", "--torus", "25x20x20"}},
      {"million_ranks_spare", with_spare_places, {"--grid", "1000x900"}, nullptr, 900'000},
      {"million_ranks_4d_unlike",
       in_four_dimensions_unlike,
       {"--grid", "31x32x31x32", "--diagonal", "1"},
       nullptr,
       kFourUnlike},
      {"million_ranks_4d_unlike_time",
       in_four_dimensions_unlike_for_time,
       {"--grid", "31x32x31x32", "--diagonal", "1", "--objective", "time"},
       nullptr,
       kFourUnlike},
      {"million_ranks_torus_4d",
       on_a_torus_of_four,
       {"--grid", "31x32x31x32", "--diagonal", "1", "--torus", "10x10x10x10"},
       nullptr,
       kFourUnlike},
      {"million_ranks_torus_unlike",
       on_a_torus_unlike,
       {"--grid", "1009x991", "--torus", "100x100"},
       nullptr,
       std::size_t{1009} * 991},
      {"million_ranks_torus_3d_diagonals",
       on_a_torus_of_three_with_diagonals,
       {"--grid", "100x100x99", "--diagonal", "1", "--torus", "25x20x20"},
       nullptr,
       std::size_t{990'000}},
      {"million_ranks_switches_diagonals",
       below_switches_with_diagonals,
       {"--grid", "100x100x99", "--diagonal", "1"},
       text_of_switches,
       std::size_t{990'000}},
      {"million_ranks_uneven",
       with_unequal_threads,
       {"--grid", "1000x990", "--threads", "100*4,989900*1"},
       nullptr,
       std::size_t{990'000}},
      {"million_ranks_without",
       without_a_core,
       {"--grid", "999x1001", "--without", "0=0"},
       nullptr,
       std::size_t{999'999}},
      {"million_ranks_two_kinds",
       on_two_kinds,
       {"--grid", "1000x950"},
       nullptr,
       std::size_t{950'000},
       {"--node-topology", "5000*pack:2 core:50", "--node-topology", "5000*pack:2 core:45"}}};
  return all;
}

std::optional<Million::Figures> in_child(const Million& one) {
  const ScratchFile told;
  const std::string why = os::why_it_ends(
      [&] {
        Million::Figures figures = one.map();
        figures.peak_MB = peak_MB();
        std::ofstream(told.path(), std::ios::binary).write(reinterpret_cast<const char*>(&figures), sizeof figures);
      },
      kPatience);
  Million::Figures figures;
  std::ifstream file(told.path(), std::ios::binary);
  file.read(reinterpret_cast<char*>(&figures), sizeof figures);
  return why.empty() && file.gcount() == sizeof figures ? std::optional(figures) : std::nullopt;
}

std::vector<std::string> command_words(const Million& one) {
  std::vector<std::string> words{"--nodes", std::to_string(kNodes), "--node-topology", kNode};
  if (!one.node_words.empty()) words.assign(one.node_words.begin(), one.node_words.end());
  words.insert(words.end(), one.command_words.begin(), one.command_words.end());
  return words;
}

}  // namespace comity::cli::bench
