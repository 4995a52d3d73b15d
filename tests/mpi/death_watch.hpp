// SPDX-License-Identifier: BSD-3-Clause
// When another process of this machine has died, by a thread of its own that looks a thousand times a second.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "node/process_state.hpp"
#include "told_in_time.hpp"

namespace comity::testing {

class DeathWatch {
 public:
  explicit DeathWatch(pid_t process)
      : watcher_([this, process](const std::stop_token& over) { watch(process, over); }) {}

  // As ToldInTime takes it.
  [[nodiscard]] std::int64_t died_ns() const { return died_ns_.load(); }

 private:
  void watch(pid_t process, const std::stop_token& over) {
    while (!over.stop_requested() && lives(process)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (!over.stop_requested()) died_ns_.store(ToldInTime::clock_ns());
  }
  static bool lives(pid_t process) {
    const char state = state_of(process);
    return state != 'X' && state != 'Z';
  }

  std::atomic<std::int64_t> died_ns_{0};
  std::jthread watcher_;  // the last: it is over before what it writes is gone
};

}  // namespace comity::testing
