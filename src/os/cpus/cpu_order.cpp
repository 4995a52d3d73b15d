// SPDX-License-Identifier: BSD-3-Clause
#include "os/cpus/cpu_order.hpp"

#include <algorithm>
#include <tuple>

#include "os/proc.hpp"

namespace comity::os {
std::vector<std::size_t> in_order_of_cores(const CpuSet& cpus, const std::string& folder) {
  std::vector<std::tuple<int, int, std::size_t>> placed;
  cpus.for_each([&](std::size_t cpu) {
    const std::string of_cpu = folder + "/cpu" + std::to_string(cpu) + "/topology/";
    placed.emplace_back(read_int(of_cpu + "physical_package_id").value_or(0), read_int(of_cpu + "core_id").value_or(0),
                        cpu);
  });
  std::ranges::sort(placed);
  std::vector<std::size_t> order;
  order.reserve(placed.size());
  for (const auto& one : placed) order.push_back(std::get<std::size_t>(one));
  return order;
}

}  // namespace comity::os
