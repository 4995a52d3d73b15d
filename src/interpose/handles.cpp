// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/handles.hpp"

#include "interpose/loaded_mpi.hpp"

namespace comity::interpose {
namespace {

Handles find() {
#ifdef OPEN_MPI
  return {.world = static_cast<MPI_Comm>(real_object("ompi_mpi_comm_world")),
          .self = static_cast<MPI_Comm>(real_object("ompi_mpi_comm_self")),
          .no_communicator = static_cast<MPI_Comm>(real_object("ompi_mpi_comm_null")),
          .byte = static_cast<MPI_Datatype>(real_object("ompi_mpi_byte")),
          .packed = static_cast<MPI_Datatype>(real_object("ompi_mpi_packed")),
          .no_info = static_cast<MPI_Info>(real_object("ompi_mpi_info_null")),
          .no_type = static_cast<MPI_Datatype>(real_object("ompi_mpi_datatype_null")),
          .no_request = static_cast<MPI_Request>(real_object("ompi_request_null")),
          .no_operation = static_cast<MPI_Op>(real_object("ompi_mpi_op_null")),
          .errors_return = static_cast<MPI_Errhandler>(real_object("ompi_mpi_errors_return")),
          .unweighted = MPI_UNWEIGHTED,
          .weights_empty = MPI_WEIGHTS_EMPTY};
#else
  const auto word = [](const char* name) { return *static_cast<int* const*>(real_object(name)); };
  return {MPI_COMM_WORLD, MPI_COMM_SELF,     MPI_COMM_NULL,          MPI_BYTE,
          MPI_PACKED,     MPI_INFO_NULL,     MPI_DATATYPE_NULL,      MPI_REQUEST_NULL,
          MPI_OP_NULL,    MPI_ERRORS_RETURN, word("MPI_UNWEIGHTED"), word("MPI_WEIGHTS_EMPTY")};
#endif
}

}  // namespace

const Handles& handles() {
  static const Handles found = find();
  return found;
}

}  // namespace comity::interpose
