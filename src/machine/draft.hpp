// SPDX-License-Identifier: BSD-3-Clause
// Draft: a machine as plain objects, and the pure function that flattens it into an image. Not: where the
// objects come from (loader.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/cpu_set.hpp"
#include "machine/image.hpp"
#include "machine/object_type.hpp"

namespace comity::machine {

struct DraftObject {
  int os_index = -1;
  std::uint64_t bytes = 0;  // size of a cache, local memory of a NUMA node
  CpuSet cpus;
  std::optional<ObjectRef> parent;  // none: the machine
};

struct Draft {
  Kind kind = Kind::real;
  bool simulated = false;
  std::string name;
  std::array<std::vector<DraftObject>, kObjectTypeCount> objects;  // by type, in logical order
  std::vector<ObjectRef> tree_order;  // every object once, parents before children, children in drawing order
  CpuSet allowed;
  CpuSet complete;
  std::vector<std::uint32_t> distances;  // row by row, one row a NUMA node; empty: not known
};

// Throws Status::topology where the draft does not fit the format.
[[nodiscard]] Image assemble(const Draft& draft);

}  // namespace comity::machine
