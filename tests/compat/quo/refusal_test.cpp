// SPDX-License-Identifier: BSD-3-Clause
// The kernel refuses every change of a mask: that is QUO_ERR_NOT_SUPPORTED, whatever the kernel calls it, and a push that is
// refused changes nothing.
#include <quo.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "faults/refusal.hpp"
#include "mpi/expect.hpp"

using namespace comity::testing;

namespace {

constexpr int kSkipped = 77;

std::string binding(QUO_context q) {
  char* text = nullptr;
  expect_equal(QUO_stringify_cbind(q, &text), QUO_SUCCESS, "QUO_stringify_cbind");
  const std::string found = text == nullptr ? "?" : text;
  std::free(text);
  return found;
}

bool refusals_are_code_9() {
  QUO_context q = nullptr;
  expect_equal(QUO_create(&q, MPI_COMM_WORLD), QUO_SUCCESS, "QUO_create");
  int last = -1;
  expect_equal(QUO_npus(q, &last), QUO_SUCCESS, "QUO_npus");
  expect_equal(QUO_bind_push(q, QUO_BIND_PUSH_PROVIDED, QUO_OBJ_PU, --last), QUO_SUCCESS, "a push before");
  const std::string before = binding(q);
  bool refused = true;
  for (const int error : {EPERM, EINVAL}) {
    refused = refused && refuse({SYS_sched_setaffinity, error});
    if (!refused) break;
    const int code = QUO_bind_push(q, QUO_BIND_PUSH_PROVIDED, QUO_OBJ_PU, 0);
    expect_equal(code, last > 0 ? QUO_ERR_NOT_SUPPORTED : code, "a refused push");
    expect(last == 0 || binding(q) == before, "a refused push has changed the binding to " + binding(q));
  }
  if (refused) {
    const int popped = QUO_bind_pop(q);
    expect(popped == QUO_SUCCESS || popped == QUO_ERR_NOT_SUPPORTED, "a pop returned " + std::to_string(popped));
    expect_equal(QUO_bind_pop(q), QUO_ERR_POP, "one pop too many");
  }
  expect_equal(QUO_free(q), QUO_SUCCESS, "QUO_free");
  return refused;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  const bool tested = refusals_are_code_9();
  if (!tested && world_rank == 0) std::printf("NOT TESTED: this process may set no filter of system calls (seccomp)\n");
  MPI_Finalize();
  return tested ? finish() : kSkipped;
}
