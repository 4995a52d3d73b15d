// SPDX-License-Identifier: BSD-3-Clause
#include "memory/job/nodes.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/csv.hpp"
#include "base/utf8.hpp"
#include "memory/component.hpp"
#include "memory/job/mib.hpp"
#include "memory/job/places/lines.hpp"
#include "memory/job/sum.hpp"
#include "memory/rank/growth.hpp"

namespace comity::memory {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kHostColumns = 17;
constexpr std::string_view kPageTables = kComponentNames[static_cast<std::size_t>(Component::page_tables)];

void add(NodeMemory& node, const RankMemory& rank) {
  if (node.ranks++ == 0) {
    node.node = rank.node;
    node.host = rank.host;
    node.first_rank = rank.rank;
  }
  if (node.totals.empty()) node.totals = rank.node_totals;
  add_to(node.peaks, rank.peak_rss_bytes);
  add_to(node.last_rss, rank.last_rss_bytes());
  node.last_totals.add(rank);
  node.with_mpi.add(rank.with_mpi());
  add_to(node.nearness.near_bytes, rank.nearness.near_bytes);
  add_to(node.nearness.far_bytes, rank.nearness.far_bytes);
  for (const auto& [name, figures] : rank.components) {
    node.components[name].add(figures);
    if (name == kPageTables) continue;  // in no share
    add_to(node.last, figures.last);
    add_to(node.start, figures.start);
  }
}

ComponentFigures of(const NodeMemory& node, const std::string& component) {
  const auto found = node.components.find(component);
  return found == node.components.end() ? ComponentFigures{} : found->second;
}

std::string mib(std::int64_t bytes) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", static_cast<double>(bytes) / kMiB);
  return text.data();
}

std::string padded(const std::string& figure) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%11s", figure.c_str());
  return text.data();
}

// `at_one_time`: a column that only a record can fill; "" where there is none.
std::string line_of(const NodeMemory& node, const std::string& at_one_time) {
  const std::string host =
      node.host.size() <= kHostColumns ? node.host : ".." + std::string(end_of(node.host, kHostColumns - 2));
  std::array<char, 200> text{};
  std::snprintf(text.data(), text.size(), "  %-17s %6lld %6d  %11s %9s %9s %11s  ", host.c_str(),
                static_cast<long long>(node.ranks), node.first_rank, mib(node.last).c_str(),
                mib(of(node, "mpi").last).c_str(), mib(node.with_mpi.last).c_str(),
                mib(of(node, "application").last).c_str());
  return text.data() + at_one_time + padded(mib(node.peaks)) + '\n';
}

Json json(const std::vector<TotalFigures>& totals) {
  Json all = Json::array();
  for (const TotalFigures& moment : totals) {
    Json one = {{"moment", moment.moment}};
    for (const auto& [name, bytes] : moment.bytes) one[name] = bytes;
    all.push_back(std::move(one));
  }
  return all;
}

Json sums_json(const ComponentFigures& figures) {
  return {{"peak_sum_bytes", figures.peak}, {"last_bytes", figures.last}, {"start_bytes", figures.start}};
}

}  // namespace

std::vector<NodeMemory> nodes_of(const Job& job) {
  std::map<NodeKey, NodeMemory> by_node;
  for (const RankMemory& rank : job.ranks) add(by_node[node_key_of(rank)], rank);
  std::vector<NodeMemory> nodes;
  nodes.reserve(by_node.size());
  for (auto& [key, node] : by_node) nodes.push_back(std::move(node));
  return nodes;
}

