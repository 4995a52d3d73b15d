// SPDX-License-Identifier: BSD-3-Clause
// Which ranks of a node work in a phase: pure functions of masks, equal on all ranks that see the same masks.
// Not: where the masks come from (context).
// Sources: 000_e1ccbc1c9e2b7238 III.C (fill), 003_468943038a8a97cc 3.3.6 (algorithm_1), libquo 1.4 observed (quo_1_4).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/cpu_set.hpp"

namespace comity::context {

enum class Rule : std::uint8_t { fill = 0, algorithm_1 = 1, quo_1_4 = 2 };

constexpr int kNobody = -1;

struct Assignment {
  bool selected = false;
  int object = kNobody;  // index of the object the rank works on; kNobody where not selected
  int leader = kNobody;  // the selected rank that works for this one: itself where selected
  int share = 0;         // place among the ranks of the leader; the leader is 0
  int share_count = 0;   // ranks that the leader works for, itself included; 0 where there is no leader

  friend bool operator==(const Assignment&, const Assignment&) = default;
};

// The objects to run on, ascending: none without CPUs, and of those with equal CPU sets (a node's ordinary and its fast
// memory) the first.
[[nodiscard]] std::vector<int> places_among(std::span<const CpuSet> objects);

// `objects`: the CPU set of each object of one kind. Nobody is selected for one without CPUs; fill selects for places
// alone, while the other two rules count each of several objects with one CPU set, as their sources do. `masks`: of each
// rank. `max_per`: ranks an object, at least 1. Returns one row a rank.
[[nodiscard]] std::vector<Assignment> distribute(std::span<const CpuSet> objects, std::span<const CpuSet> masks,
                                                 int max_per, Rule rule);

}  // namespace comity::context
