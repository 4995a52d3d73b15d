// SPDX-License-Identifier: BSD-3-Clause
#include "faults/mpi_calls.hpp"

#include <comity/export.h>
#include <mpi.h>

namespace comity::testing {
namespace {

long alive = 0;
bool refuses_attribute = false;

int made(int code, const MPI_Comm* communicator) {
  if (code == MPI_SUCCESS && *communicator != MPI_COMM_NULL) ++alive;
  return code;
}

}  // namespace

long communicators() { return alive; }
void refuse_next_attribute() { refuses_attribute = true; }

}  // namespace comity::testing

using namespace comity::testing;

// Exported, for the libraries' calls go to the program first.
COMITY_EXPORT int MPI_Comm_idup(MPI_Comm communicator, MPI_Comm* copy, MPI_Request* request) {
  const int code = PMPI_Comm_idup(communicator, copy, request);
  if (code == MPI_SUCCESS) ++alive;  // the handle may come later
  return code;
}

COMITY_EXPORT int MPI_Comm_split(MPI_Comm communicator, int colour, int key, MPI_Comm* part) {
  return made(PMPI_Comm_split(communicator, colour, key, part), part);
}

COMITY_EXPORT int MPI_Comm_create_group(MPI_Comm communicator, MPI_Group group, int tag, MPI_Comm* part) {
  return made(PMPI_Comm_create_group(communicator, group, tag, part), part);
}

COMITY_EXPORT int MPI_Comm_free(MPI_Comm* communicator) {
  --alive;
  return PMPI_Comm_free(communicator);
}

COMITY_EXPORT int MPI_Comm_set_attr(MPI_Comm communicator, int key, void* value) {
  if (!refuses_attribute) return PMPI_Comm_set_attr(communicator, key, value);
  refuses_attribute = false;
  return MPI_ERR_NO_MEM;
}
