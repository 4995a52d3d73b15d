// SPDX-License-Identifier: BSD-3-Clause
// Look: how much of the ranges is resident. All are looked at together, now and then: looks take a 500th of the time
// at the most, and ten milliseconds beside. Before a range goes, too, if its component may have more resident than it was
// ever seen to have, or all may: what the range held could not be told afterwards. And where small blocks begin to go.
#pragma once

#include <cstddef>
#include <cstdint>

#include "memory/component.hpp"
#include "memory/hooks/ranges.hpp"

namespace comity::memory::hooks {

extern constinit BlockTable blocks;

enum class When : std::uint8_t {
  if_due,
  on_credit,       // something is about to go: else it is lost
  on_some_credit,  // the same of what is little: half is left to what is much
  on_half_credit,  // else it is told late
  now,
};

// False: it was not due, or another thread is at it. Who would lose something waits for that one to end, 50 ms at the most: it has
// looked at all since, or this one does.
bool look(When when) noexcept;

// When this library comes: malloc's heap lies behind the program break.
void note_where_heap_begins() noexcept;

// Before a range of this component goes.
void look_before_release(Component component, std::uint64_t bytes) noexcept;
// Small blocks of it have gone, some KiB: was that its peak, it is still there but for them.
void look_behind_fall(Component component) noexcept;

}  // namespace comity::memory::hooks
