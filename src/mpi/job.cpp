// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/job.hpp"

#include <memory>
#include <new>

#include "mpi/gather.hpp"
#include "mpi/patience.hpp"
#include "mpi/report.hpp"

namespace comity::mpi {
namespace {

comity_status candidate_gather(void* self, const void* mine, void* all, size_t block_bytes) {
  Job& job = *static_cast<Job*>(self);
  return gather_from(job, job.node.get(), mine, block_bytes, all);
}

comity_status reduce(void* self, int64_t mine, int64_t* result, MPI_Op operation) {
  Job& job = *static_cast<Job*>(self);
  if (job.lost != Job::kNobody) return report_lost(job.lost);
  job.mine = mine;
  MPI_Request request = MPI_REQUEST_NULL;
  const MPI_Comm everybody = job.everybody.get();
  const int code = MPI_Iallreduce(&job.mine, &job.result, 1, MPI_INT64_T, operation, everybody, &request);
  const comity_status status = wait_for(job, code, request);
  if (status == COMITY_OK) *result = job.result;
  return status;
}

comity_status job_max(void* self, int64_t mine, int64_t* largest) { return reduce(self, mine, largest, MPI_MAX); }

comity_status job_sum(void* self, int64_t mine, int64_t* sum) { return reduce(self, mine, sum, MPI_SUM); }

comity_status duplicate(MPI_Comm communicator, Job& job) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = MPI_Comm_idup(communicator, job.everybody.out(), &request);
  const comity_status status = wait_for(job, code, request, Absence(communicator, MPI_COMM_NULL));
  if (status == COMITY_ERR_PEER_LOST) return status;
  if (status != COMITY_OK) {
    return report(COMITY_ERR_MPI, "create a context: MPI_Comm_idup failed on the communicator; see MPI's own message");
  }
  MPI_Comm_set_errhandler(job.everybody.get(), MPI_ERRORS_RETURN);
  return COMITY_OK;
}

comity_status split_by_node(Job& job) {
  const int code = MPI_Comm_split_type(job.everybody.get(), MPI_COMM_TYPE_SHARED, job.everybody.rank(), MPI_INFO_NULL,
                                       job.node.out());
  if (code != MPI_SUCCESS) {
    return report(COMITY_ERR_MPI, "create a context: MPI_Comm_split_type failed; see MPI's own message");
  }
  MPI_Comm_set_errhandler(job.node.get(), MPI_ERRORS_RETURN);
  return COMITY_OK;
}

struct FreeUnlessLost {
  void operator()(Job* job) const {
    if (job->lost == Job::kNobody) delete job;
  }
};

// Called where the communicator is freed, so on all of its ranks.
int drop_job(MPI_Comm, int, void* job, void*) {
  FreeUnlessLost()(static_cast<Job*>(job));
  return MPI_SUCCESS;
}

int job_key();

// MPI_Finalize begins by deleting the attributes of MPI_COMM_SELF, while all of MPI still works.
int end_of_mpi(MPI_Comm, int, void*, void*) {
  Job* job = nullptr;
  int known = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, job_key(), static_cast<void*>(&job), &known);
  return known != 0 ? MPI_Comm_delete_attr(MPI_COMM_WORLD, job_key()) : MPI_SUCCESS;
}

int make_job_key() {
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop_job, &key, nullptr);
  int end_key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_of_mpi, &end_key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, end_key, nullptr);
  return key;
}

// The key of the attribute, made once a process.
int job_key() {
  static const int key = make_job_key();
  return key;
}

// From here the job belongs to the communicator.
comity_status keep(MPI_Comm communicator, Job* job) {
  if (job == nullptr) return report_no_memory();
  if (MPI_Comm_set_attr(communicator, job_key(), job) == MPI_SUCCESS) return COMITY_OK;
  return report(COMITY_ERR_MPI, "create a context: MPI_Comm_set_attr failed; see MPI's own message");
}

