// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/place.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "cli/bench/progress.hpp"
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
    "1000x1000 ranks onto 10,000 nodes; its reference is counting once what such a mapping cuts.";

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
  row.extra = {{"bound", static_cast<double>(aim == Aim::worst ? bound.worst : bound.sum)},
               {"inside", static_cast<double>(answer.cut.at(1).weight.sum)}};
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

}  // namespace

Report place(const Options& options) {
  Report report{"place", this_host(), {}, {{"bound", "bound", " "}, {"inside", "inside", " "}}, kNote};
  Progress progress("place", options.time_limit);
  for (const Case& one : cases()) {
    progress.show(one.name);
    Grid grid{one.extents};
    if (one.closed) grid.periodic.assign(grid.dimensions(), true);
    const Graph graph = place::graph_of(grid);
    const Site site({{one.nodes, place::node_shape(one.topology)}});
    for (const Aim aim : {Aim::worst, Aim::sum}) {
      report.rows.push_back(row_of(one, aim, graph, place::mapped(graph, &grid, site, {aim})));
    }
  }
  progress.show("a million ranks");
  report.rows.push_back(million_ranks());
  return report;
}

}  // namespace comity::cli::bench
