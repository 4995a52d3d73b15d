// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/handles.hpp"

#include "interpose/loaded_mpi.hpp"

namespace comity::interpose {
namespace {

#ifdef OPEN_MPI
std::array<MPI_Op, 10> reductions() {
  const auto op = [](const char* name) { return static_cast<MPI_Op>(real_object(name)); };
  return {op("ompi_mpi_op_sum"),  op("ompi_mpi_op_prod"), op("ompi_mpi_op_max"),  op("ompi_mpi_op_min"),
          op("ompi_mpi_op_land"), op("ompi_mpi_op_lor"),  op("ompi_mpi_op_band"), op("ompi_mpi_op_bor"),
          op("ompi_mpi_op_lxor"), op("ompi_mpi_op_bxor")};
}
#endif

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
          .integer = static_cast<MPI_Datatype>(real_object("ompi_mpi_int")),
          .reductions = reductions(),
          .errors_return = static_cast<MPI_Errhandler>(real_object("ompi_mpi_errors_return")),
          .unweighted = MPI_UNWEIGHTED,
          .weights_empty = MPI_WEIGHTS_EMPTY};
#else
  const auto word = [](const char* name) { return *static_cast<int* const*>(real_object(name)); };
  return {MPI_COMM_WORLD,
          MPI_COMM_SELF,
          MPI_COMM_NULL,
          MPI_BYTE,
          MPI_PACKED,
          MPI_INFO_NULL,
          MPI_DATATYPE_NULL,
          MPI_REQUEST_NULL,
          MPI_OP_NULL,
          MPI_INT,
          {MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_LAND, MPI_LOR, MPI_BAND, MPI_BOR, MPI_LXOR, MPI_BXOR},
          MPI_ERRORS_RETURN,
          word("MPI_UNWEIGHTED"),
          word("MPI_WEIGHTS_EMPTY")};
#endif
}

}  // namespace

const Handles& handles() {
  static const Handles found = find();
  return found;
}

}  // namespace comity::interpose
