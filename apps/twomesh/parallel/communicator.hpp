// SPDX-License-Identifier: BSD-3-Clause
// A communicator of our own, freed with this object.
#pragma once

#include <mpi.h>

#include <utility>

namespace twomesh::parallel {

[[nodiscard]] inline int rank_in(MPI_Comm communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  return rank;
}

[[nodiscard]] inline int size_of(MPI_Comm communicator) {
  int size = 0;
  MPI_Comm_size(communicator, &size);
  return size;
}

class Communicator {
 public:
  // Collective over `parent`: the ranks that are `inside`, in their order; empty on the others.
  [[nodiscard]] static Communicator subset(MPI_Comm parent, bool inside) {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_split(parent, inside ? 0 : MPI_UNDEFINED, rank_in(parent), &made);
    return Communicator(made);
  }
  // Collective over `parent`: the ranks of my node.
  [[nodiscard]] static Communicator node(MPI_Comm parent) {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_split_type(parent, MPI_COMM_TYPE_SHARED, rank_in(parent), MPI_INFO_NULL, &made);
    return Communicator(made);
  }

  Communicator(Communicator&& other) noexcept : handle_(std::exchange(other.handle_, MPI_COMM_NULL)) {}
  Communicator& operator=(Communicator&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator() {
    if (handle_ != MPI_COMM_NULL) MPI_Comm_free(&handle_);
  }

  [[nodiscard]] MPI_Comm handle() const { return handle_; }

 private:
  explicit Communicator(MPI_Comm handle) : handle_(handle) {}

  MPI_Comm handle_;
};

}  // namespace twomesh::parallel
