// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/place.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "cli/bench/large.hpp"
#include "cli/bench/million.hpp"
#include "cli/bench/place_row.hpp"
#include "cli/bench/random.hpp"
#include "cli/bench/show/progress.hpp"
#include "cli/bench/subject/partitioners.hpp"
#include "cli/bench/subject/random_jobs.hpp"
#include "place/bounds/proof.hpp"
#include "place/division/random.hpp"
#include "place/mapper.hpp"

namespace comity::cli::bench {
namespace {

using place::Aim;
using place::Answer;
using place::Graph;
using place::Grid;
using place::Site;
using place::Weight;

constexpr const char* kNote =
    "worst: exchanges of the node with most, with the objective worst. sum: of all nodes, with the objective sum; "
    "both: and of the "
    "next level. Their reference is the best of the launchers' own orders and, where they are on the PATH, of gpart "
    "(Scotch) and "
    "kaffpa (KaHIP), whose parts may differ by 1 %; their goal is the best that is known, or that reference if it is "
    "less. bound is "
    "what no mapping can have less than; inside is what crosses the next level. The counts are exact, so one run says "
    "all. "
    "million_ranks is the time of a whole mapping of a grid onto 10,000 nodes, with what it needs of memory; its "
    "reference is "
    "counting once what such a mapping cuts. _command is that of `comity place --json` for the same, start, words and "
    "file in it. "
    "graph_64x64 is a grid that is given as a graph. graph_100000 is the time to map a graph of 100,000 ranks onto "
    "1,000 nodes; what "
    "the command proves of it meanwhile takes proving_s, and graph_100000_command is all of it from a file, as gpart's "
    "time is; both by the objective sum, and _default by the one that the command has unless told; "
    "graph_100000_packages_command has nodes of two packages, which gpart knows nothing of; graph_100000_hub_command "
    "has "
    "a rank that exchanges with all others. random "
    "counts jobs in which a launcher's order, or another's "
    "division, is "
    "better by the job's own objective; others run again until they have had as long. It is undecided unless all 1,000 "
    "were looked "
    "at and both others are here.";

struct Case {
  const char* name;
  std::vector<std::uint32_t> extents;
  bool closed;
  std::size_t nodes;
  const char* topology;
  double most_worst, most_sum;  // the best that anybody is known to have found
  double most_both = 0;         // the same of the sum of nodes and of what is inside them together; 0: nobody has told
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{{"5x16", {5, 16}, false, 10, "pack:2 core:4", 9, 41},
                                     {"5x16_torus", {5, 16}, true, 10, "pack:2 core:4", 12, 60},
                                     {"8x8x8", {8, 8, 8}, false, 16, "pack:2 core:16", 48, 320, 448},
                                     {"48x32", {48, 32}, false, 12, "numa:4 core:32", 40, 200, 496}};
  return all;
}

using Peers = std::vector<Partitioner>;

struct Asked {
  const Partitioner* peer;
  place::Crossing cut;
  double seconds;
};

// What others cut of the same graph.
std::vector<Asked> ask_peers(const Peers& peers, const Graph& graph, const Site& site) {
  const std::vector<std::size_t> sizes(site.nodes(), site.levels().front().size(0));
  std::vector<Asked> asked;
  for (const Partitioner& peer : peers) {
    const std::optional<Division> theirs = divide(peer, graph, sizes);
    if (theirs) asked.push_back({&peer, place::node_cut(graph, site.nodes(), theirs->part), theirs->seconds});
  }
  return asked;
}

double figure_of(Aim aim, const place::Crossing& nodes) {
  return static_cast<double>(aim == Aim::worst ? nodes.worst : nodes.sum);
}

Row row_of(const std::string& name, Aim aim, const Graph& graph, const Answer& answer,
           const std::vector<Asked>& asked) {
  Row row = row_named(name + (aim == Aim::worst ? "_worst" : "_sum"), graph.ranks(), "exchanges");
  row.value = figure_of(aim, answer.cut[0].weight);
  row.reference_value = std::numeric_limits<double>::max();
  const place::Bound& bound = answer.bounds.front();
  row.extra = {{"bound", static_cast<double>(aim == Aim::worst ? bound.worst : bound.sum)}};
  const auto beside = [&](const std::string& who, double figure) {
    if (figure >= row.reference_value) return;
    row.reference = who;
    row.reference_value = figure;
  };
  for (const auto& launcher : answer.launchers) {
    const double figure = figure_of(aim, launcher.cut[0].weight);
    beside(std::string(launcher.name), figure);
    row.extra.emplace_back(launcher.name, figure);
  }
  for (const auto& [peer, cut, seconds] : asked) {
    beside(peer->name(), figure_of(aim, cut));
    row.extra.emplace_back(peer->name(), figure_of(aim, cut));
  }
  if (answer.cut.size() > 1) row.extra.emplace_back("inside", static_cast<double>(answer.cut[1].weight.sum));
  row.ratio = row.value / row.reference_value;
  row.ci95 = Interval{row.value, row.value};
  return row;
}

// What was known before, or what somebody has in this run if that is less.
double no_more_than(double known, const Row& row) { return std::min(known, row.reference_value); }

Row row_of(const Case& one, Aim aim, const Graph& graph, const Answer& answer, const std::vector<Asked>& asked) {
  Row row = row_of(one.name, aim, graph, answer, asked);
  judge(row, {no_more_than(aim == Aim::worst ? one.most_worst : one.most_sum, row), Goal::On::value});
  return row;
}

// The nodes and the next level together, which others know nothing of.
Row row_of_both(const Case& one, const Graph& graph, const Answer& answer) {
  const auto both = [](const place::Cut& cut) { return static_cast<double>(cut[0].weight.sum + cut[1].weight.sum); };
  Row row = row_named(std::string(one.name) + "_both", graph.ranks(), "exchanges");
  row.value = both(answer.cut);
  row.reference_value = std::numeric_limits<double>::max();
  const Weight inside = answer.bounds[1].sum;  // of answers that leave as much between nodes as this one
  row.extra = {{"bound", static_cast<double>(inside > 0 ? answer.cut[0].weight.sum + inside : answer.bounds[0].sum)},
               {"inside", static_cast<double>(answer.cut[1].weight.sum)}};
  for (const auto& launcher : answer.launchers) {
    row.extra.emplace_back(launcher.name, both(launcher.cut));
    if (both(launcher.cut) >= row.reference_value) continue;
    row.reference = launcher.name;
    row.reference_value = both(launcher.cut);
  }
  row.ci95 = Interval{row.value, row.value};
  judge(row, {no_more_than(one.most_both, row), Goal::On::value});
  return row;
}

double seconds_of(const std::function<void()>& work) {
  const std::int64_t start = now_ns();
  work();
  return 1e-9 * static_cast<double>(now_ns() - start);
}

// The mapper is not told that it is a grid, and ranks are numbered by chance.
std::vector<Row> graph_of_a_grid(const Peers& peers) {
  const Case one{"graph_64x64", {64, 64}, false, 32, "core:128", 48, 640};
  const Graph grid = place::graph_of(Grid{one.extents});
  std::vector<place::Rank> number(grid.ranks());
  std::iota(number.begin(), number.end(), place::Rank{0});
  place::Random random(1);
  for (std::size_t i = number.size(); i > 1; --i) std::swap(number[i - 1], number[random.below(i)]);
  std::vector<place::Edge> edges;
  for (place::Rank rank = 0; rank < grid.ranks(); ++rank) {
    grid.for_each_edge(rank, [&](place::Rank other, Weight) {
      if (rank < other) edges.push_back({number[rank], number[other]});
    });
  }
  const Graph graph(grid.ranks(), edges);
  const Site site({{one.nodes, place::node_shape(one.topology)}});
  const std::vector<Asked> asked = ask_peers(peers, graph, site);
  std::vector<Row> rows;
  for (const Aim aim : {Aim::worst, Aim::sum}) {
    Answer answer = place::mapped(graph, nullptr, site, {aim});
    place::prove_more(answer, graph, nullptr, site);
    rows.push_back(row_of(one, aim, graph, answer, asked));
  }
  return rows;
}

// The large graph mapped by one aim.
struct Large {
  Row time;
  Answer answer;  // with what is proven of it
};

// As the command does, which asks nobody else at this size. Beside gpart, which reads its graph from a file meanwhile; in turn, the least
// of a few. `asked`: what it has cut.
Large time_large(const std::string& name, Aim aim, const Graph& graph, const Peers& gpart, int times,
                 std::vector<Asked>& asked) {
  const Site site = large_site();
  Large large{row_named(name, graph.ranks(), "s"), {}};
  Row& time = large.time;
  time.count = static_cast<std::size_t>(times);
  time.reference = "counting once";
  time.value = time.reference_value = std::numeric_limits<double>::max();
  double proving_s = std::numeric_limits<double>::max();
  for (int i = 0; i < times; ++i) {
    const double mapped_s = seconds_of([&] { large.answer = place::mapped(graph, nullptr, site, {aim}); });
    const double proven_s = seconds_of([&] { place::prove_more(large.answer, graph, nullptr, site); });
    time.value = std::min(time.value, mapped_s);
    proving_s = std::min(proving_s, proven_s);
    asked = ask_peers(gpart, graph, site);
    const double counting_s = seconds_of([&] { (void)place::cut_of(graph, site, large.answer.mapping); });
    if (!asked.empty()) time.reference = asked.front().peer->name();
    time.reference_value = std::min(time.reference_value, asked.empty() ? counting_s : asked.front().seconds);
  }
  time.ratio = time.value / time.reference_value;
  if (!asked.empty()) judge(time, {kMostOfScotch});
  time.extra = {{"proving_s", proving_s}};
  return large;
}

// How long it takes by the sum, as gpart's answer is meant, and by what the command does unless told; and what all cut.
std::vector<Row> hundred_thousand(const Peers& peers, const Options& options) {
  const Graph graph = large_graph();
  Peers gpart, others;
  for (const Partitioner& peer : peers) (peer.kind == Partitioner::Kind::scotch ? gpart : others).push_back(peer);
  std::vector<Asked> asked;
  const Large sum = time_large(kLargeName, Aim::sum, graph, gpart, times_of(options), asked);
  const Large worst = time_large(kLargeByDefaultName, Aim::worst, graph, gpart, times_of(options), asked);
  for (const Asked& one : ask_peers(others, graph, large_site())) asked.push_back(one);
  std::vector<Row> rows{sum.time, worst.time};
  for (const auto& [aim, large] : {std::pair(Aim::worst, &worst), std::pair(Aim::sum, &sum)}) {
    rows.push_back(row_of(kLargeName, aim, graph, large->answer, asked));
    judge(rows.back(), {1.0});
  }
  for (Row& row : large_command_rows(peers, graph, options)) rows.push_back(std::move(row));
  for (Row& row : hub_command_rows(peers, hub_graph(), options)) rows.push_back(std::move(row));
  return rows;
}

constexpr std::string_view kEach{};                // for a group that looks at the names itself
constexpr std::string_view kCommands{"commands"};  // for one that is wanted by its name alone

bool wanted(const Options& options, std::string_view group) {
  return (options.cases.empty() && group != kCommands) || group == kEach ||
         std::find(options.cases.begin(), options.cases.end(), group) != options.cases.end();
}

// The best figures that anybody is known to have found.
std::vector<Row> known_rows(const Peers& peers, const Options&, Progress& progress) {
  std::vector<Row> rows;
  for (const Case& one : cases()) {
    progress.show(one.name);
    Grid grid{one.extents};
    if (one.closed) grid.periodic.assign(grid.dimensions(), true);
    const Graph graph = place::graph_of(grid);
    const Site site({{one.nodes, place::node_shape(one.topology)}});
    const std::vector<Asked> asked = ask_peers(peers, graph, site);
    for (const Aim aim : {Aim::worst, Aim::sum}) {
      const Answer answer = place::mapped(graph, &grid, site, {aim});
      rows.push_back(row_of(one, aim, graph, answer, asked));
      if (aim == Aim::sum && one.most_both > 0) rows.push_back(row_of_both(one, graph, answer));
    }
  }
  return rows;
}

// Each is a case of its own name.
std::vector<Row> each_million(const Peers&, const Options& options, Progress& progress) {
  std::vector<Row> rows;
  for (const Million& one : million_cases()) {
    if (!wanted(options, one.name)) continue;
    progress.show(one.name);
    for (Row& row : million_rows(one, options)) rows.push_back(std::move(row));
    for (Row& row : million_command_rows(one, options)) rows.push_back(std::move(row));
  }
  return rows;
}

// The rows of the command alone, which stand among the others too: not again beside those.
std::vector<Row> every_command(const Peers& peers, const Options& options, Progress& progress) {
  std::vector<Row> rows;
  for (const Million& one : million_cases()) {
    if (wanted(options, one.name)) continue;
    progress.show(std::string("the command, ") + one.name);
    for (Row& row : million_command_rows(one, options)) rows.push_back(std::move(row));
  }
  if (wanted(options, kLargeName)) return rows;
  progress.show("the command, a large graph");
  for (Row& row : large_command_rows(peers, large_graph(), options)) rows.push_back(std::move(row));
  for (Row& row : hub_command_rows(peers, hub_graph(), options)) rows.push_back(std::move(row));
  return rows;
}

std::vector<Row> shuffled_rows(const Peers& peers, const Options&, Progress& progress) {
  progress.show("a graph of a grid");
  return graph_of_a_grid(peers);
}

std::vector<Row> large_rows(const Peers& peers, const Options& options, Progress& progress) {
  progress.show("a large graph");
  return hundred_thousand(peers, options);
}

std::vector<Row> random_rows(const Peers& peers, const Options& options, Progress& progress) {
  return {random_row(peers, options, progress)};
}

struct Group {
  std::string_view name;
  std::vector<Row> (*rows)(const Peers&, const Options&, Progress&);
};

constexpr std::array kGroups{Group{"grids", known_rows},          Group{kEach, each_million},
                             Group{"graph_64x64", shuffled_rows}, Group{kLargeName, large_rows},
                             Group{"random", random_rows},        Group{kCommands, every_command}};

}  // namespace

std::vector<std::string_view> place_cases() {
  std::vector<std::string_view> names;
  for (const Group& group : kGroups) {
    if (group.name != kEach) names.push_back(group.name);
  }
  for (const Million& one : million_cases()) names.emplace_back(one.name);
  return names;
}

std::size_t place_jobs() { return kRandomJobs; }

Report place(const Options& options) {
  Report report{"place", this_host(), {}, {{"bound", "bound", " "}, {"inside", "inside", " "}}, kNote};
  const Peers peers = partitioners_here();
  for (const Partitioner& peer : peers) report.columns.push_back({peer.name(), peer.name(), " "});
  Progress progress("place", options.time_limit);
  for (const Group& group : kGroups) {
    if (!wanted(options, group.name)) continue;
    for (Row& row : group.rows(peers, options, progress)) report.rows.push_back(std::move(row));
  }
  return report;
}

}  // namespace comity::cli::bench
