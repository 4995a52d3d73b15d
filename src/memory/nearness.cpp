// SPDX-License-Identifier: BSD-3-Clause
#include "memory/nearness.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "os/proc.hpp"

namespace comity::memory {
namespace {

// Lists of nodes read as those of CPUs do.
CpuSet list_in(const std::string& file) {
  const std::optional<std::string> text = os::read_text(file);
  if (!text) return {};
  const std::string line = text->substr(0, text->find('\n'));
  return line.empty() ? CpuSet() : CpuSet::parse_list(line);
}

}  // namespace

NodeCpus node_cpus(const std::string& folder) {
  NodeCpus nodes;
  const CpuSet online = list_in(folder + "/online");
  for (auto node = online.lowest(); node; node = online.next(*node + 1))
    nodes[static_cast<int>(*node)] = list_in(folder + "/node" + std::to_string(*node) + "/cpulist");
  return nodes;
}

Nearness nearness(const os::NodeBytes& memory, const CpuSet& cpus, const NodeCpus& nodes) {
  Nearness sum;
  for (const auto& [node, bytes] : memory) {
    const auto here = nodes.find(node);
    if (here == nodes.end() || here->second.empty()) continue;
    (here->second.intersects(cpus) ? sum.near_bytes : sum.far_bytes) += bytes;
  }
  return sum;
}

std::vector<NodeThreads> threads_by_node(std::span<const CpuSet> threads, const NodeCpus& nodes) {
  std::vector<NodeThreads> all;
  for (const auto& [node, cpus] : nodes) {
    const auto there = std::count_if(threads.begin(), threads.end(),
                                     [&here = cpus](const CpuSet& mask) { return here.intersects(mask); });
    all.push_back({node, cpus, static_cast<std::uint64_t>(there)});
  }
  return all;
}

std::string far_warning(const std::string& who, const Nearness& nearness, const std::string& cpus) {
  if (!nearness.is_mostly_far()) return {};
  const auto all = static_cast<double>(nearness.near_bytes) + static_cast<double>(nearness.far_bytes);
  std::array<char, 16> percent{};
  std::snprintf(percent.data(), percent.size(), "%.1f %%", 100.0 * static_cast<double>(nearness.far_bytes) / all);
  return who + ": " + percent.data() + " of its memory lies on NUMA nodes far from the CPUs that it may use (" + cpus +
         "). Memory lies where it is touched first: bind ranks before they touch it (mpirun --bind-to numa, srun "
         "--cpu-bind=ldoms), or start the program under numactl --localalloc.";
}

}  // namespace comity::memory
