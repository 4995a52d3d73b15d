// SPDX-License-Identifier: BSD-3-Clause
#include "context/threads/process_binder.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/error.hpp"
#include "base/log.hpp"
#include "context/cores.hpp"
#include "os/cpus/affinity.hpp"
#include "os/threads/threads.hpp"

namespace comity::context {
namespace {

// 0, or why a thread has not got its mask back. One that the move left where it was has it, unless somebody moved it
// meanwhile; where the kernel does not say, it is given all the same.
int put_back(const Saved::Thread& thread) noexcept {
  CpuSet mask;
  try {
    if (!thread.moved && !os::affinity_if_alive(thread.id, mask)) return ESRCH;
  } catch (const Error&) {
    return os::set_affinity(thread.id, thread.mask);
  }
  return !thread.moved && mask == thread.mask ? 0 : os::set_affinity(thread.id, thread.mask);
}

// Who has read the environment of this process.
Readers readers() {
  Readers readers{false, false};
  for (const os::OpenMp& runtime : os::OpenMp::loaded()) {
    (runtime.counts_cpus_at_load() ? readers.gnu : readers.llvm) = true;
  }
  return readers;
}

}  // namespace

ProcessBinder::ProcessBinder(const machine::Machine& machine, std::optional<TeamPolicy> policy, Lookup environment,
                             FirstToTell first_to_tell)
    : machine_(machine),
      policy_(policy),
      environment_(std::move(environment)),
      first_to_tell_(std::move(first_to_tell)),
      process_(getpid()),
      home_(os::affinity(process_)),
      home_width_(static_cast<int>(home_.count())) {}

CpuSet ProcessBinder::binding() const { return os::affinity(process_); }

ThreadMasks ProcessBinder::masks_of_threads() {
  threads_changed_ = roster_.look() || threads_changed_;
  ThreadMasks masks{{}, found_on_main_thread()};
  for (const Roster::Thread& thread : roster_.threads()) masks.all |= thread.mask;
  return masks;
}

// Pushes come from the same thread over and over; only another one has to ask the kernel for its number.
pid_t ProcessBinder::caller() {
  if (caller_ == 0 || pthread_equal(pthread_self(), caller_handle_) == 0) {
    caller_handle_ = pthread_self();
    caller_ = os::this_thread();
  }
  return caller_;
}

std::vector<pid_t> ProcessBinder::note_helpers() {
  roster_.note_helpers();
  return roster_.helpers();
}

// Every thread is moved once, straight to where it belongs; only a team that has changed is first widened and then placed
// from inside a region.
Saved ProcessBinder::move(const CpuSet& mask, const CpuSet* pushed, TeamPolicy teams) {
  const TeamPolicy policy = policy_.value_or(teams);
  threads_changed_ = roster_.look() || threads_changed_;
  targets_.assign(roster_.threads().size(), mask);
  unplaced_.clear();
  find_teams();
  if (!teams_.empty()) report_policies(mask);
  if (policy != TeamPolicy::leave) plan_teams(mask, policy);
  Saved saved{pushed == nullptr ? found_on_main_thread() : *pushed, {}, {}};
  saved.threads.reserve(targets_.size());
  try {
    move_threads(saved);
    if (!unplaced_.empty()) caller_ = 0;  // threads have changed: its handle may be another's by now
    // The teams of several runtimes share the cores, and the program uses one at a time: the others must not spin there.
    const auto idle = teams_.size() > 1 ? os::OpenMp::Idle::asleep : os::OpenMp::Idle::as_set;
    for (Team* const team : unplaced_) {
      team->place_from_inside(idle);
      report_small(*team, cores_in(mask));
    }
    saved.given = given_to_main_thread();
    if (!unplaced_.empty()) (void)roster_.look();  // the regions may have given birth to members
  } catch (...) {
    (void)undo(saved);
    throw;
  }
  if (policy == TeamPolicy::place) threads_changed_ = false;
  return saved;
}

void ProcessBinder::move_threads(Saved& saved) {
  const std::vector<Roster::Thread>& threads = roster_.threads();
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const bool moves = !(threads[i].mask == targets_[i]);
    const int problem = moves ? os::set_affinity(threads[i].id, targets_[i]) : 0;
    if (problem == ESRCH) continue;
    if (problem != 0) {
      throw system_error("bind thread " + std::to_string(threads[i].id) + " to CPUs " + targets_[i].to_list(), problem,
                         "ask for CPUs that this process may use: `comity topo` shows them");
    }
    saved.threads.push_back({threads[i].id, threads[i].mask, moves});
  }
}

