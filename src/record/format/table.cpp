// SPDX-License-Identifier: BSD-3-Clause
#include "record/format/table.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace comity::record {
namespace {

constexpr std::uint64_t kMostRowsWithoutColumns = 0;
constexpr std::size_t kLeastColumn_bytes = 2 * sizeof(std::uint32_t);  // its kind and an empty name

ColumnKind kind_of(std::uint32_t number) {
  if (number > static_cast<std::uint32_t>(ColumnKind::real)) throw senseless("a column is of no known kind");
  return static_cast<ColumnKind>(number);
}

std::vector<ColumnName> decode_columns(ByteReader& from) {
  std::vector<ColumnName> columns(from.count(from.number<std::uint32_t>(), kLeastColumn_bytes));
  for (ColumnName& column : columns) {
    column.kind = kind_of(from.number<std::uint32_t>());
    column.name = from.text();
  }
  return columns;
}

void put(ByteWriter& into, const std::string& value) { into.text(value); }
template <typename Number>
void put(ByteWriter& into, Number value) {
  into.number(value);
}

void take(ByteReader& from, std::size_t rows, std::vector<std::string>& values) {
  values.reserve(from.count(rows, sizeof(std::uint32_t)));
  for (std::size_t row = 0; row < rows; ++row) values.push_back(from.text());
}
template <typename Number>
void take(ByteReader& from, std::size_t rows, std::vector<Number>& values) {
  const auto bytes = from.raw(from.count(rows, sizeof(Number)) * sizeof(Number));
  values.resize(rows);
  if (rows > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
}

}  // namespace

Table::Table(std::string name, std::vector<ColumnName> columns, Summarise summarise)
    : name_(std::move(name)), columns_(std::move(columns)), summarise_(summarise) {
  for (const ColumnName& column : columns_) {
    if (column.kind == ColumnKind::text) values_.emplace_back(std::vector<std::string>());
    if (column.kind == ColumnKind::integer) values_.emplace_back(std::vector<std::int64_t>());
    if (column.kind == ColumnKind::real) values_.emplace_back(std::vector<double>());
  }
}

void Table::add_row(const std::vector<Cell>& cells) {
  bool fits = cells.size() == columns_.size();
  for (std::size_t i = 0; fits && i < cells.size(); ++i) fits = cells[i].index() == values_[i].index();
  if (!fits) {
    throw Error(Status::argument, "add a row to the table " + name_ + ": its cells do not go with the table's " +
                                      std::to_string(columns_.size()) + " columns, in number or kind");
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::visit(
        [&](auto& values) {
          values.push_back(std::get<typename std::decay_t<decltype(values)>::value_type>(cells[i]));
        },
        values_[i]);
  }
  ++rows_;
}

std::size_t Table::place_of(std::string_view column) const {
  const auto found =
      std::find_if(columns_.begin(), columns_.end(), [&](const ColumnName& one) { return one.name == column; });
  return static_cast<std::size_t>(found - columns_.begin());
}

const Table::Values& Table::values_of(std::string_view column) const {
  const std::size_t place = place_of(column);
  if (place < columns_.size()) return values_[place];
  throw Error(Status::not_found, "the table " + name_ + " has no column " + std::string(column));
}

template <typename Value>
const Value& Table::value(std::size_t row, std::string_view column) const {
  const auto* const values = std::get_if<std::vector<Value>>(&values_of(column));
  if (values == nullptr) {
    throw Error(Status::argument,
                "the column " + std::string(column) + " of the table " + name_ + " is of another kind");
  }
  if (row < values->size()) return (*values)[row];
  throw Error(Status::range,
              "the table " + name_ + " has " + std::to_string(rows_) + " rows, and no row " + std::to_string(row));
}

const std::string& Table::text(std::size_t row, std::string_view column) const {
  return value<std::string>(row, column);
}
std::int64_t Table::integer(std::size_t row, std::string_view column) const { return value<std::int64_t>(row, column); }
double Table::real(std::size_t row, std::string_view column) const { return value<double>(row, column); }
std::int64_t Table::integer_or(std::size_t row, std::string_view column, std::int64_t missing) const {
  return place_of(column) < columns_.size() ? integer(row, column) : missing;
}

Cell Table::cell(std::size_t row, std::size_t column) const {
  return std::visit([&](const auto& values) { return Cell(values.at(row)); }, values_.at(column));
}

void Table::encode(ByteWriter& into) const {
  into.text(name_);
  into.number(static_cast<std::uint32_t>(summarise_));
  into.number(static_cast<std::uint32_t>(columns_.size()));
  for (const ColumnName& column : columns_) {
    into.number(static_cast<std::uint32_t>(column.kind));
    into.text(column.name);
  }
  into.number(static_cast<std::uint64_t>(rows_));
  for (const Values& values : values_) {
    std::visit(
        [&](const auto& all) {
          for (const auto& one : all) put(into, one);
        },
        values);
  }
}

Table Table::decode(ByteReader& from) {
  std::string name = from.text();
  const auto summarise = from.number<std::uint32_t>() == 0 ? Summarise::no : Summarise::by_key;
  Table table(std::move(name), decode_columns(from), summarise);
  const auto rows = from.number<std::uint64_t>();
  if (table.columns_.empty() && rows > kMostRowsWithoutColumns) throw senseless("a table has rows but no columns");
  table.rows_ = table.columns_.empty() ? 0 : from.count(rows, sizeof(std::uint32_t));
  for (Values& values : table.values_) {
    std::visit([&](auto& all) { take(from, table.rows_, all); }, values);
  }
  return table;
}

}  // namespace comity::record
