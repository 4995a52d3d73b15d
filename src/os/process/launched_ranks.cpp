// SPDX-License-Identifier: BSD-3-Clause
#include "os/process/launched_ranks.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "os/environment.hpp"
#include "os/proc.hpp"

namespace comity::os {
namespace {

// Open MPI, PMIx, PMI (MPICH and its children), Cray PALS, ALPS (aprun), Slurm. Slurm is last: its own starts the daemons
// of others.
constexpr std::array<std::string_view, 6> kRankVariables{"OMPI_COMM_WORLD_RANK", "PMIX_RANK",   "PMI_RANK",
                                                         "PALS_RANKID",          "ALPS_APP_PE", "SLURM_PROCID"};
// How launchers name what LaunchedPlace has: Open MPI, Hydra.
struct PlaceVariables {
  std::string_view local_rank;
  std::string_view local_size;
  std::string_view world_size;
};
constexpr std::array<PlaceVariables, 2> kPlaceVariables{
    PlaceVariables{"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_SIZE"},
    PlaceVariables{"MPI_LOCALRANKID", "MPI_LOCALNRANKS", "PMI_SIZE"}};
constexpr std::string_view kJobVariable = "PMIX_NAMESPACE";  // a launcher of several jobs gives each its own
constexpr int kMostParents = 64;

using Parents = std::map<pid_t, pid_t>;  // of all processes that have not ended

std::string path_of(const std::string& proc, pid_t process, const char* file) {
  return proc + '/' + std::to_string(process) + '/' + file;
}

// Zombies have ended, their launcher has only not looked yet; but not where the main thread alone has ended.
std::optional<pid_t> living_parent(const std::string& proc, pid_t process) {
  const auto status = read_text(path_of(proc, process, "status"));
  if (!status) return std::nullopt;
  const std::string_view state = status_field(*status, "State");
  const bool main_thread_ended = state.starts_with('Z') || state.starts_with('X');
  if (main_thread_ended && parse_int(status_field(*status, "Threads")).value_or(1) <= 1) return std::nullopt;
  return parse_int(status_field(*status, "PPid"));
}

Parents living_processes(const std::string& proc) {
  Parents parents;
  for (const pid_t process : numbered_entries(proc)) {
    if (const auto parent = living_parent(proc, process)) parents.emplace(process, *parent);
  }
  return parents;
}

bool is_below(const Parents& parents, pid_t process, pid_t above) {
  for (int step = 0; step < kMostParents; ++step) {
    const auto parent = parents.find(process);
    if (parent == parents.end()) return false;
    if (parent->second == above) return true;
    process = parent->second;
  }
  return false;
}

// Whether of any two of them one is below the other.
bool is_line(const Parents& parents, const std::vector<pid_t>& processes) {
  for (const pid_t one : processes) {
    for (const pid_t other : processes) {
      if (one != other && !is_below(parents, one, other) && !is_below(parents, other, one)) return false;
    }
  }
  return true;
}

// What may not be read is another user's, as a daemon of root's is, and no rank.
std::optional<pid_t> launcher_of(const std::string& proc, const Parents& parents, pid_t self) {
  for (int step = 0; step < kMostParents; ++step) {
    const auto parent = parents.find(self);
    if (parent == parents.end() || parent->second == 0) return std::nullopt;
    self = parent->second;
    const auto environment = read_text(path_of(proc, self, "environ"));
    if (!environment || !rank_in(*environment)) return self;
  }
  return std::nullopt;
}

}  // namespace

std::span<const std::string_view> rank_variables() { return kRankVariables; }

std::optional<LaunchedPlace> launched_place() {
  const auto number = [](std::string_view name) { return parse_int(environment(name).value_or("")); };
  for (const PlaceVariables& names : kPlaceVariables) {
    const auto local_rank = number(names.local_rank);
    const auto local_size = number(names.local_size);
    const auto world_size = number(names.world_size);
    if (local_rank && local_size && world_size) return LaunchedPlace{*local_rank, *local_size, *world_size};
  }
  return std::nullopt;
}

std::optional<std::string_view> variable_in(std::string_view environment, std::string_view name) {
  while (!environment.empty()) {
    const std::string_view entry = environment.substr(0, environment.find('\0'));
    if (entry.starts_with(name) && entry.substr(name.size()).starts_with('=')) return entry.substr(name.size() + 1);
    environment.remove_prefix(std::min(entry.size() + 1, environment.size()));
  }
  return std::nullopt;
}

std::optional<int> rank_in(std::string_view environment) {
  for (const std::string_view name : kRankVariables) {
    if (const auto value = variable_in(environment, name)) return parse_int(*value);
  }
  return std::nullopt;
}

std::optional<LaunchedRanks> launched_ranks(pid_t self, const std::string& proc) {
  const auto own = read_text(path_of(proc, self, "environ"));
  if (!own || !rank_in(*own)) return std::nullopt;
  const Parents parents = living_processes(proc);
  const auto launcher = launcher_of(proc, parents, self);
  if (!launcher) return std::nullopt;

  LaunchedRanks ranks;
  for (const PlaceVariables& names : kPlaceVariables) {
    if (const auto value = variable_in(*own, names.local_size)) ranks.started = parse_int(*value).value_or(0);
  }
  std::map<int, std::vector<pid_t>> shown_by;
  for (const auto& [process, parent] : parents) {
    if (!is_below(parents, process, *launcher)) continue;
    const auto environment = read_text(path_of(proc, process, "environ"));
    if (!environment && !living_parent(proc, process)) continue;  // it has just ended
    const auto rank = environment ? rank_in(*environment) : std::nullopt;
    if (!rank) return std::nullopt;
    if (variable_in(*environment, kJobVariable) != variable_in(*own, kJobVariable)) continue;
    shown_by[*rank].push_back(process);
  }
  for (const auto& [rank, processes] : shown_by) {
    if (!is_line(parents, processes)) return std::nullopt;
    ranks.living.push_back(rank);
  }
  return ranks;
}

}  // namespace comity::os
