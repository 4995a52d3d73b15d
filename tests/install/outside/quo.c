/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of QUO's: built with mpicc and the words of quo-info or pkg-config. */
#include <quo.h>
#include <stdio.h>

int main(int argc, char** argv) {
  QUO_context q = NULL;
  int qid = -1;
  int qids = -1;
  MPI_Init(&argc, &argv);
  if (QUO_create(&q, MPI_COMM_WORLD) != QUO_SUCCESS) return 1;
  if (QUO_id(q, &qid) != QUO_SUCCESS || QUO_nqids(q, &qids) != QUO_SUCCESS) return 1;
  printf("c: qid %d of %d\n", qid, qids);
  if (QUO_free(q) != QUO_SUCCESS) return 1;
  MPI_Finalize();
  return 0;
}
