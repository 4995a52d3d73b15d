// SPDX-License-Identifier: BSD-3-Clause
#include "os/cpus/cpu_speeds.hpp"

#include "os/proc.hpp"

namespace comity::os {
namespace {

std::vector<int> numbers_in(const CpuSet& cpus, const std::string& folder, const std::string& file) {
  std::vector<int> numbers;
  bool all = true;
  cpus.for_each([&](std::size_t cpu) {
    const int number = all ? read_int(folder + "/cpu" + std::to_string(cpu) + file).value_or(0) : 0;
    all = number > 0;
    numbers.resize(cpu + 1, 0);
    numbers[cpu] = number;
  });
  return all ? numbers : std::vector<int>{};
}

}  // namespace

std::vector<int> speeds_of_cpus(const CpuSet& cpus, const std::string& folder) {
  std::vector<int> speeds = numbers_in(cpus, folder, "/cpu_capacity");
  if (speeds.empty()) speeds = numbers_in(cpus, folder, "/cpufreq/cpuinfo_max_freq");
  return speeds;
}

}  // namespace comity::os
