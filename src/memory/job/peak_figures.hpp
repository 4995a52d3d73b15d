// SPDX-License-Identifier: BSD-3-Clause
// What is known of a rank's peaks: when and where they were, and how exactly all that is resident is known. Not: how much (job).
#pragma once

#include <cstdint>
#include <string>

namespace comity::memory {

// Between which looks the kernel's own high-water mark rose for the last time: the most was there in between.
struct RiseFigures {
  std::int64_t high_water = 0;
  std::int64_t after_ns = 0;  // the last look with an older mark; 0: nobody had looked before
  std::int64_t before_ns = 0;
  std::string where;  // of the second look
  std::string region;
  std::string phase;
  std::int64_t last_ns = 0;  // the last look of all; 0: not told
  friend bool operator==(const RiseFigures&, const RiseFigures&) = default;
};

// When a component, or all, had most, and where the rank was then.
struct PeakFigures {
  std::string where;  // the call of MPI behind which it was seen, or kBetweenCalls; "": nobody looked
  std::string region;
  std::int64_t time_ns = 0;  // on its rank's clock
  std::string phase;         // of a context; "": in none
  std::int64_t seen = 0;     // [bytes] what there was then
  friend bool operator==(const PeakFigures&, const PeakFigures&) = default;
};

// How the kernel's quick count of all that is resident fared beside exact ones.
struct QuickCountFigures {
  bool is_approximate = false;
  std::int64_t most_below = 0;  // by which it was below an exact one
  std::int64_t most_above = 0;
  std::int64_t bound = 0;         // by which a kernel that adds up late may be off with as many CPUs
  std::int64_t exact_counts = 0;  // 0: not told
  std::int64_t most_exact = 0;

  [[nodiscard]] std::int64_t most_off() const { return most_below > most_above ? most_below : most_above; }
  friend bool operator==(const QuickCountFigures&, const QuickCountFigures&) = default;
};

}  // namespace comity::memory