// The look has read it, unless the main thread has ended before the others.
CpuSet ProcessBinder::found_on_main_thread() const {
  const Roster::Thread* const main_thread = roster_.find(process_);
  return main_thread == nullptr ? binding() : main_thread->mask;
}

// Its target says it, without asking the kernel, unless a region has placed it.
CpuSet ProcessBinder::given_to_main_thread() const {
  const Roster::Thread* const main_thread = roster_.find(process_);
  if (!unplaced_.empty() || main_thread == nullptr) return binding();
  return targets_[static_cast<std::size_t>(main_thread - roster_.threads().data())];
}

ProcessBinder::Undone ProcessBinder::undo(const Saved& saved) const noexcept {
  Undone undone;
  for (const Saved::Thread& thread : saved.threads) {
    const int problem = put_back(thread);
    if (thread.id == process_) undone.restored.has_main_thread = problem == 0;
    if (problem == ESRCH) continue;
    ++undone.alive;
    if (problem != 0) undone.restored.note(thread.id, problem);
  }
  return undone;
}

Restored ProcessBinder::restore(const Saved& saved) noexcept {
  Undone undone = undo(saved);
  if (undone.alive == saved.threads.size() && roster_.has_only(undone.alive)) return undone.restored;
  try {
    reach_newborns(saved, undone.restored);
  } catch (...) {
    log::warning_once("context", "threads born since a push keep its binding: /proc/self/task cannot be listed");
  }
  return undone.restored;
}

void ProcessBinder::give_back(const Saved::Thread& thread) noexcept {
  const int problem = put_back(thread);
  if (problem == 0 || problem == ESRCH) return;
  log::warning_once("context",
                    "a thread of a context that has ended was refused its former CPUs and keeps those it has");
}

CpuSet ProcessBinder::move_caller(const CpuSet& mask) {
  const CpuSet before = os::affinity(0);
  const int problem = os::set_affinity(0, mask);
  if (problem != 0) {
    throw system_error("bind this thread to CPUs " + mask.to_list(), problem,
                       "ask for CPUs that this process may use: `comity topo` shows them");
  }
  return before;
}

