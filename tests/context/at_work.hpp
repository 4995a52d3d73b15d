// SPDX-License-Identifier: BSD-3-Clause
// Whether threads of a pool took part in a region, and where: members that cannot say so themselves, for the code in the region
// is a library's. Who slept before the region and has run since was woken for it; an idle member that spins has run too, and
// tells nothing.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "context/masks.hpp"

namespace comity::testing {

// What the kernel has counted of a thread of this process. Nothing where it has ended.
struct Work {
  std::int64_t ran_ns = 0;
  char state = 'X';
  int cpu = -1;  // on which it ran last
};

inline Work work_of(pid_t thread) {
  const std::string folder = "/proc/self/task/" + std::to_string(thread);
  Work work;
  std::ifstream(folder + "/schedstat") >> work.ran_ns;
  std::string line;
  std::getline(std::ifstream(folder + "/stat"), line);
  std::istringstream words(line.substr(std::min(line.rfind(')') + 1, line.size())));  // a name may have spaces
  constexpr int kWordsBetween = 35;
  words >> work.state;
  std::string other;
  for (int word = 0; word < kWordsBetween; ++word) words >> other;
  words >> work.cpu;
  return work;
}

// False on the rare kernel that does not count what a thread ran.
inline bool kernel_counts_work() { return work_of(gettid()).ran_ns > 0; }

class AtWork {
 public:
  // Waits until all of them sleep, which is when a region may begin.
  explicit AtWork(Threads workers) : workers_(std::move(workers)) {
    for (const pid_t worker : workers_) {
      (void)becomes_true([&] { return work_of(worker).state == 'S'; });
      ran_ns_.push_back(work_of(worker).ran_ns);
    }
  }

  // Where those were last that have run since. Waits for `least` of them: the kernel counts some time after the fact.
  [[nodiscard]] std::vector<int> cpus(std::size_t least) const {
    std::vector<int> cpus;
    (void)becomes_true([&] {
      cpus.clear();
      for (std::size_t i = 0; i < workers_.size(); ++i) {
        if (const Work now = work_of(workers_[i]); now.ran_ns > ran_ns_[i]) cpus.push_back(now.cpu);
      }
      return cpus.size() >= least;
    });
    return cpus;
  }

 private:
  // Up to a limit that no crowded machine reaches.
  template <typename Condition>
  static bool becomes_true(Condition&& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    return true;
  }

  Threads workers_;
  std::vector<std::int64_t> ran_ns_;
};

}  // namespace comity::testing
