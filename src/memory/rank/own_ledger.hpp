// SPDX-License-Identifier: BSD-3-Clause
// The ledger of this process, read: what it says as lists, sums and texts. Not: what it knows (ledger, hooks).
#pragma once

#include <array>
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

// Mappings for which the ledger had no place, over the run.
[[nodiscard]] LedgerHeld unplaced_mappings(const Ledger* ledger);

inline constexpr std::string_view kCallerMark = " < ";  // between the functions of a path, the innermost first

// "libfoo.so+0x1234 (function+0x10)", as addr2line takes it; where paths are told with those that called it.
[[nodiscard]] std::string place_text(const Ledger& ledger, std::uint32_t site);

// What a component has beyond what is told by place.
inline constexpr const char* kElsewhere = "(elsewhere)";

}  // namespace comity::memory
