// SPDX-License-Identifier: BSD-3-Clause
// What each component had at the moments at which all pages were looked at: for people of all ranks and the last of their moments, for
// programs each. Not: how much it had at the most (job_text), nor what all had (job_peaks).
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "base/csv.hpp"
#include "memory/job/job.hpp"
#include "memory/job/mib.hpp"
#include "memory/job/places/lines.hpp"
#include "memory/job/sum.hpp"
#include "memory/rank/stocks.hpp"

namespace comity::memory {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShown = 7;  // the first of kUseColumns: columns of text
constexpr std::size_t kShare = 1;  // of them, that which adds up over ranks
static_assert(std::string_view(kUseColumns[kShare].name) == "pss_bytes");

using Sums = std::array<std::int64_t, kShown>;

// Of all ranks at the last moment of each, those with the largest share first.
std::vector<std::pair<std::string, Sums>> last_uses(const Job& job) {
  std::map<std::string, Sums> sums;
  for (const RankMemory& rank : job.ranks) {
    for (const UseFigures& use : rank.uses) {
      if (use.moment != rank.uses.back().moment) continue;
      Sums& sum = sums[use.component];
      for (std::size_t i = 0; i < kShown; ++i) add_to(sum[i], use.bytes[i]);
    }
  }
  std::erase_if(sums, [](const auto& one) {
    return *std::max_element(one.second.begin(), one.second.end()) < kLeastShown_bytes;
  });
  std::vector<std::pair<std::string, Sums>> uses(sums.begin(), sums.end());
  std::stable_sort(uses.begin(), uses.end(),
                   [](const auto& a, const auto& b) { return a.second[kShare] > b.second[kShare]; });
  return uses;
}

std::string line_of(const std::string& component, const Sums& sums) {
  std::array<char, 32> text{};
  std::string line = "  " + component + std::string(component.size() < 16 ? 16 - component.size() : 0, ' ');
  for (const std::int64_t bytes : sums) {
    std::snprintf(text.data(), text.size(), " %9.2f", static_cast<double>(bytes) / kMiB);
    line += text.data();
  }
  return line + '\n';
}

// NUMA nodes of any machine of the job.
std::set<int> nodes_in(const Job& job) {
  std::set<int> nodes;
  for (const RankMemory& rank : job.ranks) {
    for (const UseFigures& use : rank.uses) {
      for (const auto& [node, bytes] : use.nodes) nodes.insert(node);
    }
  }
  return nodes;
}

}  // namespace

std::string moments_text_of(const Job& job) {
  const std::vector<std::pair<std::string, Sums>> uses = last_uses(job);
  if (uses.empty()) return {};
  std::string text =
      "  at the last look at all pages [MiB, all ranks]        shared:\n"
      "  component              RSS       PSS       USS     clean     dirty      swap    locked\n";
  for (std::size_t i = 0; i < std::min(uses.size(), kMostLines); ++i) text += line_of(uses[i].first, uses[i].second);
  return text + more_lines(uses.size(), "components", "memory-moments") + '\n';
}

Json moments_json_of(const RankMemory& rank) {
  Json rows = Json::array();
  for (const UseFigures& use : rank.uses) {
    Json row = {{"moment", use.moment}, {"component", use.component}};
    for (std::size_t i = 0; i < kUseColumns.size(); ++i) row[kUseColumns[i].name] = use.bytes[i];
    for (const auto& [node, bytes] : use.nodes) row[node_column(node)] = bytes;
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string moment_rows_of(const Job& job) {
  const std::set<int> nodes = nodes_in(job);
  std::string text = "rank,moment,component";
  for (const UseColumn& column : kUseColumns) text += ',' + std::string(column.name);
  for (const int node : nodes) text += ',' + node_column(node);
  text += '\n';
  for (const RankMemory& rank : job.ranks) {
    for (const UseFigures& use : rank.uses) {
      text += std::to_string(rank.rank) + ',' + csv_text(use.moment) + ',' + csv_text(use.component);
      for (const std::int64_t bytes : use.bytes) text += ',' + std::to_string(bytes);
      for (const int node : nodes) {
        const auto found = use.nodes.find(node);
        text += ',' + (found == use.nodes.end() ? std::string() : std::to_string(found->second));
      }
      text += '\n';
    }
  }
  return text;
}

}  // namespace comity::memory
