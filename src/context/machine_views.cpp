// SPDX-License-Identifier: BSD-3-Clause
#include "context/machine_views.hpp"

#include <algorithm>

namespace comity::context {

CpuSet MachineViews::seen(const CpuSet& mask) const {
  const machine::Machine& all = whole();
  if (&current() == &all) return mask;
  CpuSet result;
  mask.for_each([&](std::size_t pu) { result.insert(all.siblings(pu).lowest().value_or(pu)); });
  return result;
}

const machine::Machine& MachineViews::derived(const CpuSet& pus, const CpuSet& nodes) {
  const auto is_it = [&](const machine::Machine& one) { return one.allowed() == pus && nodes_of(one) == nodes; };
  for (const machine::Machine* shared : {&shared_.allowed, &shared_.cores}) {
    if (is_it(*shared)) return *shared;
  }
  const auto known = std::ranges::find_if(derived_, [&](const auto& one) { return is_it(one->machine); });
  if (known != derived_.end()) return (*known)->machine;
  derived_.push_back(std::make_unique<Derived>(machine::assemble(restricted(draft_of(shared_.complete), pus, nodes))));
  return derived_.back()->machine;
}

void MachineViews::show(Smt smt) {
  smt_.store(smt, std::memory_order_relaxed);
  update();
}

void MachineViews::allow(const CpuSet& pus, const CpuSet& nodes) {
  const CpuSet usable = pus & shared_.complete.cpuset(machine::ObjectType::machine, 0);
  if (usable.empty()) return;
  whole_.store(&derived(usable, nodes & nodes_of(shared_.complete)), std::memory_order_release);
  update();
}

void MachineViews::update() {
  const machine::Machine& all = whole();
  const bool one = smt_.load(std::memory_order_relaxed) == Smt::one;
  current_.store(one ? &derived(one_a_core(draft_of(all)), nodes_of(all)) : &all, std::memory_order_release);
}

}  // namespace comity::context
