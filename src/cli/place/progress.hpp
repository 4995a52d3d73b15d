// SPDX-License-Identifier: BSD-3-Clause
// How far the mapper is, on a terminal at standard error, once it has taken a second. Invariant: nothing of it stays on
// the screen.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "os/terminal.hpp"

namespace comity::cli {

class PlaceProgress {
 public:
  PlaceProgress() : terminal_(os::is_terminal(STDERR_FILENO)), next_ns_(now_ns() + kQuiet_ns) {}
  PlaceProgress(const PlaceProgress&) = delete;
  PlaceProgress& operator=(const PlaceProgress&) = delete;
  ~PlaceProgress() {
    if (shown_) std::fputs("\r\033[K", stderr);
  }

  void show(std::string_view step, std::size_t number, std::size_t of) {
    if (!terminal_ || now_ns() < next_ns_) return;
    next_ns_ = now_ns() + kEvery_ns;
    shown_ = true;
    std::fprintf(stderr, "\rplace: %s (%zu of %zu)\033[K", std::string(step).c_str(), number, of);
    std::fflush(stderr);
  }

 private:
  static constexpr std::int64_t kQuiet_ns = 1'000'000'000, kEvery_ns = 100'000'000;

  bool terminal_;
  bool shown_ = false;
  std::int64_t next_ns_;
};

}  // namespace comity::cli
