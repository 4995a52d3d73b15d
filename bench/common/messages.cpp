// SPDX-License-Identifier: BSD-3-Clause
#include "common/messages.hpp"

#include <array>
#include <vector>

namespace bench {
namespace {

constexpr int kLarge_bytes = 1 << 20;
constexpr int kTag = 1;

// `data` goes in all messages of the window at once, as in OSU's bandwidth.
template <std::size_t kMessages>
void pass(const Calls& mpi, int rank, void* data, int bytes) {
  std::array<MPI_Request, kMessages> requests{};
  for (MPI_Request& request : requests) {
    if (rank == 0) {
      mpi.isend(data, bytes, MPI_BYTE, 1, kTag, MPI_COMM_WORLD, &request);
    } else {
      mpi.irecv(data, bytes, MPI_BYTE, 0, kTag, MPI_COMM_WORLD, &request);
    }
  }
  mpi.waitall(kMessages, requests.data(), MPI_STATUSES_IGNORE);
}

// Rank 1 tells rank 0 that it has all.
void answer(const Calls& mpi, int rank) {
  int all = 0;
  if (rank == 0) {
    mpi.recv(&all, 1, MPI_INT, 1, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    mpi.send(&all, 1, MPI_INT, 0, kTag, MPI_COMM_WORLD);
  }
}

void count_parts(std::vector<double>& values, int parts) {
  for (double& value : values) value /= parts;
}

}  // namespace

Calls direct_calls() { return {&MPI_Isend, &MPI_Irecv, &MPI_Waitall, &MPI_Send, &MPI_Recv, &MPI_Allreduce}; }

void pass_window(const Calls& mpi, int rank, int bytes) {
  static std::array<char, kMostSmall_bytes> data{};
  pass<kWindow>(mpi, rank, data.data(), bytes);
  answer(mpi, rank);
}

void pass_large_window(const Calls& mpi, int rank, int /*bytes*/) {
  static std::vector<char> data(kLarge_bytes);
  pass<kLargeWindow>(mpi, rank, data.data(), kLarge_bytes);
  answer(mpi, rank);
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

void allreduce(const Calls& mpi, int /*rank*/, int /*bytes*/) {
  double mine = 1;
  double sum = 0;
  mpi.allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

Outcome repeat(const std::string& name, const Calls& mpi, int rank, const Exchange& exchange, int bytes,
               double most_ns) {
  Outcome outcome{name, "ns", "bare MPI", {}, {}};
  repeat_together(
      outcome, exchange.most, [&] { exchange.once(mpi, rank, bytes); }, most_ns);
  count_parts(outcome.values, exchange.parts);
  return outcome;
}

Outcome alternate(const std::string& name, const Calls& mpi, const Calls& reference, int rank,
                  const Exchange& exchange) {
  Outcome outcome{name, "ns", "bare MPI", {}, {}};
  alternate_together(
      outcome, exchange.most, [&] { exchange.once(mpi, rank, kMostSmall_bytes); },
      [&] { exchange.once(reference, rank, kMostSmall_bytes); });
  count_parts(outcome.values, exchange.parts);
  count_parts(outcome.references, exchange.parts);
  return outcome;
}

}  // namespace bench
