// SPDX-License-Identifier: BSD-3-Clause
// LastTotals: what the ranks of each node, and all ranks, had in all when they last told, as the kernel has it, summed up: resident, in shares, of
// processes alone, swapped, locked, virtual. Not: what of it is whose (nodes, moments).
// Invariant: a figure that some of these ranks did not tell is told of none of them, for a part would be taken for all.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "memory/job/job.hpp"

namespace comity::memory {

// Of TotalFigures, by their names there.
inline constexpr std::array<std::string_view, 8> kLastTotals{"rss_bytes",        "pss_bytes",    "uss_bytes",
                                                             "swap_bytes",       "locked_bytes", "hugetlb_bytes",
                                                             "page_table_bytes", "virtual_bytes"};

class LastTotals {
 public:
  void add(const RankMemory& rank);

  [[nodiscard]] std::int64_t ranks() const { return ranks_; }
  // In the order of kLastTotals.
  [[nodiscard]] std::optional<std::int64_t> of(std::size_t column) const;

 private:
  std::int64_t ranks_ = 0;
  std::array<std::int64_t, kLastTotals.size()> sums_{};
  std::array<std::int64_t, kLastTotals.size()> told_{};  // by how many of the ranks
};

// A line a node, those with most first, and of several one of all; "" for one rank.
[[nodiscard]] std::string last_totals_text_of(const Job& job);
// By name, with `last_` before it; null where not all told.
[[nodiscard]] nlohmann::ordered_json json_of(const LastTotals& totals);
// Of all ranks.
[[nodiscard]] nlohmann::ordered_json last_totals_json_of(const Job& job);
// A line a node, and one without node and host of all ranks; what not all told is an empty field.
[[nodiscard]] std::string last_total_rows_of(const Job& job);

}  // namespace comity::memory
