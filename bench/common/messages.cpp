// SPDX-License-Identifier: BSD-3-Clause
#include "common/messages.hpp"

#include <array>
#include <vector>

#include "common/timing.hpp"

namespace bench {
namespace {

constexpr int kWindow = 64;  // messages on their way at once, as in OSU's multi-pair message rate
constexpr int kWindows = 200;
constexpr int kLargeWindow = 16;
constexpr int kLarge_bytes = 1 << 20;
constexpr int kRounds = 2000;  // of a message there and back, and of a sum
constexpr int kTag = 1;

// Rank 1 tells rank 0 that it has all.
void answer(const Calls& mpi, int rank) {
  int all = 0;
  if (rank == 0) {
    mpi.recv(&all, 1, MPI_INT, 1, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    mpi.send(&all, 1, MPI_INT, 0, kTag, MPI_COMM_WORLD);
  }
}

}  // namespace

Calls direct_calls() { return {&MPI_Isend, &MPI_Irecv, &MPI_Waitall, &MPI_Send, &MPI_Recv, &MPI_Allreduce}; }

double message_ns(const Calls& mpi, int rank) { return small_message_ns(mpi, rank, kMostSmall_bytes); }

double small_message_ns(const Calls& mpi, int rank, int bytes) {
  static std::array<double, kWindow> data{};
  std::array<MPI_Request, kWindow> requests{};
  const double start_ns = now_ns();
  for (int window = 0; window < kWindows; ++window) {
    for (std::size_t i = 0; i < kWindow; ++i) {
      if (rank == 0) {
        mpi.isend(&data[i], bytes, MPI_BYTE, 1, kTag, MPI_COMM_WORLD, &requests[i]);
      } else {
        mpi.irecv(&data[i], bytes, MPI_BYTE, 0, kTag, MPI_COMM_WORLD, &requests[i]);
      }
    }
    mpi.waitall(kWindow, requests.data(), MPI_STATUSES_IGNORE);
    answer(mpi, rank);
  }
  return (now_ns() - start_ns) / (kWindows * kWindow);
}

double large_message_ns(const Calls& mpi, int rank) {
  static std::vector<char> data(kLarge_bytes);  // one for all, as in OSU's bandwidth
  std::array<MPI_Request, kLargeWindow> requests{};
  const double start_ns = now_ns();
  for (MPI_Request& request : requests) {
    if (rank == 0) {
      mpi.isend(data.data(), kLarge_bytes, MPI_BYTE, 1, kTag, MPI_COMM_WORLD, &request);
    } else {
      mpi.irecv(data.data(), kLarge_bytes, MPI_BYTE, 0, kTag, MPI_COMM_WORLD, &request);
    }
  }
  mpi.waitall(kLargeWindow, requests.data(), MPI_STATUSES_IGNORE);
  answer(mpi, rank);
  return (now_ns() - start_ns) / kLargeWindow;
}

void ping_pong(const Calls& mpi, int rank, int bytes) {
  double ball = 0;
  if (rank == 0) {
    mpi.send(&ball, bytes, MPI_BYTE, 1, kTag, MPI_COMM_WORLD);
    mpi.recv(&ball, bytes, MPI_BYTE, 1, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    mpi.recv(&ball, bytes, MPI_BYTE, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    mpi.send(&ball, bytes, MPI_BYTE, 0, kTag, MPI_COMM_WORLD);
  }
}

double latency_ns(const Calls& mpi, int rank) { return small_latency_ns(mpi, rank, kMostSmall_bytes); }

double small_latency_ns(const Calls& mpi, int rank, int bytes) {
  return time_loop(kRounds, [&] { ping_pong(mpi, rank, bytes); }) / 2;
}

double allreduce_ns(const Calls& mpi, int /*rank*/) {
  double mine = 1;
  double sum = 0;
  return time_loop(kRounds, [&] { mpi.allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); });
}

}  // namespace bench
