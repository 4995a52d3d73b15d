// SPDX-License-Identifier: BSD-3-Clause
// Smaller machines made of a larger one: by what a cgroup allows, by one PU a core. Pure: images in, images out.
#pragma once

#include <span>

#include "machine/draft.hpp"
#include "machine/machine.hpp"

namespace comity::machine {

// The draft that an image was assembled from.
[[nodiscard]] Draft draft_of(const Machine& machine);

// The NUMA nodes of the machine, by OS number.
[[nodiscard]] CpuSet nodes_of(const Machine& machine);

// The machine as if it had only those PUs, and of its NUMA nodes those: the PUs are allowed, the others only complete() knows.
// Objects that lose all PUs go, NUMA nodes stay as memory alone; a node that goes is nobody's any more. Throws
// Status::topology where no PU is left.
[[nodiscard]] Draft restricted(const Draft& draft, const CpuSet& pus, const CpuSet& nodes);
[[nodiscard]] Draft restricted(const Draft& draft, const CpuSet& pus);  // all nodes stay

// The lowest PU of each core; every PU where the machine has no cores.
[[nodiscard]] CpuSet one_a_core(const Draft& draft);

// What the ranks of a node share: three images side by side. The first is a machine to whoever knows of no others.
[[nodiscard]] Image pack(const Draft& complete);  // its `allowed` and `allowed_nodes` tell what the job may use

struct NodeMachines {
  Machine allowed;
  Machine cores;     // the allowed one with one PU a core
  Machine complete;  // with the objects that are forbidden now; its allowed() may be old
};

// Verifies all three, as Machine's constructor does.
[[nodiscard]] NodeMachines unpack(std::span<const std::byte> packed);

}  // namespace comity::machine
