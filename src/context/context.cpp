// SPDX-License-Identifier: BSD-3-Clause
#include "context/context.hpp"

#include <algorithm>
#include <new>
#include <string>

#include "base/error.hpp"
#include "base/log.hpp"
#include "context/cores.hpp"
#include "context/failure_of.hpp"
#include "context/object_sets.hpp"
#include "context/shares.hpp"
#include "os/threads/threads.hpp"

namespace comity::context {
namespace {

constexpr std::size_t kMostPhases = 64;  // open on one context; their memory is there before the first is entered

std::size_t words_per_mask(const machine::Machine& machine) {
  return machine.complete().highest().value_or(0) / CpuSet::kWordBits + 1;
}

// What cannot be said for lack of memory is left out: the binding has changed.
void tell_of(const char* change, const CpuSet& mask) noexcept {
  if (!log::enabled(log::Level::debug)) return;
  try {
    log::debug("context", change + (" CPUs " + mask.to_list()));
  } catch (const std::bad_alloc&) {
    return;
  }
}

}  // namespace

Context::Context(std::shared_ptr<node::Node> node, std::unique_ptr<node::Group> everybody, int node_count,
                 BindingStack& stack, TeamSizes& team_sizes, Owner identity, TeamSettings settings,
                 os::CpusetWatch* cpuset, FirstToTell first_to_tell)
    : node_(std::move(node)),
      everybody_(std::move(everybody)),
      views_(node_->payload()),
      node_count_(node_count),
      stack_(stack),
      team_sizes_(team_sizes),
      identity_(identity),
      settings_(settings),
      cpuset_(cpuset),
      first_to_tell_(std::move(first_to_tell)),
      agreed_(views_.whole().allowed()),
      agreed_nodes_(nodes_of(views_.whole())),
      words_(static_cast<std::size_t>(everybody_->size()) * words_per_mask(machine())),
      masks_(static_cast<std::size_t>(everybody_->size()), words_per_mask(machine())) {
  const auto ranks = static_cast<std::size_t>(everybody_->size());
  digests_.reserve(ranks);
  column_.resize(ranks);
  phases_.reserve(kMostPhases);
  node_->publish_helpers(stack_.note_helpers());
}

Context::~Context() { (void)close(); }

Restored Context::close() noexcept {
  if (node_->is_fork_child()) {
    stack_.forget(identity_);  // the threads on it are the parent's, and stay where they are
    for (const Phase& phase : phases_) team_sizes_.forget(phase.sizes);
    return {};
  }
  for (; !phases_.empty(); phases_.pop_back()) team_sizes_.give_back(phases_.back().sizes, AfterPhase::spin);
  return stack_.remove(identity_);
}

// What is found of all threads is told to the peers as well, whom no push or pop has told.
CpuSet Context::binding() const {
  if (binding_of_ == BindingOf::main_thread) return stack_.binding();
  return stack_.binding_of_threads([&](const ThreadMasks& found) {
    node_->publish_news({found.all, found.main_thread, found.is_pushed});
  });
}

bool Context::is_bound() const { return !views_.seen(binding()).encloses(machine().allowed()); }

Width Context::width() const {
  const CpuSet mask = views_.seen(binding());
  return {core_count(views_.complete(), mask), static_cast<int>(mask.count())};
}

std::optional<machine::Closest> Context::closest(ObjectType type, const CpuSet& cpus) const {
  return machine().closest(type, views_.seen(cpus));
}

bool Context::encloses(ObjectType type, int index) const {
  return machine().cpuset(type, index).encloses(views_.seen(binding()));
}

bool Context::intersects(ObjectType type, int index) const {
  return machine().cpuset(type, index).intersects(views_.seen(binding()));
}

std::vector<int> Context::touched(ObjectType type) const {
  const machine::Machine& seen = machine();
  const CpuSet mine = views_.seen(binding());
  std::vector<int> objects;
  for (int index = 0; index < seen.count(type); ++index) {
    if (seen.cpuset(type, index).intersects(mine)) objects.push_back(index);
  }
  return objects;
}

void Context::require(const CpuSet& mask, const char* act) const {
  if (mask.empty()) throw Error(Status::range, std::string(act) + ": the CPU set is empty; name at least one CPU");
  const CpuSet allowed = views_.whole().allowed();
  const CpuSet outside = mask - allowed;
  if (outside.empty()) return;
  throw Error(Status::range, std::string(act) + " to CPUs " + mask.to_list() + ": this job may not use CPUs " +
                                 outside.to_list() + "; allowed are " + allowed.to_list());
}

void Context::require_own_process() const {
  if (!node_->is_fork_child()) return;
  throw Error(Status::handle, "the context belongs to the parent of this process; a fork child creates its own");
}

void Context::push(const CpuSet& mask, Until until) {
  require_own_process();
  require(mask, "push a binding");
  stack_.push(identity_, mask, until, teams_);
  tell_of("pushed", mask);
}

void Context::push(const CpuSet& mask) { push(mask, Until::pop); }

void Context::push(ObjectType type, int index) {
  const CpuSet& mask = machine().cpuset(type, index);
  if (mask.empty()) {
    throw Error(Status::range, "push a binding: " + std::string(type_name(type)) + ' ' + std::to_string(index) +
                                   " has no CPUs; choose one that has");
  }
  push(mask);
}

void Context::pop() {
  require_own_process();
  const BindingStack::Popped popped = stack_.pop(identity_);
  tell_of("popped, back on", popped.binding);
  require_given_back("pop a binding", popped.restored);
}

ThreadScope Context::bind_thread(const CpuSet& mask) {
  require_own_process();
  require(mask, "bind a thread");
  return stack_.bind_caller(os::this_thread(), mask);
}

void Context::release_thread(const ThreadScope& scope) {
  require_own_process();
  const pid_t caller = os::this_thread();
  if (scope.thread != caller) {
    throw Error(Status::order, "release a thread: " +
                                   (scope.thread == 0 ? "the scope has ended already, or never began"
                                                      : "the scope is that of thread " + std::to_string(scope.thread) +
                                                            ", and this is thread " + std::to_string(caller)) +
                                   "; each thread ends its own, once");
  }
  stack_.release_caller(scope);
}

std::vector<CpuSet> Context::assign(ObjectType type, int pieces, Assign how, std::size_t members, const CpuSet* whole,
                                    std::span<const CpuSet> places) const {
  std::vector<CpuSet> seen_places;
  for (const CpuSet& place : places) seen_places.push_back(views_.seen(place));
  const std::vector<CpuSet> found =
      pieces_of(machine(), views_.seen(whole == nullptr ? binding() : *whole), type, pieces);
  std::vector<CpuSet> shares;
  shares.reserve(members);
  for (const int piece : context::assign(how, found, members, seen_places)) {
    shares.push_back(found[static_cast<std::size_t>(piece)]);
  }
  return shares;
}

CpuSet Context::numbers(ObjectType type, machine::Numbering numbering, const CpuSet* set) const {
  return machine::numbers_of(machine(), type, numbering, views_.seen(set == nullptr ? binding() : *set));
}

void Context::keep_binding() {
  require_own_process();
  if (!phases_.empty()) {
    throw Error(Status::order,
                "keep a binding: a phase is open, whose binding ends with it; call comity_context_leave first");
  }
  stack_.keep(identity_);
}

void Context::push_nearest(ObjectType type) {
  (void)machine().cpuset(type, 0);  // throws where the machine has none
  const CpuSet from = binding();
  const std::optional<int> index = machine().nearest(type, views_.seen(from));
  if (!index) {
    throw Error(Status::not_found, "push the nearest " + std::string(machine::type_name(type)) +
                                       ": no single one encloses the present binding, CPUs " + from.to_list() +
                                       "; bind to one first, or spread the ranks");
  }
  push(type, *index);
}

void Context::push_my_place(ObjectType type) {
  const std::vector<int> places = places_among(object_sets(machine(), type));
  push(type, places[static_cast<std::size_t>(rank()) % places.size()]);
}

Context::KeptDistribution Context::make_distribution(ObjectType type, int max_per, Rule rule) const {
  if (max_per < 1) {
    throw Error(Status::range,
                "distribute ranks: max_per is " + std::to_string(max_per) + "; at least one rank an object is needed");
  }
  std::vector<CpuSet> masks;
  for (std::size_t rank = 0; rank < masks_.size(); ++rank) masks.push_back(views_.seen(masks_.mask(rank)));
  const std::vector<CpuSet> objects = object_sets(machine(), type);
  std::vector<Assignment> rows = context::distribute(objects, masks, max_per, rule);
  const auto selected = std::count_if(rows.begin(), rows.end(), [](const Assignment& row) { return row.selected; });
  return {type, max_per, rule, masks_.version(), &machine(), std::move(rows), static_cast<int>(selected)};
}

const Context::KeptDistribution& Context::kept_distribution(ObjectType type, int max_per, Rule rule) {
  const machine::Machine* const machine = &this->machine();
  for (const std::optional<KeptDistribution>& kept : kept_) {
    const bool same = kept && kept->type == type && kept->max_per == max_per && kept->rule == rule &&
                      kept->masks_version == masks_.version() && kept->machine == machine;
    if (same) return *kept;
  }
  KeptDistribution made = make_distribution(type, max_per, rule);
  std::optional<KeptDistribution>& place = kept_[oldest_kept_];
  oldest_kept_ = (oldest_kept_ + 1) % kept_.size();
  return place.emplace(std::move(made));
}

Selection Context::distribute(ObjectType type, int max_per, Rule rule) {
  const std::lock_guard lock(mutex_);
  const KeptDistribution& table = kept_distribution(type, max_per, rule);
  return {table.rows[static_cast<std::size_t>(rank())], table.selected_count};
}

std::vector<Assignment> Context::distribution(ObjectType type, int max_per, Rule rule) {
  const std::lock_guard lock(mutex_);
  return kept_distribution(type, max_per, rule).rows;
}

// My share of the cores of my object; `width` cores of it, 0: all. None where the cgroup has taken all of them since: the push
// refuses that.
CpuSet Context::mine_of(const std::vector<Assignment>& rows, ObjectType type, int width) const {
  const int object = rows[static_cast<std::size_t>(rank())].object;
  const auto on_object = [&](const Assignment& row) { return row.selected && row.object == object; };
  const auto sharers = static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), on_object));
  const auto place = static_cast<std::size_t>(std::count_if(rows.begin(), rows.begin() + rank(), on_object));
  const std::vector<CpuSet> cores = cores_of(machine(), machine().cpuset(type, object) & machine().allowed());
  const auto per_share = static_cast<std::size_t>(width);
  if (width == 0 || per_share * sharers >= cores.size()) return equal_share(cores, sharers, place);

  const std::lock_guard lock(mutex_);
  std::vector<CpuSet> of_sharers, of_working;
  for (std::size_t rank = 0; rank < rows.size(); ++rank) {
    if (on_object(rows[rank])) of_sharers.push_back(views_.seen(masks_.mask(rank)));
    if (!rows[rank].selected) of_working.push_back(views_.seen(masks_.mask(rank)));
  }
  return narrow_share(cores, of_sharers, place, of_working, per_share);
}

