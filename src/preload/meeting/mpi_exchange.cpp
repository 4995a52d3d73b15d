// SPDX-License-Identifier: BSD-3-Clause
#include "preload/meeting/mpi_exchange.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "interpose/handles.hpp"
#include "real.hpp"

namespace comity::preload {
namespace {

namespace real = interpose::real;

constexpr std::size_t kPiece_bytes = std::size_t{1} << 30U;  // MPI counts in ints
constexpr int kTag = 0;

void check(int code) {
  if (code != MPI_SUCCESS) throw Error(Status::mpi, "bring the ranks' figures together: MPI reports an error");
}

// move(first byte, how many) for all pieces.
template <typename Move>
void by_pieces(std::size_t bytes, Move&& move) {
  for (std::size_t at = 0; at < bytes; at += kPiece_bytes)
    move(at, static_cast<int>(std::min(kPiece_bytes, bytes - at)));
}

MPI_Datatype byte() { return interpose::handles().byte; }

}  // namespace

MpiExchange::MpiExchange() {
  check(real::MPI_Comm_dup(interpose::handles().world, &communicator_));
  real::MPI_Comm_rank(communicator_, &rank_);
  real::MPI_Comm_size(communicator_, &size_);
}

MpiExchange::~MpiExchange() { real::MPI_Comm_free(&communicator_); }

void MpiExchange::send(int to, std::span<const std::byte> bytes) {
  const std::uint64_t count = bytes.size();
  check(real::MPI_Send(&count, sizeof count, byte(), to, kTag, communicator_));
  by_pieces(bytes.size(), [&](std::size_t at, int piece) {
    check(real::MPI_Send(&bytes[at], piece, byte(), to, kTag, communicator_));
  });
}

record::Bytes MpiExchange::receive(int from) {
  std::uint64_t count = 0;
  MPI_Status status;
  check(real::MPI_Recv(&count, sizeof count, byte(), from, kTag, communicator_, &status));
  record::Bytes bytes(count);
  by_pieces(bytes.size(), [&](std::size_t at, int piece) {
    check(real::MPI_Recv(&bytes[at], piece, byte(), from, kTag, communicator_, &status));
  });
  return bytes;
}

std::vector<std::uint64_t> MpiExchange::all_of(std::uint64_t mine) const {
  std::vector<std::uint64_t> all(static_cast<std::size_t>(size_));
  check(real::MPI_Allgather(&mine, sizeof mine, byte(), all.data(), sizeof mine, byte(), communicator_));
  return all;
}

std::uint64_t MpiExchange::first_of(std::uint64_t mine) const {
  check(real::MPI_Bcast(&mine, sizeof mine, byte(), 0, communicator_));
  return mine;
}

}  // namespace comity::preload
