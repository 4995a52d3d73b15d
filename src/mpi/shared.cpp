// SPDX-License-Identifier: BSD-3-Clause
// comity_context_communicator and _sharers: the ranks of a communicator on this node, divided by the context's node, which may
// be finer, and by the object that encloses each one's binding of now.
#include <comity/comity_mpi.h>

#include <cstdint>
#include <memory>
#include <new>
#include <utility>

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

// Those who sit where I sit, by their ranks in the job's duplicate.
struct Sharers {
  std::unique_ptr<int[]> ranks;
  int count = 0;
};

// All of them find the same.
void find_sharers(const Job& job, const Seat* seats, const Seat& mine, Sharers& sharers) {
  for (std::size_t place = 0; place < job.here.size() && mine.object >= 0; ++place) {
    if (seats[place].node == mine.node && seats[place].object == mine.object) {
      sharers.ranks[static_cast<std::size_t>(sharers.count++)] = job.here[place];
    }
  }
}

comity_status could_not_divide() {
  return report(COMITY_ERR_MPI, "make a communicator: MPI could not divide its ranks; see MPI's own message");
}

// Collective. `found` is how it went on this rank so far.
comity_status meet_sharers(Job& job, const Seat& mine, comity_status found, Sharers& sharers) {
  const comity_bootstrap bootstrap = job.bootstrap();
  // All the memory that this rank needs is there before it tells the others that it goes on.
  const auto candidates = static_cast<std::size_t>(bootstrap.candidate_size);
  std::unique_ptr<Seat[]> seats(new (std::nothrow) Seat[candidates]);
  sharers.ranks.reset(new (std::nothrow) int[candidates]);
  if (found == COMITY_OK && (!seats || !sharers.ranks)) found = report_no_memory();
  comity_status status = agree(job, found);
  if (status != COMITY_OK) return status;

  status = bootstrap.candidate_gather(bootstrap.self, &mine, seats.get(), sizeof(mine));
  if (status == COMITY_ERR_PEER_LOST) {
    (void)seats.release();  // MPI may still write there
    return status;
  }
  if (status != COMITY_OK) return could_not_divide();
  find_sharers(job, seats.get(), mine, sharers);
  return COMITY_OK;
}

// Collective over the communicator: who shares with me an object of the kind.
comity_status find(comity_context* context, MPI_Comm communicator, comity_type type, Job*& job, Sharers& sharers) {
  Seat mine{};
  const comity_status found = find_seat(context, type, mine);
  if (found == COMITY_ERR_HANDLE || found == COMITY_ERR_ARGUMENT) return found;
  comity_status status = require_usable(communicator);
  if (found == COMITY_ERR_PEER_LOST) {  // as all of this node; MPI would wait for the dead
    if (status == COMITY_OK) tell_lost(communicator);
    return found;
  }
  if (status == COMITY_OK) status = find_job(communicator, job);
  return status == COMITY_OK ? meet_sharers(*job, mine, found, sharers) : status;
}

int group_of(MPI_Comm everybody, const Sharers& sharers, MPI_Group* some) {
  MPI_Group all = MPI_GROUP_NULL;
  int code = MPI_Comm_group(everybody, &all);
  if (code == MPI_SUCCESS) code = MPI_Group_incl(all, sharers.count, sharers.ranks.get(), some);
  if (all != MPI_GROUP_NULL) MPI_Group_free(&all);
  return code;
}

// Collective over the sharers alone. Who ends inside leaves them waiting: MPI has no such call that returns at once.
int part(MPI_Comm everybody, const Sharers& sharers, MPI_Comm* made) {
  MPI_Group some = MPI_GROUP_NULL;
  int code = group_of(everybody, sharers, &some);
  if (code == MPI_SUCCESS) code = MPI_Comm_create_group(everybody, some, kDivideTag, made);
  if (some != MPI_GROUP_NULL) MPI_Group_free(&some);
  return code;
}

// Collective over the job. It can be waited for without spinning, and given up, where a part cannot.
comity_status duplicate_everybody(Job& job) { return duplicate(job, job.everybody.get()); }

// A duplicate where nobody is parted from the others.
comity_status make(Job& job, const Sharers& sharers) {
  job.made = MPI_COMM_NULL;
  if (sharers.count == 0) return COMITY_OK;
  if (sharers.count == job.everybody.size()) return duplicate_everybody(job);
  return part(job.everybody.get(), sharers, &job.made) == MPI_SUCCESS ? COMITY_OK : COMITY_ERR_MPI;
}

// How the making went, and what was made.
comity_status take(MPI_Comm communicator, Job& job, comity_status status, MPI_Comm& made) {
  if (status == COMITY_ERR_PEER_LOST) return status;
  if (status != COMITY_OK) return could_not_divide();
  if (job.made != MPI_COMM_NULL) take_errhandler(job.made, communicator);
  made = std::exchange(job.made, MPI_COMM_NULL);
  return COMITY_OK;
}

// Whoever cannot name the sharers has made the duplicate with the others.
comity_status hand_out(MPI_Comm communicator, Job& job, const Sharers& sharers, MPI_Comm& all, MPI_Group& group) {
  MPI_Comm made = MPI_COMM_NULL;
  const comity_status status = take(communicator, job, duplicate_everybody(job), made);
  if (status != COMITY_OK) return status;
  MPI_Group some = MPI_GROUP_NULL;
  if (group_of(made, sharers, &some) != MPI_SUCCESS) {
    MPI_Comm_free(&made);
    return could_not_divide();
  }
  all = made;
  group = some;
  return COMITY_OK;
}

}  // namespace
}  // namespace comity::mpi

comity_status comity_context_communicator(comity_context* context, MPI_Comm communicator, comity_type type,
                                          MPI_Comm* shared) {
  using namespace comity::mpi;
  return guard([&] {
    if (shared == nullptr) return report(COMITY_ERR_ARGUMENT, "make a communicator: `shared` is null");
    Job* job = nullptr;
    Sharers sharers;
    const comity_status status = find(context, communicator, type, job, sharers);
    return status == COMITY_OK ? take(communicator, *job, make(*job, sharers), *shared) : status;
  });
}

comity_status comity_context_sharers(comity_context* context, MPI_Comm communicator, comity_type type, MPI_Comm* all,
                                     MPI_Group* sharers) {
  using namespace comity::mpi;
  return guard([&] {
    if (all == nullptr) return report(COMITY_ERR_ARGUMENT, "find who shares an object: `all` is null");
    if (sharers == nullptr) return report(COMITY_ERR_ARGUMENT, "find who shares an object: `sharers` is null");
    Job* job = nullptr;
    Sharers found;
    const comity_status status = find(context, communicator, type, job, found);
    return status == COMITY_OK ? hand_out(communicator, *job, found, *all, *sharers) : status;
  });
}
