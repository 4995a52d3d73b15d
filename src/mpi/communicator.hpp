// SPDX-License-Identifier: BSD-3-Clause
// Communicator: owns a communicator of ours; errors come back as codes.
#pragma once

#include <mpi.h>

#include <utility>

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
  // From here on it is somebody else's.
  [[nodiscard]] MPI_Comm release() { return std::exchange(handle_, MPI_COMM_NULL); }

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

// As if it were made from the user's communicator: it is divided from ours, whose errors come back to us.
inline void take_errhandler(MPI_Comm made, MPI_Comm communicator) {
  MPI_Errhandler handler = MPI_ERRORS_ARE_FATAL;
  if (MPI_Comm_get_errhandler(communicator, &handler) != MPI_SUCCESS) return;
  MPI_Comm_set_errhandler(made, handler);
  MPI_Errhandler_free(&handler);
}

}  // namespace comity::mpi
