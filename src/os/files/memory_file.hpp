// SPDX-License-Identifier: BSD-3-Clause
// An anonymous memory file: all its memory is there or its making fails (Status::memory), so that touching a
// mapping of it never raises SIGBUS; nobody can resize it; mode 0600.
#pragma once

#include <cstddef>

#include "os/files/descriptor.hpp"

namespace comity::os {

[[nodiscard]] Descriptor create_memory_file(const char* name, std::size_t bytes);

// Sets the size and allocates every byte of a fresh file.
void allocate(const Descriptor& file, std::size_t bytes);

}  // namespace comity::os
