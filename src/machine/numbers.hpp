// SPDX-License-Identifier: BSD-3-Clause
// Sets of CPUs by the numbers of the objects that they touch, logical or physical (hwloc's L# and P#), and back.
// Not: how lists are written (base/cpu_set).
#pragma once

#include <cstdint>

#include "base/cpu_set.hpp"
#include "machine/machine.hpp"

namespace comity::machine {

enum class Numbering : std::uint8_t { logical = 0, physical = 1 };

// A set of numbers. Both throw Status::not_found where the machine has no such object, Status::unsupported where the objects
// have no physical numbers, or two of them the same one.
// Status::not_found too where a CPU of the set is in none of them.
[[nodiscard]] CpuSet numbers_of(const Machine& machine, ObjectType type, Numbering numbering, const CpuSet& cpus);
// Status::range for a number that none of them has.
[[nodiscard]] CpuSet objects_numbered(const Machine& machine, ObjectType type, Numbering numbering,
                                      const CpuSet& numbers);

}  // namespace comity::machine
