// SPDX-License-Identifier: BSD-3-Clause
// Draft: a machine as plain objects, and the pure function that flattens it into an image. Not: where the
// objects come from (loader.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cpu_set.hpp"
#include "machine/image.hpp"
#include "machine/object_type.hpp"

namespace comity::machine {

struct DraftObject {
  int os_index = -1;
  std::uint64_t bytes = 0;  // size of a cache, local memory of a NUMA node
  CpuSet cpus;
  std::optional<ObjectRef> parent;       // none: the machine
  MemoryKind memory = MemoryKind::dram;  // of a NUMA node
};

struct DraftDevice {
  DeviceRecord record{};
  CpuSet cpus;  // those near it: of the whole machine where that is not told
};

struct DraftCoreKind {
  CoreKindRecord record{};
  CpuSet cpus;
};

struct Draft {
  Kind kind = Kind::real;
  bool simulated = false;
  std::string name;
  std::array<std::vector<DraftObject>, kObjectTypeCount> objects;  // by type, in logical order
  std::vector<ObjectRef> tree_order;  // every object once, parents before children, children in drawing order
  CpuSet allowed;
  CpuSet allowed_nodes;  // of its NUMA nodes those whose memory may be used, by OS number; an image does not tell
  CpuSet complete;
  std::vector<std::uint32_t> distances;  // row by row, one row a NUMA node; empty: not known
  bool devices_known = false;            // devices were looked for
  std::vector<DraftDevice> devices;      // in the order of their numbers within each kind; kinds may be mixed
  std::vector<DraftCoreKind> core_kinds;
};

// Text into a field, cut where it is too long; what no terminal and no JSON should get becomes '?'.
template <std::size_t N>
void set_text(Text<N>& field, std::string_view text) {
  field.fill(0);
  for (std::size_t i = 0; i < std::min(text.size(), N - 1); ++i) {
    field[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
  }
}

// Throws Status::topology where the draft does not fit the format.
[[nodiscard]] Image assemble(const Draft& draft);

}  // namespace comity::machine
