// SPDX-License-Identifier: BSD-3-Clause
// How far the command is, on a terminal at standard error, once it has taken a second: the step, a bar where there are several
// of its kind, and the seconds. A thread of its own draws it, so that a long step is seen to go on. Invariant: nothing of it
// stays on the screen.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/clock.hpp"

namespace comity::cli {

// The line of a step that has taken so long; without what clears a screen.
[[nodiscard]] std::string progress_line(const std::string& step, std::size_t number, std::size_t of, std::int64_t ns);

class PlaceProgress {
 public:
  PlaceProgress();
  PlaceProgress(const PlaceProgress&) = delete;
  PlaceProgress& operator=(const PlaceProgress&) = delete;
  ~PlaceProgress();

  // What is done now: the how-manieth of so many steps of its kind.
  void show(std::string_view step, std::size_t number = 1, std::size_t of = 1);

 private:
  void draw(const std::stop_token& stop);

  std::int64_t start_ns_;
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::string step_;
  std::size_t number_ = 1, of_ = 1;
  std::jthread drawer_;  // none where standard error is no terminal
};

}  // namespace comity::cli
