// SPDX-License-Identifier: BSD-3-Clause
// Attribution: a process's resident memory at one moment, by component. From its mappings alone, or with what somebody
// recorded of who asked for which memory. Figures in, figures out. Not: reading them (look), nor recording owners (the
// hooks).
// Invariant: the sum over components is what the areas have; the residual is what the kernel's own sum has more.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "memory/area_kinds.hpp"
#include "memory/component.hpp"
#include "os/memory/areas.hpp"
#include "os/memory/node_pages.hpp"
#include "os/memory/pages.hpp"

namespace comity::memory {

struct ComponentUse {
  os::PageUse use;
  std::uint64_t virtual_bytes = 0;
  std::uint64_t of_others = 0;  // [bytes] of what somebody recorded: what its share (PSS) has less than all its pages
  os::NodeBytes nodes;          // where its pages lie; empty where nobody knows
};

struct SegmentUse {
  std::string name;  // as the kernel has it
  std::uint32_t device_major = 0;
  std::uint32_t device_minor = 0;
  std::uint64_t inode = 0;
  Component maker = Component::shared;  // shared: nobody knows
  os::PageUse use = {};
  std::uint64_t virtual_bytes = 0;

  [[nodiscard]] bool is_of(const os::Area& area) const {
    return inode == area.inode && device_major == area.device_major && device_minor == area.device_minor &&
           name == area.name;
  }
};

// A range of addresses whose owner is known: a mapping that somebody asked for, or a large block of malloc.
struct OwnedRange {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  Component component = Component::unknown;
};

// Who asked for what, as it was recorded.
struct Ownership {
  std::vector<OwnedRange> ranges;                            // by address, none over another
  std::array<std::uint64_t, kMostComponents> small_bytes{};  // live in malloc's arenas and in no range
};

// What the kernel told at one moment, as near to it as its files allow.
struct Told {
  std::vector<os::Area> areas;
  os::PageUse rollup;
  std::vector<os::AreaNodes> nodes;  // empty: this kernel knows no nodes
  std::vector<std::uint64_t> thread_blocks;
};

// The pages of a part of an area; none: the kernel does not tell, and the part counts by its size.
using CountPages = std::function<std::optional<os::PageCounts>(std::uint64_t start, std::uint64_t end)>;

struct Attribution {
  std::array<ComponentUse, kMostComponents> components;
  std::vector<SegmentUse> segments;  // by name; they are part of their makers' components, or of `shared`
  os::PageUse total;                 // the kernel's sum
  bool statically_linked = false;

  [[nodiscard]] const ComponentUse& of(Component component) const {
    return components[static_cast<std::size_t>(component)];
  }
  [[nodiscard]] os::PageUse sum() const;
  // [bytes] The kernel's sum less ours; not 0 where the process changed between two reads.
  [[nodiscard]] std::int64_t rss_residual() const;
  [[nodiscard]] std::int64_t pss_residual() const;
  [[nodiscard]] std::int64_t uss_residual() const;
};

// Private memory that nobody is recorded to have asked for: data of objects, stacks, malloc's heaps, mappings that nobody saw.
struct UnaskedRange {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  Component component = Component::unknown;  // of a heap kHeapOfAll
  bool has_file = false;                     // what nobody has written there yet is the file's
  bool may_be_pool = false;                  // of a malloc that stands in for glibc's

  static constexpr auto kHeapOfAll = Component::heap_unused;  // with all small blocks that lie there
};
[[nodiscard]] std::vector<UnaskedRange> unasked_ranges(std::vector<os::Area> areas,
                                                       std::span<const std::uint64_t> thread_blocks,
                                                       const Components& components, const ObjectSpan& object_span,
                                                       const Ownership& ownership);

[[nodiscard]] Attribution attribute(Told told, const Components& components, const ObjectSpan& object_span,
                                    const CountPages& count_pages, const Ownership* ownership);

}  // namespace comity::memory
