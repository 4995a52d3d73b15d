// SPDX-License-Identifier: BSD-3-Clause
// comity_context_create: the bootstrap over a communicator, and MPI's progress for ranks that rest.
#include <comity/comity_mpi.h>

#include "mpi/guard.hpp"
#include "mpi/job.hpp"

namespace comity::mpi {
namespace {

// Looking for a message, on any communicator, makes MPI go on with all that is under way.
extern "C" void make_progress(void* /*data*/) {
  int ended = 0;
  int found = 0;
  if (MPI_Finalized(&ended) != MPI_SUCCESS || ended != 0) return;
  (void)MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
}

}  // namespace
}  // namespace comity::mpi

comity_status comity_context_create(MPI_Comm communicator, comity_context** context) {
  using namespace comity::mpi;
  return guard([&] {
    comity_status status = require_usable(communicator);
    if (status != COMITY_OK) return status;
    Job* job = nullptr;
    status = find_job(communicator, job);
    if (status != COMITY_OK) return status;
    const comity_bootstrap bootstrap = job->bootstrap();
    status = comity_context_create_with(&bootstrap, context);
    return status == COMITY_OK ? comity_context_set_progress(*context, &make_progress, nullptr) : status;
  });
}
