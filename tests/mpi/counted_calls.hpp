// SPDX-License-Identifier: BSD-3-Clause
// The calls of MPI by which a create, or a division, begins to wait, each announced before it is made: for a program whose
// ranks end there. Exported, for the libraries' calls go to the program first. Included once in a program, behind its own
// `before`.
#pragma once

#include <mpi.h>

namespace comity::testing {

enum class Begins { reduction, duplicate, part, message };
void before(Begins call);  // the program's

}  // namespace comity::testing

#define COMITY_TEST_CALL extern "C" __attribute__((visibility("default")))

COMITY_TEST_CALL int MPI_Iallreduce(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op operation,
                                    MPI_Comm communicator, MPI_Request* request) {
  comity::testing::before(comity::testing::Begins::reduction);
  return PMPI_Iallreduce(mine, all, count, type, operation, communicator, request);
}

COMITY_TEST_CALL int MPI_Comm_idup(MPI_Comm communicator, MPI_Comm* copy, MPI_Request* request) {
  comity::testing::before(comity::testing::Begins::duplicate);
  return PMPI_Comm_idup(communicator, copy, request);
}

COMITY_TEST_CALL int MPI_Comm_create_group(MPI_Comm communicator, MPI_Group group, int tag, MPI_Comm* part) {
  comity::testing::before(comity::testing::Begins::part);
  return PMPI_Comm_create_group(communicator, group, tag, part);
}

COMITY_TEST_CALL int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator,
                               MPI_Request* request) {
  comity::testing::before(comity::testing::Begins::message);
  return PMPI_Isend(data, count, type, to, tag, communicator, request);
}
