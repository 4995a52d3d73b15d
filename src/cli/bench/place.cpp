// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/place.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
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
    "worst: exchanges of the node with most, with the objective worst. sum: of all nodes, with the objective sum. "
    "Their "
    "reference is the best of the launchers' own orders; bound is what no mapping can have less than; inside is what "
    "crosses the next level. The counts are exact, so one run says all. million_ranks is the time of a whole mapping "
    "of "
    "1000x1000 ranks onto 10,000 nodes; its reference is counting once what such a mapping cuts. graph_64x64 is a grid "
    "that is given as a graph. graph_100000 is the time for a graph of 100,000 ranks on 1,000 nodes, random counts "
    "jobs "
    "in which a launcher's order, or another's division, is better. gpart (Scotch) and kaffpa (KaHIP) are asked too "
    "where "
    "they are on the PATH: their sums, with parts that may differ by 1 %.";

struct Case {
  const char* name;
  std::vector<std::uint32_t> extents;
  bool closed;
  std::size_t nodes;
  const char* topology;
  double most_worst, most_sum;  // the best that anybody is known to have found
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{{"5x16", {5, 16}, false, 10, "pack:2 core:4", 9, 41},
                                     {"5x16_torus", {5, 16}, true, 10, "pack:2 core:4", 12, 60},
                                     {"8x8x8", {8, 8, 8}, false, 16, "pack:2 core:16", 48, 320},
                                     {"48x32", {48, 32}, false, 12, "numa:4 core:32", 40, 200}};
  return all;
}

using Peers = std::vector<Partitioner>;

// What others cut of the same graph, each under its name.
void ask_peers(const Peers& peers, const Graph& graph, std::size_t nodes, Row& row) {
  for (const Partitioner& peer : peers) {
    const std::optional<Division> theirs = divide(peer, graph, nodes);
    if (theirs) {
      row.extra.emplace_back(peer.name(), static_cast<double>(place::node_cut(graph, nodes, theirs->part).sum));
    }
  }
}

Row row_of(const Case& one, Aim aim, const Graph& graph, const Answer& answer) {
  const auto figure = [aim](const place::Cut& cut) {
    return static_cast<double>(aim == Aim::worst ? cut[0].weight.worst : cut[0].weight.sum);
  };
  Row row;
  row.name = std::string(one.name) + (aim == Aim::worst ? "_worst" : "_sum");
  row.mpi = "no MPI";
  row.ranks = static_cast<int>(graph.ranks());
  row.threads = 1;
  row.value = figure(answer.cut);
  row.unit = "exchanges";
  row.count = 1;
  row.reference = "the best launcher";
  row.reference_value = figure(answer.launchers.front().cut);
  for (const auto& beside : answer.launchers) row.reference_value = std::min(row.reference_value, figure(beside.cut));
  row.ratio = row.value / row.reference_value;
  row.ci95 = Interval{row.value, row.value};
  row.goal = Goal{aim == Aim::worst ? one.most_worst : one.most_sum, Goal::On::value};
  row.verdict = row.value <= row.goal->bound ? Verdict::met : Verdict::missed;
  const place::Bound& bound = answer.bounds.front();
  row.extra = {{"bound", static_cast<double>(aim == Aim::worst ? bound.worst : bound.sum)}};
  if (answer.cut.size() > 1) row.extra.emplace_back("inside", static_cast<double>(answer.cut[1].weight.sum));
  return row;
}

double seconds_of(const std::function<void()>& work) {
  const std::int64_t start = now_ns();
  work();
  return 1e-9 * static_cast<double>(now_ns() - start);
}

