// SPDX-License-Identifier: BSD-3-Clause
// Comparison: what a rank of one run has more than a rank of another, by component: means over ranks, so that runs of
// different sizes compare. Not: reading records (cli).
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "memory/job/job.hpp"
#include "memory/job/spread.hpp"

namespace comity::memory {

// Of a component in both runs, bytes a rank; 0 where a run has none of it.
struct Compared {
  std::string name;
  Spread peak_a, peak_b;
  Spread last_a, last_b;

  [[nodiscard]] double peak_difference() const { return peak_b.mean - peak_a.mean; }
  [[nodiscard]] double last_difference() const { return last_b.mean - last_a.mean; }
};

struct Comparison {
  std::size_t ranks_a = 0, ranks_b = 0;
  bool owners_known_a = false, owners_known_b = false;
  std::vector<Compared> components;  // what differs most at its peak first
  Compared with_mpi;                 // MPI and what it brings
  Compared total;                    // resident, as the kernel has it
  std::optional<Compared>
      delta;  // MPI's by the rule of older tools, named by its method; none: not of both runs, or not by the same
};

[[nodiscard]] Comparison compare(const Job& a, const Job& b);

[[nodiscard]] std::string text_of(const Comparison& comparison);
[[nodiscard]] nlohmann::ordered_json json_of(const Comparison& comparison);

}  // namespace comity::memory
