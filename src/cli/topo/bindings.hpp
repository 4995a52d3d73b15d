// SPDX-License-Identifier: BSD-3-Clause
// Who is bound where, as a table for people and as JSON. Pure functions of the machine and of what /proc said.
#pragma once

#include <string>
#include <vector>

#include "cli/topo/job.hpp"
#include "cli/topo/processes.hpp"
#include "cli/topo/tree.hpp"

namespace comity::cli {

// What was found of a job: those that were still there, and how many were not.
struct JobBindings {
  JobKind kind = JobKind::segment;
  std::vector<ProcessBinding> processes;  // by rank, then pid
  std::size_t vanished = 0;
};

[[nodiscard]] JobBindings look_at(const ProcessTable& table, const Job& job);

[[nodiscard]] std::string process_text(const Screen& screen, const machine::Machine& machine,
                                       const ProcessBinding& process);
[[nodiscard]] std::string job_text(const Screen& screen, const machine::Machine& machine, const JobBindings& job);
[[nodiscard]] Json process_json(const machine::Machine& machine, const ProcessBinding& process);
[[nodiscard]] Json job_json(const machine::Machine& machine, const JobBindings& job);

}  // namespace comity::cli
