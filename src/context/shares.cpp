// SPDX-License-Identifier: BSD-3-Clause
#include "context/shares.hpp"

#include <algorithm>
#include <tuple>

namespace comity::context {
namespace {

struct Range {
  std::size_t low, high;
};

Range equal_range(std::size_t cores, std::size_t sharers, std::size_t place) {
  const std::size_t low = place * cores / sharers;
  return {low, std::min(std::max((place + 1) * cores / sharers, low + 1), cores)};
}

// A rank that may use several of the cores works on each of them for a part of its time.
std::vector<double> work_on(std::span<const CpuSet> cores, std::span<const CpuSet> working) {
  std::vector<double> work(cores.size(), 0.0);
  std::vector<std::size_t> used;
  for (const CpuSet& mask : working) {
    used.clear();
    for (std::size_t core = 0; core < cores.size(); ++core) {
      if (mask.intersects(cores[core])) used.push_back(core);
    }
    for (const std::size_t core : used) work[core] += 1.0 / static_cast<double>(used.size());
  }
  return work;
}

}  // namespace

CpuSet equal_share(std::span<const CpuSet> cores, std::size_t sharers, std::size_t place) {
  CpuSet share;
  const Range range = equal_range(cores.size(), sharers, place);
  for (std::size_t core = range.low; core < range.high; ++core) share |= cores[core];
  return share;
}

CpuSet narrow_share(std::span<const CpuSet> cores, std::span<const CpuSet> sharers, std::size_t place,
                    std::span<const CpuSet> working, std::size_t width) {
  const std::vector<double> work = work_on(cores, working);
  std::vector<bool> taken(cores.size(), false);
  CpuSet share;
  for (std::size_t sharer = 0; sharer <= place; ++sharer) {
    const std::size_t low = equal_range(cores.size(), sharers.size(), sharer).low;
    const auto cost = [&](std::size_t core) {
      return std::tuple(bool{taken[core]}, work[core], !sharers[sharer].intersects(cores[core]),
                        (core + cores.size() - low) % cores.size());
    };
    share = {};
    for (std::size_t count = 0; count < width; ++count) {
      std::size_t best = low;
      for (std::size_t core = 0; core < cores.size(); ++core) {
        if (cost(core) < cost(best)) best = core;
      }
      taken[best] = true;
      share |= cores[best];
    }
  }
  return share;
}

}  // namespace comity::context
