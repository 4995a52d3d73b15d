// SPDX-License-Identifier: BSD-3-Clause
// Error handlers that leave a call of MPI by an exception, or by longjmp: what comes after is still seen.
#include <mpi.h>

#include <csetjmp>
#include <stdexcept>

namespace {

std::jmp_buf back;
bool by_exception = false;

void leave(MPI_Comm*, int*, ...) {
  if (by_exception) throw std::runtime_error("left");
  std::longjmp(back, 1);
}

void fail() {
  const int value = 0;
  MPI_Send(&value, 1, MPI_INT, 4711, 1, MPI_COMM_SELF);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(leave, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  int left = 0;
  if (setjmp(back) == 0)
    fail();
  else
    ++left;
  MPI_Barrier(MPI_COMM_WORLD);
  by_exception = true;
  try {
    fail();
  } catch (const std::runtime_error&) {
    ++left;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return left == 2 ? 0 : 1;
}
