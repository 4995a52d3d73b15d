// SPDX-License-Identifier: BSD-3-Clause
#include "memory/job/scaling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/csv.hpp"
#include "base/utf8.hpp"
#include "memory/job/mib.hpp"
#include "memory/job/mpimemu.hpp"
#include "memory/job/nodes.hpp"
#include "memory/job/rows.hpp"
#include "memory/job/sum.hpp"

namespace comity::memory {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kNameColumns = 20;
constexpr std::size_t kMpiColumns = 20;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr Spread kUnknownSpread{.least = kUnknown, .most = kUnknown, .mean = kUnknown, .deviation = kUnknown};

struct Column {
  const char* name;  // in JSON and rows
  Spread RunFigures::*spread;
};

constexpr std::array kColumns{Column{"mpi", &RunFigures::mpi}, Column{"with_mpi", &RunFigures::with_mpi},
                              Column{"application", &RunFigures::application}, Column{"total", &RunFigures::total}};

template <typename Figure>
double mean_of(const std::vector<NodeMemory>& nodes, Figure&& figure) {
  double sum = 0;
  for (const NodeMemory& node : nodes) sum += static_cast<double>(figure(node));
  return nodes.empty() ? 0 : sum / static_cast<double>(nodes.size());
}

// Padded or cut; of a folder the end tells most.
std::string cell(const std::string& text, std::size_t columns) {
  const std::string shown = visible(text);
  if (shown.size() > columns) return ".." + std::string(end_of(shown, columns - 2));
  return shown + std::string(columns - shown.size(), ' ');
}

std::string number_text(const char* format, double number) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), format, number);
  return text.data();
}

// [MiB] A number of bytes, or nobody knows it.
std::string mib_text(const char* format, const char* unknown, double bytes) {
  return std::isnan(bytes) ? unknown : number_text(format, bytes / kMiB);
}

std::string spread_text(const Spread& spread) {
  return mib_text(" %9.2f", "         ?", spread.mean) + " +- " + mib_text("%-7.2f", "?      ", spread.deviation);
}

std::string line_of(const RunFigures& run) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), " %5zu %5zu", run.ranks, run.nodes);
  std::string line = "  " + cell(run.name, kNameColumns) + ' ' +
                     cell(run.mpi_library.substr(0, run.mpi_library.find(',')), kMpiColumns) + text.data();
  for (const Column& column : kColumns) line += spread_text(run.*column.spread);
  return line + mib_text(" %9.2f", "         ?", run.node_with_mpi) + mib_text(" %9.2f", "         ?", run.node_total) +
         '\n';
}

std::string delta_line_of(const RunFigures& run) {
  if (run.delta_method.empty()) return {};
  const bool is_of_init = run.delta_method == kMpimemuMethod;
  const std::string deviation = mib_text("%.2f", "?", run.delta.deviation);
  return "  " + visible(run.name) + ": MPI's by " + visible(run.delta_method) + ", what " +
         (is_of_init ? "MPI_Init" : "its calls") +
         " changed all by:" + number_text(" %.2f +- ", run.delta.mean / kMiB) + deviation + '\n';
}

std::string heads() {
  std::string line = "  " + cell("run", kNameColumns) + ' ' + cell("MPI", kMpiColumns) + " ranks nodes";
  std::array<char, 32> text{};
  for (const char* name : {"mpi", "with what it brings", "application", "total, resident"}) {
    std::snprintf(text.data(), text.size(), "%21s", name);
    line += text.data();
  }
  std::snprintf(text.data(), text.size(), " %9s %9s\n", "MPI/node", "all/node");
  return line + text.data();
}

std::string fields_of(const Spread& spread) { return ',' + field_of(spread.mean) + ',' + field_of(spread.deviation); }

Json json_of(const Spread& spread) {
  return {{"peak_mean_bytes", spread.mean},
          {"peak_sd_bytes", spread.deviation},
          {"peak_min_bytes", spread.least},
          {"peak_max_bytes", spread.most}};
}

// None: samples do not tell.
std::optional<std::int64_t> with_mpi_at_one_moment(const Together& together, int node) {
  const auto lines = together.over_time.find(node);
  if (node < 0 || lines == together.over_time.end()) return std::nullopt;
  std::vector<std::int64_t> sums(Together::kMoments);
  for (const auto& [component, line] : lines->second) {
    for (std::size_t i = 0; is_of_mpi(component) && i < std::min(sums.size(), line.size()); ++i)
      add_to(sums[i], line[i]);
  }
  std::int64_t most = *std::max_element(sums.begin(), sums.end());
  if (const TogetherMoment* const moment = together.of_node(node)) {
    std::int64_t then = 0;
    for (const auto& [component, bytes] : moment->components) {
      if (is_of_mpi(component)) add_to(then, bytes);
    }
    most = std::max(most, then);
  }
  if (most <= 0) return std::nullopt;
  return most;
}

// None where it is not known of each node.
std::optional<double> with_mpi_at_one_moment(const std::vector<NodeMemory>& nodes, const Together& together) {
  double sum = 0;
  for (const NodeMemory& node : nodes) {
    const auto most = with_mpi_at_one_moment(together, node.node);
    if (!most) return std::nullopt;
    sum += static_cast<double>(*most);
  }
  return nodes.empty() ? std::nullopt : std::optional(sum / static_cast<double>(nodes.size()));
}

