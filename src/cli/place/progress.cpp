// SPDX-License-Identifier: BSD-3-Clause
#include "cli/place/progress.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "os/terminal.hpp"

namespace comity::cli {
namespace {

constexpr std::chrono::milliseconds kQuiet{1000}, kEvery{100};
constexpr std::size_t kBarLetters = 20;

}  // namespace

std::string progress_line(const std::string& step, std::size_t number, std::size_t of, std::int64_t ns) {
  std::string line = "place: " + step;
  if (of > 1) {
    const std::size_t done = number * kBarLetters / of;
    line += " [" + std::string(done, '=') + std::string(kBarLetters - done, ' ') + "] " + std::to_string(number) +
            " of " + std::to_string(of);
  }
  return line + ", " + std::to_string(ns / 1'000'000'000) + " s";
}

PlaceProgress::PlaceProgress() : start_ns_(now_ns()) {
  if (!os::is_terminal(STDERR_FILENO)) return;
  drawer_ = std::jthread([this](const std::stop_token& stop) { draw(stop); });
}

PlaceProgress::~PlaceProgress() {
  if (!drawer_.joinable()) return;
  drawer_.request_stop();
  drawer_.join();
}

void PlaceProgress::show(std::string_view step, std::size_t number, std::size_t of) {
  const std::lock_guard lock(mutex_);
  step_ = step;
  number_ = number;
  of_ = of;
}

void PlaceProgress::draw(const std::stop_token& stop) {
  const auto never = [] { return false; };
  std::unique_lock lock(mutex_);
  ended_.wait_for(lock, stop, kQuiet, never);
  bool shown = false;
  while (!stop.stop_requested()) {
    if (!step_.empty()) {
      std::fprintf(stderr, "\r%s\033[K", progress_line(step_, number_, of_, now_ns() - start_ns_).c_str());
      std::fflush(stderr);
      shown = true;
    }
    ended_.wait_for(lock, stop, kEvery, never);
  }
  if (shown) std::fputs("\r\033[K", stderr);
}

}  // namespace comity::cli
