/* SPDX-License-Identifier: BSD-3-Clause */
/* A library in C that creates a context on a communicator, lends it to others, and widens its ranks to solve. */
#ifndef TESTS_MPI_SOLVER_H
#define TESTS_MPI_SOLVER_H

#include <comity/comity_mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Runs inside the solver's push, on the context that it lends; returns COMITY_OK to go on. */
typedef comity_status (*solver_step)(comity_context* lent, void* data);

typedef struct solver {
  comity_status (*open)(MPI_Comm communicator, comity_context** context);
  /* Pushes the machine, runs the step, pops. */
  comity_status (*solve)(comity_context* context, solver_step step, void* data);
} solver;

COMITY_EXPORT const solver* solver_library(void);

#ifdef __cplusplus
}
#endif
#endif
