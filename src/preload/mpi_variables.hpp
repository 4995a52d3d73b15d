// SPDX-License-Identifier: BSD-3-Clause
// What the MPI says of its own memory, by the variables of its tool interface (MPI_T, performance variables).
#pragma once

#include <vector>

#include "memory/rank/mpi_variables.hpp"

namespace comity::preload {

// After MPI_Init, on one thread at a time. The first call makes the interface ready, for which an MPI may load all its plugins. Variables of
// objects, those that would have to be started, and those that are no whole numbers are left out.
[[nodiscard]] std::vector<memory::MpiVariable> read_mpi_variables();
// Before MPI_Finalize.
void leave_mpi_variables();

}  // namespace comity::preload
