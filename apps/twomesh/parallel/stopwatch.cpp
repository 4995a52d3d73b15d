// SPDX-License-Identifier: BSD-3-Clause
#include "parallel/stopwatch.hpp"

#include "parallel/communicator.hpp"

namespace twomesh::parallel {

SharedClock::SharedClock(MPI_Comm communicator) {
  const Communicator node = Communicator::node(communicator);
  MPI_Barrier(communicator);
  origin_s_ = clock_s(CLOCK_MONOTONIC);
  MPI_Bcast(&origin_s_, 1, MPI_DOUBLE, 0, node.handle());
}

}  // namespace twomesh::parallel
