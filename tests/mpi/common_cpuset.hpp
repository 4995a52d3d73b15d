// SPDX-License-Identifier: BSD-3-Clause
// A real cpuset that all ranks of a job share, and that one of them changes.
#pragma once

#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "capi/cpuset_group.hpp"
#include "mpi/expect.hpp"
#include "os/cpus/affinity.hpp"

namespace comity::testing {

// Of rank 0: the cpuset that all ranks are in while it lives, and two CPUs for it. The others hold nothing.
struct CommonCpuset {
  static constexpr int kSkipped = 77;  // exit code where none can be made

  std::unique_ptr<CpusetGroup> group;
  std::vector<int> processes;
  CpuSet first;
  CpuSet second;

  CommonCpuset() {
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
  ~CommonCpuset() {
    for (const int process : processes) {
      if (group) expect(group->leave(process), "a rank cannot leave the group");
    }
  }
  CommonCpuset(const CommonCpuset&) = delete;
  CommonCpuset& operator=(const CommonCpuset&) = delete;

  [[nodiscard]] bool usable() const {
    int usable = group != nullptr ? 1 : 0;
    MPI_Bcast(&usable, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return usable != 0;
  }

  static void tell_not_tested() {
    if (world_rank != 0) return;
    std::printf("NOT TESTED: it needs two CPUs and the right to make a cgroup with a cpuset (root, version 1 or 2)\n");
  }
};

// A test's main: what it tests, in such a cpuset.
inline int run_in_common_cpuset(int argc, char** argv, void (*test)(const CommonCpuset&)) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  bool usable = false;
  {
    const CommonCpuset common;
    usable = common.usable();
    if (usable) test(common);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (!usable) CommonCpuset::tell_not_tested();
  MPI_Finalize();
  return usable ? finish() : CommonCpuset::kSkipped;
}

}  // namespace comity::testing