// Each rank goes through all collective calls, also one that has no memory, and all learn how it went on each: the job is
// kept on all ranks or on none.
comity_status make_job(MPI_Comm communicator, Job*& job) {
  std::unique_ptr<Job, FreeUnlessLost> lasting(new (std::nothrow) Job);
  Job passing;  // for the calls of a rank that has no memory
  Job& made = lasting ? *lasting : passing;
  comity_status mine = duplicate(communicator, made);
  // MPI's split is the one call here that has no form which returns at once: it waits for ever for a rank that has ended. So all
  // show before it that they are there, also those that ended after their part of the duplicate.
  if (mine == COMITY_OK) mine = agree(made, COMITY_OK);
  if (mine != COMITY_OK) return mine;  // there is nothing yet to tell the others over
  mine = split_by_node(made);
  if (mine == COMITY_OK) mine = keep(communicator, lasting.get());
  const comity_status status = agree(made, mine);
  Job* const kept = mine == COMITY_OK ? lasting.release() : nullptr;
  if (status == COMITY_OK) {
    job = kept;
  } else if (kept != nullptr) {
    MPI_Comm_delete_attr(communicator, job_key());
  }
  return status;
}

// MPI may be asked only between Init and Finalize.
comity_status require_running() {
  int initialised = 0;
  int finalised = 0;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalised);
  if (initialised == 0)
    return report(COMITY_ERR_MPI, "use a communicator: MPI is not initialised; call MPI_Init first");
  if (finalised != 0) {
    return report(COMITY_ERR_MPI, "use a communicator: MPI is finalised already; create it before MPI_Finalize");
  }
  return COMITY_OK;
}

comity_status require_intra(MPI_Comm communicator) {
  if (communicator == MPI_COMM_NULL) {
    return report(COMITY_ERR_MPI, "use a communicator: the communicator is MPI_COMM_NULL; only its members may call");
  }
  int inter = 0;
  if (MPI_Comm_test_inter(communicator, &inter) != MPI_SUCCESS || inter != 0) {
    return report(COMITY_ERR_MPI,
                  "use a communicator: the communicator joins two groups; merge it first (MPI_Intercomm_merge)");
  }
  return COMITY_OK;
}

}  // namespace

comity_bootstrap Job::bootstrap() {
  return {this, everybody.rank(), everybody.size(), node.rank(), node.size(), candidate_gather, job_max, job_sum};
}

comity_status wait_for(Job& job, int started, MPI_Request& request, Absence who) {
  const comity_status status = wait_patiently(started, request, who);
  if (status == COMITY_ERR_PEER_LOST) job.lost = who.rank();
  return status;
}

comity_status wait_for(Job& job, int started, MPI_Request& request) {
  return wait_for(job, started, request, Absence(job.everybody.get(), job.node.get()));
}

comity_status gather_from(Job& job, MPI_Comm ours, const void* mine, std::size_t block_bytes, void* all) {
  if (job.lost != Job::kNobody) return report_lost(job.lost);
  Absence who(ours, job.node.get());
  const comity_status status = gather_blocks(mine, block_bytes, all, ours, who);
  if (status == COMITY_ERR_PEER_LOST) job.lost = who.rank();
  return status;
}

comity_status agree(Job& job, comity_status mine) {
  std::int64_t worst = COMITY_OK;
  const comity_status met = job_max(&job, mine, &worst);
  if (met == COMITY_ERR_PEER_LOST) return met;
  if (met != COMITY_OK) {
    return report(COMITY_ERR_MPI, "an MPI call failed inside a collective call of Comity; see MPI's own message");
  }
  if (worst == mine) return mine;
  return report(static_cast<comity_status>(worst), "another rank failed inside this collective call (it says why)");
}

comity_status require_usable(MPI_Comm communicator) {
  const comity_status running = require_running();
  return running == COMITY_OK ? require_intra(communicator) : running;
}

comity_status find_job(MPI_Comm communicator, Job*& job) {
  int known = 0;
  MPI_Comm_get_attr(communicator, job_key(), static_cast<void*>(&job), &known);
  if (known != 0) return COMITY_OK;
  return make_job(communicator, job);
}

}  // namespace comity::mpi
