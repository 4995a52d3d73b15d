// SPDX-License-Identifier: BSD-3-Clause
// Job: the ranks of a communicator as the bootstrap sees them: a duplicate of it, so that our messages meet nobody else's,
// and who of its ranks is on this node. Made by the first create on a communicator, it stays with it as an attribute: later
// creates make none. Invariant: on all ranks of a communicator or on none, for it is made and freed by collective calls on it.
#pragma once

#include <comity/bootstrap.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "mpi/absence.hpp"
#include "mpi/circle.hpp"
#include "mpi/communicator.hpp"

namespace comity::mpi {

struct Job {
  MPI_Comm users = MPI_COMM_NULL;  // the user's, while the first create on it makes the job
  Communicator everybody;
  std::vector<int> here;  // of its ranks those on this node, ascending
  int place = 0;          // mine among them
  // A rank has ended while this one waited for it in MPI, where what has begun does not end: a job is never freed then, and
  // nothing is begun on it.
  Loss lost;  // as Absence tells it, in the form in which others are told
  // Of what is under way, for MPI may hold on to them longer than the call that began it.
  std::int64_t mine = 0;
  std::int64_t result = 0;
  MPI_Comm made = MPI_COMM_NULL;

  [[nodiscard]] comity_bootstrap bootstrap();
  [[nodiscard]] Lines lines() const { return {everybody.get(), users}; }
  [[nodiscard]] Circle all() const { return Circle(everybody.get()); }
  [[nodiscard]] Circle node() const { return {everybody.get(), here, place}; }
};

// COMITY_OK: MPI runs, and this is an intra-communicator; else the failure, reported.
[[nodiscard]] comity_status require_usable(MPI_Comm communicator);

// Collective over the communicator where it has no job yet. COMITY_OK, or the failure with its sentence reported, the same
// on all ranks. The job lives as long as the communicator.
[[nodiscard]] comity_status find_job(MPI_Comm communicator, Job*& job);

// A rank of this node has ended, as this node alone has found: ranks of other nodes that wait on the communicator are told.
void tell_lost(MPI_Comm communicator);

// Collective over the job: the largest of all ranks' codes, on each of them. Whose own it is has reported its sentence.
[[nodiscard]] comity_status agree(Job& job, comity_status mine);

// A wait for others of the job, as wait_patiently; remembers who is lost. `started`: what MPI answered to the call that
// begins it.
[[nodiscard]] comity_status wait_for(Job& job, int started, MPI_Request& request);

// Collective over `original`, one of the job's: a duplicate in job.made. COMITY_ERR_MPI, for the caller to report, or as wait_for.
[[nodiscard]] comity_status duplicate(Job& job, MPI_Comm original);

// gather_blocks over the job's ranks or some of them; remembers who is lost.
[[nodiscard]] comity_status gather_from(Job& job, const Circle& circle, const void* mine, std::size_t block_bytes,
                                        void* all);

// For a wait that has lost a rank: MPI may still write there. Returns that code.
template <typename T>
comity_status leave_to_mpi(std::vector<T>& memory) {
  (void)new (std::nothrow) std::vector<T>(std::move(memory));
  return COMITY_ERR_PEER_LOST;
}

}  // namespace comity::mpi
