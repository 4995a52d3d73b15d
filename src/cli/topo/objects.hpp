// SPDX-License-Identifier: BSD-3-Clause
// Which objects a CPU set is: the largest ones that lie inside it and together make it up. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/cpu_set.hpp"
#include "machine/machine.hpp"

namespace comity::cli {

struct Cover {
  std::vector<machine::ObjectRef> objects;  // disjoint; large ones first
  CpuSet outside;                           // PUs of the set that the machine does not have
};

[[nodiscard]] Cover cover(const machine::Machine& machine, const CpuSet& cpus);

// "machine (not bound)", "package 0, cores 8-11", "pu 3": PUs by their OS number, others by logical index.
[[nodiscard]] std::string cover_text(const machine::Machine& machine, const CpuSet& cpus);

// "L3" for l3, "NUMA node", "core": as a person writes it.
[[nodiscard]] std::string_view word_for(machine::ObjectType type);

}  // namespace comity::cli
