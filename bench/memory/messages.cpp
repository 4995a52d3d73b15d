// SPDX-License-Identifier: BSD-3-Clause
#include "common/messages.hpp"

#include <cstdlib>

#include "memory/cases.hpp"

namespace bench::memory {
namespace {

constexpr double kCase_ns = 4e8;  // launches are many

// A program that takes memory for each message and gives it back.
int allocating_isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator,
                     MPI_Request* request) {
  void* const block = std::malloc(256);
  use(block);
  const int code = MPI_Isend(data, count, type, to, tag, communicator, request);
  std::free(block);
  return code;
}

int allocating_irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm communicator,
                     MPI_Request* request) {
  void* const block = std::malloc(256);
  use(block);
  const int code = MPI_Irecv(data, count, type, from, tag, communicator, request);
  std::free(block);
  return code;
}

Calls allocating_calls() {
  Calls calls = direct_calls();
  calls.isend = &allocating_isend;
  calls.irecv = &allocating_irecv;
  return calls;
}

}  // namespace

std::vector<Outcome> messages(int rank) {
  const Calls mpi = direct_calls();
  const Calls allocating = allocating_calls();
  return {repeat("message_rate_1B", mpi, rank, kWindows, 1, kCase_ns),
          repeat("message_rate_1B_allocating", allocating, rank, kWindows, 1, kCase_ns),
          repeat("latency_1B", mpi, rank, kPingPongs, 1, kCase_ns),
          repeat("bandwidth_1MiB", mpi, rank, kLargeWindows, 0, kCase_ns)};
}

}  // namespace bench::memory
