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

[[noreturn]] void fail_to_find_job_of(pid_t process, const std::string& why) {
  throw Error(Status::not_found, "find the job of process " + std::to_string(process) + ": " + why);
}

[[noreturn]] void reject_several(const std::string& where, const std::vector<Job>& jobs) {
  std::string pids;
  for (const Job& job : jobs) pids += (pids.empty() ? "" : ", ") + std::to_string(job.processes.front());
  const std::string advice = "; name one by a process of it, as in `comity topo --job PID`: ";
  throw Error(Status::argument, "find the job" + where + advice + pids);
}

bool closed(const ProcessTable& table, pid_t process) { return !table.segments(process).readable; }

Job launcher_job(const ProcessTable& table, pid_t process, const std::vector<pid_t>& below) {
  const auto is_rank = [&](pid_t each) { return table.rank(each).has_value(); };
  Job job{JobKind::launcher, {}};
  std::copy_if(below.begin(), below.end(), std::back_inserter(job.processes), is_rank);
  if (job.processes.empty() && is_rank(process)) job.processes.push_back(process);
  if (!job.processes.empty()) return job;
  const auto hidden = std::count_if(below.begin(), below.end(), [&](pid_t child) { return closed(table, child); });
  fail_to_find_job_of(process, "neither it nor a process below it (" + std::to_string(below.size()) + ", of which " +
                                   std::to_string(hidden) +
                                   " may not be looked at) shares a node segment or has a rank in its environment (" +
                                   rank_variables() + "); name the launcher or a rank, and run as the job's user");
}

Job job_of(const ProcessTable& table, pid_t process) {
  if (!table.binding(process)) fail_to_find_job_of(process, "there is no such process; ps shows those that run");
  std::vector<Job> jobs = segment_jobs(table);
  const auto own = std::find_if(jobs.begin(), jobs.end(), [&](const Job& job) { return holds(job, process); });
  if (own != jobs.end()) return *own;
  const std::vector<pid_t> below = descendants(table, process);
  std::erase_if(jobs, [&](const Job& job) {
    return std::none_of(below.begin(), below.end(), [&](pid_t child) { return holds(job, child); });
  });
  if (jobs.size() == 1) return jobs.front();
  if (!jobs.empty()) {
    reject_several(" of process " + std::to_string(process) + ": " + std::to_string(jobs.size()) + " run below it",
                   jobs);
  }
  if (below.empty() && closed(table, process)) {
    fail_to_find_job_of(process, "its memory map may not be read; run as the job's user");
  }
  return launcher_job(table, process, below);
}

Job only_job(const ProcessTable& table) {
  const std::vector<Job> jobs = segment_jobs(table);
  if (jobs.size() == 1) return jobs.front();
  if (!jobs.empty()) reject_several(": " + std::to_string(jobs.size()) + " run here", jobs);
  const std::vector<pid_t> processes = table.all();
  const auto hidden =
      std::count_if(processes.begin(), processes.end(), [&](pid_t process) { return closed(table, process); });
  throw Error(Status::not_found,
              "find the job: no process shares a node segment (" + std::to_string(hidden) +
                  " may not be looked at: they end, or belong to others); name the launcher or a rank, as in `comity "
                  "topo --job PID`, and run as the job's user");
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

Job find_job(const ProcessTable& table, std::optional<pid_t> process) {
  return process ? job_of(table, *process) : only_job(table);
}

}  // namespace comity::cli
