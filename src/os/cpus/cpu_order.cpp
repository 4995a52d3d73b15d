// SPDX-License-Identifier: BSD-3-Clause
#include "os/cpus/cpu_order.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "os/proc.hpp"

namespace comity::os {
namespace {

// 0 where there is no such file, or it holds something else.
int id_in(const std::string& path) {
  const std::string text = read_text(path).value_or("");
  int number = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

std::vector<std::size_t> in_order_of_cores(const CpuSet& cpus, const std::string& folder) {
  std::vector<std::tuple<int, int, std::size_t>> placed;
  cpus.for_each([&](std::size_t cpu) {
    const std::string of_cpu = folder + "/cpu" + std::to_string(cpu) + "/topology/";
    placed.emplace_back(id_in(of_cpu + "physical_package_id"), id_in(of_cpu + "core_id"), cpu);
  });
  std::ranges::sort(placed);
  std::vector<std::size_t> order;
  order.reserve(placed.size());
  for (const auto& one : placed) order.push_back(std::get<std::size_t>(one));
  return order;
}

}  // namespace comity::os
