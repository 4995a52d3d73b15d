// SPDX-License-Identifier: BSD-3-Clause
// The bytes of one element of a datatype: of MPI's own types from a small memory of this thread.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace comity::interpose {

[[nodiscard]] std::uint64_t size_of(MPI_Datatype type);

// Call before the MPI frees a type: its handle may come back as another's.
void forget_type();

// The bytes that a receive really got.
[[nodiscard]] std::uint64_t received_bytes(const MPI_Status& status);

}  // namespace comity::interpose
