// SPDX-License-Identifier: BSD-3-Clause
#include "os/cpus/cpu_nodes.hpp"

#include <algorithm>
#include <optional>

#include "base/cpu_set.hpp"
#include "base/error.hpp"
#include "os/proc.hpp"

namespace comity::os {
namespace {

// A list such as "0-3,8"; empty where there is no such file, or it holds something else.
CpuSet list_in(const std::string& path) {
  std::string text = read_text(path).value_or("");
  text.erase(std::remove(text.begin(), text.end(), '\n'), text.end());
  try {
    return CpuSet::parse_list(text);
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

std::vector<int> nodes_of_cpus(const std::string& folder) {
  std::vector<int> nodes;
  list_in(folder + "/online").for_each([&](std::size_t node) {
    list_in(folder + "/node" + std::to_string(node) + "/cpulist").for_each([&](std::size_t cpu) {
      if (nodes.size() <= cpu) nodes.resize(cpu + 1, 0);
      nodes[cpu] = static_cast<int>(node);
    });
  });
  return nodes;
}

}  // namespace comity::os
