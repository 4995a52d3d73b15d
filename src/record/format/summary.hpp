// SPDX-License-Identifier: BSD-3-Clause
// Summary: what ranks have in common and how far apart they are, so that a job of thousands is read in milliseconds: each
// row key of each table with sum, minimum and maximum over ranks, each fact with how many ranks share it.
// Invariant: merge() is associative and commutative, but for the rounding of sums of reals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "record/format/bytes.hpp"
#include "record/format/content.hpp"
#include "record/format/table.hpp"

namespace comity::record {

// One number over ranks. A sum of integers that is out of range stays at the range's end. Reals that are no numbers are in
// the sum alone.
template <typename Number>
struct Spread {
  Number sum{};
  Number minimum{};
  Number maximum{};
  std::uint32_t minimum_rank = 0;  // the lowest rank that has it
  std::uint32_t maximum_rank = 0;
  friend bool operator==(const Spread&, const Spread&) = default;
};
using AnySpread = std::variant<Spread<std::int64_t>, Spread<double>>;

struct RowSummary {
  std::uint32_t ranks = 0;         // that have the row
  std::vector<AnySpread> numbers;  // of the numeric columns, in their order
  friend bool operator==(const RowSummary&, const RowSummary&) = default;
};

using RowKey = std::vector<std::string>;  // of the text columns, in their order

struct TableSummary {
  std::vector<ColumnName> columns;
  std::map<RowKey, RowSummary> rows;
  friend bool operator==(const TableSummary&, const TableSummary&) = default;

  // The numbers of a column in a row. Throws Status::not_found without such a row or numeric column.
  [[nodiscard]] const AnySpread& at(const RowKey& key, std::string_view column) const;
};

struct FactSummary {
  std::string value;        // of the lowest rank that has it
  std::uint32_t rank = 0;   // that one
  std::uint32_t ranks = 0;  // that have the fact
  bool same = true;         // they all have this value
  friend bool operator==(const FactSummary&, const FactSummary&) = default;
};

class Summary {
 public:
  Summary() = default;
  // Of one rank: rows of one key are added up first. Tables that ask for none are left out.
  Summary(std::uint32_t rank, const Content& content);

  void merge(const Summary& other);

  [[nodiscard]] std::uint32_t ranks() const { return ranks_; }
  [[nodiscard]] const std::map<std::string, FactSummary>& facts() const { return facts_; }
  // The tables of a name: one, unless ranks wrote it with different columns.
  [[nodiscard]] std::vector<const TableSummary*> tables(const std::string& name) const;
  // That one. Throws Status::not_found where there is none, and Status::argument where there are several.
  [[nodiscard]] const TableSummary& table(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> table_names() const;  // sorted

  void encode(ByteWriter& into) const;
  // Throws Status::argument where the bytes are no summary.
  [[nodiscard]] static Summary decode(ByteReader& from);

  friend bool operator==(const Summary&, const Summary&) = default;

 private:
  using TableId = std::pair<std::string, std::vector<ColumnName>>;

  void add(std::uint32_t rank, const Table& table);

  std::uint32_t ranks_ = 0;
  std::map<std::string, FactSummary> facts_;
  std::map<TableId, TableSummary> tables_;
};

}  // namespace comity::record
