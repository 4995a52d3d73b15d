// SPDX-License-Identifier: BSD-3-Clause
// comity_context_create: the bootstrap over MPI. The user's communicator is duplicated for the time of the call, so that
// our messages meet nobody else's; the candidates for this node are MPI's shared split of it.
#include <comity/comity_mpi.h>

#include <array>
#include <string>

#include "mpi/communicator.hpp"
#include "mpi/report.hpp"

namespace comity::mpi {
namespace {

struct Job {
  Communicator everybody;
  Communicator node;
};

comity_status status_of(int code) { return code == MPI_SUCCESS ? COMITY_OK : COMITY_ERR_MPI; }

comity_status candidate_gather(void* self, const void* mine, void* all, size_t block_bytes) {
  const int bytes = static_cast<int>(block_bytes);
  return status_of(MPI_Allgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, static_cast<Job*>(self)->node.get()));
}

comity_status job_max(void* self, int64_t mine, int64_t* largest) {
  return status_of(MPI_Allreduce(&mine, largest, 1, MPI_INT64_T, MPI_MAX, static_cast<Job*>(self)->everybody.get()));
}

comity_status job_sum(void* self, int64_t mine, int64_t* sum) {
  return status_of(MPI_Allreduce(&mine, sum, 1, MPI_INT64_T, MPI_SUM, static_cast<Job*>(self)->everybody.get()));
}

comity_bootstrap bootstrap_of(Job& job) {
  return {
      &job,   job.everybody.rank(), job.everybody.size(), job.node.rank(), job.node.size(), candidate_gather, job_max,
      job_sum};
}

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

comity_status open_job(MPI_Comm communicator, Job& job) {
  if (MPI_Comm_dup(communicator, job.everybody.out()) != MPI_SUCCESS) {
    return report(COMITY_ERR_MPI, "create a context: MPI_Comm_dup failed on the communicator; see MPI's own message");
  }
  MPI_Comm_set_errhandler(job.everybody.get(), MPI_ERRORS_RETURN);
  const int code = MPI_Comm_split_type(job.everybody.get(), MPI_COMM_TYPE_SHARED, job.everybody.rank(), MPI_INFO_NULL,
                                       job.node.out());
  if (code != MPI_SUCCESS) {
    return report(COMITY_ERR_MPI, "create a context: MPI_Comm_split_type failed; see MPI's own message");
  }
  MPI_Comm_set_errhandler(job.node.get(), MPI_ERRORS_RETURN);
  return COMITY_OK;
}

}  // namespace
}  // namespace comity::mpi

comity_status comity_context_create(MPI_Comm communicator, comity_context** context) {
  using namespace comity::mpi;
  comity_status status = require_running();
  if (status == COMITY_OK) status = require_intra(communicator);
  if (status != COMITY_OK) return status;
  Job job;
  status = open_job(communicator, job);
  if (status != COMITY_OK) return status;
  const comity_bootstrap bootstrap = bootstrap_of(job);
  return comity_context_create_with(&bootstrap, context);
}
