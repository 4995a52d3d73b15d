// SPDX-License-Identifier: BSD-3-Clause
// The ledger of this process, read: what it says as lists, sums and texts. Not: what it knows (ledger, hooks).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "memory/attribution.hpp"
#include "memory/component.hpp"
#include "memory/ledger.hpp"

namespace comity::memory {

// Null: the hooks are not here, or are of another version.
[[nodiscard]] const Ledger* find_ledger();

// By address; a block may lie in somebody's mapping.
[[nodiscard]] std::vector<LedgerRange> ranges_of(const Ledger& ledger);

// The same without overlaps: whose each part is.
[[nodiscard]] std::vector<OwnedRange> owned_ranges(const Ledger& ledger);

// Of all components; nothing where there is no ledger.
using LedgerSums = std::array<LedgerSum, kMostComponents>;
[[nodiscard]] LedgerSums sums_of(const Ledger* ledger);
// One after the other: step(component's number, sum). For looks, which stand on the program's stack.
template <typename Step>
void for_each_sum(const Ledger* ledger, Step&& step) {
  constexpr std::uint32_t kAtOnce = 8;
  if (ledger == nullptr) return;
  std::array<LedgerSum, kAtOnce> some{};
  const std::uint32_t end = ledger->components();
  for (std::uint32_t first = 0; first < end; first += kAtOnce) {
    const std::uint32_t count = std::min(kAtOnce, end - first);
    ledger->sums(first, some.data(), count);
    for (std::uint32_t i = 0; i < count; ++i) step(std::size_t{first} + i, some[i]);
  }
}

// Mappings for which the ledger had no place, over the run.
[[nodiscard]] LedgerHeld unplaced_mappings(const Ledger* ledger);

inline constexpr std::string_view kCallerMark = " < ";  // between the functions of a path, the innermost first

// "libfoo.so+0x1234 (function+0x10)", as addr2line takes it; where paths are told with those that called it.
[[nodiscard]] std::string place_text(const Ledger& ledger, std::uint32_t site);

// What a component has beyond what is told by place.
inline constexpr const char* kElsewhere = "(elsewhere)";

}  // namespace comity::memory
