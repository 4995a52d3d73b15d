// SPDX-License-Identifier: BSD-3-Clause
// What the replacements of messages and completions share: a call of MPI as the test of a wait, and whom a message
// concerns.
#pragma once

#include <mpi.h>

#include "coop/cooperation.hpp"
#include "coop/wait.hpp"
#include "real.hpp"

namespace comity::coop {

namespace real = interpose::real;

// look(&flag): a call of MPI that tells by its flag whether it is over. Returns its code.
template <typename Look>
int wait_for(Cooperation& here, Look&& look) {
  int code = MPI_SUCCESS;
  wait_until(here.peers, [&] {
    int over = 0;
    code = look(&over);
    return over != 0 || code != MPI_SUCCESS;
  });
  return code;
}

inline int finish(Cooperation& here, MPI_Request& request, MPI_Status* status) {
  return wait_for(here, [&](int* over) { return real::MPI_Test(&request, over, status); });
}

// A message to or from that rank is under way: it may sleep until this one has done its part, now and later.
inline void tell(Cooperation& here, MPI_Comm communicator, int rank) {
  if (rank == MPI_ANY_SOURCE) return here.peers.owe_everybody();
  const int peer = here.peer(communicator, rank);
  here.peers.owe(peer);
  here.peers.ring(peer);
}

// The same of the target of an operation on a window.
inline void tell_target(Cooperation& here, MPI_Win window, int rank) {
  const int peer = here.peer_of_window(window, rank);
  here.peers.owe(peer);
  here.peers.ring(peer);
}

// The same to all ranks of this node, where the call does not say whom it concerns.
inline void tell_everybody(Cooperation& here) {
  here.peers.owe_everybody();
  here.peers.ring_those_owed();
}

// A call that starts something with ranks that it does not name.
template <auto kReal>
struct Started;
template <class... A, int (*kReal)(A...)>
struct Started<kReal> {
  static int call(A... a) {
    const int code = kReal(a...);
    Cooperation* const here = at_work();
    if (here != nullptr && code == MPI_SUCCESS) tell_everybody(*here);
    return code;
  }
};

}  // namespace comity::coop
