// SPDX-License-Identifier: BSD-3-Clause
// The program or library that an address of this process lies in, its data too. Where the linker has an index that takes neither a lock nor
// memory.
#pragma once

#include <cstdint>
#include <optional>

namespace comity::os {

struct LoadedObject {
  std::uintptr_t start;  // of its first mapping: no two that are loaded have the same one
  const char* path;      // "" for the program; valid while the object is loaded
};

// None: the address lies in no file that the linker has loaded.
[[nodiscard]] std::optional<LoadedObject> loaded_object_at(std::uintptr_t address) noexcept;

}  // namespace comity::os
