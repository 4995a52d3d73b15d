// SPDX-License-Identifier: BSD-3-Clause
// Precedent: between two barriers of a group, what the first member to make a call has found counts for all in that call, and
// for all later ones; nobody waits. Not: what is found, and what it means (context). Invariant: which calls follow a finding
// is decided by one compare-and-swap each, after the set stands; so all members have the same, and a kill leaves it true.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/cpu_set.hpp"
#include "node/layout.hpp"

namespace comity::node {

class Precedent {
 public:
  using Find = std::function<std::optional<CpuSet>()>;

  explicit Precedent(GroupRecord& record) : record_(record) {}

  // `generation`: of the barrier that comes next. `turn`: how many such calls this member has made since the last one. `find`
  // is asked where this call is the first of its turn and none before has found anything.
  [[nodiscard]] std::optional<CpuSet> follow(std::uint32_t generation, std::uint32_t turn, const Find& find);

 private:
  [[nodiscard]] CpuSet set() const;
  [[nodiscard]] bool offer(std::uint32_t generation, const CpuSet& found);

  GroupRecord& record_;
};

}  // namespace comity::node
