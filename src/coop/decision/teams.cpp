// SPDX-License-Identifier: BSD-3-Clause
#include "coop/decision/teams.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <vector>

#include "os/cpus/affinity.hpp"
#include "os/threads/openmp.hpp"
#include "os/threads/threads.hpp"

namespace comity::coop {
namespace {

// Open MPI 4 tells ranks what it did, and the user's words of its command line or of their shell.
constexpr std::string_view kWasBound = "OMPI_MCA_orte_bound_at_launch";
constexpr std::array<std::string_view, 12> kWishes{"OMPI_MCA_hwloc_base_binding_policy",
                                                   "OMPI_MCA_hwloc_base_cpu_list",
                                                   "OMPI_MCA_hwloc_base_cpu_set",
                                                   "OMPI_MCA_orte_rankfile",
                                                   "OMPI_MCA_rmaps_rank_file_path",
                                                   "OMPI_MCA_rmaps_base_mapping_policy",
                                                   "OMPI_MCA_rmaps_base_bycore",
                                                   "OMPI_MCA_rmaps_base_bysocket",
                                                   "OMP_PROC_BIND",
                                                   "OMP_PLACES",
                                                   "GOMP_CPU_AFFINITY",
                                                   "KMP_AFFINITY"};

// Of the largest team that the program would get by asking for none.
std::uint32_t threads_of_this_rank() {
  int most = 1;
  for (const os::OpenMp& runtime : os::OpenMp::loaded()) most = std::max(most, runtime.max_threads());
  return static_cast<std::uint32_t>(most);
}

// A launcher's daemon runs wherever the job may.
CpuSet mask_of_the_launcher(const CpuSet& own) {
  CpuSet mask;
  return os::affinity_if_alive(::getppid(), mask) && mask.encloses(own) ? mask : own;
}

bool has_spinning_team(const Lookup& variable) {
  const auto& runtimes = os::OpenMp::loaded();
  return gnu_spins_unasked(variable) && std::any_of(runtimes.begin(), runtimes.end(), [](const os::OpenMp& runtime) {
           return !runtime.sleeps_on_demand() && runtime.max_threads() > 1;
         });
}

}  // namespace

bool is_bound_by_default(const Lookup& variable) {
  return variable(kWasBound) == "1" && std::none_of(kWishes.begin(), kWishes.end(),
                                                    [&](std::string_view name) { return variable(name).has_value(); });
}

RankFacts facts_of_this_rank(const Lookup& variable, bool may_spread) {
  RankFacts facts;
  facts.mask = os::affinity(os::this_thread());
  facts.reach = may_spread ? mask_of_the_launcher(facts.mask) : facts.mask;
  facts.threads = threads_of_this_rank();
  facts.has_spinning_team = has_spinning_team(variable) ? 1 : 0;
  return facts;
}

void spread(const RankFacts& rank) {
  std::vector<pid_t> threads;
  os::list_threads(threads);
  for (const pid_t thread : threads) {
    CpuSet now;
    if (!os::affinity_if_alive(thread, now) || now != rank.mask || os::sleeps_in_poll(thread)) continue;
    (void)os::set_affinity(thread, rank.reach);  // where that fails the thread stays, which is no worse than before
  }
}

void let_idle_threads_sleep(const Lookup& variable) {
  for (const os::OpenMp& runtime : os::OpenMp::loaded()) {
    const bool is_left_to_us = runtime.is_gnu() ? gnu_spins_unasked(variable) : may_set_block_time(variable);
    if (is_left_to_us) runtime.sleep_when_idle();
  }
}

}  // namespace comity::coop
