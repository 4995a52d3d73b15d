// SPDX-License-Identifier: BSD-3-Clause
// The cores that a CPU set touches. Invariant: the parts are disjoint and their union is the set.
#pragma once

#include <vector>

#include "base/cpu_set.hpp"
#include "machine/machine.hpp"

namespace comity::context {

// Visits the part of `mask` on each core, lowest PU first. A PU that the machine does not know is a core of its own.
template <typename Visit>
void for_each_core(const machine::Machine& machine, const CpuSet& mask, Visit&& visit) {
  CpuSet rest = mask;
  for (auto pu = rest.lowest(); pu; pu = rest.lowest()) {
    const CpuSet core = (machine.siblings(*pu) | CpuSet{*pu}) & rest;
    visit(core);
    rest -= core;
  }
}

[[nodiscard]] inline int core_count(const machine::Machine& machine, const CpuSet& mask) {
  int cores = 0;
  for_each_core(machine, mask, [&](const CpuSet&) { ++cores; });
  return cores;
}

[[nodiscard]] inline std::vector<CpuSet> cores_of(const machine::Machine& machine, const CpuSet& mask) {
  std::vector<CpuSet> cores;
  for_each_core(machine, mask, [&](const CpuSet& core) { cores.push_back(core); });
  return cores;
}

}  // namespace comity::context
