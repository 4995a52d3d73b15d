// SPDX-License-Identifier: BSD-3-Clause
#include "memory/rank/shortening.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <variant>
#include <vector>

namespace comity::memory {
namespace {

using record::Cell;
using record::Table;

constexpr std::size_t kRowsInShort = 8;
constexpr std::size_t kRowsWhereLeftOut = 3;

// The rows with most of `by` stay, and the others become one for each text in `key`.
struct Form {
  std::string_view table;
  std::string_view by;
  std::string_view key;
  std::string_view function;  // of rows that have become one; their other texts are kElsewhere
};
constexpr Form kFormOfGrowth{kGrowthTable, "grown_bytes", "component", kElsewhere};
constexpr std::array kForms{kFormOfGrowth, Form{kPathsTable, "most_bytes", "component", kElsewhere},
                            Form{kTouchesTable, "bytes", "owner", kElsewhere},
                            Form{kHeldTable, "bytes", "component", kElsewhere},
                            Form{kObjectsTable, "live", "kind", ""}};

std::vector<std::size_t> those_with_most_first(const Table& table, std::string_view by) {
  std::vector<std::size_t> rows(table.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::stable_sort(rows.begin(), rows.end(),
                   [&](std::size_t a, std::size_t b) { return table.integer(a, by) > table.integer(b, by); });
  return rows;
}

std::vector<Cell> cells_of(const Table& table, std::size_t row) {
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < table.columns().size(); ++i) cells.push_back(table.cell(row, i));
  return cells;
}

std::vector<Cell> without_place(const Table& table, std::vector<Cell> cells, const Form& form) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string& column = table.columns()[i].name;
    if (column == form.key || !std::holds_alternative<std::string>(cells[i])) continue;
    cells[i] = std::string(column == "function" ? form.function : kElsewhere);
  }
  return cells;
}

// Whoever made the table has summed them up already: one more such row would have the same key.
bool is_rest(const Table& table, const std::vector<Cell>& cells, const Form& form) {
  return without_place(table, cells, form) == cells;
}

void add(const Table& table, const std::vector<Cell>& row, std::vector<Cell>& into) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (!std::holds_alternative<std::int64_t>(row[i])) continue;
    const std::int64_t one = std::get<std::int64_t>(into[i]);
    const std::int64_t other = std::get<std::int64_t>(row[i]);
    into[i] = table.columns()[i].name.starts_with("largest") ? std::max(one, other) : one + other;
  }
}

Table with_few_rows(const Table& table, const Form& form) {
  Table result(table.name(), table.columns(), table.summarise());
  std::map<std::string, std::vector<Cell>> rest;
  for (const std::size_t row : those_with_most_first(table, form.by)) {
    const std::vector<Cell> cells = cells_of(table, row);
    if (result.rows() < kRowsInShort && !is_rest(table, cells, form)) {
      result.add_row(cells);
      continue;
    }
    const auto [sum, is_new] = rest.try_emplace(table.text(row, form.key), without_place(table, cells, form));
    if (!is_new) add(table, cells, sum->second);
  }
  for (const auto& [key, cells] : rest) result.add_row(cells);
  return result;
}

// Of several looks at all pages.
Table of_last_moment(const Table& table) {
  Table result(table.name(), table.columns(), table.summarise());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.text(row, "moment") == table.text(table.rows() - 1, "moment")) result.add_row(cells_of(table, row));
  }
  return result;
}

// Those that come first, of a table that has those with most first.
Table of_first_rows(const Table& table) {
  Table result(table.name(), table.columns(), table.summarise());
  for (std::size_t row = 0; row < std::min(kRowsInShort, table.rows()); ++row) result.add_row(cells_of(table, row));
  return result;
}

// Of visits, of which each has a row or two, as many as lie evenly in the table, with the first and the last one.
Table of_few_visits(const Table& table) {
  std::vector<std::size_t> begins;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.text(row, "border") != kEndBorder || row == 0) begins.push_back(row);
  }
  Table result(table.name(), table.columns(), table.summarise());
  const std::size_t kept = std::min(kRowsInShort, begins.size());
  for (std::size_t i = 0; i < kept; ++i) {
    const std::size_t visit = kept == 1 ? 0 : i * (begins.size() - 1) / (kept - 1);
    const std::size_t next = visit + 1 < begins.size() ? begins[visit + 1] : table.rows();
    for (std::size_t row = begins[visit]; row < next; ++row) result.add_row(cells_of(table, row));
  }
  return result;
}

}  // namespace

std::optional<Table> shortened(const Table& table) {
  if (table.name() == kUsesTable) return of_last_moment(table);
  if (table.name() == kRegionSumsTable) return of_first_rows(table);
  if (table.name() == kBordersTable) return of_few_visits(table);
  const auto* const form =
      std::find_if(kForms.begin(), kForms.end(), [&](const Form& one) { return one.table == table.name(); });
  return form == kForms.end() ? std::nullopt : std::optional(with_few_rows(table, *form));
}

Table left_out(const Table& table) {
  Table result(table.name(), table.columns(), table.summarise());
  if (table.name() != kGrowthTable) return result;
  for (const std::size_t row : those_with_most_first(table, kFormOfGrowth.by)) {
    const std::vector<Cell> cells = cells_of(table, row);
    if (result.rows() < kRowsWhereLeftOut && !is_rest(table, cells, kFormOfGrowth)) result.add_row(cells);
  }
  return result;
}

}  // namespace comity::memory
