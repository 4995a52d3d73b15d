// SPDX-License-Identifier: BSD-3-Clause
// Wiring: the parts that all contexts of this process share while at least one is alive.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/options.hpp"
#include "context/binder.hpp"
#include "context/binding_stack.hpp"
#include "context/threads/process_binder.hpp"
#include "context/threads/team_sizes.hpp"
#include "machine/machine.hpp"
#include "node/node.hpp"
#include "os/cpus/cgroup.hpp"
#include "runtime/hart_keeper.hpp"

namespace comity::runtime {

// What the process may run on before Comity binds it: its mask, or on a simulated machine the setting.
[[nodiscard]] CpuSet starting_binding(const machine::Machine& machine, const Options& options);

[[nodiscard]] context::TeamSettings team_settings(const Options& options);

// The notices that this process has given, or another one for it. They stay when the last context goes: the next one's segment
// is new, and knows of none.
class Told {
 public:
  [[nodiscard]] bool has(context::Notice notice) const { return (bits_ & bit(notice)) != 0; }
  void add(context::Notice notice) { bits_ |= bit(notice); }
  void mark_on(node::Node& node) const;

 private:
  [[nodiscard]] static std::uint32_t bit(context::Notice notice) { return 1U << static_cast<unsigned>(notice); }
  std::uint32_t bits_ = 0;
};

class Wiring {
 public:
  // `node`: the segment whose machine the binder follows; the wiring keeps it. `told`: outlives it.
  Wiring(std::shared_ptr<node::Node> node, const Options& options, Told& told);

  [[nodiscard]] context::BindingStack& stack() { return stack_; }
  [[nodiscard]] context::TeamSizes& team_sizes() { return team_sizes_; }
  // What the cgroup allows; null on a machine that is not this one.
  [[nodiscard]] os::CpusetWatch* cpuset() { return machine_.simulated() ? nullptr : &cpuset_; }
  void follow(const std::shared_ptr<node::Node>& node);
  // The segments that it follows, as many as there is room for.
  void list_nodes(std::span<std::shared_ptr<node::Node>> nodes) const;
  // Leaves the segments that no context and no group is on any more.
  void release_unused();
  // Whether nobody has told of it yet: not this process, nor another for it, nor one on any segment that it is in. Not
  // inside a push, which holds the stack's lock.
  [[nodiscard]] bool first_to_tell(context::Notice notice);
  // As the node's ranks share it.
  [[nodiscard]] std::span<const std::byte> machine_image() const { return node_->payload(); }
  // In a fork child of the process that made it.
  [[nodiscard]] bool is_of_parent() const { return node_->is_fork_child(); }

 private:
  [[nodiscard]] bool first_to_tell_inside_push(context::Notice notice);

  std::shared_ptr<node::Node> node_;
  machine::Machine machine_;  // a view of the node's segment: all PUs, also those that are forbidden now
  os::CpusetWatch cpuset_;
  std::unique_ptr<context::Binder> binder_;
  HartKeeper keeper_;
  Told& told_;  // guarded by the stack's lock
  context::BindingStack stack_;
  context::TeamSizes team_sizes_;
};

}  // namespace comity::runtime
