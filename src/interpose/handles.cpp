// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/handles.hpp"

#include "interpose/loaded_mpi.hpp"

namespace comity::interpose {
namespace {

Handles find() {
#ifdef OPEN_MPI
  return {.world = static_cast<MPI_Comm>(real_object("ompi_mpi_comm_world")),
          .no_communicator = static_cast<MPI_Comm>(real_object("ompi_mpi_comm_null")),
          .byte = static_cast<MPI_Datatype>(real_object("ompi_mpi_byte")),
          .no_type = static_cast<MPI_Datatype>(real_object("ompi_mpi_datatype_null"))};
#else
  return {MPI_COMM_WORLD, MPI_COMM_NULL, MPI_BYTE, MPI_DATATYPE_NULL};
#endif
}

}  // namespace

const Handles& handles() {
  static const Handles found = find();
  return found;
}

}  // namespace comity::interpose
