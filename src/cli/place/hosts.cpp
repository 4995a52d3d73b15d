// SPDX-License-Identifier: BSD-3-Clause
#include "cli/place/hosts.hpp"

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "cli/common/screen.hpp"
#include "cli/common/text_file.hpp"
#include "place/host_names.hpp"

namespace comity::cli {
namespace {

using place::Host;
using place::NodeRun;
using place::NodeShape;
using place::SlotsOf;

constexpr std::size_t kMostHostsBytes = std::size_t{64} << 20U;

struct Allocation {
  std::string name;  // what says so
  std::string more;  // what asks for more there
  std::vector<Host> hosts;
};

// A line a slot: once one host has several, a host that stands there once has one. Where each stands there once, a line is a host.
void count_lines(std::vector<Host>& hosts) {
  const bool counted = std::any_of(hosts.begin(), hosts.end(), [](const Host& host) { return host.slots.has_value(); });
  if (!counted) return;
  for (Host& host : hosts) {
    host.slots = host.slots.value_or(1);
    host.slots_of = SlotsOf::job;
  }
}

// A number for each host; empty where there is no such variable.
std::vector<std::uint32_t> counts_in(const EnvironmentLookup& lookup, const std::string& name, std::size_t hosts) {
  const auto text = lookup(name);
  if (!text || text->empty()) return {};
  std::vector<std::uint32_t> counts = place::parse_counts(*text, name);
  if (counts.size() == hosts) return counts;
  throw Error(Status::argument, name + " tells of " + std::to_string(counts.size()) +
                                    " nodes, but SLURM_JOB_NODELIST has " + std::to_string(hosts) +
                                    "; correct the one that was changed");
}

// Whether Slurm's tasks are as many as somebody wants. Where nobody said, Slurm counts as many as the CPUs would take, and in a step it
// counts those of the step.
bool asks_for_tasks(const EnvironmentLookup& lookup) {
  return !lookup("SLURM_STEP_ID") && (lookup("SLURM_NTASKS") || lookup("SLURM_NTASKS_PER_NODE"));
}

std::vector<Host> hosts_of_slurm(const std::string& list, const EnvironmentLookup& lookup) {
  std::vector<Host> hosts = place::parse_hosts(list, "SLURM_JOB_NODELIST");
  const std::vector<std::uint32_t> cpus = counts_in(lookup, "SLURM_JOB_CPUS_PER_NODE", hosts.size());
  std::vector<std::uint32_t> tasks;
  if (asks_for_tasks(lookup)) tasks = counts_in(lookup, "SLURM_TASKS_PER_NODE", hosts.size());
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    hosts[i].slots.reset();
    if (!cpus.empty()) hosts[i].cpus = cpus[i];
    if (tasks.empty()) continue;
    hosts[i].slots = std::min(tasks[i], hosts[i].cpus.value_or(tasks[i]));  // of more tasks several would share a CPU
    hosts[i].slots_of = SlotsOf::job;
  }
  return hosts;
}

Allocation allocation_of(const EnvironmentLookup& lookup) {
  if (const auto list = lookup("SLURM_JOB_NODELIST"); list && !list->empty()) {
    return {"SLURM_JOB_NODELIST", "--ntasks-per-node", hosts_of_slurm(*list, lookup)};
  }
  if (const auto file = lookup("PBS_NODEFILE"); file && !file->empty()) {
    std::vector<Host> hosts =
        place::parse_hosts(read_text_file(*file, "the hosts", "PBS_NODEFILE", kMostHostsBytes), *file);
    count_lines(hosts);
    return {"PBS_NODEFILE", "mpiprocs", std::move(hosts)};
  }
  return {};
}

std::vector<Host> read_list(const std::string& word) {
  std::error_code none;
  if (word.find('/') == std::string::npos && !std::filesystem::exists(word, none)) {
    return place::parse_hosts(word, "--hosts");
  }
  return place::parse_hosts(read_text_file(word, "the hosts", "--hosts", kMostHostsBytes), word);
}

const Host& allocated(const Host& host, const Allocation& allocation, const place::HostNames& names) {
  const std::vector<std::size_t> found = names.find(host.name);
  if (found.size() == 1) return allocation.hosts[found.front()];
  if (found.size() > 1) {
    throw Error(Status::argument, "--hosts names " + host.name + ", which may be " + allocation.hosts[found[0]].name +
                                      " or " + allocation.hosts[found[1]].name + " of this job's allocation (" +
                                      allocation.name + "); write its whole name");
  }
  throw Error(Status::argument, "--hosts names " + host.name + ", which is not in this job's allocation (" +
                                    allocation.name + " has " + std::to_string(allocation.hosts.size()) +
                                    " hosts, the first one " + allocation.hosts.front().name +
                                    "); leave --hosts out, or correct it");
}

void fit_to(const Allocation& allocation, std::vector<Host>& hosts) {
  const place::HostNames names(place::names_of(allocation.hosts));
  for (Host& host : hosts) {
    const Host& given = allocated(host, allocation, names);
    // More ranks than Slurm's tasks may run where there are CPUs for them.
    const std::optional<std::uint32_t> most = given.cpus ? given.cpus : given.slots;
    if (most && host.slots.value_or(0) > *most) {
      throw Error(Status::argument,
                  "--hosts gives " + host.name + " " + std::to_string(*host.slots) + " slots, but this job has " +
                      (given.cpus ? count_text(*most, "CPU") : std::to_string(*most)) + " there (" + allocation.name +
                      "); leave the number out, or ask for more with " + allocation.more);
    }
    if (!host.slots) {
      host.slots = given.slots;
      host.slots_of = given.slots_of;
    }
    host.cpus = given.cpus;
  }
}

std::uint32_t hardware_threads(const NodeShape& shape) {
  std::size_t count = 0;
  for (const place::CoreSeat& seat : shape.seats) count += seat.cpus.count();
  return std::max(static_cast<std::uint32_t>(count), shape.cores);
}

// Those of a list are a mistake where the node has not so many hardware threads; those of a job are what it has room for, or more.
std::uint32_t slots_on(const NodeShape& shape, const Host& host, std::size_t node) {
  const std::uint32_t most = hardware_threads(shape);
  const std::uint32_t slots = host.slots.value_or(shape.cores);
  if (slots <= most) return slots;
  if (host.slots_of == SlotsOf::job) return most;
  throw Error(Status::argument, "host " + host.name + " has " + std::to_string(slots) + " slots, but node " +
                                    std::to_string(node) + " has " + std::to_string(most) +
                                    " hardware threads; correct the list or the description of the node");
}

NodeShape first_cores(const NodeShape& shape, std::uint32_t cores) {
  CpuSet rest;
  for (std::uint32_t core = cores; core < shape.cores; ++core) rest.insert(core);
  return place::without_cores(shape, rest);
}

// Of cores that stand rank after rank, each of them with a part of its own of every package.
NodeShape first_spread_cores(NodeShape shape, std::uint32_t cores) {
  shape.idle += shape.cores - cores;
  shape.seats.resize(cores);
  shape.cores = cores;
  return shape;
}

// Of those that the slots have room for no more than the job has CPUs, which Slurm counts by cores or by hardware threads; whole
// strips of so many, none where there is no room for one.
std::uint32_t cores_for(const Host& host, std::uint64_t wanted, const NodeShape& whole, std::uint32_t strip) {
  const std::uint32_t most = std::min(whole.cores, host.cpus.value_or(whole.cores));
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, most)) / strip * strip;
}

