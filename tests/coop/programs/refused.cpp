// SPDX-License-Identifier: BSD-3-Clause
// refused CASE...: a rank that is refused the memory to know who is in a communicator ends its collective with an error, and not with
// a call that those of the others do not match. Started with MPI_THREAD_MULTIPLE, where collectives become nonblocking ones.
#include <cstdlib>
#include <new>

#include "cases.h"

namespace {

bool refuses = false;  // once

void gather(MPI_Comm twin, int* code) {
  int all[64] = {-1};
  *code = MPI_Gather(&me, 1, MPI_INT, all, 1, MPI_INT, 0, twin);
  for (int rank = 0; *code == MPI_SUCCESS && me == 0 && rank < size; ++rank) {
    expect(all[rank] == rank, "other numbers were gathered");
  }
}
void barrier(MPI_Comm twin, int* code) { *code = MPI_Barrier(twin); }

// Rank 0 makes the call again. Each other one makes it once: it would wait for ever for a call of another kind.
template <void (*kCall)(MPI_Comm, int*)>
void refuse_first() {
  MPI_Comm twin;
  int code = MPI_SUCCESS;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Comm_set_errhandler(twin, MPI_ERRORS_RETURN);
  if (me == 0) {
    refuses = true;
    kCall(twin, &code);
    expect(!refuses, "nothing was asked for that could be refused");
    expect(code == MPI_ERR_NO_MEM, "the call does not say that there is no memory");
  }
  kCall(twin, &code);
  expect(code == MPI_SUCCESS, "the call has failed where memory is there");
  MPI_Comm_free(&twin);
}

}  // namespace

void* operator new(std::size_t bytes) {
  void* const memory = refuses ? nullptr : std::malloc(bytes);
  refuses = false;
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }

int main(int argc, char** argv) {
  const Case cases[] = {{"gather", refuse_first<gather>}, {"barrier", refuse_first<barrier>}};
  MPI_Init(&argc, &argv);
  run_cases(cases, sizeof cases / sizeof cases[0], argc - 1, argv + 1);
  MPI_Finalize();
  return 0;
}
