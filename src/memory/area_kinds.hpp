// SPDX-License-Identifier: BSD-3-Clause
// What each mapping of a process is, by its name, its rights and its neighbours: part of an object, a heap, a stack, a
// segment. Not: how much of it is resident, nor who owns what lies in it (attribution).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "memory/component.hpp"
#include "os/memory/areas.hpp"

namespace comity::memory {

enum class AreaKind : std::uint8_t {
  object,     // the program or a library: its code, its data, and what it has without a file
  file,       // another file, mapped
  segment,    // memory that processes share, or a device's
  heap,       // what malloc hands out: the break's, and glibc's arenas
  stack,      // of the main thread or another
  anonymous,  // private memory of no known use
  kernel,     // vdso and its like
  hugetlb,    // pages of hugetlbfs
};

struct AreaRole {
  AreaKind kind = AreaKind::anonymous;
  Component component = Component::anonymous;  // of an object its own; of a segment its maker's, where that is known
  // Up to here the area is `object`'s memory without a file (.bss), and only behind it as said above. 0: none of it is.
  std::uint64_t object_until = 0;
  Component object = Component::application;
};

// How much memory the object takes that begins with this area; none where nobody knows.
using ObjectSpan = std::function<std::optional<std::uint64_t>(const os::Area& first)>;

// One for each area; they come by address. `thread_blocks`: an address within the block of each thread, ascending.
[[nodiscard]] std::vector<AreaRole> roles_of(std::span<const os::Area> areas, const Components& components,
                                             const ObjectSpan& object_span,
                                             std::span<const std::uint64_t> thread_blocks);

// Whether the program brought all its libraries along: no loader is there.
[[nodiscard]] bool is_static(std::span<const os::Area> areas);

}  // namespace comity::memory
