// SPDX-License-Identifier: BSD-3-Clause
// What messages of two ranks cost, by rank 0's clock. Calls go by pointers that the compiler knows nothing of, so that the same
// exchange can be made of other functions.
#pragma once

#include <mpi.h>

#include <string>

#include "common/together.hpp"

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

inline constexpr int kMostSmall_bytes = 8;

// What is made again and again: how often in a loop at most, and how many of what is counted one of it has.
struct Exchange {
  void (*once)(const Calls& mpi, int rank, int bytes);
  int most;
  int parts;
};

// 64 messages from rank 0 to rank 1 on their way at once, as in OSU's multi-pair message rate; rank 1 answers with four bytes.
void pass_window(const Calls& mpi, int rank, int bytes = kMostSmall_bytes);
inline constexpr int kWindow = 64;
inline constexpr Exchange kWindows{&pass_window, 200, kWindow};

// The same of 16 messages of 1 MiB, whatever `bytes` says.
void pass_large_window(const Calls& mpi, int rank, int bytes = 0);
inline constexpr int kLargeWindow = 16;
inline constexpr Exchange kLargeWindows{&pass_large_window, 3, kLargeWindow};

// There and back; half of that counts.
void ping_pong(const Calls& mpi, int rank, int bytes = kMostSmall_bytes);
inline constexpr Exchange kPingPongs{&ping_pong, 2000, 2};

// A sum of 8 bytes over all ranks, whatever the others say.
void allreduce(const Calls& mpi, int rank = 0, int bytes = 0);
inline constexpr Exchange kAllreduces{&allreduce, 2000, 1};

// [ns] each part of it, on the terms of repeat_together.
[[nodiscard]] Outcome repeat(const std::string& name, const Calls& mpi, int rank, const Exchange& exchange,
                             int bytes = kMostSmall_bytes, double most_ns = kTogetherCase_ns);
// And beside the same with other functions, on the terms of alternate_together.
[[nodiscard]] Outcome alternate(const std::string& name, const Calls& mpi, const Calls& reference, int rank,
                                const Exchange& exchange);

}  // namespace bench
