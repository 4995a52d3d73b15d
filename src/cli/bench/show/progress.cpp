// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/show/progress.hpp"

#include <unistd.h>

#include <cstdio>

namespace comity::cli::bench {
namespace {

constexpr std::int64_t kLineEvery_ns = 30'000'000'000;

int seconds(std::int64_t duration_ns) { return static_cast<int>(duration_ns / 1'000'000'000); }

}  // namespace

Progress::Progress(std::string_view bench, Nanoseconds limit)
    : bench_(bench),
      limit_(limit),
      start_ns_(now_ns()),
      last_line_ns_(start_ns_),
      terminal_(::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (terminal_) std::fputs("\r\033[K", stderr);
}

void Progress::show(const std::string& how_far) {
  const std::int64_t now = now_ns();
  if (!terminal_ && now - last_line_ns_ < kLineEvery_ns) return;
  last_line_ns_ = now;
  std::fprintf(stderr, "%sbench %s: %d of at most %d s, %s%s", terminal_ ? "\r" : "", bench_.c_str(),
               seconds(now - start_ns_), seconds(limit_.count()), how_far.c_str(), terminal_ ? "\033[K" : "\n");
  std::fflush(stderr);
}

}  // namespace comity::cli::bench
