// SPDX-License-Identifier: BSD-3-Clause
#include "cli/place/crew.hpp"

#include <algorithm>
#include <future>
#include <vector>

#include "os/cpus/affinity.hpp"

namespace comity::cli {

place::Crew crew_of_threads() {
  constexpr std::size_t kMost = 4;
  const std::size_t size = std::clamp<std::size_t>(os::affinity(0).count(), 1, kMost);
  const auto run = [size](std::size_t parts, const std::function<void(std::size_t)>& work) {
    const auto every_so_many = [&work, size, parts](std::size_t first) {
      for (std::size_t part = first; part < parts; part += size) work(part);
    };
    std::vector<std::future<void>> others;  // who is not to be had does his part in get()
    for (std::size_t i = 1; i < std::min(size, parts); ++i) {
      others.push_back(std::async(std::launch::async | std::launch::deferred, every_so_many, i));
    }
    every_so_many(0);
    for (std::future<void>& other : others) other.get();
  };
  return {size, run};
}

}  // namespace comity::cli
