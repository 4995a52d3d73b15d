// SPDX-License-Identifier: BSD-3-Clause
// What the driver in Fortran calls: a run in its steps, without a layout. All of MPI_COMM_WORLD's ranks make each call, but
// for twomesh_solve. A failure that may be one rank's alone ends the job; none leaves these functions.
#pragma once

#include <cstddef>

namespace twomesh::fortran {
struct Run;
}

extern "C" {

// Before MPI starts.
void twomesh_hold_streams();

// The run that the words ask for, each with a zero byte behind it, the program's name first; null where `status` is what to end
// with: help, or bad usage, has been said.
twomesh::fortran::Run* twomesh_open(const char* words, int count, int* status);
// What leaders get, as comity_type; ranks on each, threads of each (0: as many as it has cores), coupled steps.
void twomesh_layout(const twomesh::fortran::Run* run, int* type, int* per, int* threads, int* steps);
// The meshes, with L1's on these ranks, ascending.
void twomesh_begin(twomesh::fortran::Run* run, const int* ranks, int count);

// L0's gas steps; the time that they took.
double twomesh_gas(twomesh::fortran::Run* run);
void twomesh_gather(twomesh::fortran::Run* run);
// On the ranks that have L1's mesh.
void twomesh_solve(twomesh::fortran::Run* run, double dt, int team);
void twomesh_scatter(twomesh::fortran::Run* run);

// Tells the result, frees the run; the status to end with.
int twomesh_end(twomesh::fortran::Run* run);
// Says on rank 0 that leaders cannot get this, frees the run; the status to end with.
int twomesh_refuse(twomesh::fortran::Run* run);
}