std::string bound_line_of(const RunFigures& run) {
  if (!run.node_with_mpi_is_bound) return {};
  std::array<char, 64> seen{};
  if (run.node_with_mpi_at_one_moment)
    std::snprintf(seen.data(), seen.size(), "; samples saw %.2f at one moment",
                  *run.node_with_mpi_at_one_moment / kMiB);
  return "  " + run.name + ": MPI/node is an upper bound, of what each component of a rank had at a moment of its own" +
         seen.data() + '\n';
}

}  // namespace

RunFigures figures_of(const Job& job, std::string name, std::string mpi_library, const Together& together) {
  RunFigures run;
  run.name = std::move(name);
  run.mpi_library = std::move(mpi_library);
  run.ranks = job.ranks.size();
  const std::vector<NodeMemory> nodes = nodes_of(job);
  run.nodes = nodes.size();
  run.owners_known =
      std::all_of(job.ranks.begin(), job.ranks.end(), [](const RankMemory& rank) { return rank.knows_owners; });
  run.mpi = spread_of(job, [](const RankMemory& rank) { return rank.of("mpi").peak; });
  run.with_mpi = spread_of(job, [](const RankMemory& rank) { return rank.with_mpi().peak; });
  run.application = spread_of(job, [](const RankMemory& rank) { return rank.of("application").peak; });
  run.total = spread_of(job, [](const RankMemory& rank) { return rank.peak_rss_bytes; });
  run.delta_method = delta_method_of(job);
  if (!run.delta_method.empty()) run.delta = spread_of(job, delta_peak_of);
  if (std::all_of(job.ranks.begin(), job.ranks.end(), [](const RankMemory& rank) { return rank.components.empty(); })) {
    run.mpi = run.with_mpi = run.application = kUnknownSpread;
    run.node_with_mpi = run.node_total = kUnknown;
    return run;
  }
  run.node_with_mpi = mean_of(nodes, [](const NodeMemory& node) { return node.with_mpi.peak; });
  run.node_with_mpi_is_bound = run.owners_known && !nodes.empty();
  run.node_with_mpi_at_one_moment = with_mpi_at_one_moment(nodes, together);
  run.node_total = mean_of(nodes, [](const NodeMemory& node) { return node.last; });
  return run;
}

std::string text_of(const std::vector<RunFigures>& runs) {
  std::string text =
      "MiB at the peak of a rank, mean +- standard deviation; of a node MPI with what it brings, and all at the end\n" +
      heads();
  for (const RunFigures& run : runs) text += line_of(run);
  for (const RunFigures& run : runs) text += bound_line_of(run);
  for (const RunFigures& run : runs) text += delta_line_of(run);
  const bool some = std::any_of(runs.begin(), runs.end(), [](const RunFigures& run) { return !run.owners_known; });
  if (some)
    text +=
        "  WARNING: of a run it is not known who asked for memory: its blocks count as heap, in none of these but the "
        "total\n";
  return text;
}

Json json_of(const std::vector<RunFigures>& runs) {
  Json list = Json::array();
  for (const RunFigures& run : runs) {
    Json one = {{"run", run.name},
                {"mpi_library", run.mpi_library},
                {"ranks", run.ranks},
                {"nodes", run.nodes},
                {"owners_known", run.owners_known}};
    for (const Column& column : kColumns) one[column.name] = json_of(run.*column.spread);
    Json delta = nullptr;
    if (!run.delta_method.empty()) {
      delta = json_of(run.delta);
      delta["method"] = run.delta_method;
    }
    one["delta"] = std::move(delta);
    one["node_with_mpi_bytes"] = run.node_with_mpi;
    one["node_with_mpi_is_bound"] = run.node_with_mpi_is_bound;
    one["node_with_mpi_at_one_moment_bytes"] =
        run.node_with_mpi_at_one_moment ? Json(*run.node_with_mpi_at_one_moment) : Json(nullptr);
    one["node_end_bytes"] = run.node_total;
    list.push_back(std::move(one));
  }
  return {{"runs", std::move(list)}};
}

std::string rows_of(const std::vector<RunFigures>& runs) {
  std::string text = "run,mpi_library,ranks,nodes";
  for (const Column& column : kColumns)
    text += std::string(",") + column.name + "_peak_mean_bytes," + column.name + "_peak_sd_bytes";
  text += ",node_with_mpi_bytes,node_end_bytes,delta_method,delta_peak_mean_bytes,delta_peak_sd_bytes\n";
  for (const RunFigures& run : runs) {
    text += csv_text(run.name) + ',' + csv_text(run.mpi_library) + ',' + std::to_string(run.ranks) + ',' +
            std::to_string(run.nodes);
    for (const Column& column : kColumns) text += fields_of(run.*column.spread);
    text += ',' + field_of(run.node_with_mpi) + ',' + field_of(run.node_total);
    if (run.delta_method.empty()) {
      text += ",,,\n";
      continue;
    }
    text += ',' + csv_text(run.delta_method) + fields_of(run.delta) + '\n';
  }
  return text;
}

}  // namespace comity::memory
