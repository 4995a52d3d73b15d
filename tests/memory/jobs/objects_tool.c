/* SPDX-License-Identifier: BSD-3-Clause */
/* Another tool of MPI's profiling interface, that passes on what makes and ends objects. */
#include <mpi.h>

int MPI_Comm_dup(MPI_Comm communicator, MPI_Comm* made) { return PMPI_Comm_dup(communicator, made); }
int MPI_Comm_group(MPI_Comm communicator, MPI_Group* made) {
  const int code = PMPI_Comm_group(communicator, made);
  return code == MPI_SUCCESS && *made == MPI_GROUP_NULL ? MPI_ERR_OTHER : code; /* stays on the stack while it calls */
}
int MPI_Group_free(MPI_Group* group) {
  const int code = PMPI_Group_free(group);
  return code == MPI_SUCCESS && *group != MPI_GROUP_NULL ? MPI_ERR_OTHER : code;
}
int MPI_Info_create(MPI_Info* made) {
  const int code = PMPI_Info_create(made);
  return code == MPI_SUCCESS && *made == MPI_INFO_NULL ? MPI_ERR_OTHER : code;
}