// The least of a few: what disturbs the machine only ever adds.
Row million_ranks() {
  constexpr int kTimes = 3;
  constexpr double kMost_s = 2.0;
  const Grid grid{{1000, 1000}};
  const Site site({{10'000, place::node_shape("pack:2 core:50")}});
  Row row;
  row.name = "million_ranks";
  row.mpi = "no MPI";
  row.ranks = 1'000'000;
  row.threads = 1;
  row.unit = "s";
  row.count = kTimes;
  row.reference = "counting once";
  row.value = row.reference_value = 1e300;
  for (int i = 0; i < kTimes; ++i) {
    Answer answer;
    Graph graph;
    const double mapping_s = seconds_of([&] {
      graph = place::graph_of(grid);
      answer = place::mapped(graph, &grid, site, {});
    });
    const double counting_s = seconds_of([&] { (void)place::cut_of(graph, site, answer.mapping); });
    row.value = std::min(row.value, mapping_s);
    row.reference_value = std::min(row.reference_value, counting_s);
    row.extra = {{"bound", static_cast<double>(answer.bounds[0].sum)},
                 {"inside", static_cast<double>(answer.cut.at(1).weight.sum)},
                 {"nodes_sum", static_cast<double>(answer.cut[0].weight.sum)}};
  }
  row.ratio = row.value / row.reference_value;
  row.goal = Goal{kMost_s, Goal::On::value};
  row.verdict = row.value <= kMost_s ? Verdict::met : Verdict::missed;
  return row;
}

// The mapper is not told that it is a grid, and ranks are numbered by chance.
Row graph_of_a_grid(const Peers& peers) {
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
  Answer answer = place::mapped(graph, nullptr, site, {Aim::sum});
  place::prove_more(answer, graph, nullptr, site);
  Row row = row_of(one, Aim::sum, graph, answer);
  ask_peers(peers, graph, one.nodes, row);
  return row;
}

// Points of a square, about eight near ones each.
Graph large_graph() {
  constexpr std::size_t kRanks = 100'000, kColumns = 180;
  constexpr double kReach = 0.00505;
  place::Random random(1);
  std::vector<std::array<double, 2>> points(kRanks);
  std::vector<std::vector<place::Rank>> cells(kColumns * kColumns);
  const auto column = [](double x) { return static_cast<std::size_t>(x * kColumns); };
  for (place::Rank rank = 0; rank < kRanks; ++rank) {
    points[rank] = {random.fraction(), random.fraction()};
    cells[column(points[rank][0]) * kColumns + column(points[rank][1])].push_back(rank);
  }
  std::vector<place::Edge> edges;
  for (place::Rank rank = 0; rank < kRanks; ++rank) {
    const std::size_t x = column(points[rank][0]), y = column(points[rank][1]);
    for (std::size_t i = x > 0 ? x - 1 : 0; i <= std::min(x + 1, kColumns - 1); ++i) {
      for (std::size_t j = y > 0 ? y - 1 : 0; j <= std::min(y + 1, kColumns - 1); ++j) {
        for (const place::Rank other : cells[i * kColumns + j]) {
          const double far = std::hypot(points[rank][0] - points[other][0], points[rank][1] - points[other][1]);
          if (rank < other && far < kReach) edges.push_back({rank, other});
        }
      }
    }
  }
  return {kRanks, edges};
}

// Beside gpart, which reads its graph from a file meanwhile.
Row hundred_thousand(const Peers& peers) {
  constexpr double kMost = 1.5;
  constexpr std::size_t kNodes = 1'000;
  const Graph graph = large_graph();
  const Site site({{kNodes, place::node_shape("core:100")}});
  Row row;
  row.name = "graph_100000";
  row.mpi = "no MPI";
  row.ranks = static_cast<int>(graph.ranks());
  row.threads = 1;
  row.unit = "s";
  row.count = 1;
  Answer answer;
  row.value = seconds_of([&] { answer = place::mapped(graph, nullptr, site, {Aim::sum}); });
  place::prove_more(answer, graph, nullptr, site);
  row.extra = {{"bound", static_cast<double>(answer.bounds[0].sum)},
               {"nodes_sum", static_cast<double>(answer.cut[0].weight.sum)}};
  row.reference = "counting once";
  row.reference_value = seconds_of([&] { (void)place::cut_of(graph, site, answer.mapping); });
  for (const Partitioner& peer : peers) {
    const std::optional<Division> theirs = divide(peer, graph, kNodes);
    if (!theirs) continue;
    row.extra.emplace_back(peer.name(), static_cast<double>(place::node_cut(graph, kNodes, theirs->part).sum));
    if (peer.kind != Partitioner::Kind::scotch) continue;
    row.reference = peer.name();
    row.reference_value = theirs->seconds;
    row.goal = Goal{kMost, Goal::On::ratio};
  }
  row.ratio = row.value / row.reference_value;
  if (row.goal) row.verdict = row.ratio <= kMost ? Verdict::met : Verdict::missed;
  return row;
}

// As many of a thousand as there is time for, a few always.
Row random_jobs(const Peers& peers, const Options& options, Progress& progress) {
  constexpr std::size_t kJobs = 1'000, kFewest = 5;
  const std::int64_t end_ns = now_ns() + options.time_limit.count();
  RandomScore found;
  while (found.jobs < kJobs && (found.jobs < kFewest || now_ns() < end_ns)) {
    progress.show("random jobs, " + std::to_string(found.jobs) + " of " + std::to_string(kJobs));
    score(random_job(found.jobs), peers, found);
  }
  Row row;
  row.name = "random";
  row.mpi = "no MPI";
  row.ranks = static_cast<int>(kMostJobRanks);
  row.threads = 1;
  row.unit = "jobs";
  row.value = static_cast<double>(found.beaten + found.beaten_by_peer);
  row.count = found.jobs;
  row.reference = "all of them";
  row.reference_value = static_cast<double>(found.jobs);
  row.ratio = row.value / row.reference_value;
  row.goal = Goal{0, Goal::On::value};
  row.ci95 = Interval{row.value, row.value};
  row.verdict = row.value <= 0 ? Verdict::met : Verdict::missed;
  row.extra = {{"of_best_launcher", found.gain / static_cast<double>(found.jobs)},
               {"beaten_by_peer", static_cast<double>(found.beaten_by_peer)}};
  return row;
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
    for (const Aim aim : {Aim::worst, Aim::sum}) {
      rows.push_back(row_of(one, aim, graph, place::mapped(graph, &grid, site, {aim})));
      if (aim == Aim::sum) ask_peers(peers, graph, one.nodes, rows.back());
    }
  }
  return rows;
}

std::vector<Row> million_rows(const Peers&, const Options&, Progress& progress) {
  progress.show("a million ranks");
  return {million_ranks()};
}

std::vector<Row> shuffled_rows(const Peers& peers, const Options&, Progress& progress) {
  progress.show("a graph of a grid");
  return {graph_of_a_grid(peers)};
}

std::vector<Row> large_rows(const Peers& peers, const Options&, Progress& progress) {
  progress.show("a large graph");
  return {hundred_thousand(peers)};
}

std::vector<Row> random_rows(const Peers& peers, const Options& options, Progress& progress) {
  return {random_jobs(peers, options, progress)};
}

struct Group {
  std::string_view name;
  std::vector<Row> (*rows)(const Peers&, const Options&, Progress&);
};

constexpr std::array kGroups{Group{"grids", known_rows}, Group{"million_ranks", million_rows},
                             Group{"graph_64x64_sum", shuffled_rows}, Group{"graph_100000", large_rows},
                             Group{"random", random_rows}};

bool wanted(const Options& options, std::string_view group) {
  return options.cases.empty() || std::find(options.cases.begin(), options.cases.end(), group) != options.cases.end();
}

}  // namespace

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
