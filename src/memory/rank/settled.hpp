// SPDX-License-Identifier: BSD-3-Clause
// Settled: whether a figure that was seen again and again has stayed as it is for a while. Not: what that is good for.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace comity::memory {

// By one thread at a time.
class Settled {
 public:
  // It is `figure` now; what changes by no more than `little` stays.
  [[nodiscard]] bool is_so(std::int64_t figure, std::int64_t little, std::int64_t now_ns) noexcept {
    constexpr std::int64_t kWhile_ns = 20'000'000;
    if (std::abs(figure - figure_) > little) {
      figure_ = figure;
      since_ns_ = now_ns;
    }
    return now_ns - since_ns_ >= kWhile_ns;
  }

 private:
  std::int64_t figure_ = 0;
  std::int64_t since_ns_ = 0;
};

}  // namespace comity::memory
