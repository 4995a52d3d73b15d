// SPDX-License-Identifier: BSD-3-Clause
#include "context/context.hpp"

#include <algorithm>
#include <exception>
#include <string>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "context/cores.hpp"

namespace comity::context {
namespace {

// In the place of rank 0's digest: the cgroup allows other CPUs than before. No mask has this digest: none is empty.
constexpr std::uint64_t kAllowedChanged = 0;

constexpr std::int64_t kLookEvery_ns = 1'000'000;  // at the cgroup, which costs as much as a whole quiesce
constexpr std::size_t kMostPhases = 64;  // open on one context; their memory is there before the first is entered

std::size_t words_per_mask(const machine::Machine& machine) {
  return machine.complete().highest().value_or(0) / CpuSet::kWordBits + 1;
}

// The only word itself, else a mix of all (the finaliser of MurmurHash3 over a running sum). Never 0.
std::uint64_t digest(const CpuSet& mask, std::size_t words) {
  if (words == 1) return mask.words()[0];
  std::uint64_t hash = 0;
  for (std::size_t word = 0; word < words; ++word) {
    hash = (hash ^ mask.words()[word]) + 0x9E3779B97F4A7C15U;
    hash = (hash ^ (hash >> 33U)) * 0xFF51AFD7ED558CCDU;
    hash = (hash ^ (hash >> 33U)) * 0xC4CEB9FE1A85EC53U;
    hash ^= hash >> 33U;
  }
  return hash == kAllowedChanged ? 1 : hash;
}

std::vector<CpuSet> object_sets(const machine::Machine& machine, ObjectType type) {
  const int count = machine.count(type);
  if (count == 0) {
    throw Error(Status::not_found, "this machine has no object of type " + std::string(machine::type_name(type)) +
                                       "; `comity topo` shows what it has");
  }
  std::vector<CpuSet> sets;
  sets.reserve(static_cast<std::size_t>(count));
  for (int index = 0; index < count; ++index) sets.push_back(machine.cpuset(type, index));
  return sets;
}

}  // namespace

Context::Context(std::shared_ptr<node::Node> node, std::unique_ptr<node::Group> everybody, int node_count,
                 BindingStack& stack, Owner identity, AfterPhase after_phase, os::CpusetWatch* cpuset)
    : node_(std::move(node)),
      everybody_(std::move(everybody)),
      views_(node_->payload()),
      node_count_(node_count),
      stack_(stack),
      identity_(identity),
      after_phase_(after_phase),
      cpuset_(cpuset),
      words_(static_cast<std::size_t>(everybody_->size()) * words_per_mask(machine())),
      masks_(static_cast<std::size_t>(everybody_->size()), words_per_mask(machine())) {
  const auto ranks = static_cast<std::size_t>(everybody_->size());
  digests_.reserve(ranks);
  column_.resize(ranks);
  phases_.reserve(kMostPhases);
  stack_.note_helpers();
}

Context::~Context() {
  if (node_->is_fork_child()) {
    stack_.forget(identity_);  // the threads on it are the parent's, and stay where they are
    return;
  }
  while (!phases_.empty()) {
    phases_.back().sizes.restore(AfterPhase::spin);
    phases_.pop_back();
  }
  stack_.remove(identity_);
}

bool Context::is_bound() const { return !binding().encloses(machine().allowed()); }

Width Context::width() const {
  const CpuSet mask = binding();
  return {core_count(views_.complete(), mask), static_cast<int>(mask.count())};
}

bool Context::encloses(ObjectType type, int index) const {
  return machine().cpuset(type, index).encloses(views_.seen(binding()));
}

bool Context::intersects(ObjectType type, int index) const {
  return machine().cpuset(type, index).intersects(views_.seen(binding()));
}

std::vector<int> Context::peers_in(ObjectType type, int index, View view) const {
  const CpuSet object = machine().cpuset(type, index);
  const std::lock_guard lock(mutex_);
  std::vector<int> ranks;
  for (int rank = 0; rank < size(); ++rank) {
    const CpuSet mask = view == View::live ? node_->published_mask(everybody_->participant(rank))
                                           : masks_.mask(static_cast<std::size_t>(rank));
    if (views_.seen(mask).intersects(object)) ranks.push_back(rank);
  }
  return ranks;
}

void Context::require(const CpuSet& mask) const {
  if (mask.empty()) throw Error(Status::range, "push a binding: the CPU set is empty; name at least one CPU");
  const CpuSet allowed = views_.whole().allowed();
  const CpuSet outside = mask - allowed;
  if (outside.empty()) return;
  throw Error(Status::range, "push a binding to CPUs " + mask.to_list() + ": this job may not use CPUs " +
                                 outside.to_list() + "; allowed are " + allowed.to_list());
}

void Context::require_own_process() const {
  if (!node_->is_fork_child()) return;
  throw Error(Status::handle, "the context belongs to the parent of this process; a fork child creates its own");
}

void Context::push(const CpuSet& mask) {
  require_own_process();
  require(mask);
  stack_.push(identity_, mask);
  if (log::enabled(log::Level::debug)) log::debug("context", "pushed CPUs " + mask.to_list());
}

void Context::push(ObjectType type, int index) { push(machine().cpuset(type, index)); }

void Context::pop() {
  require_own_process();
  stack_.pop(identity_);
  if (log::enabled(log::Level::debug)) log::debug("context", "popped, back on CPUs " + binding().to_list());
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

void Context::spread(ObjectType type) {
  require_own_process();
  std::vector<CpuSet> places = object_sets(machine(), type);
  std::erase_if(places, [](const CpuSet& place) { return place.empty(); });  // a NUMA node of memory alone
  meet_after([&] { push(places[static_cast<std::size_t>(rank()) % places.size()]); }, [&] { publish(std::nullopt); });
}

const Context::KeptDistribution& Context::kept_distribution(ObjectType type, int max_per, Rule rule) {
  const machine::Machine& machine = this->machine();
  const bool kept = kept_ && kept_->type == type && kept_->max_per == max_per && kept_->rule == rule &&
                    kept_->masks_version == masks_.version() && kept_->machine == &machine;
  if (kept) return *kept_;
  if (max_per < 1) {
    throw Error(Status::range,
                "distribute ranks: max_per is " + std::to_string(max_per) + "; at least one rank an object is needed");
  }
  std::vector<CpuSet> masks;
  for (std::size_t rank = 0; rank < masks_.size(); ++rank) masks.push_back(views_.seen(masks_.mask(rank)));
  const std::vector<CpuSet> objects = object_sets(machine, type);
  std::vector<Assignment> rows = context::distribute(objects, masks, max_per, rule);
  const auto selected = std::count_if(rows.begin(), rows.end(), [](const Assignment& row) { return row.selected; });
  kept_ =
      KeptDistribution{type, max_per, rule, masks_.version(), &machine, std::move(rows), static_cast<int>(selected)};
  return *kept_;
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

// What the cgroup allows, if that is not what this context knows.
std::optional<CpuSet> Context::news_of_cpuset(std::optional<CpuSet> allowed) const {
  if (!allowed) return std::nullopt;
  *allowed &= views_.complete().cpuset(ObjectType::machine, 0);
  if (allowed->empty() || *allowed == views_.whole().allowed()) return std::nullopt;
  return allowed;
}

// Rank 0's set goes round, a word each time; then the masks, also where this rank could not make the new machine.
void Context::publish_after_change(const CpuSet& mine) {
  CpuSet allowed;
  for (std::size_t word = 0; word < words_per_mask(machine()); ++word) {
    everybody_->exchange(mine.words()[word], column_);
    allowed.words()[word] = column_[0];
  }
  std::exception_ptr failure;
  try {
    views_.allow(allowed);
  } catch (...) {
    failure = std::current_exception();
  }
  publish(std::nullopt, std::nullopt);
  if (failure) std::rethrow_exception(failure);
}

void Context::publish(const Timeout& timeout) {
  bool asks = cpuset_ != nullptr && rank() == 0;
  if (asks) {
    const std::int64_t now = now_ns();
    asks = now - looked_ns_ >= kLookEvery_ns;
    if (asks) looked_ns_ = now;
  }
  publish(timeout, asks ? news_of_cpuset(cpuset_->look()) : std::nullopt);
}

// One round of the digests tells all ranks alike whether any mask, or what the cgroup allows, has changed; only then the
// masks themselves go round, a word each time (the segment has room for one word a rank and group). With up to 64 PUs
// the digest is the mask.
void Context::publish(const Timeout& timeout, const std::optional<CpuSet>& allowed) {
  const CpuSet mine = binding();
  const std::size_t words = words_per_mask(machine());
  const std::uint64_t mine_now = digest(mine, words);
  // Before the others hear of it, so that what they see live is never older than what is published.
  if (digests_.empty() || digests_[static_cast<std::size_t>(rank())] != mine_now) node_->publish_mask(mine);
  everybody_->exchange(allowed ? kAllowedChanged : mine_now, column_, timeout);
  if (column_[0] == kAllowedChanged) return publish_after_change(allowed.value_or(CpuSet()));
  if (column_ == digests_) return;

  digests_ = column_;
  const std::span<std::uint64_t> all = words_.values();
  for (std::size_t word = 0; word < words; ++word) {
    if (words > 1) everybody_->exchange(mine.words()[word], column_);
    for (std::size_t rank = 0; rank < column_.size(); ++rank) all[rank * words + word] = column_[rank];
  }
  const std::lock_guard lock(mutex_);
  masks_.replace(all);
  words_.forget();
}

void Context::meet_after(const std::function<void()>& step, const std::function<void()>& meet) {
  std::exception_ptr failure;
  try {
    step();
  } catch (...) {
    failure = std::current_exception();
  }
  meet();
  if (failure) std::rethrow_exception(failure);
}

void Context::quiesce(const Timeout& timeout) { publish(timeout); }

void Context::refresh() {
  const bool asks = cpuset_ != nullptr && rank() == 0;
  meet_after([&] { stack_.look_anew(); },
             [&] { publish(std::nullopt, asks ? news_of_cpuset(cpuset_->look_anew()) : std::nullopt); });
}

void Context::show(Smt smt) {
  require_own_process();
  const std::vector<std::uint64_t>& asked = column_;
  everybody_->exchange(static_cast<std::uint64_t>(smt), column_);
  const auto other = std::ranges::find_if(asked, [&](std::uint64_t one) { return one != asked.front(); });
  if (other != asked.end()) {
    throw Error(Status::argument, "choose the PUs of a core: rank 0 and rank " + std::to_string(other - asked.begin()) +
                                      " ask for different views; give the same on all ranks");
  }
  if (smt != Smt::all && smt != Smt::one) {
    throw Error(Status::argument, "choose the PUs of a core: there is no view " + std::to_string(asked.front()) +
                                      "; use COMITY_SMT_ALL or COMITY_SMT_ONE");
  }
  views_.show(smt);
}

// The cores of my object, divided in order among the ranks that were selected for it; `width` cores of my share, 0: all.
CpuSet Context::mine_of(const std::vector<Assignment>& rows, ObjectType type, int width) const {
  const int object = rows[static_cast<std::size_t>(rank())].object;
  const auto on_object = [&](const Assignment& row) { return row.selected && row.object == object; };
  const auto sharers = static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), on_object));
  const auto place = static_cast<std::size_t>(std::count_if(rows.begin(), rows.begin() + rank(), on_object));

