// SPDX-License-Identifier: BSD-3-Clause
// Nearness: whether a process's memory lies on the NUMA nodes whose CPUs it may use. Not: which memory is near a core by
// distance (machine); nodes without CPUs, such as those of fast memory, are neither near nor far.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/cpu_set.hpp"
#include "os/memory/node_pages.hpp"

namespace comity::memory {

using NodeCpus = std::map<int, CpuSet>;  // by the kernel's number of the node

// Of this machine; empty where the kernel knows no nodes.
[[nodiscard]] NodeCpus node_cpus(const std::string& folder = "/sys/devices/system/node");

struct Nearness {
  std::uint64_t near_bytes = 0;
  std::uint64_t far_bytes = 0;

  [[nodiscard]] bool is_mostly_far() const { return far_bytes > near_bytes; }
  friend bool operator==(const Nearness&, const Nearness&) = default;
};

[[nodiscard]] Nearness nearness(const os::NodeBytes& memory, const CpuSet& cpus, const NodeCpus& nodes);

// A NUMA node, and how many threads of a process may run there.
struct NodeThreads {
  int node = 0;
  CpuSet cpus;  // of the node
  std::uint64_t threads = 0;

  friend bool operator==(const NodeThreads&, const NodeThreads&) = default;
};

// By number. A thread that may run on several nodes counts on each.
[[nodiscard]] std::vector<NodeThreads> threads_by_node(std::span<const CpuSet> threads, const NodeCpus& nodes);

// What is said of a process whose memory is mostly far from the CPUs that it may use, and what to try; "" for others.
[[nodiscard]] std::string far_warning(const std::string& who, const Nearness& nearness, const std::string& cpus);

}  // namespace comity::memory
