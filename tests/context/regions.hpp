// SPDX-License-Identifier: BSD-3-Clause
// Where the members of OpenMP teams run, and where the kernel lets them.
#pragma once

#include <dlfcn.h>
#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "context/masks.hpp"

namespace comity::testing {

// In how many of the regions two members of the team met on one core.
inline int regions_with_a_shared_core(int regions, int threads) {
  int shared = 0;
  for (int region = 0; region < regions; ++region) {
    std::vector<int> cpus(static_cast<std::size_t>(threads), -1);
#pragma omp parallel num_threads(threads)
    cpus[static_cast<std::size_t>(omp_get_thread_num())] = sched_getcpu();
    shared += have_a_core_each(cpus) ? 0 : 1;
  }
  return shared;
}

// Of members on the cores of these numbers: whether as many have a core of their own as can, and where they are more than
// the cores, none is idle and no PU has two members more than another.
inline bool is_even(const std::vector<int>& core_of_member, const std::vector<Cpus>& cores) {
  std::vector<std::size_t> members(cores.size());
  for (const int core : core_of_member) {
    if (core < 0) return false;
    ++members[static_cast<std::size_t>(core)];
  }
  const std::size_t team = core_of_member.size();
  if (team <= cores.size()) return *std::max_element(members.begin(), members.end()) <= 1;
  std::size_t pus = 0;
  for (const Cpus& core : cores) pus += core.size();
  const std::size_t a_pu = team / pus;
  for (std::size_t core = 0; core < cores.size(); ++core) {
    const std::size_t least = std::max<std::size_t>(a_pu * cores[core].size(), 1);
    const std::size_t most = (team % pus == 0 ? a_pu : a_pu + 1) * cores[core].size();
    if (members[core] < least || members[core] > most) return false;
  }
  return true;
}

// In how many of the regions the kernel lets a member leave its core, or the members are not even on the pushed cores.
inline int regions_not_even(const Context& context, int regions, int threads) {
  const std::vector<Cpus> cores = pushed_cores(context);
  int uneven = 0;
  for (int region = 0; region < regions; ++region) {
    std::vector<int> core_of_member(static_cast<std::size_t>(threads), -1);
#pragma omp parallel num_threads(threads)
    core_of_member[static_cast<std::size_t>(omp_get_thread_num())] = core_around(cores, cpus_of(0));
    uneven += is_even(core_of_member, cores) ? 0 : 1;
  }
  return uneven;
}

// What the members of `outer` teams of `inner` may run on, outer member by outer member.
inline std::vector<Cpus> masks_of_nested_teams(int outer, int inner) {
  std::vector<Cpus> masks(static_cast<std::size_t>(outer * inner));
#pragma omp parallel num_threads(outer)
  {
    const int first = omp_get_thread_num() * inner;
#pragma omp parallel num_threads(inner)
    masks[static_cast<std::size_t>(first + omp_get_thread_num())] = cpus_of(0);
  }
  return masks;
}

inline bool are_in_binding(const std::vector<Cpus>& members, const std::vector<Cpus>& cores) {
  Cpus binding;
  for (const Cpus& core : cores) binding.insert(binding.end(), core.begin(), core.end());
  std::sort(binding.begin(), binding.end());
  return std::all_of(members.begin(), members.end(),
                     [&](const Cpus& cpus) { return !cpus.empty() && core_around({binding}, cpus) == 0; });
}

// Each in the pushed binding, and no two confined to one core: what every runtime can keep.
inline bool have_room(const std::vector<Cpus>& members, const std::vector<Cpus>& cores) {
  std::set<int> confined_to;
  return are_in_binding(members, cores) && std::all_of(members.begin(), members.end(), [&](const Cpus& cpus) {
           const int core = core_around(cores, cpus);
           return core < 0 || confined_to.insert(core).second;
         });
}

// No two of the teams have a CPU in common.
inline bool are_apart(const std::vector<Cpus>& members, int inner) {
  std::map<int, std::size_t> team_of_cpu;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::size_t team = i / static_cast<std::size_t>(inner);
    for (const int cpu : members[i]) {
      if (team_of_cpu.try_emplace(cpu, team).first->second != team) return false;
    }
  }
  return true;
}

// GNU's runtime makes inner teams anew, from their outer members' masks. LLVM's keeps their threads for later ones.
inline bool inner_teams_are_born_anew() { return dlsym(RTLD_DEFAULT, "kmp_get_blocktime") == nullptr; }

// In how many regions members of nested teams, of which there may be more than cores, left the binding, or the share of their
// outer member.
inline int nested_regions_outside(const Context& context, int regions, int outer, int inner) {
  const std::vector<Cpus> cores = pushed_cores(context);
  int outside = 0;
  for (int region = 0; region < regions; ++region) {
    const std::vector<Cpus> members = masks_of_nested_teams(outer, inner);
    outside += are_in_binding(members, cores) && (!inner_teams_are_born_anew() || are_apart(members, inner)) ? 0 : 1;
  }
  return outside;
}

// In how many regions members of nested teams had no room, or left the share of their outer member.
inline int nested_regions_astray(const Context& context, int regions, int outer, int inner) {
  const std::vector<Cpus> cores = pushed_cores(context);
  const bool shares = inner == 1 || inner_teams_are_born_anew();
  int astray = 0;
  for (int region = 0; region < regions; ++region) {
    const std::vector<Cpus> members = masks_of_nested_teams(outer, inner);
    astray += have_room(members, cores) && (!shares || are_apart(members, inner)) ? 0 : 1;
  }
  return astray;
}

}  // namespace comity::testing
