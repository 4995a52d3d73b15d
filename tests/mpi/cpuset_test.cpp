// SPDX-License-Identifier: BSD-3-Clause
// comity_context_communicator right after the cpuset of all ranks has changed: it goes by what is allowed now.
#include <unistd.h>

#include <memory>
#include <vector>

#include "capi/cpuset_group.hpp"
#include "expect.hpp"
#include "os/cpus/affinity.hpp"

using namespace comity;
using namespace comity::testing;

namespace {

constexpr int kSkipped = 77;

// Of rank 0: the cpuset that all ranks are in while it lives, and two CPUs for it. The others hold nothing.
struct Common {
  std::unique_ptr<CpusetGroup> group;
  std::vector<int> processes;
  CpuSet first;
  CpuSet second;

  Common() {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    processes.resize(static_cast<std::size_t>(ranks));
    const int mine = ::getpid();
    MPI_Gather(&mine, 1, MPI_INT, processes.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
    const CpuSet cpus = os::affinity(mine);
    if (world_rank != 0 || cpus.count() < 2) return;
    first = CpuSet{*cpus.lowest()};
    second = CpuSet{*(cpus - first).lowest()};
    group = CpusetGroup::make("comity-test-mpi-" + std::to_string(mine));
    if (!group) return;
    expect(group->allow(first | second), "two CPUs are refused");
    for (const int process : processes) expect(group->enter(process), "a rank cannot enter the group");
  }
  ~Common() {
    for (const int process : processes) {
      if (group) expect(group->leave(process), "a rank cannot leave the group");
    }
  }
  Common(const Common&) = delete;
  Common& operator=(const Common&) = delete;

  [[nodiscard]] bool usable() const {
    int usable = group != nullptr ? 1 : 0;
    MPI_Bcast(&usable, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return usable != 0;
  }
};

// Frees the communicator.
int size_of(MPI_Comm communicator) {
  if (communicator == MPI_COMM_NULL) return 0;
  int size = 0;
  MPI_Comm_size(communicator, &size);
  MPI_Comm_free(&communicator);
  return size;
}

void change(Context& context, const Common& common, const CpuSet& cpus) {
  context.quiesce();  // which looks just before the change
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank == 0) expect(common.group->allow(cpus), "CPUs " + cpus.to_list() + " are refused");
  MPI_Barrier(MPI_COMM_WORLD);
}

void communicators_go_by_what_is_allowed_now(const Common& common) {
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

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  bool usable = false;
  {
    const Common common;
    usable = common.usable();
    if (usable) communicators_go_by_what_is_allowed_now(common);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (!usable && world_rank == 0) {
    std::printf("NOT TESTED: it needs two CPUs and the right to make a cgroup with a cpuset (root, version 1 or 2)\n");
  }
  MPI_Finalize();
  return usable ? finish() : kSkipped;
}