void ProcessBinder::reach_newborns(const Saved& saved, Restored& restored) {
  threads_changed_ = roster_.look() || threads_changed_;
  for (const Roster::Thread& thread : roster_.threads()) {
    const bool known = std::any_of(saved.threads.begin(), saved.threads.end(),
                                   [&](const Saved::Thread& before) { return before.id == thread.id; });
    if (known) continue;
    const int problem = os::set_affinity(thread.id, saved.process);
    if (problem != 0 && problem != ESRCH) restored.note(thread.id, problem);
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
  policies_reported_ = false;  // a runtime that has come late may read them otherwise
}

void ProcessBinder::report_policies(const CpuSet& mask) {
  report_shrinking(cores_in(mask));
  if (policies_reported_) return;
  policies_reported_ = true;
  const std::string sentence = describe_fighting(fighting_policies(environment_, readers()));
  if (!sentence.empty()) tell(Notice::fighting_policy, sentence);
}

// A limit that was wide enough for the pushes so far may be too narrow for this one.
void ProcessBinder::report_shrinking(int cores) {
  if (cores <= widest_team_) return;
  widest_team_ = cores;
  const std::string sentence = describe_shrinking(shrinking_policies(environment_, cores), cores);
  if (!sentence.empty()) tell(Notice::small_team, sentence);
}

// Heard where no variable has been told before: the program's own calls, or settings that one runtime alone has. Members
// beyond the cores are what the user asked for, and no harm where they stay away.
void ProcessBinder::report_small(const Team& team, int cores) {
  if (small_team_reported_ || team.members() >= cores) return;
  small_team_reported_ = true;
  tell(Notice::small_team,
       team.runtime().name() + " gave a team of " + std::to_string(team.members()) + " where a push has cores for " +
           std::to_string(cores) + ": a wide phase may run on few threads, or on one; let the program call neither " +
           "omp_set_dynamic(1) nor omp_set_max_active_levels(0), and look for settings like OMP_DYNAMIC, " +
           "OMP_THREAD_LIMIT and OMP_MAX_ACTIVE_LEVELS (OMP_DISPLAY_ENV=verbose shows them)");
}

void ProcessBinder::tell(Notice notice, const std::string& sentence) {
  if (first_to_tell_(notice)) log::warning_once("context", sentence);
}

void ProcessBinder::report_narrow_start(const Team& team, int size) {
  if (narrow_start_reported_ || !team.runtime().counts_cpus_at_load()) return;
  const int counted = std::max(home_width_, os::OpenMp::cpus_at_load());
  if (size <= counted || home_.encloses(machine_.allowed())) return;
  narrow_start_reported_ = true;
  if (!fighting_policies(environment_, {true, false}).empty())
    return;  // then the runtime itself has pinned this thread, at load
  tell(Notice::narrow_start,
       "the launcher bound this rank to CPUs " + home_.to_list() + ", which is all that " + team.runtime().name() +
           " counted when it was loaded: its team of " + std::to_string(size) +
           " is placed right, but sleeps at every barrier and may run at half speed; link the program with "
           "comity::start, or start the ranks unbound (mpirun --bind-to none, mpiexec -bind-to none, srun "
           "--cpu-bind=none)");
}

// Programs push the same few masks over and over: the last one's cores need no counting.
int ProcessBinder::cores_in(const CpuSet& mask) {
  if (counted_cores_ == 0 || !(counted_mask_ == mask)) {
    counted_mask_ = mask;
    counted_cores_ = core_count(machine_, mask);
  }
  return counted_cores_;
}

void ProcessBinder::plan_teams(const CpuSet& mask, TeamPolicy policy) {
  if (teams_.empty() || cores_in(mask) < 2) return;  // the mask alone says it all
  const auto in_region = [](const Team& team) { return team.runtime().in_parallel(); };
  if (std::any_of(teams_.begin(), teams_.end(), in_region)) return;  // a team inside another's region, on its cores
  for (Team& team : teams_) {
    if (policy == TeamPolicy::keep) {
      plan_members(team, mask);
    } else if (team.can_run()) {
      plan_team(team, mask);
    }
  }
}

CpuSet& ProcessBinder::target_of(const Roster::Thread& thread) {
  return targets_[static_cast<std::size_t>(&thread - roster_.threads().data())];
}

// Where `size` members belong on `mask`; of fewer than it has cores each gets one of the first.
void ProcessBinder::seat(Team& team, int size, const CpuSet& mask) {
  const int cores = cores_in(mask);
  report_narrow_start(team, size);
  const int outer = std::min(team.outer_members(cores), size);
  if (team.is_seated(size, outer, mask)) return;
  Team::Places places =
      places_for(size, mask, member_order(mask), cores, [&](std::size_t pu) { return machine_.siblings(pu); });
  if (outer < std::min(cores, size)) places = with_shares(places, outer);
  team.seat(size, outer, mask, std::move(places));
}

void ProcessBinder::plan_team(Team& team, const CpuSet& mask) {
  const int size = team.wanted_size(cores_in(mask));
  seat(team, size, mask);
  if (threads_changed_ || !team.fits(size, caller(), roster_)) {
    unplaced_.push_back(&team);
    return;
  }
  for (std::size_t i = 0; i < team.threads().size(); ++i) {
    target_of(*roster_.find(team.threads()[i])) = team.place(i);
  }
}

// Without a region, which might start some: a member is known by the library that it begins in, and its number by its age.
void ProcessBinder::plan_members(Team& team, const CpuSet& mask) {
  roster_.learn_origins();
  std::vector<const Roster::Thread*> members{roster_.find(os::this_thread())};
  for (const Roster::Thread& thread : roster_.threads()) {
    const bool is_member = thread.begins_in != 0 && thread.begins_in == team.runtime().start();
    if (is_member && &thread != members.front()) members.push_back(&thread);
  }
  if (members.size() == 1) return;
  const int size = static_cast<int>(members.size());
  seat(team, size, mask);
  // New members begin on the mask of the thread that pushes: it has all of it where there may be some, for the kernel to spread.
  if (size < cores_in(mask)) members.front() = nullptr;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i] != nullptr) target_of(*members[i]) = team.place(i);
  }
}

}  // namespace comity::context
