// SPDX-License-Identifier: BSD-3-Clause
#include "coop/decision/teams.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "os/code/symbol.hpp"
#include "os/cpus/affinity.hpp"
#include "os/threads/openmp.hpp"
#include "os/threads/threads.hpp"

namespace comity::coop {
namespace {

// Open MPI 4 tells ranks what it did, and the user's words of its command line or of their shell.
constexpr std::string_view kWasBound = "OMPI_MCA_orte_bound_at_launch";
constexpr std::array<std::string_view, 8> kWishesOfLaunchers{
    "OMPI_MCA_hwloc_base_binding_policy", "OMPI_MCA_hwloc_base_cpu_list",
    "OMPI_MCA_hwloc_base_cpu_set",        "OMPI_MCA_orte_rankfile",
    "OMPI_MCA_rmaps_rank_file_path",      "OMPI_MCA_rmaps_base_mapping_policy",
    "OMPI_MCA_rmaps_base_bycore",         "OMPI_MCA_rmaps_base_bysocket"};
constexpr std::array<std::string_view, 4> kWishesOfTeams{"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY",
                                                         "KMP_AFFINITY"};

constexpr int kPoolOfItsOwn = 1;  // of openblas_get_parallel(); 0: no threads, 2: those of OpenMP

template <typename Function>
Function* openblas_function(const char* name) {
  return reinterpret_cast<Function*>(os::find_symbol(name));
}

bool is_told_openblas(const Lookup& variable) {
  return std::any_of(kOwnThreadsOfOpenBlas.begin(), kOwnThreadsOfOpenBlas.end(),
                     [&](std::string_view name) { return variable(name).has_value(); });
}

// Many programs have it for a few calls, and it takes all cores unless told, so it counts where somebody has told.
int threads_of_openblas(const Lookup& variable) {
  if (!variable(kTeamSize) && !is_told_openblas(variable)) return 1;
  const auto count = openblas_function<int()>("openblas_get_num_threads");
  return count == nullptr ? 1 : count();
}

// Of the largest team that the program would get by asking for none.
std::uint32_t threads_of_this_rank(const Lookup& variable) {
  int most = threads_of_openblas(variable);
  for (const os::OpenMp& runtime : os::OpenMp::loaded()) most = std::max(most, runtime.most_threads());
  return static_cast<std::uint32_t>(most);
}

bool has_any(const Lookup& variable, std::span<const std::string_view> names) {
  return std::ranges::any_of(names, [&](std::string_view name) { return variable(name).has_value(); });
}

// A launcher's daemon runs wherever the job may.
CpuSet mask_of_the_launcher(const CpuSet& own) {
  CpuSet mask;
  return os::affinity_if_alive(::getppid(), mask) && mask.encloses(own) ? mask : own;
}

bool has_team() {
  const auto& runtimes = os::OpenMp::loaded();
  return std::any_of(runtimes.begin(), runtimes.end(),
                     [](const os::OpenMp& runtime) { return runtime.most_threads() > 1; });
}

bool has_spinning_team(const Lookup& variable) {
  const auto& runtimes = os::OpenMp::loaded();
  return gnu_spins_unasked(variable) && std::any_of(runtimes.begin(), runtimes.end(), [](const os::OpenMp& runtime) {
           return !runtime.sleeps_on_demand() && runtime.most_threads() > 1;
         });
}

// A member of LLVM's teams begins where the process could run when the runtime was loaded, not where its creator runs: so they are to be
// there before they are moved.
void start_members_that_begin_elsewhere() {
  for (const os::OpenMp& runtime : os::OpenMp::loaded()) {
    if (!runtime.is_gnu() && runtime.max_threads() > 1) runtime.rest_team();
  }
}

}  // namespace

bool is_bound_by_default(const Lookup& variable) {
  return variable(kWasBound) == "1" && !has_any(variable, kWishesOfLaunchers) && !has_any(variable, kWishesOfTeams);
}

RankFacts facts_of_this_rank(const Lookup& variable, bool may_spread) {
  RankFacts facts;
  facts.mask = os::affinity(os::this_thread());
  const CpuSet everywhere = mask_of_the_launcher(facts.mask);
  facts.reach = may_spread ? everywhere : facts.mask;
  // Who is bound nowhere is to be anywhere, and so are the members of its team.
  facts.is_free = facts.reach == everywhere && !has_any(variable, kWishesOfTeams) ? 1 : 0;
  facts.threads = threads_of_this_rank(variable);
  facts.has_spinning_team = has_spinning_team(variable) ? 1 : 0;
  return facts;
}

std::vector<pid_t> move_threads(const RankFacts& rank, const CpuSet& to) {
  start_members_that_begin_elsewhere();
  std::vector<pid_t> threads;
  os::list_threads(threads);
  std::vector<pid_t> left_alone;
  for (const pid_t thread : threads) {
    CpuSet now;
    if (!os::affinity_if_alive(thread, now)) continue;
    if (now != rank.mask || os::sleeps_in_poll(thread)) {
      left_alone.push_back(thread);
    } else {
      (void)os::set_affinity(thread, to);  // where that fails the thread stays, which is no worse than before
    }
  }
  return left_alone;
}

std::vector<os::GnuSpin> let_idle_threads_sleep(const Lookup& variable) {
  std::vector<os::GnuSpin> gnu;
  for (const os::OpenMp& runtime : os::OpenMp::loaded()) {
    if (!runtime.is_gnu()) {
      if (may_set_block_time(variable)) runtime.sleep_when_idle();
    } else if (gnu_is_left_to_us(variable)) {
      if (const auto spin = runtime.gnu_spin()) gnu.push_back(*spin);
    }
  }
  for (const os::GnuSpin& one : gnu) one.stop();
  return gnu;
}

void let_openblas_compute_alone(const Lookup& variable) {
  if (is_told_openblas(variable) || !has_team()) return;
  const auto kind = openblas_function<int()>("openblas_get_parallel");
  const auto set_threads = openblas_function<void(int)>("openblas_set_num_threads");
  if (kind == nullptr || set_threads == nullptr) return;
  if (kind() == kPoolOfItsOwn) set_threads(1);
}

}  // namespace comity::coop
