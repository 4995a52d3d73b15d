// SPDX-License-Identifier: BSD-3-Clause
#include "os/cpus/cpu_speeds.hpp"

#include <algorithm>
#include <charconv>

#include "os/proc.hpp"

namespace comity::os {
namespace {

// Above 0; 0 where there is no such file, or it holds something else.
int number_in(const std::string& path) {
  const std::string text = read_text(path).value_or("");
  int number = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), number);
  return std::max(number, 0);
}

std::vector<int> numbers_in(const CpuSet& cpus, const std::string& folder, const std::string& file) {
  std::vector<int> numbers;
  bool all = true;
  cpus.for_each([&](std::size_t cpu) {
    const int number = all ? number_in(folder + "/cpu" + std::to_string(cpu) + file) : 0;
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
