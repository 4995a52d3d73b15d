/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators as Fortran names them, turned into C's for comity_mpi.h. Called by module comity alone. */
#include <comity/comity_mpi.h>

_Static_assert(sizeof(MPI_Fint) == sizeof(int),
               "this MPI's Fortran handles are not of C's int, as module comity takes them");

/* Only an MPI that is up can turn a handle: without one the C function tells so of any handle. */
static MPI_Comm communicator_of(int communicator) {
  int started = 0;
  int ended = 0;
  MPI_Initialized(&started);
  MPI_Finalized(&ended);
  return started && !ended ? MPI_Comm_f2c(communicator) : MPI_COMM_NULL;
}

// Untouched on failure.
static comity_status hand_over(comity_status status, MPI_Comm made, int* handle) {
  if (status == COMITY_OK) *handle = MPI_Comm_c2f(made);
  return status;
}

comity_status comity_fortran_create(int communicator, comity_context** context) {
  return comity_context_create(communicator_of(communicator), context);
}

comity_status comity_fortran_communicator(comity_context* context, int communicator, comity_type type, int* shared) {
  MPI_Comm made = MPI_COMM_NULL;
  const comity_status status = comity_context_communicator(context, communicator_of(communicator), type, &made);
  return hand_over(status, made, shared);
}

comity_status comity_fortran_sharers(comity_context* context, int communicator, comity_type type, int* all,
                                     int* sharers) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  const comity_status status = comity_context_sharers(context, communicator_of(communicator), type, &made, &group);
  if (status == COMITY_OK) *sharers = MPI_Group_c2f(group);
  return hand_over(status, made, all);
}

comity_status comity_fortran_cart(int communicator, int32_t dimensions, const int32_t* extents, const int32_t* periodic,
                                  const int64_t* halo, comity_place_objective objective, int* cart) {
  MPI_Comm made = MPI_COMM_NULL;
  const comity_status status =
      comity_place_cart_create(communicator_of(communicator), dimensions, extents, periodic, halo, objective, &made);
  return hand_over(status, made, cart);
}

comity_status comity_fortran_graph(int communicator, int64_t edges, const int32_t* from, const int32_t* to,
                                   const int64_t* weights, comity_place_objective objective, int* graph) {
  MPI_Comm made = MPI_COMM_NULL;
  const comity_status status =
      comity_place_graph_create(communicator_of(communicator), edges, from, to, weights, objective, &made);
  return hand_over(status, made, graph);
}
