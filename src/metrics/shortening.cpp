// SPDX-License-Identifier: BSD-3-Clause
#include "metrics/shortening.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "metrics/rank/peers.hpp"
#include "metrics/snapshot.hpp"

namespace comity::metrics {
namespace {

using record::Table;

constexpr std::string_view kRegion = "region";
constexpr std::string_view kPlace = "place";
constexpr std::string_view kPeer = "peer";

bool grows(const Table& table) {
  return table.name() == kRegionsTable || table.name() == kCallsTable || table.name() == kPeersTable ||
         table.name() == kOpenMpTable || table.name() == kTeamPlacesTable;
}

bool is_extreme(std::string_view column) { return column.starts_with("longest") || column.starts_with("largest"); }

record::Cell together(std::string_view column, const record::Cell& one, const record::Cell& other) {
  if (!std::holds_alternative<std::int64_t>(one) || column == kPeer) return one;
  const std::int64_t a = std::get<std::int64_t>(one), b = std::get<std::int64_t>(other);
  return is_extreme(column) ? std::max(a, b) : a + b;
}

record::Cell in_short(std::string_view column, const record::Cell& cell) {
  if (column == kRegion || column == kPlace) return std::string(kAllRegions);
  if (column == kPeer) return std::int64_t{Peers::kRest};
  return cell;
}

std::vector<record::Cell> row_of(const Table& table, std::size_t row) {
  std::vector<record::Cell> cells;
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    cells.push_back(in_short(table.columns()[i].name, table.cell(row, i)));
  }
  return cells;
}

std::vector<std::string> texts_of(const std::vector<record::Cell>& cells) {
  std::vector<std::string> texts;
  for (const record::Cell& cell : cells) {
    if (const auto* text = std::get_if<std::string>(&cell)) texts.push_back(*text);
  }
  return texts;
}

}  // namespace

std::optional<Table> shortened(const Table& table) {
  if (!grows(table)) return std::nullopt;
  std::map<std::vector<std::string>, std::vector<record::Cell>> rows;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::vector<record::Cell> cells = row_of(table, row);
    const auto [found, is_new] = rows.try_emplace(texts_of(cells), cells);
    for (std::size_t i = 0; !is_new && i < cells.size(); ++i) {
      found->second[i] = together(table.columns()[i].name, found->second[i], cells[i]);
    }
  }
  Table result(table.name(), table.columns(), table.summarise());
  for (const auto& [key, cells] : rows) result.add_row(cells);
  return result;
}

// A region has no brackets but for those that a collector makes.
bool is_short(const Table& table) {
  if (!grows(table) || table.rows() == 0) return false;
  if (table.name() == kPeersTable) return table.rows() == 1 && table.integer(0, kPeer) == Peers::kRest;
  return table.text(0, table.name() == kTeamPlacesTable ? kPlace : kRegion) == kAllRegions;
}

}  // namespace comity::metrics