// From the first line on leave() is due, also where this rank fails, unless all ranks fail alike in what they ask for.
std::vector<Assignment> Context::open_phase(ObjectType type, int per) {
  phases_.push_back({depth()});
  try {
    return distribution(type, per, Rule::fill);
  } catch (const Error&) {
    phases_.pop_back();
    throw;
  }
}

bool Context::enter(ObjectType type, int per, int width) {
  require_own_process();
  const std::exception_ptr old_machine =
      failure_of([&] { follow_first_look(*everybody_); });  // before anything that may fail alone
  if (width < 0) {
    throw Error(Status::range,
                "enter a phase: width is " + std::to_string(width) + " cores; give 0 for all, or at least 1");
  }
  if (phases_.size() == kMostPhases) {
    throw Error(Status::range, "enter a phase: " + std::to_string(kMostPhases) +
                                   " are open on this context; each enter needs its leave");
  }
  const std::vector<Assignment> rows = open_phase(type, per);
  rethrow(old_machine);
  if (!rows[static_cast<std::size_t>(rank())].selected) return false;
  Phase& phase = phases_.back();
  const CpuSet mask = mine_of(rows, type, width);
  phase.sizes = team_sizes_.set(core_count(machine(), mask));  // before the push, which places that many members
  try {
    push(mask, Until::leave);
  } catch (...) {
    team_sizes_.give_back(phase.sizes, AfterPhase::spin);
    phase.sizes = TeamSizes::kNone;
    throw;
  }
  return true;
}

// LLVM's members come to rest in a region, which starts those that the thread has not: where no push places the team, none does.
AfterPhase Context::after_phase() const {
  return settings_.teams.value_or(teams_) == TeamPolicy::place ? settings_.after_phase : AfterPhase::spin;
}

void Context::leave() {
  require_own_process();
  if (phases_.empty()) {
    throw Error(Status::order, "leave a phase: none is open on this context; each leave needs an enter before it");
  }
  const Phase phase = phases_.back();
  phases_.pop_back();
  team_sizes_.give_back(phase.sizes, after_phase());
  // With what the body pushed and did not pop.
  const Restored restored = stack_.remove(identity_, phase.depth_before);
  quiesce(std::nullopt);
  require_given_back("leave a phase", restored);
}

}  // namespace comity::context
