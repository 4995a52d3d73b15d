// SPDX-License-Identifier: BSD-3-Clause
// Where the members of an OpenMP team run.
#pragma once

#include <omp.h>
#include <sched.h>

#include <set>
#include <vector>

namespace comity::testing {

// In how many of the regions two members of the team met on one CPU.
inline int regions_with_a_shared_cpu(int regions, int threads) {
  int shared = 0;
  for (int region = 0; region < regions; ++region) {
    std::vector<int> cpus(static_cast<std::size_t>(threads), -1);
#pragma omp parallel num_threads(threads)
    cpus[static_cast<std::size_t>(omp_get_thread_num())] = sched_getcpu();
    if (std::set<int>(cpus.begin(), cpus.end()).size() != cpus.size()) ++shared;
  }
  return shared;
}

}  // namespace comity::testing
