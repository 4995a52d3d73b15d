// SPDX-License-Identifier: BSD-3-Clause
// Paths: which call paths have asked for memory, how much each had at the most, and has now: where a run tells paths.
// Not: what is resident of it (attribution), which calls of MPI it came behind (growth).
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "memory/component.hpp"
#include "memory/ledger.hpp"
#include "record/format/table.hpp"

namespace comity::memory {

class Paths {
 public:
  // Null: no path is told. The ledger lives as long as the process.
  explicit Paths(const Ledger* ledger) : ledger_(ledger) {}

  [[nodiscard]] bool are_told() const { return ledger_ != nullptr && ledger_->tells_paths() != 0; }
  // Those that had most, the most first. By one thread at a time.
  [[nodiscard]] record::Table table(const Components& components) const;

 private:
  [[nodiscard]] const std::string& text_of(std::uint32_t site) const;

  const Ledger* ledger_;
  mutable std::map<std::uint32_t, std::string> texts_;  // found out once: later a library may be gone
};

// A table of a record (docs/memory.md).
inline constexpr const char* kPathsTable = "memory.paths";

}  // namespace comity::memory
