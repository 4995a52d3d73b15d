// SPDX-License-Identifier: BSD-3-Clause
// What a job is given for its waits, before it starts: off where its threads surely fit into the cores of this node; where
// they surely do not, variables for idle threads, which GNU's OpenMP reads before MPI_Init; else the ranks decide. Pure.
#pragma once

#include <string>
#include <vector>

#include "cli/run/job_shape.hpp"

namespace comity::cli::launch {

struct CoopPlan {
  std::string setting = "off";      // of the ranks: off, auto, on
  std::string why;                  // a clause
  bool crowded = false;             // surely
  bool is_by_itself = true;         // nobody asked for the setting
  std::vector<Variable> variables;  // for the ranks
};

// `wish`: off, auto or on. `given`: what all ranks, or some, have of a variable already.
[[nodiscard]] CoopPlan plan_coop(const std::string& wish, const JobShape& shape, int cores, const Environment& given);

}  // namespace comity::cli::launch
