// SPDX-License-Identifier: BSD-3-Clause
#include "record/format/summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/error.hpp"

namespace comity::record {
namespace {

std::int64_t sum(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (!__builtin_add_overflow(a, b, &result)) return result;
  return a > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}
double sum(double a, double b) { return a + b; }

bool is_number(std::int64_t) { return true; }
bool is_number(double value) { return !std::isnan(value); }

// Whether the first stands before the second: the lower rank of equals, and a number before what is none.
template <typename Number>
bool comes_first(Number value, std::uint32_t rank, Number other, std::uint32_t other_rank, bool smaller_first) {
  if (is_number(value) != is_number(other)) return is_number(value);
  if (!is_number(value) || value == other) return rank < other_rank;
  return smaller_first == (value < other);
}

template <typename Number>
void merge_into(Spread<Number>& mine, const Spread<Number>& other) {
  mine.sum = sum(mine.sum, other.sum);
  if (comes_first(other.minimum, other.minimum_rank, mine.minimum, mine.minimum_rank, true)) {
    mine.minimum = other.minimum;
    mine.minimum_rank = other.minimum_rank;
  }
  if (comes_first(other.maximum, other.maximum_rank, mine.maximum, mine.maximum_rank, false)) {
    mine.maximum = other.maximum;
    mine.maximum_rank = other.maximum_rank;
  }
}

void merge_into(RowSummary& mine, const RowSummary& other) {
  if (mine.ranks == 0) {
    mine = other;
    return;
  }
  mine.ranks += other.ranks;
  for (std::size_t i = 0; i < mine.numbers.size(); ++i) {
    std::visit([&](auto& spread) { merge_into(spread, std::get<std::decay_t<decltype(spread)>>(other.numbers[i])); },
               mine.numbers[i]);
  }
}

void merge_into(FactSummary& mine, const FactSummary& other) {
  if (mine.ranks == 0) {
    mine = other;
    return;
  }
  mine.same = mine.same && other.same && mine.value == other.value;
  mine.ranks += other.ranks;
  if (other.rank >= mine.rank) return;
  mine.rank = other.rank;
  mine.value = other.value;
}

template <typename Number>
Spread<Number> spread_of(Number value, std::uint32_t rank) {
  return {.sum = value, .minimum = value, .maximum = value, .minimum_rank = rank, .maximum_rank = rank};
}

// The rows of one rank, those of one key added up; then each key's numbers are spread over one rank.
std::map<RowKey, std::vector<Cell>> rows_by_key(const Table& table) {
  std::map<RowKey, std::vector<Cell>> rows;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    RowKey key;
    std::vector<Cell> numbers;
    for (std::size_t column = 0; column < table.columns().size(); ++column) {
      Cell cell = table.cell(row, column);
      if (auto* const text = std::get_if<std::string>(&cell)) {
        key.push_back(std::move(*text));
      } else {
        numbers.push_back(std::move(cell));
      }
    }
    const auto [found, is_new] = rows.try_emplace(std::move(key), numbers);
    if (is_new) continue;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      Cell& mine = found->second[i];
      if (auto* const integer = std::get_if<std::int64_t>(&mine)) {
        *integer = sum(*integer, std::get<std::int64_t>(numbers[i]));
      } else {
        std::get<double>(mine) += std::get<double>(numbers[i]);
      }
    }
  }
  return rows;
}

RowSummary row_of(std::uint32_t rank, const std::vector<Cell>& numbers) {
  RowSummary row{.ranks = 1, .numbers = {}};
  for (const Cell& number : numbers) {
    if (const auto* const integer = std::get_if<std::int64_t>(&number)) {
      row.numbers.emplace_back(spread_of(*integer, rank));
    } else {
      row.numbers.emplace_back(spread_of(std::get<double>(number), rank));
    }
  }
  return row;
}

template <typename Number>
void put(ByteWriter& into, const Spread<Number>& spread) {
  into.number(spread.sum);
  into.number(spread.minimum);
  into.number(spread.maximum);
  into.number(spread.minimum_rank);
  into.number(spread.maximum_rank);
}

template <typename Number>
Spread<Number> take_spread(ByteReader& from) {
  Spread<Number> spread;
  spread.sum = from.number<Number>();
  spread.minimum = from.number<Number>();
  spread.maximum = from.number<Number>();
  spread.minimum_rank = from.number<std::uint32_t>();
  spread.maximum_rank = from.number<std::uint32_t>();
  return spread;
}

constexpr std::size_t kLeastText_bytes = sizeof(std::uint32_t);

std::vector<ColumnName> take_columns(ByteReader& from) {
  std::vector<ColumnName> columns(from.count(from.number<std::uint32_t>(), sizeof(std::uint32_t) + kLeastText_bytes));
  for (ColumnName& column : columns) {
    const auto kind = from.number<std::uint32_t>();
    if (kind > static_cast<std::uint32_t>(ColumnKind::real)) throw senseless("a column is of no known kind");
    column = {.name = from.text(), .kind = static_cast<ColumnKind>(kind)};
  }
  return columns;
}

