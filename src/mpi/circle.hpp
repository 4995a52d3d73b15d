// SPDX-License-Identifier: BSD-3-Clause
// Circle: some ranks of a communicator, in an order, each of which knows its own place.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>

namespace comity::mpi {

class Circle {
 public:
  // All ranks of it.
  explicit Circle(MPI_Comm communicator) : communicator_(communicator) {
    MPI_Comm_rank(communicator, &own_);
    MPI_Comm_size(communicator, &size_);
  }
  // Those alone. `own`: where I stand among them.
  Circle(MPI_Comm communicator, std::span<const int> ranks, int own)
      : communicator_(communicator), ranks_(ranks), own_(own), size_(static_cast<int>(ranks.size())) {}

  [[nodiscard]] MPI_Comm communicator() const { return communicator_; }
  [[nodiscard]] int own() const { return own_; }
  [[nodiscard]] int size() const { return size_; }
  // In the communicator, of the one at a place.
  [[nodiscard]] int rank(int place) const { return ranks_.empty() ? place : ranks_[static_cast<std::size_t>(place)]; }

 private:
  MPI_Comm communicator_;
  std::span<const int> ranks_;  // empty: all
  int own_ = 0;
  int size_ = 1;
};

}  // namespace comity::mpi