// What one host has of its node.
struct Share {
  std::uint32_t cores;
  std::optional<std::uint32_t> most_ranks;

  bool operator==(const Share&) const = default;
};

NodeShape cut_to(const Share& share, const NodeShape& whole, bool spread) {
  NodeShape shape = whole;
  if (share.cores < whole.cores) {
    shape = spread ? first_spread_cores(whole, share.cores) : first_cores(whole, share.cores);
  }
  shape.most_ranks = share.most_ranks;
  return shape;
}

}  // namespace

std::uint32_t spread_width(const NodeShape& shape, std::uint32_t threads, ThreadsLie lie) {
  return lie == ThreadsLie::spread_unequal ? place::narrowest_spread(shape) : threads;
}

std::vector<Host> read_hosts(const std::string& word, const EnvironmentLookup& lookup) {
  Allocation allocation = allocation_of(lookup);
  if (word.empty()) return std::move(allocation.hosts);
  std::vector<Host> hosts = read_list(word);
  if (!allocation.hosts.empty()) fit_to(allocation, hosts);
  return hosts;
}

std::vector<NodeRun> with_slots(const std::vector<NodeRun>& nodes, const std::vector<Host>& hosts,
                                std::uint32_t threads, ThreadsLie lie, SlotsTake take) {
  std::size_t count = 0;
  for (const NodeRun& run : nodes) count += run.nodes;
  if (count != hosts.size()) {
    throw Error(Status::argument, "the list of hosts has " + std::to_string(hosts.size()) + ", but the nodes are " +
                                      std::to_string(count) + "; name one host for each node");
  }
  std::vector<NodeRun> result;
  std::size_t node = 0;
  for (const NodeRun& run : nodes) {
    const bool spread = lie != ThreadsLie::together && !run.shape.levels.empty();
    const std::uint32_t width = spread_width(run.shape, threads, lie);
    const NodeShape whole = spread ? place::spread(run.shape, width) : run.shape;
    std::optional<Share> before;  // of the last run of the result, if it came from this run
    for (std::size_t i = 0; i < run.nodes; ++i, ++node) {
      const std::uint32_t slots = slots_on(run.shape, hosts[node], node);
      const bool any = take == SlotsTake::any_cores && !spread;
      const std::uint64_t wanted = any ? whole.cores : std::uint64_t{slots} * threads;
      const Share share{cores_for(hosts[node], wanted, whole, spread ? width : 1),
                        any ? std::optional(slots) : std::nullopt};
      if (before == share) {
        ++result.back().nodes;
      } else {
        result.push_back({1, cut_to(share, whole, spread)});
      }
      before = share;
    }
  }
  return result;
}

}  // namespace comity::cli
