// SPDX-License-Identifier: BSD-3-Clause
// comity_context_communicator: the ranks of a communicator on this node, divided by the context's node, which may be finer,
// and by the object that encloses each one's binding of now.
#include <comity/comity_mpi.h>

#include <cstdint>
#include <memory>
#include <new>

#include "mpi/guard.hpp"
#include "mpi/job.hpp"
#include "mpi/report.hpp"
#include "mpi/tags.hpp"

namespace comity::mpi {
namespace {

struct Seat {
  std::uint64_t node;
  std::int64_t object;  // kNowhere, kFailed
};

constexpr std::int64_t kNowhere = -1;
constexpr std::int64_t kFailed = -2;

// The first object of the kind that encloses my binding.
comity_status find_seat(comity_context* context, comity_type type, Seat& seat) {
  seat = {0, kFailed};
  std::int32_t count = 0;
  comity_status status = comity_context_refresh(context);
  if (status == COMITY_OK) status = comity_context_node_id(context, &seat.node);
  if (status == COMITY_OK) status = comity_context_count(context, type, &count);
  if (status != COMITY_OK) return status;
  if (count == 0) return report(COMITY_ERR_NOT_FOUND, "make a communicator: this node has no object of that type");
  seat.object = kNowhere;
  for (std::int32_t index = 0; index < count && seat.object == kNowhere; ++index) {
    std::int32_t encloses = 0;
    status = comity_context_encloses(context, type, index, &encloses);
    if (status != COMITY_OK) return status;
    if (encloses != 0) seat.object = index;
  }
  return COMITY_OK;
}

// Those who sit where I sit, by their ranks in the job's duplicate. Returns how many; all of them find the same.
int find_sharers(const Job& job, const Seat* seats, const Seat& mine, int* sharers) {
  int count = 0;
  for (std::size_t place = 0; place < job.here.size() && mine.object >= 0; ++place) {
    if (seats[place].node == mine.node && seats[place].object == mine.object) sharers[count++] = job.here[place];
  }
  return count;
}

// Collective over the sharers alone. Who ends inside leaves them waiting: MPI has no such call that returns at once.
int part(MPI_Comm everybody, const int* sharers, int count, MPI_Comm* made) {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group some = MPI_GROUP_NULL;
  int code = MPI_Comm_group(everybody, &all);
  if (code == MPI_SUCCESS) code = MPI_Group_incl(all, count, sharers, &some);
  if (code == MPI_SUCCESS) code = MPI_Comm_create_group(everybody, some, kDivideTag, made);
  if (some != MPI_GROUP_NULL) MPI_Group_free(&some);
  if (all != MPI_GROUP_NULL) MPI_Group_free(&all);
  return code;
}

// A duplicate where nobody is parted from the others: it can be waited for without spinning, where a part cannot.
comity_status make(Job& job, const int* sharers, int count) {
  job.made = MPI_COMM_NULL;
  if (count == 0) return COMITY_OK;
  const MPI_Comm everybody = job.everybody.get();
  if (count < job.everybody.size()) {
    return part(everybody, sharers, count, &job.made) == MPI_SUCCESS ? COMITY_OK : COMITY_ERR_MPI;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = MPI_Comm_idup(everybody, &job.made, &request);
  return wait_for(job, code, request);
}

// Collective. `found` is how it went on this rank so far.
comity_status divide(MPI_Comm communicator, Job& job, const Seat& mine, comity_status found, MPI_Comm& shared) {
  const comity_bootstrap bootstrap = job.bootstrap();
  // All the memory that this rank needs is there before it tells the others that it goes on.
  const auto candidates = static_cast<std::size_t>(bootstrap.candidate_size);
  std::unique_ptr<Seat[]> seats(new (std::nothrow) Seat[candidates]);
  const std::unique_ptr<int[]> sharers(new (std::nothrow) int[candidates]);
  if (found == COMITY_OK && (!seats || !sharers)) found = report_no_memory();
  comity_status status = agree(job, found);
  if (status != COMITY_OK) return status;

  status = bootstrap.candidate_gather(bootstrap.self, &mine, seats.get(), sizeof(mine));
  if (status == COMITY_ERR_PEER_LOST) (void)seats.release();  // MPI may still write there
  if (status == COMITY_OK) {
    status = make(job, sharers.get(), find_sharers(job, seats.get(), mine, sharers.get()));
  }
  if (status == COMITY_ERR_PEER_LOST) return status;
  if (status != COMITY_OK) {
    return report(COMITY_ERR_MPI, "make a communicator: MPI could not divide its ranks; see MPI's own message");
  }
  if (job.made != MPI_COMM_NULL) take_errhandler(job.made, communicator);
  shared = job.made;
  return COMITY_OK;
}

}  // namespace
}  // namespace comity::mpi

comity_status comity_context_communicator(comity_context* context, MPI_Comm communicator, comity_type type,
                                          MPI_Comm* shared) {
  using namespace comity::mpi;
  return guard([&] {
    if (shared == nullptr) return report(COMITY_ERR_ARGUMENT, "make a communicator: `shared` is null");
    Seat mine{};
    const comity_status found = find_seat(context, type, mine);
    if (found == COMITY_ERR_HANDLE || found == COMITY_ERR_ARGUMENT) return found;
    comity_status status = require_usable(communicator);
    if (found == COMITY_ERR_PEER_LOST) {  // as all of this node; MPI would wait for the dead
      if (status == COMITY_OK) tell_lost(communicator);
      return found;
    }
    Job* job = nullptr;
    if (status == COMITY_OK) status = find_job(communicator, job);
    return status == COMITY_OK ? divide(communicator, *job, mine, found, *shared) : status;
  });
}
