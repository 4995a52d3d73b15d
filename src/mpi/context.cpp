// SPDX-License-Identifier: BSD-3-Clause
// comity_context_create: the bootstrap over a communicator.
#include <comity/comity_mpi.h>

#include "mpi/guard.hpp"
#include "mpi/job.hpp"

comity_status comity_context_create(MPI_Comm communicator, comity_context** context) {
  using namespace comity::mpi;
  return guard([&] {
    comity_status status = require_usable(communicator);
    if (status != COMITY_OK) return status;
    Job* job = nullptr;
    status = find_job(communicator, job);
    if (status != COMITY_OK) return status;
    const comity_bootstrap bootstrap = job->bootstrap();
    return comity_context_create_with(&bootstrap, context);
  });
}
