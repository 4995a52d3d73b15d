// SPDX-License-Identifier: BSD-3-Clause
// Waiting for an operation of MPI without burning the core: short spins between which the core is offered, then sleeps. A
// blocking call spins, and where ranks share cores it spins against the very ranks that it waits for.
#pragma once

#include <mpi.h>

#include <comity/error.h>

#include "mpi/absence.hpp"

namespace comity::mpi {

// COMITY_OK; COMITY_ERR_MPI, for the caller to report; COMITY_ERR_PEER_LOST, reported: `who` found a rank that has ended. Then
// the operation goes on for ever, and the memory that it was given must stay.
[[nodiscard]] comity_status wait_patiently(MPI_Request& request, Absence& who);

// What MPI answered to the call that starts an operation, and then the wait.
[[nodiscard]] inline comity_status wait_patiently(int started, MPI_Request& request, Absence& who) {
  return started == MPI_SUCCESS ? wait_patiently(request, who) : COMITY_ERR_MPI;
}

// `rank`: as Absence tells it.
comity_status report_lost(int rank);

}  // namespace comity::mpi
