// SPDX-License-Identifier: BSD-3-Clause
// MpiExchange: bytes between the ranks of MPI_COMM_WORLD, on a communicator of our own.
#pragma once

#include <mpi.h>

#include "record/merge/exchange.hpp"

namespace comity::preload {

// Made and destroyed between MPI_Init and MPI_Finalize, collectively. Throws Status::mpi where MPI reports an error, if it
// returns at all: the program's error handler may end the job.
class MpiExchange final : public record::Exchange {
 public:
  MpiExchange();
  ~MpiExchange() override;

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  void send(int to, std::span<const std::byte> bytes) override;
  [[nodiscard]] record::Bytes receive(int from) override;

  // Everybody's number, in the order of the ranks.
  [[nodiscard]] std::vector<std::uint64_t> all_of(std::uint64_t mine) const;
  // Rank 0's.
  [[nodiscard]] std::uint64_t first_of(std::uint64_t mine) const;

 private:
  MPI_Comm communicator_{};
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace comity::preload
