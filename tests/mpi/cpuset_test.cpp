// SPDX-License-Identifier: BSD-3-Clause
// comity_context_communicator right after the cpuset of all ranks has changed: it goes by what is allowed now.
#include "common_cpuset.hpp"

using namespace comity;
using namespace comity::testing;

namespace {

// Frees the communicator.
int size_of(MPI_Comm communicator) {
  if (communicator == MPI_COMM_NULL) return 0;
  int size = 0;
  MPI_Comm_size(communicator, &size);
  MPI_Comm_free(&communicator);
  return size;
}

void change(Context& context, const CommonCpuset& common, const CpuSet& cpus) {
  context.quiesce();  // which looks just before the change
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank == 0) expect(common.group->allow(cpus), "CPUs " + cpus.to_list() + " are refused");
  MPI_Barrier(MPI_COMM_WORLD);
}

void communicators_go_by_what_is_allowed_now(const CommonCpuset& common) {
  Context context = make_context(MPI_COMM_WORLD);
  expect_equal(context.count(Resource::pu), 2, "PUs at first");
  for (const CpuSet& one : {common.first, common.second}) {
    change(context, common, one);
    expect_equal(size_of(shared_communicator(context, MPI_COMM_WORLD, Resource::pu)), context.size(), "on the only PU");
    expect_equal(context.count(Resource::pu), 1, "PUs that are left");
    change(context, common, common.first | common.second);
    expect_equal(size_of(shared_communicator(context, MPI_COMM_WORLD, Resource::machine)), context.size(),
                 "on the node");
    expect_equal(context.count(Resource::pu), 2, "PUs after it has grown");
  }
}

}  // namespace

int main(int argc, char** argv) { return run_in_common_cpuset(argc, argv, communicators_go_by_what_is_allowed_now); }
