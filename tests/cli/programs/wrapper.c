/* SPDX-License-Identifier: BSD-3-Clause */
/* A tool that is linked into its program: it wraps a function of MPI. */
int MPI_Init(int* argc, char*** argv);
int PMPI_Init(int* argc, char*** argv);

int MPI_Init(int* argc, char*** argv) { return PMPI_Init(argc, argv); }
