// SPDX-License-Identifier: BSD-3-Clause
// MachineViews: the machine as a context sees it at the moment: what the cgroup allows now, all PUs of a core or one.
// Not: who decides that (context, by agreement of its ranks). Invariant: ranks that made the same changes in the same
// order have equal machines. A machine once seen stays where it is, so queries of other threads go on reading it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "machine/restrict.hpp"

namespace comity::context {

enum class Smt : std::uint8_t { all = 0, one = 1 };  // PUs of a core that are seen

class MachineViews {
 public:
  // `packed`: what the ranks of the node share; it must outlive this.
  explicit MachineViews(std::span<const std::byte> packed) : shared_(machine::unpack(packed)) {}

  // From any thread.
  [[nodiscard]] const machine::Machine& current() const { return *current_.load(std::memory_order_acquire); }
  [[nodiscard]] const machine::Machine& whole() const { return *whole_.load(std::memory_order_acquire); }  // all PUs
  [[nodiscard]] const machine::Machine& complete() const { return shared_.complete; }  // forbidden ones too
  [[nodiscard]] Smt smt() const { return smt_.load(std::memory_order_relaxed); }
  // The mask in terms of current(): with one PU a core, that PU for every PU of the core.
  [[nodiscard]] CpuSet seen(const CpuSet& mask) const;

  // From one thread at a time. allow() ignores what the machine does not have; no PU left: nothing changes. `nodes`: NUMA nodes
  // by OS number.
  void show(Smt smt);
  void allow(const CpuSet& pus, const CpuSet& nodes);

 private:
  struct Derived {
    machine::Image image;
    machine::Machine machine;
    explicit Derived(machine::Image made) : image(std::move(made)), machine(image) {}
  };

  [[nodiscard]] const machine::Machine& derived(const CpuSet& pus, const CpuSet& nodes);
  void update();

  machine::NodeMachines shared_;
  std::vector<std::unique_ptr<Derived>> derived_;  // one for each pair of sets that there ever was, never freed
  std::atomic<Smt> smt_{Smt::all};
  std::atomic<const machine::Machine*> whole_{&shared_.allowed};    // release in update, acquire in whole
  std::atomic<const machine::Machine*> current_{&shared_.allowed};  // release in update, acquire in current
};

}  // namespace comity::context
