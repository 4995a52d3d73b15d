// SPDX-License-Identifier: BSD-3-Clause
// The last rank dies while the others wait for it, under a launcher that keeps the job going: QUO tells them, by QUO_ERR_SYS.
// Each survivor says so in one line, which death_test.sh counts.
#include <quo.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace {

int rank = 0;

void expect(int found, int wanted, const char* call) {
  if (found == wanted) return;
  std::printf("FAIL: rank %d: %s returned %d, expected %d\n", rank, call, found, wanted);
  (void)std::fflush(stdout);
  _exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  int size = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  QUO_context q = nullptr;
  int selected = -1;
  int length = 0;
  int* list = nullptr;
  expect(QUO_create(&q, MPI_COMM_WORLD), QUO_SUCCESS, "QUO_create");
  const int met = QUO_barrier(q);  // who is slow to leave it may hear of the death already
  expect(met == QUO_ERR_SYS ? QUO_SUCCESS : met, QUO_SUCCESS, "QUO_barrier of all");
  if (rank == size - 1) (void)std::raise(SIGKILL);
  expect(QUO_barrier(q), QUO_ERR_SYS, "QUO_barrier");
  expect(QUO_barrier(q), QUO_ERR_SYS, "QUO_barrier again");
  expect(QUO_auto_distrib(q, QUO_OBJ_PU, 1, &selected), QUO_ERR_SYS, "QUO_auto_distrib");
  expect(selected, 0, "the result of QUO_auto_distrib");
  expect(QUO_qids_in_type(q, QUO_OBJ_MACHINE, 0, &length, &list), QUO_SUCCESS, "QUO_qids_in_type");
  std::free(list);
  expect(QUO_bind_push(q, QUO_BIND_PUSH_PROVIDED, QUO_OBJ_PU, 0), QUO_SUCCESS, "QUO_bind_push");
  expect(QUO_bind_pop(q), QUO_SUCCESS, "QUO_bind_pop");
  expect(QUO_free(q), QUO_SUCCESS, "QUO_free");
  std::printf("rank %d survived\n", rank);
  (void)std::fflush(stdout);
  _exit(0);  // MPI_Finalize would wait for the dead
}
