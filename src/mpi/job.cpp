// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/job.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "mpi/gather.hpp"
#include "mpi/launched.hpp"
#include "mpi/patience.hpp"
#include "mpi/report.hpp"

namespace comity::mpi {
namespace {

// How a wait ended. Who misses a rank of this node tells the other nodes.
comity_status remember(Job& job, const Absence& who, comity_status status) {
  if (status != COMITY_ERR_PEER_LOST) return status;
  job.lost.rank = who.rank();
  if (!who.was_told()) tell_of_loss(job.lines(), who.nearby(), job.lost);
  return status;
}

// `met`: how the ranks' meeting went; `worst`: the largest of their codes.
comity_status agreed(comity_status met, comity_status mine, std::int64_t worst) {
  if (met == COMITY_ERR_PEER_LOST) return met;
  if (met != COMITY_OK) {
    return report(COMITY_ERR_MPI, "an MPI call failed inside a collective call of Comity; see MPI's own message");
  }
  if (worst == mine) return mine;
  return report(static_cast<comity_status>(worst), "another rank failed inside this collective call (it says why)");
}

comity_status candidate_gather(void* self, const void* mine, void* all, size_t block_bytes) {
  Job& job = *static_cast<Job*>(self);
  return gather_from(job, job.node(), mine, block_bytes, all);
}

comity_status reduce(void* self, int64_t mine, int64_t* result, MPI_Op operation) {
  Job& job = *static_cast<Job*>(self);
  if (job.lost.rank != Absence::kNobody) return report_lost(static_cast<int>(job.lost.rank));
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

// The first collective call, on the user's communicator: who has ended before it came is missed here, while MPI can still make
// communicators for the others. Tells too whether each rank has its memory: `mine` is that of this one.
comity_status muster(Job& job, comity_status mine) {
  MPI_Request request = MPI_REQUEST_NULL;
  job.mine = mine;
  const int code = MPI_Iallreduce(&job.mine, &job.result, 1, MPI_INT64_T, MPI_MAX, job.users, &request);
  const comity_status met = wait_for(job, code, request);  // writes the result
  return agreed(met, mine, job.result);
}

comity_status duplicate_users(Job& job) {
  const comity_status status = duplicate(job, job.users);
  if (status == COMITY_ERR_PEER_LOST) return status;
  if (status != COMITY_OK) {
    return report(COMITY_ERR_MPI, "create a context: MPI made no duplicate of the communicator; see MPI's own message");
  }
  *job.everybody.out() = std::exchange(job.made, MPI_COMM_NULL);
  MPI_Comm_set_errhandler(job.everybody.get(), MPI_ERRORS_RETURN);
  return COMITY_OK;
}

using NodeKey = std::uint64_t;

// MPI's own way, MPI_Comm_split_type, has no form that returns at once: it waits for ever for a rank that has ended.
comity_status find_node(Job& job, NodeKey mine, std::vector<NodeKey>& keys) {
  const comity_status status = gather_from(job, job.all(), &mine, sizeof mine, keys.data());
  if (status == COMITY_ERR_PEER_LOST) return leave_to_mpi(keys);
  if (status != COMITY_OK) return report(COMITY_ERR_MPI, "create a context: MPI could not send; see MPI's own message");
  try {
    job.here.reserve(static_cast<std::size_t>(std::ranges::count(keys, mine)));
  } catch (const std::bad_alloc&) {
    return report_no_memory();
  }
  const int own = job.everybody.rank();
  for (int rank = 0; rank < static_cast<int>(keys.size()); ++rank) {
    if (rank == own) job.place = static_cast<int>(job.here.size());
    if (keys[static_cast<std::size_t>(rank)] == mine) job.here.push_back(rank);
  }
  return COMITY_OK;
}

struct FreeUnlessLost {
  void operator()(Job* job) const {
    if (job->lost.rank == Absence::kNobody) delete job;
  }
};

// Called where the communicator is freed, so on all of its ranks.
int drop_job(MPI_Comm, int, void* job, void*) {
  FreeUnlessLost()(static_cast<Job*>(job));
  return MPI_SUCCESS;
}

int job_key();

bool has_job(MPI_Comm communicator, Job*& job) {
  int known = 0;
  return MPI_Comm_get_attr(communicator, job_key(), static_cast<void*>(&job), &known) == MPI_SUCCESS && known != 0;
}

// MPI_Finalize begins by deleting the attributes of MPI_COMM_SELF, while all of MPI still works.
int end_of_mpi(MPI_Comm, int, void*, void*) {
  Job* job = nullptr;
  return has_job(MPI_COMM_WORLD, job) ? MPI_Comm_delete_attr(MPI_COMM_WORLD, job_key()) : MPI_SUCCESS;
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
  if (MPI_Comm_set_attr(communicator, job_key(), job) == MPI_SUCCESS) return COMITY_OK;
  return report(COMITY_ERR_MPI, "create a context: MPI_Comm_set_attr failed; see MPI's own message");
}

bool reserve(MPI_Comm communicator, std::vector<NodeKey>& keys) {
  int size = 0;
  MPI_Comm_size(communicator, &size);
  try {
    keys.resize(static_cast<std::size_t>(size));
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

// Of some ranks of a job on several nodes nobody knows yet who is where; what the launcher shows of a rank is gone with it. A
// communicator of all ranks needs no such look: there anybody's end counts.
void know_who_is_here(MPI_Comm communicator) {
  int size = 0;
  int job_size = 0;
  MPI_Comm_size(communicator, &size);
  MPI_Comm_size(MPI_COMM_WORLD, &job_size);
  if (size > 1 && size < job_size) know_who_was_launched(own_number());
}

// All learn how it went on each: the job is kept on all ranks or on none.
comity_status make_job(MPI_Comm communicator, Job*& job) {
  std::unique_ptr<Job, FreeUnlessLost> made(new (std::nothrow) Job);
  // For the call by which this rank tells that it has no memory; MPI may write there for as long as the thread is.
  alignas(Job) thread_local std::array<std::byte, sizeof(Job)> spare;
  std::vector<NodeKey> keys;
  NodeKey key = 0;
  know_who_is_here(communicator);
  comity_status mine = made && reserve(communicator, keys) ? comity_node_key(&key) : report_no_memory();
  Job& job_or_spare = made ? *made : *new (spare.data()) Job;
  job_or_spare.users = communicator;
  mine = muster(job_or_spare, mine);
  if (mine == COMITY_OK) mine = duplicate_users(*made);
  if (mine != COMITY_OK) return mine;  // all know it, or can do no more

  mine = find_node(*made, key, keys);
  if (mine == COMITY_ERR_PEER_LOST) return mine;
  if (mine == COMITY_OK) mine = keep(communicator, made.get());
  const comity_status status = agree(*made, mine);
  made->users = MPI_COMM_NULL;
  if (mine != COMITY_OK) return status;
  job = made.release();  // the communicator's
  if (status != COMITY_OK) MPI_Comm_delete_attr(communicator, job_key());
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
  const auto candidates = static_cast<std::int32_t>(here.size());
  return {this, everybody.rank(), everybody.size(), place, candidates, candidate_gather, job_max, job_sum};
}

comity_status wait_for(Job& job, int started, MPI_Request& request) {
  Absence who(job.lines(), job.here);
  return remember(job, who, wait_patiently(started, request, who));
}

// Of one rank MPICH's MPI_Comm_idup goes on inside until it has an id, and holds the lock of all of MPI meanwhile: where another
// thread of this process is about to take one, neither gets any further.
comity_status duplicate(Job& job, MPI_Comm original) {
  int size = 0;
  MPI_Comm_size(original, &size);
  if (size == 1) return MPI_Comm_dup(original, &job.made) == MPI_SUCCESS ? COMITY_OK : COMITY_ERR_MPI;
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = MPI_Comm_idup(original, &job.made, &request);
  return wait_for(job, code, request);
}

comity_status gather_from(Job& job, const Circle& circle, const void* mine, std::size_t block_bytes, void* all) {
  if (job.lost.rank != Absence::kNobody) return report_lost(static_cast<int>(job.lost.rank));
  Absence who(job.lines(), job.here);
  return remember(job, who, gather_blocks(mine, block_bytes, all, circle, who));
}

comity_status agree(Job& job, comity_status mine) {
  std::int64_t worst = COMITY_OK;
  const comity_status met = job_max(&job, mine, &worst);
  return agreed(met, mine, worst);
}

comity_status require_usable(MPI_Comm communicator) {
  const comity_status running = require_running();
  return running == COMITY_OK ? require_intra(communicator) : running;
}

comity_status find_job(MPI_Comm communicator, Job*& job) {
  return has_job(communicator, job) ? COMITY_OK : make_job(communicator, job);
}

void tell_lost(MPI_Comm communicator) {
  Job* job = nullptr;
  if (!has_job(communicator, job) || job->lost.rank != Absence::kNobody) return;
  job->lost.rank = Absence::kUnknown;
  tell_of_loss(job->lines(), job->here, job->lost);
}

}  // namespace comity::mpi