  const std::vector<CpuSet> cores = cores_of(machine(), machine().cpuset(type, object) & machine().allowed());
  std::size_t low = place * cores.size() / sharers;
  std::size_t high = std::max((place + 1) * cores.size() / sharers, low + 1);
  low = std::min(low, cores.size() - 1);
  high = std::min(high, cores.size());
  if (width > 0) high = std::min(high, low + static_cast<std::size_t>(width));
  CpuSet mine;
  for (std::size_t core = low; core < high; ++core) mine |= cores[core];
  return mine;
}

// From the first line on leave() is due, also where this rank fails, unless all ranks fail alike in what they ask for.
std::vector<Assignment> Context::open_phase(ObjectType type, int per) {
  phases_.push_back({depth(), {}});
  try {
    return distribution(type, per, Rule::fill);
  } catch (const Error&) {
    phases_.pop_back();
    throw;
  }
}

bool Context::enter(ObjectType type, int per, int width) {
  require_own_process();
  if (width < 0) {
    throw Error(Status::range,
                "enter a phase: width is " + std::to_string(width) + " cores; give 0 for all, or at least 1");
  }
  if (phases_.size() == kMostPhases) {
    throw Error(Status::range, "enter a phase: " + std::to_string(kMostPhases) +
                                   " are open on this context; each enter needs its leave");
  }
  const std::vector<Assignment> rows = open_phase(type, per);
  if (!rows[static_cast<std::size_t>(rank())].selected) return false;
  Phase& phase = phases_.back();
  const CpuSet mask = mine_of(rows, type, width);
  phase.sizes = TeamSizes::set(core_count(machine(), mask));  // before the push, which places that many members
  try {
    push(mask);
  } catch (...) {
    phase.sizes.restore(AfterPhase::spin);
    throw;
  }
  return true;
}

void Context::leave() {
  require_own_process();
  if (phases_.empty()) {
    throw Error(Status::order, "leave a phase: none is open on this context; each leave needs an enter before it");
  }
  Phase phase = std::move(phases_.back());
  phases_.pop_back();
  phase.sizes.restore(after_phase_);
  stack_.remove(identity_, phase.depth_before);  // with what the body pushed and did not pop
  publish(std::nullopt);
}

}  // namespace comity::context
