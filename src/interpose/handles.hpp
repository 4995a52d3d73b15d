// SPDX-License-Identifier: BSD-3-Clause
// MPI's constant handles. Where they are addresses in the MPI's library they are looked up there: our library is loaded
// into processes without an MPI too, and before one that comes late, so it may not need their names.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>

namespace comity::interpose {

// Places among the operations of MPI's own.
inline constexpr std::size_t kBitwiseAnd = 6;

struct Handles {
  MPI_Comm world;
  MPI_Comm self;
  MPI_Comm no_communicator;
  MPI_Datatype byte;
  MPI_Datatype packed;
  MPI_Info no_info;
  MPI_Datatype no_type;
  MPI_Request no_request;
  MPI_Op no_operation;
  MPI_Datatype integer;  // a C int
  std::array<MPI_Op, 10> reductions;
  MPI_Errhandler errors_return;
  const int* unweighted;
  const int* weights_empty;
};

[[nodiscard]] const Handles& handles();

}  // namespace comity::interpose
