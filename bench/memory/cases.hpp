// SPDX-License-Identifier: BSD-3-Clause
// The cases of bench-memory: blocks, mappings, and messages.
#pragma once

#include <vector>

#include "common/timing.hpp"

namespace bench::memory {

// A block given back and another one taken, of 10,000 small ones that are live, and of 100 of 64 KiB to 1 MiB; beside it the same of glibc's own
// malloc.
[[nodiscard]] std::vector<Outcome> malloc_free();

// 16 KiB mapped, touched and unmapped beside 10,000 mappings that are live; beside it the same by glibc's own functions.
[[nodiscard]] Outcome mmap_munmap();

// What a rank has of its own, without a reference, as messages.
[[nodiscard]] std::vector<Outcome> own_memory();

// The same behind so many regions that a record of the default budget has been full, if there is one; and the most that was resident.
[[nodiscard]] std::vector<Outcome> own_memory_recorded();

// The most that was resident up to the end of MPI_Finalize, behind which this is to be asked.
[[nodiscard]] Outcome own_memory_at_the_end();

// Steps of a rank that computes and makes no call of MPI, without a reference.
[[nodiscard]] std::vector<Outcome> computing();

// Messages of two ranks, without a reference: the same launch without Comity is one.
[[nodiscard]] std::vector<Outcome> messages(int rank);

// The same of messages of 1 B to 4 MiB, between as many pairs as there are.
[[nodiscard]] std::vector<Outcome> sizes(int rank, int size);

}  // namespace bench::memory
