// SPDX-License-Identifier: BSD-3-Clause
// Team: the members of one thread's OpenMP pool, and giving each a core of its own. Not: other threads of the process
// (process_binder). Invariant: while `fits()` holds, threads()[i] is the kernel id of member i.
// Source: DESIGN "OpenMP": masks first, then a pin from inside one tiny region; the region is needed only when the
// process's threads have changed.
#pragma once

#include <sys/types.h>

#include <vector>

#include "base/cpu_set.hpp"
#include "context/threads/roster.hpp"
#include "os/threads/openmp.hpp"

namespace comity::context {

class Team {
 public:
  // Where member i goes: a mask each, wrapping around when the team is larger.
  using Places = std::vector<CpuSet>;

  explicit Team(os::OpenMp runtime) : runtime_(std::move(runtime)), can_run_(runtime_.can_run_teams()) {}

  [[nodiscard]] const os::OpenMp& runtime() const { return runtime_; }
  [[nodiscard]] bool can_run() const { return can_run_; }  // in this process, for good
  // How many members a region of the calling thread may get: all cores, or more where the user asked for more.
  [[nodiscard]] int wanted_size(int cores) const;
  // How many of them start inner teams of their own, where teams nest; `cores` where they do not.
  [[nodiscard]] int outer_members(int cores) const;
  // Whether the last placing still describes the pool: same caller, same size, every member still alive.
  [[nodiscard]] bool fits(int size, pid_t caller, const Roster& alive) const;
  // Where the members of a team of `size` on `mask` belong, until the next seat().
  void seat(int size, int outer, const CpuSet& mask, Places places);
  [[nodiscard]] bool is_seated(int size, int outer, const CpuSet& mask) const {
    return size == size_ && outer == outer_ && mask == mask_;
  }
  [[nodiscard]] const CpuSet& place(std::size_t member) const { return places_[member % places_.size()]; }
  // Enters a region of as many members as are seated; each pins itself and is noted. `idle`: what they do afterwards.
  void place_from_inside(os::OpenMp::Idle idle);
  [[nodiscard]] const std::vector<pid_t>& threads() const { return threads_; }
  // How many showed up at the last placing.
  [[nodiscard]] int members() const;

 private:
  os::OpenMp runtime_;
  bool can_run_;
  int size_ = 0;
  int outer_ = 0;
  CpuSet mask_;
  Places places_;
  std::vector<pid_t> threads_;  // by member index, as of the last placing; 0 where a member did not show up
};

// A mask for each member of a team of `size` on `mask`: whole cores while there are enough, then single PUs, first PUs of
// all cores before their siblings. `pus_cores_first` is the machine's order of the PUs in `mask`, `siblings(pu)` a core.
template <typename Siblings>
Team::Places places_for(int size, const CpuSet& mask, const std::vector<std::size_t>& pus_cores_first, int cores,
                        const Siblings& siblings) {
  Team::Places places;
  const std::size_t distinct =
      static_cast<std::size_t>(size <= cores ? size : static_cast<int>(pus_cores_first.size()));
  for (std::size_t i = 0; i < distinct; ++i) {
    CpuSet place{pus_cores_first[i]};
    if (size <= cores) place = siblings(pus_cores_first[i]) & mask;
    places.push_back(place);
  }
  return places;
}

// Where teams nest: each of the first `outer` members gets a share of the places instead of one, for the inner team that it
// starts: GNU's runtime makes that anew for each region, from the outer member's mask.
inline Team::Places with_shares(const Team::Places& places, int outer) {
  Team::Places shares = places;
  const auto members = static_cast<std::size_t>(outer);
  for (std::size_t i = 0; i < members; ++i) {
    shares[i] = CpuSet();
    for (std::size_t j = i * places.size() / members; j < (i + 1) * places.size() / members; ++j)
      shares[i] |= places[j];
  }
  return shares;
}

}  // namespace comity::context
