// SPDX-License-Identifier: BSD-3-Clause
// Held: what has been asked for and not given back, by the places of code that asked. Large blocks and mappings stand in the
// ledger; small ones are found by reading this process's heaps for their tags, so that a malloc costs no more for it. Not:
// what of it is resident (attribution).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "memory/component.hpp"
#include "memory/rank/own_ledger.hpp"
#include "record/format/table.hpp"

namespace comity::memory {

// A place of code, and what it holds.
struct HeldSite {
  Component component = Component::unknown;
  std::string
      place;  // as place_text() has it; kElsewhere: smaller ones than those that are told, and what was not found
  std::int64_t bytes = 0;
  std::int64_t blocks = 0;
};

// By component, most first; the sum over a component's is what the ledger says it holds. Reads what is resident of heaps, a
// GiB at the most: half a second. Throws where the kernel does not let it.
[[nodiscard]] std::vector<HeldSite> held_now(const Ledger& ledger);

[[nodiscard]] record::Table held_table(const std::vector<HeldSite>& held, const Components& components);

// A table of a record (docs/memory.md).
inline constexpr const char* kHeldTable = "memory.held";

}  // namespace comity::memory
