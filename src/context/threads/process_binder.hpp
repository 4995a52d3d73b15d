// SPDX-License-Identifier: BSD-3-Clause
// ProcessBinder: moves the threads of this process on the real machine. It reaches every thread but MPI's own and those of
// libraries that slept in poll when helpers were noted (progress threads of MPI, PMIx and UCX). Not: when to move (binding_stack).
#pragma once

#include <pthread.h>

#include <functional>
#include <optional>
#include <vector>

#include "context/binder.hpp"
#include "context/notice.hpp"
#include "context/threads/environment_policy.hpp"
#include "context/threads/roster.hpp"
#include "context/threads/team.hpp"
#include "machine/machine.hpp"

namespace comity::context {

class ProcessBinder final : public Binder {
 public:
  // `policy`: of every move, whatever it asks for; none: each as it asks. `environment`: where policies that work against a
  // push are looked for.
  ProcessBinder(const machine::Machine& machine, std::optional<TeamPolicy> policy, Lookup environment,
                FirstToTell first_to_tell);

  [[nodiscard]] CpuSet binding() const override;
  [[nodiscard]] ThreadMasks masks_of_threads() override;
  [[nodiscard]] Saved move(const CpuSet& mask, const CpuSet* pushed, TeamPolicy teams) override;
  Restored restore(const Saved& saved) noexcept override;
  void give_back(const Saved::Thread& thread) noexcept override;
  CpuSet move_caller(const CpuSet& mask) override;
  std::vector<pid_t> note_helpers() override;

 private:
  // The order in which members get PUs of `mask`: the process's home core first, so that member 0 stays near its data.
  [[nodiscard]] std::vector<std::size_t> member_order(const CpuSet& mask) const;
  void move_threads(Saved& saved);
  [[nodiscard]] CpuSet found_on_main_thread() const;
  [[nodiscard]] CpuSet given_to_main_thread() const;
  struct Undone {
    std::size_t alive = 0;  // of the threads that the move reached
    Restored restored;
  };
  Undone undo(const Saved& saved) const noexcept;
  void reach_newborns(const Saved& saved, Restored& restored);
  [[nodiscard]] int cores_in(const CpuSet& mask);
  void plan_teams(const CpuSet& mask, TeamPolicy policy);
  void plan_team(Team& team, const CpuSet& mask);
  void plan_members(Team& team, const CpuSet& mask);
  void seat(Team& team, int size, const CpuSet& mask);
  [[nodiscard]] CpuSet& target_of(const Roster::Thread& thread);
  void find_teams();
  void report_policies(const CpuSet& mask);
  void report_shrinking(int cores);
  void report_small(const Team& team, int cores);
  [[nodiscard]] pid_t caller();  // the calling thread
  void tell(Notice notice, const std::string& sentence);
  void report_narrow_start(const Team& team, int size);

  const machine::Machine& machine_;
  std::optional<TeamPolicy> policy_;
  Lookup environment_;
  FirstToTell first_to_tell_;
  const pid_t process_;  // in a fork child the binder is another
  CpuSet home_;          // the binding that the process started with
  int home_width_;       // [PUs] of it
  Roster roster_;
  bool threads_changed_ = true;  // since teams were placed
  std::vector<CpuSet> targets_;  // of the move at hand: where each thread of the roster goes
  std::vector<Team*> unplaced_;  // of the move at hand: those that have to be placed from inside a region
  CpuSet counted_mask_;
  int counted_cores_ = 0;    // of counted_mask_; 0: none was counted yet
  std::vector<Team> teams_;  // one a loaded runtime
  bool policies_reported_ = false;
  bool narrow_start_reported_ = false;
  bool small_team_reported_ = false;
  int widest_team_ = 1;  // for which policies that shrink it were looked for
  pthread_t caller_handle_{};
  pid_t caller_ =
      0;  // whose handle that is; 0: to be asked. A handle that another thread took over fits no living member.
};

}  // namespace comity::context
