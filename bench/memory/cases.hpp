// SPDX-License-Identifier: BSD-3-Clause
// The cases of bench-memory: blocks, mappings, and messages.
#pragma once

#include <vector>

#include "common/timing.hpp"

namespace bench::memory {

// A block given back and another one taken, of 10,000 that are live; beside it the same of glibc's own malloc.
[[nodiscard]] Outcome malloc_free();

// 16 KiB mapped, touched and unmapped beside 10,000 mappings that are live; beside it the same by glibc's own functions.
[[nodiscard]] Outcome mmap_munmap();

// What a rank has of its own, without a reference, as messages.
[[nodiscard]] std::vector<Outcome> own_memory();

// The same behind so many regions that a record of the default budget has been full, if there is one; and the most that was resident.
[[nodiscard]] std::vector<Outcome> own_memory_recorded();

// Messages of two ranks, without a reference: the same launch without Comity is one.
[[nodiscard]] std::vector<Outcome> messages(int rank);

// The same of messages of 1 B to 4 MiB, between as many pairs as there are.
[[nodiscard]] std::vector<Outcome> sizes(int rank, int size);

}  // namespace bench::memory
