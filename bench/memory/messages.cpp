// SPDX-License-Identifier: BSD-3-Clause
#include "common/messages.hpp"

#include <cstdlib>

#include "common/together.hpp"
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

template <typename Batch>
Outcome batches(const char* name, Batch&& batch) {
  Outcome outcome{name, "ns", "bare MPI", {}, {}};
  (void)batch();
  const double start_ns = now_ns();
  int loops = 0;
  do {
    outcome.values.push_back(batch());
  } while (all_go_on(++loops, start_ns, kCase_ns));
  return outcome;
}

}  // namespace

std::vector<Outcome> messages(int rank) {
  const Calls mpi = direct_calls();
  const Calls allocating = allocating_calls();
  return {batches("message_rate_1B", [&] { return small_message_ns(mpi, rank, 1); }),
          batches("message_rate_1B_allocating", [&] { return small_message_ns(allocating, rank, 1); }),
          batches("latency_1B", [&] { return small_latency_ns(mpi, rank, 1); }),
          batches("bandwidth_1MiB", [&] { return large_message_ns(mpi, rank); })};
}

}  // namespace bench::memory
