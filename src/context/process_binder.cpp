// SPDX-License-Identifier: BSD-3-Clause
#include "context/process_binder.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/error.hpp"
#include "base/log.hpp"
#include "context/cores.hpp"
#include "os/affinity.hpp"
#include "os/threads.hpp"

namespace comity::context {
ProcessBinder::ProcessBinder(const machine::Machine& machine, TeamPolicy policy, Lookup environment)
    : machine_(machine), policy_(policy), environment_(std::move(environment)), home_(os::affinity(getpid())) {}

CpuSet ProcessBinder::binding() const { return os::affinity(getpid()); }

void ProcessBinder::note_helpers() {
  std::vector<pid_t> threads;
  os::list_threads(threads);
  std::vector<pid_t> helpers;
  for (const pid_t thread : threads) {
    if (thread == os::this_thread() || thread == getpid()) continue;
    if (is_helper(thread) || os::sleeps_in_poll(thread)) helpers.push_back(thread);
  }
  helpers_ = std::move(helpers);
}

bool ProcessBinder::is_helper(pid_t thread) const {
  return std::binary_search(helpers_.begin(), helpers_.end(), thread);
}

void ProcessBinder::list_reachable() {
  seen_.swap(reachable_);
  os::list_threads(reachable_);
  std::erase_if(reachable_, [&](pid_t thread) { return is_helper(thread); });
}

Saved ProcessBinder::move(const CpuSet& mask, const CpuSet& now) {
  list_reachable();
  Saved saved{now, {}};
  saved.threads.reserve(reachable_.size());
  try {
    move_threads(mask, saved);
    if (policy_ == TeamPolicy::place) place_teams(mask, seen_ != reachable_);
  } catch (...) {
    undo(saved);
    throw;
  }
  return saved;
}

void ProcessBinder::move_threads(const CpuSet& mask, Saved& saved) {
  for (const pid_t thread : reachable_) {
    Saved::Thread before{thread, {}};
    if (!os::affinity_if_alive(thread, before.mask)) continue;
    const int problem = os::set_affinity(thread, mask);
    if (problem == ESRCH) continue;
    if (problem != 0) {
      throw system_error("bind thread " + std::to_string(thread) + " to CPUs " + mask.to_list(), problem,
                         "ask for CPUs that this process may use: `comity topo` shows them");
    }
    saved.threads.push_back(before);
  }
}

void ProcessBinder::undo(const Saved& saved) noexcept {
  for (const Saved::Thread& thread : saved.threads) (void)os::set_affinity(thread.id, thread.mask);
}

void ProcessBinder::restore(const Saved& saved) noexcept {
  undo(saved);
  try {
    reach_newborns(saved);
  } catch (...) {
    log::warning_once("context", "threads born since a push keep its binding: /proc/self/task cannot be listed");
  }
}

void ProcessBinder::reach_newborns(const Saved& saved) {
  list_reachable();
  for (const pid_t thread : reachable_) {
    const bool known = std::any_of(saved.threads.begin(), saved.threads.end(),
                                   [&](const Saved::Thread& before) { return before.id == thread; });
    if (!known) (void)os::set_affinity(thread, saved.process);
  }
}

std::vector<std::size_t> ProcessBinder::member_order(const CpuSet& mask) const {
  std::vector<std::size_t> order = machine_.cores_first(mask);
  const std::optional<std::size_t> home = home_.lowest();
  const auto first = home ? std::find_if(order.begin(), order.end(),
                                         [&](std::size_t pu) { return machine_.siblings(pu).contains(*home); })
                          : order.end();
  if (first == order.end()) return order;
  // Only the first PUs of the cores turn; siblings keep their place at the end, in the same turn.
  const auto cores = static_cast<std::ptrdiff_t>(core_count(machine_, mask));
  const auto offset = first - order.begin();
  if (offset < cores) std::rotate(order.begin(), first, order.begin() + cores);
  return order;
}

void ProcessBinder::find_teams() {
  const std::vector<os::OpenMp>& loaded = os::OpenMp::loaded();
  const auto same = [](const os::OpenMp& runtime, const Team& team) { return runtime == team.runtime(); };
  if (std::equal(loaded.begin(), loaded.end(), teams_.begin(), teams_.end(), same)) return;
  teams_.clear();
  for (const os::OpenMp& runtime : loaded) teams_.emplace_back(runtime);
}

void ProcessBinder::report_policies() {
  if (policies_reported_ || !environment_) return;
  policies_reported_ = true;
  const std::string sentence = describe(fighting_policies(environment_));
  if (!sentence.empty()) log::warning_once("context", sentence);
}

void ProcessBinder::report_narrow_start(const Team& team, int size) {
  if (narrow_start_reported_ || !environment_ || !team.runtime().counts_cpus_at_load()) return;
  if (static_cast<std::size_t>(size) <= home_.count()) return;
  narrow_start_reported_ = true;
  log::warning_once("context",
                    "the launcher bound this rank to CPUs " + home_.to_list() + ", which is all that " +
                        team.runtime().name() + " counted when it was loaded: its team of " + std::to_string(size) +
                        " is placed right, but sleeps at every barrier and may run at half speed; start the "
                        "ranks unbound (mpirun --bind-to none, mpiexec -bind-to none, srun --cpu-bind=none)");
}

void ProcessBinder::place_teams(const CpuSet& mask, bool threads_changed) {
  find_teams();
  if (teams_.empty()) return;
  report_policies();
  if (core_count(machine_, mask) < 2) return;  // the mask alone says it all
  for (Team& team : teams_) {
    if (!team.runtime().in_parallel()) place_team(team, mask, threads_changed);
  }
}

void ProcessBinder::place_team(Team& team, const CpuSet& mask, bool threads_changed) {
  const int cores = core_count(machine_, mask);
  const int size = team.wanted_size(cores);
  report_narrow_start(team, size);
  const Team::Places places =
      places_for(size, mask, member_order(mask), cores, [&](std::size_t pu) { return machine_.siblings(pu); });
  if (threads_changed || !team.fits(size, os::this_thread(), reachable_)) {
    team.place_from_inside(size, places);
    os::list_threads(reachable_);  // the region may have given birth to members
    std::erase_if(reachable_, [&](pid_t thread) { return is_helper(thread); });
    return;
  }
  for (std::size_t i = 0; i < team.threads().size(); ++i) {
    (void)os::set_affinity(team.threads()[i], places[i % places.size()]);
  }
}

}  // namespace comity::context
