// SPDX-License-Identifier: BSD-3-Clause
// Which processes form a job: those that share a node segment, directly or through others; or, where none has one yet,
// the ranks below a launcher.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "cli/topo/processes.hpp"

namespace comity::cli {

enum class JobKind { segment, launcher };

struct Job {
  JobKind kind = JobKind::segment;
  std::vector<pid_t> processes;  // ascending
};

// Every group of processes that share segments.
[[nodiscard]] std::vector<Job> segment_jobs(const ProcessTable& table);

// All processes below this one, ascending.
[[nodiscard]] std::vector<pid_t> descendants(const ProcessTable& table, pid_t ancestor);

// The job of a process: its own segment's, else that of its descendants, else its descendants that are ranks, else itself
// if it is one. Without a process: the only job that has a segment. Throws Status::not_found or, where there are several,
// Status::argument naming a process of each.
[[nodiscard]] Job find_job(const ProcessTable& table, std::optional<pid_t> process);

}  // namespace comity::cli
