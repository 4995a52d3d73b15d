// SPDX-License-Identifier: BSD-3-Clause
#include "cli/topo/job.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/error.hpp"

namespace comity::cli {
namespace {

bool holds(const Job& job, pid_t process) {
  return std::binary_search(job.processes.begin(), job.processes.end(), process);
}

// Joins every job that has one of these segments with the process.
void add_process(std::vector<std::pair<std::set<std::string>, Job>>& jobs, pid_t process,
                 const std::vector<std::string>& files) {
  std::set<std::string> all(files.begin(), files.end());
  Job joined{JobKind::segment, {process}};
  const auto shares = [&](const auto& job) {
    return std::any_of(files.begin(), files.end(), [&](const std::string& file) { return job.first.contains(file); });
  };
  for (const auto& job : jobs) {
    if (!shares(job)) continue;
    all.insert(job.first.begin(), job.first.end());
    joined.processes.insert(joined.processes.end(), job.second.processes.begin(), job.second.processes.end());
  }
  std::erase_if(jobs, shares);
  std::sort(joined.processes.begin(), joined.processes.end());
  jobs.emplace_back(std::move(all), std::move(joined));
}

std::vector<pid_t> descendants(const ProcessTable& table, pid_t ancestor) {
  std::map<pid_t, std::vector<pid_t>> children;
  for (const pid_t process : table.all()) {
    if (const auto parent = table.parent(process)) children[*parent].push_back(process);
  }
  std::vector<pid_t> found;
  std::vector<pid_t> open{ancestor};
  std::set<pid_t> seen{ancestor};
  while (!open.empty()) {
    const pid_t parent = open.back();
    open.pop_back();
    for (const pid_t child : children[parent]) {
      if (!seen.insert(child).second) continue;
      found.push_back(child);
      open.push_back(child);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

Job launcher_job(const ProcessTable& table, pid_t process, const std::vector<pid_t>& below) {
  Job job{JobKind::launcher, {}};
  std::copy_if(below.begin(), below.end(), std::back_inserter(job.processes),
               [&](pid_t child) { return table.rank(child).has_value(); });
  if (job.processes.empty()) job.processes = below;
  if (job.processes.empty()) job.processes.push_back(process);
  return job;
}

Job job_of(const ProcessTable& table, pid_t process) {
  if (!table.binding(process)) {
    throw Error(Status::not_found, "find the job of process " + std::to_string(process) +
                                       ": there is no such process; ps shows those that run");
  }
  const std::vector<Job> jobs = segment_jobs(table);
  const auto own = std::find_if(jobs.begin(), jobs.end(), [&](const Job& job) { return holds(job, process); });
  if (own != jobs.end()) return *own;
  const std::vector<pid_t> below = descendants(table, process);
  for (const Job& job : jobs) {
    if (std::any_of(below.begin(), below.end(), [&](pid_t child) { return holds(job, child); })) return job;
  }
  if (below.empty() && !table.segments(process).readable) {
    throw Error(Status::not_found, "find the job of process " + std::to_string(process) +
                                       ": its memory map may not be read; run as the job's user");
  }
  return launcher_job(table, process, below);
}

Job only_job(const ProcessTable& table) {
  const std::vector<Job> jobs = segment_jobs(table);
  if (jobs.size() == 1) return jobs.front();
  if (jobs.empty()) {
    const std::vector<pid_t> processes = table.all();
    const auto closed = std::count_if(processes.begin(), processes.end(),
                                      [&](pid_t process) { return !table.segments(process).readable; });
    throw Error(Status::not_found,
                "find the job: no process shares a node segment (" + std::to_string(closed) +
                    " may not be looked at: they end, or belong to others); name the launcher or a rank, as in `comity "
                    "topo --job PID`, and run as the job's user");
  }
  std::string pids;
  for (const Job& job : jobs) pids += (pids.empty() ? "" : ", ") + std::to_string(job.processes.front());
  throw Error(Status::argument, "find the job: " + std::to_string(jobs.size()) +
                                    " run here; name one by a process of it, as in `comity topo --job PID`: " + pids);
}

}  // namespace

std::vector<Job> segment_jobs(const ProcessTable& table) {
  std::vector<std::pair<std::set<std::string>, Job>> found;
  for (const pid_t process : table.all()) {
    const Segments segments = table.segments(process);
    if (!segments.files.empty()) add_process(found, process, segments.files);
  }
  std::vector<Job> jobs;
  jobs.reserve(found.size());
  for (auto& job : found) jobs.push_back(std::move(job.second));
  std::sort(jobs.begin(), jobs.end(), [](const Job& a, const Job& b) { return a.processes < b.processes; });
  return jobs;
}

Job find_job(const ProcessTable& table, std::optional<pid_t> process) {
  return process ? job_of(table, *process) : only_job(table);
}

}  // namespace comity::cli
