/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of sessions alone: MPI_COMM_WORLD is never there. With a word behind it the session is one between MPI_Init and
 * MPI_Finalize. */
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm all;
  int given = 1, total = 0, size = 0;
  if (argc > 1) MPI_Init(&argc, &argv);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "comity", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &all);
  MPI_Comm_size(all, &size);
  MPI_Allreduce(&given, &total, 1, MPI_INT, MPI_SUM, all);
  MPI_Comm_free(&all);
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
  if (argc > 1) MPI_Finalize();
  return total == size ? 0 : 1;
}
