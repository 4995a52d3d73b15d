// SPDX-License-Identifier: BSD-3-Clause
// Table: a name, columns, rows. The text columns of a row are its key; a numeric column names its unit ("wait_ns").
// Invariant: every column holds as many values as the table has rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "record/format/bytes.hpp"

namespace comity::record {

enum class ColumnKind : std::uint32_t { text = 0, integer = 1, real = 2 };

struct ColumnName {
  std::string name;
  ColumnKind kind = ColumnKind::text;
  friend bool operator==(const ColumnName&, const ColumnName&) = default;
  friend bool operator<(const ColumnName& a, const ColumnName& b) {
    return std::tie(a.name, a.kind) < std::tie(b.name, b.kind);
  }
};

// Whether the merged record sums its rows up over ranks. Not for keys that are many and differ from rank to rank (peers).
enum class Summarise : std::uint32_t { no = 0, by_key = 1 };

using Cell = std::variant<std::string, std::int64_t, double>;

class Table {
 public:
  using Values = std::variant<std::vector<std::string>, std::vector<std::int64_t>, std::vector<double>>;

  Table(std::string name, std::vector<ColumnName> columns, Summarise summarise = Summarise::by_key);

  // Throws Status::argument where the cells do not go with the columns, and changes nothing.
  void add_row(std::initializer_list<Cell> cells) { add_row(std::vector<Cell>(cells)); }
  void add_row(const std::vector<Cell>& cells);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::vector<ColumnName>& columns() const { return columns_; }
  [[nodiscard]] Summarise summarise() const { return summarise_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  // Throw Status::not_found without such a column, Status::argument for one of another kind, Status::range without the row.
  [[nodiscard]] const std::string& text(std::size_t row, std::string_view column) const;
  [[nodiscard]] std::int64_t integer(std::size_t row, std::string_view column) const;
  [[nodiscard]] double real(std::size_t row, std::string_view column) const;
  // The same of a column that not every version writes: `missing` where there is none.
  [[nodiscard]] std::int64_t integer_or(std::size_t row, std::string_view column, std::int64_t missing) const;
  // By the place of the column, which must exist.
  [[nodiscard]] Cell cell(std::size_t row, std::size_t column) const;
  // A whole column; the alternative is its kind.
  [[nodiscard]] const Values& values(std::size_t column) const { return values_.at(column); }

  void encode(ByteWriter& into) const;
  // Throws Status::argument where the bytes are no table.
  [[nodiscard]] static Table decode(ByteReader& from);

  friend bool operator==(const Table&, const Table&) = default;

 private:
  [[nodiscard]] std::size_t place_of(std::string_view column) const;  // behind the last one: there is none
  [[nodiscard]] const Values& values_of(std::string_view column) const;
  template <typename Value>
  [[nodiscard]] const Value& value(std::size_t row, std::string_view column) const;

  std::string name_;
  std::vector<ColumnName> columns_;
  Summarise summarise_;
  std::size_t rows_ = 0;
  std::vector<Values> values_;  // of each column; the alternative is the column's kind
};

}  // namespace comity::record