std::string nodes_text_of(const Job& job, const Together& together) {
  if (job.ranks.size() < 2) return {};
  std::vector<NodeMemory> nodes = nodes_of(job);
  std::stable_sort(nodes.begin(), nodes.end(),
                   [](const NodeMemory& a, const NodeMemory& b) { return a.last > b.last; });
  std::array<char, 200> heads{};
  std::snprintf(heads.data(), heads.size(), "  %-17s %6s %6s  %11s %9s %9s %11s  ", "by node [MiB]", "ranks", "first",
                "end: all", "mpi", "with it", "application");
  const bool tells_moments = std::any_of(
      nodes.begin(), nodes.end(), [&](const NodeMemory& node) { return together.of_node(node.node) != nullptr; });
  const auto cell_of = [&](const NodeMemory& node) -> std::string {
    if (!tells_moments) return {};
    const TogetherMoment* const moment = together.of_node(node.node);
    return padded(moment == nullptr ? "-" : mib(moment->total)) + ' ';
  };
  std::string text = heads.data() + std::string(tells_moments ? "at one time " : "") + " peaks, sum\n";
  for (std::size_t i = 0; i < std::min(nodes.size(), kMostLines); ++i) text += line_of(nodes[i], cell_of(nodes[i]));
  return text + more_lines(nodes.size(), "nodes", "memory-nodes") + '\n';
}

std::string least_available_text_of(const Job& job) {
  const std::vector<NodeMemory> nodes = nodes_of(job);
  const NodeMemory* where = nullptr;
  const TotalFigures* least = nullptr;
  for (const NodeMemory& node : nodes) {
    for (const TotalFigures& moment : node.totals) {
      const std::int64_t available = moment.of("available_bytes");
      if (available <= 0 || (least != nullptr && least->of("available_bytes") <= available)) continue;
      where = &node;
      least = &moment;
    }
  }
  if (least == nullptr) return {};
  return "  least memory was available on " + (where->host.empty() ? "a node" : where->host) + ", " + least->moment +
         ": " + mib(least->of("available_bytes")) + " of " + mib(least->of("total_bytes")) + " MiB\n\n";
}

Json nodes_json_of(const Job& job, const Together& together) {
  Json all = Json::array();
  for (const NodeMemory& node : nodes_of(job)) {
    Json components = Json::object();
    for (const auto& [name, figures] : node.components) components[name] = sums_json(figures);
    const TogetherMoment* const moment = together.of_node(node.node);
    all.push_back({{"node", node.node < 0 ? Json(nullptr) : Json(node.node)},
                   {"host", node.host},
                   {"ranks", node.ranks},
                   {"first_rank", node.first_rank},
                   {"peak_sum_bytes", node.peaks},
                   {"last_bytes", node.last},
                   {"start_bytes", node.start},
                   {"last_rss_bytes", node.last_rss},
                   {"near_bytes", node.nearness.near_bytes},
                   {"far_bytes", node.nearness.far_bytes},
                   {"totals", json(node.totals)},
                   {"at_one_moment", moment == nullptr ? Json(nullptr) : json_of(*moment, together.begin_ns)},
                   {"with_mpi", sums_json(node.with_mpi)},
                   {"components", std::move(components)}});
    Json sums = json_of(node.last_totals);
    sums.erase("last_rss_bytes");  // which is there, whoever told
    all.back().update(sums);
  }
  return all;
}

std::string node_rows_of(const Job& job) {
  std::string text = "node,host,ranks,first_rank,component,peak_sum_bytes,last_bytes,start_bytes\n";
  for (const NodeMemory& node : nodes_of(job)) {
    const auto add_row = [&](const std::string& component, std::int64_t peak, std::int64_t last, std::int64_t start) {
      text += (node.node < 0 ? std::string() : std::to_string(node.node)) + ',' + csv_text(node.host) + ',' +
              std::to_string(node.ranks) + ',' + std::to_string(node.first_rank) + ',' + csv_text(component) + ',' +
              std::to_string(peak) + ',' + std::to_string(last) + ',' + std::to_string(start) + '\n';
    };
    for (const auto& [name, figures] : node.components) {
      if (name != kTotalName) add_row(name, figures.peak, figures.last, figures.start);  // a program may name one so
    }
    add_row(kTotalName, node.peaks, node.last, node.start);
  }
  return text;
}

}  // namespace comity::memory
