// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/wiring.hpp"

#include <unistd.h>

#include <bit>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "context/threads/process_binder.hpp"
#include "machine/restrict.hpp"
#include "os/cpus/affinity.hpp"
#include "os/environment.hpp"

namespace comity::runtime {
namespace {

std::optional<context::TeamPolicy> team_policy(const Options& options) {
  using context::TeamPolicy;
  if (!options.is_set(OptionId::context_openmp)) return std::nullopt;
  const std::string& word = options.text(OptionId::context_openmp);
  return word == "place" ? TeamPolicy::place : word == "keep" ? TeamPolicy::keep : TeamPolicy::leave;
}

std::unique_ptr<context::Binder> make_binder(const machine::Machine& machine, const Options& options,
                                             context::FirstToTell first_to_tell) {
  if (machine.simulated()) {
    return std::make_unique<context::SimulatedBinder>(starting_binding(machine, options));
  }
  return std::make_unique<context::ProcessBinder>(machine, team_policy(options), os::environment,
                                                  std::move(first_to_tell));
}

}  // namespace

context::TeamSettings team_settings(const Options& options) {
  const bool rest = options.text(OptionId::context_team_after_phase) == "rest";
  return {rest ? context::AfterPhase::rest : context::AfterPhase::spin, team_policy(options)};
}

CpuSet starting_binding(const machine::Machine& machine, const Options& options) {
  if (!machine.simulated()) return os::affinity(getpid());
  const std::string& text = options.text(OptionId::machine_binding);
  if (text.empty()) return machine.allowed();
  const CpuSet binding = CpuSet::parse_list(text);
  if (binding.empty() || !machine.allowed().encloses(binding)) {
    throw Error(Status::option, "the setting COMITY_MACHINE_BINDING=" + text + " leaves the simulated machine, CPUs " +
                                    machine.allowed().to_list());
  }
  return binding;
}

void Told::mark_on(node::Node& node) const {
  for (std::uint32_t rest = bits_; rest != 0; rest &= rest - 1) {
    (void)node.first_to_tell(static_cast<unsigned>(std::countr_zero(rest)));
  }
}

Wiring::Wiring(std::shared_ptr<node::Node> node, const Options& options, Told& told)
    : node_(std::move(node)),
      machine_(machine::unpack(node_->payload()).complete),
      binder_(
          make_binder(machine_, options, [this](context::Notice notice) { return first_to_tell_inside_push(notice); })),
      told_(told),
      stack_(*binder_, [this](const context::BindingStack::State& now) { keeper_.binding_changed(now); }) {}

void Wiring::follow(const std::shared_ptr<node::Node>& node) {
  stack_.inspect([&](const context::BindingStack::State& now) {
    keeper_.follow(node, now);
    told_.mark_on(*node);
  });
}

bool Wiring::first_to_tell(context::Notice notice) {
  bool first = false;
  stack_.hold([&] { first = first_to_tell_inside_push(notice); });
  return first;
}

// Of every segment that this process is in, so that the ranks of each are silent from now on.
bool Wiring::first_to_tell_inside_push(context::Notice notice) {
  bool first = !told_.has(notice);
  told_.add(notice);
  keeper_.for_each([&](const std::shared_ptr<node::Node>& node) {
    first = node->first_to_tell(static_cast<unsigned>(notice)) && first;
  });
  return first;
}

void Wiring::list_nodes(std::span<std::shared_ptr<node::Node>> nodes) const {
  std::size_t listed = 0;
  stack_.hold([&] {
    keeper_.for_each([&](const std::shared_ptr<node::Node>& node) {
      if (listed < nodes.size()) nodes[listed++] = node;
    });
  });
}

void Wiring::release_unused() {
  stack_.hold([&] { keeper_.release_unused(); });
}

}  // namespace comity::runtime
