// SPDX-License-Identifier: BSD-3-Clause
// Progress: how far a benchmark is, on standard error: one line that renews itself on a terminal, else a line every half
// minute.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.hpp"

namespace comity::cli::bench {

class Progress {
 public:
  Progress(std::string_view bench, Nanoseconds limit);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();  // clears the line

  void show(const std::string& how_far);

 private:
  std::string bench_;
  Nanoseconds limit_;
  std::int64_t start_ns_;
  std::int64_t last_line_ns_;
  bool terminal_;
};

}  // namespace comity::cli::bench
