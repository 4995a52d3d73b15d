// SPDX-License-Identifier: BSD-3-Clause
// comity_context_communicator: the ranks of MPI's shared split of a communicator, divided by the context's node, which may
// be finer, and by the object that encloses each one's binding of now.
#include <comity/comity_mpi.h>

#include <cstdint>
#include <memory>
#include <new>

#include "mpi/guard.hpp"
#include "mpi/job.hpp"
#include "mpi/patience.hpp"
#include "mpi/report.hpp"

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

// The lowest candidate that sits where I sit names our colour.
int colour_of(const Seat* seats, const Seat& mine) {
  if (mine.object < 0) return MPI_UNDEFINED;
  int colour = 0;
  while (seats[colour].node != mine.node || seats[colour].object != mine.object) ++colour;
  return colour;
}

// Whether all candidates sit where I sit; then all of them find so.
bool sit_together(const Seat* seats, int count, const Seat& mine) {
  for (int rank = 0; rank < count; ++rank) {
    if (seats[rank].node != mine.node || seats[rank].object != mine.object) return false;
  }
  return mine.object >= 0;
}

// A duplicate where nobody is parted from the others: it can be waited for without spinning, where a split cannot.
comity_status split(Job& job, const Seat* seats, const Seat& mine, const comity_bootstrap& bootstrap) {
  job.made = MPI_COMM_NULL;
  const MPI_Comm node = job.node.get();
  if (!sit_together(seats, bootstrap.candidate_size, mine)) {
    const int code = MPI_Comm_split(node, colour_of(seats, mine), bootstrap.candidate_rank, &job.made);
    return code == MPI_SUCCESS ? COMITY_OK : COMITY_ERR_MPI;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = MPI_Comm_idup(node, &job.made, &request);
  return wait_for(job, code, request, Absence(node, node));
}

// Collective. `found` is how it went on this rank so far.
comity_status divide(MPI_Comm communicator, Job& job, const Seat& mine, comity_status found, MPI_Comm& shared) {
  const comity_bootstrap bootstrap = job.bootstrap();
  // All the memory that this rank needs is there before it tells the others that it goes on.
  const std::unique_ptr<Seat[]> seats(new (std::nothrow) Seat[static_cast<std::size_t>(bootstrap.candidate_size)]);
  if (found == COMITY_OK && !seats) found = report_no_memory();
  comity_status status = agree(job, found);
  if (status != COMITY_OK) return status;

  status = bootstrap.candidate_gather(bootstrap.self, &mine, seats.get(), sizeof(mine));
  if (status == COMITY_OK) status = split(job, seats.get(), mine, bootstrap);
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
    if (found == COMITY_ERR_PEER_LOST) return found;  // as all of this node; MPI would wait for the dead
    comity_status status = require_usable(communicator);
    Job* job = nullptr;
    if (status == COMITY_OK) status = find_job(communicator, job);
    return status == COMITY_OK ? divide(communicator, *job, mine, found, *shared) : status;
  });
}
