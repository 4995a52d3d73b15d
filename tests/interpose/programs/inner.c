/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of functions inside which one MPI or the other calls functions of its own, and a file that is written beside. Each rank by
   itself; the word is a file to write. */
#include <mpi.h>
#include <stdio.h>

enum { kMany = 100000 }; /* more than a library keeps room for on its stack */
static int numbers[kMany];

static void exchange(void) {
  MPI_Status status;
  MPI_Sendrecv_replace(numbers, kMany, MPI_INT, 0, 1, 0, 1, MPI_COMM_SELF, &status);
  MPI_Sendrecv_replace(numbers, kMany, MPI_INT, MPI_PROC_NULL, 1, MPI_PROC_NULL, 1, MPI_COMM_SELF, &status);
}

static void use_the_names_of_mpi_1(void) {
  int length = 1, keyval = MPI_KEYVAL_INVALID;
  MPI_Aint place = 0;
  MPI_Datatype part = MPI_INT, whole;
  MPI_Type_struct(1, &length, &place, &part, &whole);
  MPI_Type_free(&whole);
  MPI_Errhandler_set(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &keyval, NULL);
  MPI_Attr_put(MPI_COMM_SELF, keyval, numbers);
}

static void write_a_file(const char* path) {
  char name[1000];
  MPI_File file;
  MPI_Request request;
  MPI_Status status;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(name, sizeof name, "%s.%d", path, rank);
  MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                &file);
  MPI_File_iwrite(file, numbers, kMany, MPI_INT, &request);
  MPI_Wait(&request, &status);
  MPI_File_close(&file);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  MPI_Init(&argc, &argv);
  exchange();
  use_the_names_of_mpi_1();
  write_a_file(argv[1]);
  MPI_Finalize();
  return 0;
}
