// SPDX-License-Identifier: BSD-3-Clause
#include "cli/place/hosts.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>

#include "base/error.hpp"
#include "cli/common/host_name.hpp"
#include "cli/common/text_file.hpp"

namespace comity::cli {
namespace {

using place::Host;
using place::NodeRun;
using place::NodeShape;

constexpr std::size_t kMostHostsBytes = std::size_t{64} << 20U;

struct Allocation {
  std::string name;  // what says so
  std::vector<Host> hosts;
};

// A line a slot: once one host has several, a host that stands there once has one. Where each stands there once, a line is a host.
void count_lines(std::vector<Host>& hosts) {
  const bool counted = std::any_of(hosts.begin(), hosts.end(), [](const Host& host) { return host.slots.has_value(); });
  if (!counted) return;
  for (Host& host : hosts) host.slots = host.slots.value_or(1);
}

Allocation allocation_of(const EnvironmentLookup& lookup) {
  if (const auto list = lookup("SLURM_JOB_NODELIST"); list && !list->empty()) {
    std::vector<Host> hosts = place::parse_hosts(*list, "SLURM_JOB_NODELIST");
    for (Host& host : hosts) host.slots.reset();
    return {"SLURM_JOB_NODELIST", std::move(hosts)};
  }
  if (const auto file = lookup("PBS_NODEFILE"); file && !file->empty()) {
    std::vector<Host> hosts =
        place::parse_hosts(read_text_file(*file, "the hosts", "PBS_NODEFILE", kMostHostsBytes), *file);
    count_lines(hosts);
    return {"PBS_NODEFILE", std::move(hosts)};
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

struct HostsByName {
  std::map<std::string, const Host*> whole;
  std::multimap<std::string, const Host*> brief;
};

// By its whole name; by its short one where no other host has that: "n1.a" and "n1.b" are two.
const Host& allocated(const Host& host, const Allocation& allocation, const HostsByName& by_name) {
  if (const auto at = by_name.whole.find(host.name); at != by_name.whole.end()) return *at->second;
  const std::string name = short_name(host.name);
  const auto [first, end] = by_name.brief.equal_range(name);
  const auto alike = std::distance(first, end);
  if (alike == 1) return *first->second;
  if (alike > 1 && name == host.name) {
    throw Error(Status::argument, "--hosts names " + host.name + ", which may be " + first->second->name + " or " +
                                      std::next(first)->second->name + " of this job's allocation (" + allocation.name +
                                      "); write its whole name");
  }
  throw Error(Status::argument, "--hosts names " + host.name + ", which is not in this job's allocation (" +
                                    allocation.name + " has " + std::to_string(allocation.hosts.size()) +
                                    " hosts, the first one " + allocation.hosts.front().name +
                                    "); leave --hosts out, or correct it");
}

void fit_to(const Allocation& allocation, std::vector<Host>& hosts) {
  HostsByName by_name;
  for (const Host& host : allocation.hosts) {
    by_name.whole.emplace(host.name, &host);
    by_name.brief.emplace(short_name(host.name), &host);
  }
  for (Host& host : hosts) {
    const std::optional<std::uint32_t> most = allocated(host, allocation, by_name).slots;
    if (most && host.slots.value_or(0) > *most) {
      throw Error(Status::argument, "--hosts gives " + host.name + " " + std::to_string(*host.slots) +
                                        " slots, but this job has " + std::to_string(*most) + " there (" +
                                        allocation.name + "); leave the number out, or ask for more with mpiprocs");
    }
    if (!host.slots) host.slots = most;
  }
}

std::uint32_t hardware_threads(const NodeShape& shape) {
  std::size_t count = 0;
  for (const place::CoreSeat& seat : shape.seats) count += seat.cpus.count();
  return std::max(static_cast<std::uint32_t>(count), shape.cores);
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

}  // namespace

std::vector<Host> read_hosts(const std::string& word, const EnvironmentLookup& lookup) {
  Allocation allocation = allocation_of(lookup);
  if (word.empty()) return std::move(allocation.hosts);
  std::vector<Host> hosts = read_list(word);
  if (!allocation.hosts.empty()) fit_to(allocation, hosts);
  return hosts;
}

std::vector<NodeRun> with_slots(const std::vector<NodeRun>& nodes, const std::vector<Host>& hosts,
                                std::uint32_t threads, ThreadsLie lie) {
  std::size_t count = 0;
  for (const NodeRun& run : nodes) count += run.nodes;
  if (count != hosts.size()) {
    throw Error(Status::argument, "the list of hosts has " + std::to_string(hosts.size()) + ", but the nodes are " +
                                      std::to_string(count) + "; name one host for each node");
  }
  std::vector<NodeRun> result;
  std::size_t node = 0;
  for (const NodeRun& run : nodes) {
    const std::uint32_t most = hardware_threads(run.shape);
    const bool spread = lie == ThreadsLie::spread && !run.shape.levels.empty();
    const NodeShape whole = spread ? place::spread(run.shape, threads) : run.shape;
    std::optional<std::uint32_t> before;  // cores of the last run of the result, if it came from this run
    for (std::size_t i = 0; i < run.nodes; ++i, ++node) {
      const std::uint32_t slots = hosts[node].slots.value_or(run.shape.cores);
      if (slots > most) {
        throw Error(Status::argument, "host " + hosts[node].name + " has " + std::to_string(slots) +
                                          " slots, but node " + std::to_string(node) + " has " + std::to_string(most) +
                                          " hardware threads; correct the list or the description of the node");
      }
      const auto cores =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(std::uint64_t{slots} * threads, whole.cores));
      if (before == cores) {
        ++result.back().nodes;
      } else {
        result.push_back({1, whole});
        if (cores < whole.cores) {
          result.back().shape = spread ? first_spread_cores(whole, cores) : first_cores(whole, cores);
        }
      }
      before = cores;
    }
  }
  return result;
}

}  // namespace comity::cli
