// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/process.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <numeric>
#include <optional>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "machine/loader.hpp"
#include "machine/restrict.hpp"
#include "os/cpus/affinity.hpp"
#include "os/environment.hpp"
#include "runtime/agree.hpp"
#include "runtime/coop_tool.hpp"
#include "runtime/lone_bootstrap.hpp"
#include "runtime/phases.hpp"

namespace comity::runtime {
namespace {

constexpr int kTicketRounds = 32;  // after so many in vain another one is drawn: two creates may have drawn the same

// Two counts over the ranks in one sum: of those that know no segment for a new context, and of those that are not inside
// the gate.
constexpr std::int64_t kOutside = std::int64_t{1} << 32U;
constexpr std::int64_t kSegmentless = 1;

// What cannot be said for lack of memory is left out: the context exists, on the other ranks too.
void tell_of(const context::Context& created) {
  if (!log::enabled(log::Level::info)) return;
  try {
    log::info("context", "created: node rank " + std::to_string(created.rank()) + " of " +
                             std::to_string(created.size()) + ", nodes " + std::to_string(created.node_count()) +
                             ", bound to CPUs " + created.binding().to_list());
  } catch (const std::bad_alloc&) {
    return;
  }
}

// What cannot be said for lack of memory is left out: no create fails for it.
template <typename FirstToTell>
void tell_of_unknown_options(FirstToTell&& first_to_tell) noexcept {
  try {
    const std::vector<UnknownName> unknown = unknown_options(os::environment_names(kOptionPrefix));
    if (unknown.empty() || !first_to_tell()) return;
    for (const UnknownName& one : unknown) {
      std::string sentence = "the variable " + one.name + " is no setting of Comity";
      if (!one.nearest.empty()) sentence += "; did you mean " + std::string(one.nearest) + "?";
      log::warning_once("runtime", sentence + " (`comity env` lists all)");
    }
  } catch (const std::bad_alloc&) {
    return;
  }
}

}  // namespace

Process& Process::instance() {
  // Never destroyed: contexts may be freed by other libraries' exit code, and nothing of ours runs at exit.
  alignas(Process) static std::array<std::byte, sizeof(Process)> storage;
  static Process* const process = new (storage.data()) Process;
  return *process;
}

void Process::read_settings() {
  options_ = Options(os::environment);
  log::set_level(log::level_named(options_.text(OptionId::log)));
}

Process::Preparation Process::prepare(node::Bootstrap& bootstrap) const {
  Preparation preparation{node::Candidates(bootstrap), {}, {}, {}};
  preparation.options = node::attach_options(options_);
  preparation.options.payload_source = machine::named_by(os::environment);
  preparation.participants.resize(preparation.candidates.size());
  return preparation;
}

std::shared_ptr<node::Node> Process::common_node(Preparation& preparation) {
  using Offer = std::array<std::uint64_t, kCommonNodes>;  // ids of segments that this rank is attached to; 0: none
  Offer mine{};
  auto& nodes = preparation.nodes;
  {
    const std::lock_guard lock(mutex_);
    if (wiring_ && !wiring_->is_of_parent()) wiring_->list_nodes(nodes);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) mine[i] = nodes[i] ? nodes[i]->id() : 0;

  const std::span<const Offer> all = preparation.candidates.gather(mine);
  const auto offered_by_all = [&](std::uint64_t id) {
    return std::all_of(all.begin(), all.end(),
                       [&](const Offer& offer) { return std::find(offer.begin(), offer.end(), id) != offer.end(); });
  };
  // In the first candidate's order, so that all choose the same one.
  for (const std::uint64_t id : all.front()) {
    if (id == 0 || !offered_by_all(id)) continue;
    return *std::find_if(nodes.begin(), nodes.end(), [&](const auto& node) { return node && node->id() == id; });
  }
  return nullptr;
}

// Creates of several threads that find no common segment go in one at a time, the same one on all ranks, so that the
// second shares what the first has made. Where threads of two creates stand inside on different ranks both leave again,
// draw a ticket, and from then on the lower one goes first.
std::shared_ptr<node::Node> Process::find_shared_node(Preparation& preparation, CreateGate::Place& place) {
  node::Bootstrap& job = preparation.candidates.bootstrap();
  for (int round = 0;; ++round) {
    const bool inside = place.enter();  // before the look at the segments: the former one's is there then
    std::shared_ptr<node::Node> node = common_node(preparation);
    const std::int64_t sum = job.job_sum((node ? 0 : kSegmentless) + (inside ? 0 : kOutside));
    // Shared by all candidates of one node; where several nodes hide behind the candidates, none is common.
    const bool shared = sum % kOutside == 0;
    if (!shared && sum / kOutside == 0) return nullptr;
    place.leave();
    if (shared) return node;
    if (round % kTicketRounds == 0) place.take_ticket(job.job_max(now_ns()));
  }
}

CpuSet Process::binding_on(const machine::Machine& machine) {
  const std::lock_guard lock(mutex_);
  const bool bound = wiring_ && !wiring_->is_of_parent();
  return bound ? wiring_->stack().binding() : starting_binding(machine, options_);
}

std::shared_ptr<node::Node> Process::attach(Preparation& preparation) {
  return node::Node::attach(
      preparation.candidates, preparation.options, [&] { return machine_.load(); },
      [&](std::span<const std::byte> payload) {
        const machine::Machine machine(payload);
        return node::LocalFacts{binding_on(machine), machine.complete().highest().value_or(0) + 1};
      });
}

// From its first collective call to its last nothing here allocates outside Node::attach, which tells of it itself: a
// rank that left between two calls would leave the others waiting in the next.
Process::Seat Process::find_seat(Preparation& preparation, CreateGate::Place& place) {
  std::shared_ptr<node::Node> node = find_shared_node(preparation, place);
  preparation.nodes = {};  // a segment that a free leaves meanwhile goes with it
  std::vector<int>& participants = preparation.participants;
  if (node) {
    std::ranges::copy(preparation.candidates.gather(node->participant()), participants.begin());
  } else {
    node = attach(preparation);
    participants.resize(static_cast<std::size_t>(node->participants()));
    std::iota(participants.begin(), participants.end(), 0);
  }
  std::unique_ptr<node::Group> everybody = node->make_group(preparation.candidates, participants);
  return {std::move(node), std::move(everybody)};
}

std::uintptr_t Process::seat_context(Seat seat, int node_count) {
  if (wiring_ && wiring_->is_of_parent()) inherited_.push_back(std::move(wiring_));
  if (!wiring_) {
    wiring_ = std::make_unique<Wiring>(seat.node, options_, told_);
    hear_of_coop_rests();
  }
  wiring_->follow(seat.node);
  wiring_->release_unused();  // what a free had to leave while this create looked at it
  // It is looked at in each collective call, where nothing may fail for lack of memory any more.
  if (wiring_->cpuset() != nullptr) wiring_->cpuset()->prepare();
  const auto first_to_tell = [wiring = wiring_.get()](context::Notice notice) { return wiring->first_to_tell(notice); };
  return contexts_.add(std::make_unique<context::Context>(std::move(seat.node), std::move(seat.everybody), node_count,
                                                          wiring_->stack(), wiring_->team_sizes(), ++last_owner_,
                                                          team_settings(options_), wiring_->cpuset(), first_to_tell));
}

// After a collective call of all who are on the node: each has marked it by then with what it told on another one.
void Process::report_settings() noexcept {
  const std::lock_guard lock(mutex_);
  if (!settings_reported_) {
    tell_of_unknown_options([&] { return wiring_->first_to_tell(context::Notice::unknown_setting); });
  }
  settings_reported_ = true;
}

// No node came on which one rank could tell for all, and the misspelt variable may be why.
void Process::report_settings_without_node(const node::Bootstrap& bootstrap) noexcept {
  const std::lock_guard lock(mutex_);
  if (!settings_reported_) tell_of_unknown_options([&] { return bootstrap.candidate_rank() == 0; });
}

// The rank in the largest job so far: a library's context on some of the ranks, or on this one alone, changes nobody's number.
void Process::tell_log_of_rank(const node::Bootstrap& bootstrap) {
  const std::lock_guard lock(mutex_);
  if (bootstrap.job_size() <= largest_job_) return;
  largest_job_ = bootstrap.job_size();
  log::set_rank(largest_job_ > 1 ? bootstrap.job_rank() : -1);
}

void Process::hear_no_more_without_context() noexcept {
  const std::lock_guard lock(mutex_);
  if (!wiring_) hear_of_coop_rests_no_more();
}

std::uintptr_t Process::create(node::Bootstrap& bootstrap, const std::function<void()>& ready) {
  tell_log_of_rank(bootstrap);
  try {
    const std::uintptr_t handle = create_seated(bootstrap, ready);
    report_settings();
    return handle;
  } catch (...) {
    hear_no_more_without_context();
    report_settings_without_node(bootstrap);
    throw;
  }
}

std::uintptr_t Process::create_seated(node::Bootstrap& bootstrap, const std::function<void()>& ready) {
  std::optional<Preparation> preparation;
  agree(bootstrap, [&] {
    ready();
    hear_of_coop_rests();  // before anybody asks where this rank runs: its threads are on its own cores from here on
    const std::lock_guard lock(mutex_);
    read_settings();
    preparation.emplace(prepare(bootstrap));
  });
  CreateGate::Place place(gate_);
  Seat seat;
  agree(bootstrap, [&] { seat = find_seat(*preparation, place); });
  const auto node_count = static_cast<int>(bootstrap.job_sum(seat.everybody->rank() == 0 ? 1 : 0));
  std::uintptr_t handle = 0;
  try {
    agree(bootstrap, [&] {
      const std::lock_guard lock(mutex_);
      handle = seat_context(std::move(seat), node_count);
    });
    place.leave();
    context::Context& created = contexts_.at(handle);
    created.begin();
    tell_of(created);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    drop(handle);
    throw;
  }
  return handle;
}

std::uintptr_t Process::create_local() {
  LoneBootstrap alone;
  return create(alone, [] {});
}

void Process::list_nodes(std::span<std::shared_ptr<node::Node>> nodes) {
  const std::lock_guard lock(mutex_);
  if (wiring_ && !wiring_->is_of_parent()) wiring_->list_nodes(nodes);
}

void Process::drop(std::uintptr_t handle) {
  if (handle != 0) (void)contexts_.take(handle);
  if (wiring_) wiring_->release_unused();
  if (contexts_.alive() > 0) return;
  hear_of_coop_rests_no_more();
  if (wiring_) machine_.keep(wiring_->machine_image());
  wiring_.reset();
  inherited_.clear();
  device_machines_.clear();
  device_image_.clear();
}

const machine::Machine& Process::machine_with_devices(const context::Context& context) {
  if (context.machine().devices_known()) return context.machine();
  const CpuSet pus = context.machine().allowed();
  const CpuSet nodes = nodes_of(context.machine());
  const std::lock_guard lock(devices_mutex_);
  if (device_image_.empty()) device_image_ = machine::load_complete_with_devices(machine::source_of(os::environment));
  const auto known =
      std::ranges::find_if(device_machines_, [&](const auto& one) { return one->pus == pus && one->nodes == nodes; });
  if (known != device_machines_.end()) return (*known)->machine;
  const machine::Draft all = draft_of(machine::Machine(device_image_));
  device_machines_.push_back(
      std::make_unique<DeviceMachine>(pus, nodes, machine::assemble(restricted(all, pus, nodes))));
  return device_machines_.back()->machine;
}

context::Restored Process::free_context(std::uintptr_t handle) {
  const std::lock_guard lock(mutex_);
  context::Context& context = contexts_.at(handle);
  forget_phases(context);
  const context::Restored restored = context.close();
  drop(handle);
  return restored;
}

std::uintptr_t Process::split(std::uintptr_t context, int colour) {
  context::Context& source = contexts_.at(context);
  std::unique_ptr<node::Group> group = source.split(colour);
  if (!group) return 0;
  return groups_.add(std::make_unique<OwnedGroup>(OwnedGroup{context, source.node(), std::move(group)}));
}

// Where this process has no room for the group, what was pushed is undone.
std::uintptr_t Process::split(std::uintptr_t context, const context::Splitting& asked, node::Group* among) {
  context::Context& source = contexts_.at(context);
  std::unique_ptr<node::Group> group = source.split(asked, among);
  try {
    return groups_.add(std::make_unique<OwnedGroup>(OwnedGroup{context, source.node(), std::move(group)}));
  } catch (...) {
    source.pop();
    throw;
  }
}

}  // namespace comity::runtime
