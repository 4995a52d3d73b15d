// SPDX-License-Identifier: BSD-3-Clause
// What messages of two ranks cost: batches that rank 0 times. Calls go by pointers that the compiler knows nothing of, so
// that the same batch can be made of other functions.
#pragma once

#include <mpi.h>

namespace bench {

struct Calls {
  decltype(&MPI_Isend) volatile isend;
  decltype(&MPI_Irecv) volatile irecv;
  decltype(&MPI_Waitall) volatile waitall;
  decltype(&MPI_Send) volatile send;
  decltype(&MPI_Recv) volatile recv;
  decltype(&MPI_Allreduce) volatile allreduce;
};

// As a program's own calls go.
[[nodiscard]] Calls direct_calls();

// [ns] a message of 8 bytes: windows of 64 from rank 0 to rank 1, which answers each with four bytes.
[[nodiscard]] double message_ns(const Calls& mpi, int rank);
inline constexpr int kMostSmall_bytes = 8;
// The same of so many bytes.
[[nodiscard]] double small_message_ns(const Calls& mpi, int rank, int bytes);

// [ns] a message of 1 MiB: a window of 16 of them, and the answer.
[[nodiscard]] double large_message_ns(const Calls& mpi, int rank);

// 8 bytes there and back, unless told.
void ping_pong(const Calls& mpi, int rank, int bytes = kMostSmall_bytes);

// [ns] half of the way there and back, over many rounds.
[[nodiscard]] double latency_ns(const Calls& mpi, int rank);
[[nodiscard]] double small_latency_ns(const Calls& mpi, int rank, int bytes);

// [ns] a sum of 8 bytes over all ranks.
[[nodiscard]] double allreduce_ns(const Calls& mpi, int rank);

}  // namespace bench
