// SPDX-License-Identifier: BSD-3-Clause
// Figures in a table of a record, whatever stands there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "record/format/table.hpp"

namespace comity::memory {

// Whatever stands in a file: hundredfolds of these and sums of some are numbers, and differences of two times. No count of bytes is
// above it, nor are all that a run asks for in a year at two GB a second.
inline constexpr std::int64_t kMostFigure = std::int64_t{1} << 56U;
inline constexpr std::int64_t kMostTime_ns = std::int64_t{1} << 61U;

inline std::int64_t bounded(std::int64_t number, std::int64_t most) { return std::clamp(number, -most, most); }

inline std::int64_t figure_in(const record::Table& table, std::size_t row, std::string_view column) {
  return bounded(table.integer(row, column), kMostFigure);
}
inline std::int64_t figure_in(const record::Table& table, std::size_t row, std::string_view column,
                              std::int64_t missing) {
  return bounded(table.integer_or(row, column, missing), kMostFigure);
}
// Of a column of integers, by its place.
inline std::int64_t figure_at(const record::Table& table, std::size_t row, std::size_t place) {
  return bounded(std::get<std::int64_t>(table.cell(row, place)), kMostFigure);
}
inline std::int64_t time_in(const record::Table& table, std::size_t row, std::string_view column) {
  return bounded(table.integer(row, column), kMostTime_ns);
}

// Not every version writes each column.
inline bool has_column(const record::Table& table, std::string_view column) {
  return std::any_of(table.columns().begin(), table.columns().end(),
                     [&](const record::ColumnName& one) { return one.name == column; });
}
inline std::string text_in(const record::Table& table, std::size_t row, std::string_view column) {
  return has_column(table, column) ? table.text(row, column) : std::string();
}

}  // namespace comity::memory
