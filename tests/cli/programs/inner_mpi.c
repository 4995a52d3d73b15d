/* SPDX-License-Identifier: BSD-3-Clause */
/* An MPI that is linked into its program. */
int MPI_Init(int* argc, char*** argv);
int MPI_Finalize(void);
int MPI_Send(const void* data, int count);

int MPI_Init(int* argc, char*** argv) { return *argc == 0 || *argv == 0; }
int MPI_Finalize(void) { return 0; }
int MPI_Send(const void* data, int count) { return data == 0 && count != 0; }
