// SPDX-License-Identifier: BSD-3-Clause
// Process: everything of Comity in this process, wired. It outlives all contexts; its wiring to a node lives from the
// first create to the last free. Not: any rule of contexts (context), any sharing (node).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/options.hpp"
#include "context/context.hpp"
#include "node/attach/candidates.hpp"
#include "node/bootstrap.hpp"
#include "node/group.hpp"
#include "runtime/create_gate.hpp"
#include "runtime/handle_table.hpp"
#include "runtime/kept_machine.hpp"
#include "runtime/wiring.hpp"

namespace comity::runtime {

struct OwnedGroup {
  std::uintptr_t context;  // handle of the context that it was split from
  std::shared_ptr<node::Node> node;
  std::unique_ptr<node::Group> group;
};

class Process {
 public:
  [[nodiscard]] static Process& instance();

  // Collective over the job. `ready` runs first and may throw: what else has to hold on every rank. Threads may create at
  // once, in any order, each with a bootstrap of its own: until all ranks have come it holds nothing that others need.
  [[nodiscard]] std::uintptr_t create(node::Bootstrap& bootstrap, const std::function<void()>& ready);
  [[nodiscard]] std::uintptr_t create_local();
  // Says which thread the kernel has refused its former mask; the context is gone all the same.
  [[nodiscard]] context::Restored free_context(std::uintptr_t handle);
  // Collective over the context's node; 0 for a colour below 0.
  [[nodiscard]] std::uintptr_t split(std::uintptr_t context, int colour);
  // Collective over `among`, null: the context's node.
  [[nodiscard]] std::uintptr_t split(std::uintptr_t context, const context::Splitting& asked, node::Group* among);

  // The context's machine with its GPUs and NICs; where they were left out at the create this process looks for them now.
  [[nodiscard]] const machine::Machine& machine_with_devices(const context::Context& context);

  // The segments that this process is in, as many as there is room for; none in a fork child.
  void list_nodes(std::span<std::shared_ptr<node::Node>> nodes);

  [[nodiscard]] auto& contexts() { return contexts_; }
  [[nodiscard]] auto& groups() { return groups_; }

 private:
  static constexpr std::size_t kCommonNodes = 8;  // how many of its segments a rank offers for a new context

  // What a create needs up to its seat, made before its first collective call.
  struct Preparation {
    node::Candidates candidates;
    node::AttachOptions options;
    std::array<std::shared_ptr<node::Node>, kCommonNodes> nodes;  // that this process is attached to; rest null
    std::vector<int> participants;                                // room for one a candidate
  };
  // The segment that a new context lives in, and its ranks there.
  struct Seat {
    std::shared_ptr<node::Node> node;
    std::unique_ptr<node::Group> everybody;
  };

  // What a context's machine with those PUs and NUMA nodes is, and its devices.
  struct DeviceMachine {
    CpuSet pus;
    CpuSet nodes;
    machine::Image image;
    machine::Machine machine;
    DeviceMachine(const CpuSet& seen, const CpuSet& seen_nodes, machine::Image made)
        : pus(seen), nodes(seen_nodes), image(std::move(made)), machine(image) {}
  };

  Process() = default;

  [[nodiscard]] std::uintptr_t create_seated(node::Bootstrap& bootstrap, const std::function<void()>& ready);
  void read_settings();
  void tell_log_of_rank(const node::Bootstrap& bootstrap);
  void report_settings() noexcept;
  void hear_no_more_without_context() noexcept;
  void report_settings_without_node(const node::Bootstrap& bootstrap) noexcept;
  [[nodiscard]] Preparation prepare(node::Bootstrap& bootstrap) const;
  [[nodiscard]] Seat find_seat(Preparation& preparation, CreateGate::Place& place);
  // Null, and then this process is inside the gate: a segment has to be made.
  [[nodiscard]] std::shared_ptr<node::Node> find_shared_node(Preparation& preparation, CreateGate::Place& place);
  [[nodiscard]] std::shared_ptr<node::Node> common_node(Preparation& preparation);
  [[nodiscard]] std::shared_ptr<node::Node> attach(Preparation& preparation);
  [[nodiscard]] CpuSet binding_on(const machine::Machine& machine);
  [[nodiscard]] std::uintptr_t seat_context(Seat seat, int node_count);
  void drop(std::uintptr_t handle);

  CreateGate gate_;
  std::mutex mutex_;  // guards what follows up to the devices; never held over a collective call
  Options options_;
  bool settings_reported_ = false;
  int largest_job_ = 0;                             // [ranks] of those that made contexts here
  Told told_;                                       // guarded as Wiring says
  std::unique_ptr<Wiring> wiring_;                  // null while no context is alive
  std::vector<std::unique_ptr<Wiring>> inherited_;  // in a fork child: its parent's, for contexts from before the fork
  KeptMachine machine_;
  std::mutex devices_mutex_;     // guards the two below, which stay until no context is alive
  machine::Image device_image_;  // all of the machine, read by the first who asks; empty: nobody did
  std::vector<std::unique_ptr<DeviceMachine>> device_machines_;  // one for each pair of sets that a context saw
  context::Owner last_owner_ = 0;
  HandleTable<context::Context, 1024, 0> contexts_{"context"};
  HandleTable<OwnedGroup, 4096, 1> groups_{"group"};
};

}  // namespace comity::runtime
