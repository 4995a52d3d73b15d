// SPDX-License-Identifier: BSD-3-Clause
// Division: CPUs in pieces of whole objects, and which piece each of some members, ranks or threads, gets. Pure: equal on all
// ranks that see the same machine and the same masks. Not: how the ranks of a phase share an object (shares).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/cpu_set.hpp"
#include "machine/machine.hpp"

namespace comity::context {

enum class Assign : std::uint8_t { packed = 0, spread = 1, close = 2 };

// In logical order, with as many objects of the type each as they divide equally; `pieces` 0: one object each. Throws
// Status::not_found where the machine has no such object, Status::range for a number of pieces that cannot be made.
[[nodiscard]] std::vector<CpuSet> pieces_of(const machine::Machine& machine, const CpuSet& whole,
                                            machine::ObjectType type, int pieces);

// The index of each member's piece; numbers of members a piece differ by one at most. `places`: where each is now, read for
// Assign::close alone. At least one piece.
[[nodiscard]] std::vector<int> assign(Assign how, std::span<const CpuSet> pieces, std::size_t members,
                                      std::span<const CpuSet> places);

}  // namespace comity::context
