// SPDX-License-Identifier: BSD-3-Clause
// comity_context_create: what a communicator has to be, and the bootstrap over it.
#include <comity/comity_mpi.h>

#include "mpi/job.hpp"
#include "mpi/report.hpp"

namespace comity::mpi {
namespace {

// MPI may be asked only between Init and Finalize.
comity_status require_running() {
  int initialised = 0;
  int finalised = 0;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalised);
  if (initialised == 0) return report(COMITY_ERR_MPI, "create a context: MPI is not initialised; call MPI_Init first");
  if (finalised != 0) {
    return report(COMITY_ERR_MPI, "create a context: MPI is finalised already; create it before MPI_Finalize");
  }
  return COMITY_OK;
}

comity_status require_intra(MPI_Comm communicator) {
  if (communicator == MPI_COMM_NULL) {
    return report(COMITY_ERR_MPI, "create a context: the communicator is MPI_COMM_NULL; only its members may call");
  }
  int inter = 0;
  if (MPI_Comm_test_inter(communicator, &inter) != MPI_SUCCESS || inter != 0) {
    return report(COMITY_ERR_MPI,
                  "create a context: the communicator joins two groups; merge it first (MPI_Intercomm_merge)");
  }
  return COMITY_OK;
}

}  // namespace
}  // namespace comity::mpi

comity_status comity_context_create(MPI_Comm communicator, comity_context** context) {
  using namespace comity::mpi;
  comity_status status = require_running();
  if (status == COMITY_OK) status = require_intra(communicator);
  if (status != COMITY_OK) return status;
  Job* job = nullptr;
  status = find_job(communicator, job);
  if (status != COMITY_OK) return status;
  const comity_bootstrap bootstrap = job->bootstrap();
  return comity_context_create_with(&bootstrap, context);
}
