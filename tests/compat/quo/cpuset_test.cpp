// SPDX-License-Identifier: BSD-3-Clause
// A cpuset that has changed since QUO_create is seen by the next QUO_barrier and QUO_auto_distrib, and by no count or number before
// those; a binding is the kernel's word at once. LIBQUO names another library.
#include <quo.h>

#include <string>

#include "binding_text.hpp"
#include "judged.hpp"
#include "mpi/common_cpuset.hpp"

using namespace comity;
using namespace comity::testing;

namespace {

int pus(QUO_context q) {
  int count = -1;
  expect_equal(QUO_npus(q, &count), QUO_SUCCESS, "QUO_npus");
  return count;
}

void change(const CommonCpuset& common, const CpuSet& cpus) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank == 0) expect(common.group->allow(cpus), "CPUs " + cpus.to_list() + " are refused");
  MPI_Barrier(MPI_COMM_WORLD);
}

// Whatever else has changed: a number that a call has told means the same object in the next.
void a_push_before_the_barrier_is_cut(QUO_context q) {
  const std::string left = os::affinity(::getpid()).to_list();
  expect_equal(pus(q), 2, "PUs before the barrier");
  expect_equal(QUO_bind_push(q, QUO_BIND_PUSH_PROVIDED, QUO_OBJ_MACHINE, 0), QUO_SUCCESS, "push");
  expect_equal(conform::binding(q), left, "what the kernel has left of a push of the machine");
  expect_equal(pus(q), 2, "PUs after a push");
  expect_equal(QUO_bind_pop(q), QUO_SUCCESS, "pop");
}

void counts_follow_the_cpuset(const CommonCpuset& common) {
  QUO_context q = nullptr;
  expect_equal(QUO_create(&q, MPI_COMM_WORLD), QUO_SUCCESS, "QUO_create");
  expect_equal(pus(q), 2, "PUs at first");
  for (const CpuSet& one : {common.first, common.second}) {
    change(common, one);
    a_push_before_the_barrier_is_cut(q);
    expect_equal(QUO_barrier(q), QUO_SUCCESS, "QUO_barrier");
    expect_equal(pus(q), 1, "PUs that are left");
    change(common, common.first | common.second);
    int selected = -1;
    expect_equal(QUO_auto_distrib(q, QUO_OBJ_MACHINE, 1, &selected), QUO_SUCCESS, "QUO_auto_distrib");
    expect_equal(selected, world_rank == 0 ? 1 : 0, "selected");
    expect_equal(pus(q), 2, "PUs after it has grown");
  }
  expect_equal(QUO_free(q), QUO_SUCCESS, "QUO_free");
}

}  // namespace

int main(int argc, char** argv) {
  conform::load_the_library_to_judge(argv);
  return run_in_common_cpuset(argc, argv, counts_follow_the_cpuset);
}
