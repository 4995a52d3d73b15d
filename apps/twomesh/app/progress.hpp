// SPDX-License-Identifier: BSD-3-Clause
// A progress bar on standard error of rank 0, and only where that is a terminal.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <string>

namespace twomesh::app {

class Progress {
 public:
  Progress(int steps, bool speaker) : steps_(steps), shown_(speaker && isatty(STDERR_FILENO) == 1) {}
  ~Progress() {
    if (shown_) std::fputs("\r\033[K", stderr);
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void operator()(int done) const {
    if (!shown_) return;
    constexpr int kWidth = 40;
    const int full = kWidth * done / steps_;
    const std::string bar =
        std::string(static_cast<std::size_t>(full), '#') + std::string(static_cast<std::size_t>(kWidth - full), '.');
    std::fprintf(stderr, "\r[%s] %d/%d steps", bar.c_str(), done, steps_);
  }

 private:
  int steps_;
  bool shown_;
};

}  // namespace twomesh::app
