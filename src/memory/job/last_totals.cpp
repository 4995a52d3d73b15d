// SPDX-License-Identifier: BSD-3-Clause
#include "memory/job/last_totals.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/csv.hpp"
#include "base/utf8.hpp"
#include "memory/job/mib.hpp"
#include "memory/job/nodes.hpp"
#include "memory/job/places/lines.hpp"
#include "memory/job/sum.hpp"

namespace comity::memory {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kTotalsNameWidth = 27;
// Of kLastTotals, with their heads; what is beside all that is resident is for programs.
struct ShownTotal {
  std::size_t column;
  const char* head;
};
constexpr std::array kShownTotals{ShownTotal{0, "RSS"},  ShownTotal{1, "PSS"},    ShownTotal{2, "USS"},
                                  ShownTotal{3, "swap"}, ShownTotal{4, "locked"}, ShownTotal{7, "virtual"}};

LastTotals totals_of_all(const Job& job) {
  LastTotals all;
  for (const RankMemory& rank : job.ranks) all.add(rank);
  return all;
}

std::string total_field(const std::string& text) {
  std::array<char, 32> cell{};
  std::snprintf(cell.data(), cell.size(), " %10s", text.c_str());
  return cell.data();
}

std::string mib_or_dash(const std::optional<std::int64_t>& bytes) {
  if (!bytes) return "-";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", static_cast<double>(*bytes) / kMiB);
  return text.data();
}

std::string line_of(const std::string& name, const LastTotals& totals) {
  const std::string short_name =
      name.size() <= kTotalsNameWidth ? name : ".." + std::string(end_of(name, kTotalsNameWidth - 2));
  std::string line =
      "  " + short_name + std::string(kTotalsNameWidth - std::min(kTotalsNameWidth, short_name.size()), ' ');
  for (const ShownTotal& shown : kShownTotals) line += total_field(mib_or_dash(totals.of(shown.column)));
  return line + '\n';
}

std::string heads_of_totals() {
  std::string line = "  by node, at the end [MiB]  ";
  for (const ShownTotal& shown : kShownTotals) line += total_field(shown.head);
  return line + '\n';
}

std::string row_of_totals(const std::string& node, const std::string& host, const LastTotals& totals) {
  std::string row = node + ',' + (host.empty() ? std::string() : csv_text(host)) + ',' + std::to_string(totals.ranks());
  for (std::size_t i = 0; i < kLastTotals.size(); ++i) {
    const std::optional<std::int64_t> bytes = totals.of(i);
    row += ',' + (bytes ? std::to_string(*bytes) : std::string());
  }
  return row + '\n';
}

}  // namespace

void LastTotals::add(const RankMemory& rank) {
  ++ranks_;
  if (rank.totals.empty()) return;
  const TotalFigures& last = rank.totals.back();
  for (std::size_t i = 0; i < kLastTotals.size(); ++i) {
    const std::string column(kLastTotals[i]);
    if (!last.bytes.contains(column) || !last.tells(column)) continue;
    ++told_[i];
    add_to(sums_[i], last.of(column));
  }
}

std::optional<std::int64_t> LastTotals::of(std::size_t column) const {
  return ranks_ > 0 && told_[column] == ranks_ ? std::optional(sums_[column]) : std::nullopt;
}

std::string last_totals_text_of(const Job& job) {
  if (job.ranks.size() < 2) return {};
  std::vector<NodeMemory> nodes = nodes_of(job);
  std::stable_sort(nodes.begin(), nodes.end(),
                   [](const NodeMemory& a, const NodeMemory& b) { return a.last > b.last; });
  std::string text = heads_of_totals();
  for (std::size_t i = 0; i < std::min(nodes.size(), kMostLines); ++i)
    text += line_of(nodes[i].host, nodes[i].last_totals);
  if (nodes.size() > 1) text += line_of("all nodes", totals_of_all(job));
  return text + more_lines(nodes.size(), "nodes", "memory-sums") + '\n';
}

Json json_of(const LastTotals& totals) {
  Json told = Json::object();
  for (std::size_t i = 0; i < kLastTotals.size(); ++i) {
    const std::optional<std::int64_t> bytes = totals.of(i);
    told["last_" + std::string(kLastTotals[i])] = bytes ? Json(*bytes) : Json(nullptr);
  }
  return told;
}

Json last_totals_json_of(const Job& job) {
  const LastTotals all = totals_of_all(job);
  Json told{{"ranks", all.ranks()}};
  told.update(json_of(all));
  return told;
}

std::string last_total_rows_of(const Job& job) {
  std::string text = "node,host,ranks";
  for (const std::string_view column : kLastTotals) text.append(",last_").append(column);
  text += '\n';
  for (const NodeMemory& node : nodes_of(job))
    text += row_of_totals(node.node < 0 ? std::string() : std::to_string(node.node), node.host, node.last_totals);
  return text + row_of_totals("", "", totals_of_all(job));
}

}  // namespace comity::memory
