// SPDX-License-Identifier: BSD-3-Clause
// Unasked: how much is resident of what nobody has asked the hooks for: data of objects, stacks, what malloc keeps of its heaps. Counted
// between looks at all pages, for a small part of what those cost. Not: when (book), nor what else a component has beside (beside).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "memory/attribution.hpp"
#include "memory/component.hpp"
#include "memory/ledger.hpp"
#include "memory/look.hpp"

namespace comity::memory {

// By one thread at a time.
class Unasked {
 public:
  using Bytes = std::array<std::int64_t, kMostComponents>;

  // Throws where /proc is missing. `components` and `ledger` must outlive it.
  Unasked(const Components& components, const Ledger* ledger);

  // Of each component, now. None: nobody can tell, or who asked for what is not known at all.
  [[nodiscard]] std::optional<Bytes> count() noexcept;

 private:
  [[nodiscard]] Bytes count_or_throw();

  const Ledger* ledger_;
  Looker looker_;
};

}  // namespace comity::memory
