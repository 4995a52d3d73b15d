// SPDX-License-Identifier: BSD-3-Clause
// The process that the tests of its threads are run in. Built once a runtime of OpenMP (GNU, LLVM).
#pragma once

#include <comity/comity.hpp>

#include <gtest/gtest.h>
#include <omp.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "context/threads/held.hpp"
#include "node/process_state.hpp"
#include "os/threads/thread_origins.hpp"

namespace comity::testing {

class ProcessThreads : public ::testing::Test {
 protected:
  ProcessThreads() : before_(cpus_of(0)), cores_(Context::local().count(Resource::core)) {}
  ~ProcessThreads() override { (void)bind_this_thread(before_); }

  [[nodiscard]] int team() const { return cores_; }

  Cpus before_;
  int cores_;
};

// What needs an idle member, or masks that differ.
class ThreadsOnTwoCores : public ProcessThreads {
 protected:
  void SetUp() override {
    if (cores_ < 2) GTEST_SKIP() << "NOT TESTED: there is one core only";
  }
};

inline std::vector<pid_t> threads_of_team(int size) {
  std::vector<pid_t> threads(static_cast<std::size_t>(size));
#pragma omp parallel num_threads(size)
  threads[static_cast<std::size_t>(omp_get_thread_num())] = gettid();
  return threads;
}

inline int thread_count() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Threads:")) return std::stoi(line.substr(8));
  }
  return -1;
}

inline bool all_others_sleep() {
  const auto own = std::to_string(gettid());
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    const std::string thread = task.path().filename();
    if (thread != own && state_of(std::stoi(thread)) != 'S') return false;
  }
  return true;
}

// Members of a team that has been ended count until the kernel has seen them off; those that stay sleep, sooner or later.
inline int thread_count_at_rest() {
  constexpr int kLongest_ms = 10'000;  // where the shell says that they spin for ever
  for (int waited_ms = 0; !all_others_sleep() && waited_ms < kLongest_ms; ++waited_ms) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return thread_count();
}

inline constexpr const char* kNoOrigins =
    "NOT TESTED: nobody tells where a thread begins, or a sanitizer begins them all";

inline bool origins_are_known() {
  std::atomic<pid_t> id{0};
  const Held thread([&] { id.store(gettid()); });
  return os::ThreadOrigins().is_in_program(id.load());
}

}  // namespace comity::testing