void put(ByteWriter& into, const std::vector<ColumnName>& columns, const TableSummary& table) {
  into.number(static_cast<std::uint32_t>(columns.size()));
  for (const ColumnName& column : columns) {
    into.number(static_cast<std::uint32_t>(column.kind));
    into.text(column.name);
  }
  into.number(static_cast<std::uint64_t>(table.rows.size()));
  for (const auto& [key, row] : table.rows) {
    for (const std::string& text : key) into.text(text);
    into.number(row.ranks);
    for (const AnySpread& number : row.numbers) {
      std::visit([&](const auto& spread) { put(into, spread); }, number);
    }
  }
}

TableSummary take_table(ByteReader& from) {
  TableSummary table{.columns = take_columns(from), .rows = {}};
  const std::size_t rows = from.count(from.number<std::uint64_t>(), sizeof(std::uint32_t));
  for (std::size_t i = 0; i < rows; ++i) {
    RowKey key;
    for (const ColumnName& column : table.columns) {
      if (column.kind == ColumnKind::text) key.push_back(from.text());
    }
    RowSummary row{.ranks = from.number<std::uint32_t>(), .numbers = {}};
    for (const ColumnName& column : table.columns) {
      if (column.kind == ColumnKind::integer) row.numbers.emplace_back(take_spread<std::int64_t>(from));
      if (column.kind == ColumnKind::real) row.numbers.emplace_back(take_spread<double>(from));
    }
    table.rows.insert_or_assign(std::move(key), std::move(row));
  }
  return table;
}

}  // namespace

const AnySpread& TableSummary::at(const RowKey& key, std::string_view column) const {
  const auto row = rows.find(key);
  std::size_t place = 0;
  for (const ColumnName& one : columns) {
    if (one.kind == ColumnKind::text) continue;
    if (one.name == column && row != rows.end()) return row->second.numbers.at(place);
    ++place;
  }
  throw Error(Status::not_found, "the summary has no such row, or no numeric column " + std::string(column));
}

Summary::Summary(std::uint32_t rank, const Content& content) : ranks_(1) {
  for (const auto& [key, value] : content.facts) {
    facts_[key] = {.value = value, .rank = rank, .ranks = 1, .same = true};
  }
  for (const auto& [name, table] : content.tables) {
    if (table.summarise() == Summarise::by_key) add(rank, table);
  }
}

void Summary::add(std::uint32_t rank, const Table& table) {
  TableSummary& mine = tables_[{table.name(), table.columns()}];
  mine.columns = table.columns();
  for (const auto& [key, numbers] : rows_by_key(table)) mine.rows[key] = row_of(rank, numbers);
}

void Summary::merge(const Summary& other) {
  ranks_ += other.ranks_;
  for (const auto& [key, fact] : other.facts_) merge_into(facts_[key], fact);
  for (const auto& [id, table] : other.tables_) {
    TableSummary& mine = tables_[id];
    mine.columns = table.columns;
    for (const auto& [key, row] : table.rows) merge_into(mine.rows[key], row);
  }
}

std::vector<const TableSummary*> Summary::tables(const std::string& name) const {
  std::vector<const TableSummary*> found;
  for (const auto& [id, table] : tables_) {
    if (id.first == name) found.push_back(&table);
  }
  return found;
}

const TableSummary& Summary::table(const std::string& name) const {
  const auto found = tables(name);
  if (found.size() == 1) return *found.front();
  if (found.empty()) throw Error(Status::not_found, "the record has no summary of a table " + name);
  throw Error(Status::argument, "ranks wrote the table " + name + " with different columns");
}

std::vector<std::string> Summary::table_names() const {
  std::set<std::string> names;
  for (const auto& [id, table] : tables_) names.insert(id.first);
  return {names.begin(), names.end()};
}

void Summary::encode(ByteWriter& into) const {
  into.number(ranks_);
  into.number(static_cast<std::uint32_t>(facts_.size()));
  for (const auto& [key, fact] : facts_) {
    into.text(key);
    into.text(fact.value);
    into.number(fact.rank);
    into.number(fact.ranks);
    into.number(static_cast<std::uint32_t>(fact.same));
  }
  into.number(static_cast<std::uint32_t>(tables_.size()));
  for (const auto& [id, table] : tables_) {
    into.text(id.first);
    put(into, id.second, table);
  }
}

Summary Summary::decode(ByteReader& from) {
  Summary summary;
  summary.ranks_ = from.number<std::uint32_t>();
  const std::size_t facts = from.count(from.number<std::uint32_t>(), 2 * kLeastText_bytes);
  for (std::size_t i = 0; i < facts; ++i) {
    std::string key = from.text();
    FactSummary fact;
    fact.value = from.text();
    fact.rank = from.number<std::uint32_t>();
    fact.ranks = from.number<std::uint32_t>();
    fact.same = from.number<std::uint32_t>() != 0;
    summary.facts_.insert_or_assign(std::move(key), std::move(fact));
  }
  const std::size_t tables = from.count(from.number<std::uint32_t>(), 2 * kLeastText_bytes);
  for (std::size_t i = 0; i < tables; ++i) {
    std::string name = from.text();
    TableSummary table = take_table(from);
    TableId id(std::move(name), table.columns);
    summary.tables_.insert_or_assign(std::move(id), std::move(table));
  }
  return summary;
}

}  // namespace comity::record
