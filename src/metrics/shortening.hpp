// SPDX-License-Identifier: BSD-3-Clause
// Shortening: tables of a snapshot that grow with regions and peers, for records without room for all rows. Sums stay right;
// what they were by region, or by peer, is lost.
#pragma once

#include <optional>

#include "record/format/table.hpp"

namespace comity::metrics {

inline constexpr const char* kAllRegions = "(all)";  // instead of each one's path

// All rows in one, or in one a function; none for tables that do not grow so.
[[nodiscard]] std::optional<record::Table> shortened(const record::Table& table);
// Whether it was.
[[nodiscard]] bool is_short(const record::Table& table);

}  // namespace comity::metrics
