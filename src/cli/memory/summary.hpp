// SPDX-License-Identifier: BSD-3-Clause
// Summary: what components and segments come to over several processes. Resident bytes add up only where nobody shares
// them; shares (PSS) always do.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/memory/view.hpp"
#include "memory/attribution.hpp"

namespace comity::cli {

struct SegmentSummary {
  memory::SegmentUse use;     // added up
  std::size_t processes = 0;  // of the watched ones, that map it
};

struct Summary {
  std::array<memory::ComponentUse, memory::kMostComponents> components;
  os::PageUse total;
  std::vector<SegmentSummary> segments;  // the largest share first

  [[nodiscard]] os::PageUse with_mpi() const;  // MPI and what it brought
};

// Of those whose mappings have been read.
[[nodiscard]] Summary summary_of(const std::vector<ProcessView>& processes);

using ComponentUses = std::array<memory::ComponentUse, memory::kMostComponents>;

[[nodiscard]] bool is_empty(const memory::ComponentUse& use);
// Components with memory, those with most of that figure first.
[[nodiscard]] std::vector<memory::Component> components_in(const ComponentUses& uses,
                                                           std::uint64_t os::PageUse::*order);

// "vader_segment.n1.0.1" of "/dev/shm/vader_segment.n1.0.1 (deleted)".
[[nodiscard]] std::string segment_text(const std::string& name);

}  // namespace comity::cli
