// SPDX-License-Identifier: BSD-3-Clause
// The CPU sets of all objects of a kind, in their order.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/cpu_set.hpp"
#include "base/error.hpp"
#include "machine/machine.hpp"

namespace comity::context {

// Throws Status::not_found where the machine has none, or none with CPUs.
[[nodiscard]] inline std::vector<CpuSet> object_sets(const machine::Machine& machine, machine::ObjectType type) {
  const int count = machine.count(type);
  if (count == 0) {
    throw Error(Status::not_found, "this machine has no object of type " + std::string(machine::type_name(type)) +
                                       "; `comity topo` shows what it has");
  }
  std::vector<CpuSet> sets;
  sets.reserve(static_cast<std::size_t>(count));
  for (int index = 0; index < count; ++index) sets.push_back(machine.cpuset(type, index));
  if (std::ranges::all_of(sets, [](const CpuSet& set) { return set.empty(); })) {
    throw Error(Status::not_found,
                "no object of type " + std::string(machine::type_name(type)) +
                    " has CPUs of this job, as where its cpuset has memory of one NUMA node and CPUs "
                    "of another; use another type, such as package or machine");
  }
  return sets;
}

}  // namespace comity::context
