// SPDX-License-Identifier: BSD-3-Clause
// Communicator: owns a communicator of ours; errors come back as codes.
#pragma once

#include <mpi.h>

namespace comity::mpi {

class Communicator {
 public:
  Communicator() = default;
  explicit Communicator(MPI_Comm owned) : handle_(owned) {}
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator() {
    if (handle_ != MPI_COMM_NULL) MPI_Comm_free(&handle_);
  }

  [[nodiscard]] MPI_Comm get() const { return handle_; }
  [[nodiscard]] MPI_Comm* out() { return &handle_; }

  [[nodiscard]] int rank() const {
    int rank = 0;
    MPI_Comm_rank(handle_, &rank);
    return rank;
  }
  [[nodiscard]] int size() const {
    int size = 0;
    MPI_Comm_size(handle_, &size);
    return size;
  }

 private:
  MPI_Comm handle_ = MPI_COMM_NULL;
};

}  // namespace comity::mpi
