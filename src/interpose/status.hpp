// SPDX-License-Identifier: BSD-3-Clause
// What stands in a status, read where this MPI's mpi.h has it: the MPI's own functions take as long as the rest of a look
// at a message. (In MPICH the layout of a status is part of the interface that its children share.)
#pragma once

#include <mpi.h>

#include <cstdint>

namespace comity::interpose {

// The bytes that a receive got; of one that was cancelled anything.
[[nodiscard]] inline std::uint64_t received_bytes(const MPI_Status& status) {
#ifdef OPEN_MPI
  return status._ucount;
#else
  const auto high = static_cast<std::uint32_t>(status.count_hi_and_cancelled) >> 1U;  // the last bit says: cancelled
  return std::uint64_t{high} << 32U | static_cast<std::uint32_t>(status.count_lo);
#endif
}

[[nodiscard]] inline bool was_cancelled(const MPI_Status& status) {
#ifdef OPEN_MPI
  return status._cancelled != 0;
#else
  return (status.count_hi_and_cancelled & 1) != 0;
#endif
}

}  // namespace comity::interpose
