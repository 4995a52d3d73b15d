// SPDX-License-Identifier: BSD-3-Clause
// Job: the ranks of a communicator as the bootstrap sees them. Its two communicators of our own, a duplicate, so that our
// messages meet nobody else's, and MPI's shared split of that, are made by the first create on a communicator and stay
// with it as an attribute: later creates make none. Invariant: on all ranks of a communicator or on none, for it is made
// and freed by collective calls on it.
#pragma once

#include <comity/bootstrap.h>

#include "mpi/communicator.hpp"

namespace comity::mpi {

struct Job {
  Communicator everybody;
  Communicator node;

  [[nodiscard]] comity_bootstrap bootstrap();
};

// COMITY_OK: MPI runs, and this is an intra-communicator; else the failure, reported.
[[nodiscard]] comity_status require_usable(MPI_Comm communicator);

// Collective over the communicator where it has no job yet. COMITY_OK, or the failure with its sentence reported, the same
// on all ranks. The job lives as long as the communicator.
[[nodiscard]] comity_status find_job(MPI_Comm communicator, Job*& job);

// Collective over the job: the largest of all ranks' codes, on each of them. Whose own it is has reported its sentence.
[[nodiscard]] comity_status agree(Job& job, comity_status mine);

}  // namespace comity::mpi
