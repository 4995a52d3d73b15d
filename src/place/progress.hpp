// SPDX-License-Identifier: BSD-3-Clause
// Progress: who wants to know how far the mapper is, and is told a hundred times a step at most. Not: when to show it, which is theirs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>

namespace comity::place {

// Told what is done now, and the how-manieth of how many such steps it is. By several threads at once where they work side by side.
using Progress = std::function<void(std::string_view step, std::size_t number, std::size_t of)>;

// The same of one step, whose name the caller knows.
using Portions = std::function<void(std::size_t number, std::size_t of)>;

inline constexpr std::uint64_t kHundred = 100;  // portions of what is counted in large numbers

// Whether to tell after so many of `of`, if they are counted one by one.
[[nodiscard]] constexpr bool is_time_to_tell(std::uint64_t number, std::uint64_t of) {
  return number % std::max<std::uint64_t>(1, of / kHundred) == 0;
}

// One step whose work is counted in units, told in hundredths of all that it may be. Invariant: what is told never goes back.
class Hundredths {
 public:
  Hundredths(const Progress& progress, std::string_view step, std::uint64_t units)
      : progress_(progress), step_(step), units_(std::max<std::uint64_t>(1, units)) {}

  // So many more are done.
  void add(std::uint64_t units) {
    done_ += units;
    tell(done_ * kHundred);
  }
  // So many are, where none of what was to be done before is left.
  void reach(std::uint64_t units) { add(std::max(done_, units) - done_); }

  // For who works at the next so many units: how far they are.
  [[nodiscard]] Portions within(std::uint64_t units) {
    return [this, units](std::size_t number, std::size_t of) { tell((done_ * of + units * number) * kHundred / of); };
  }

 private:
  void tell(std::uint64_t hundredths_of_units) {
    const std::uint64_t now = std::min(hundredths_of_units / units_, kHundred);
    if (!progress_ || now < next_) return;
    progress_(step_, now, kHundred);
    next_ = now + 1;
  }

  const Progress& progress_;
  std::string_view step_;
  std::uint64_t units_;
  std::uint64_t done_ = 0, next_ = 0;
};

// Parts of one step on which several threads work, told as one count. Invariant: what is told never goes back, for it is added up and told
// under one lock.
class PartsDone {
 public:
  PartsDone(const Progress& progress, std::string_view step, std::size_t parts)
      : progress_(progress), step_(step), parts_(parts) {}

  // So many more of the `of` portions that each part has.
  void add(std::size_t portions, std::size_t of) {
    if (!progress_) return;
    const std::lock_guard lock(mutex_);
    done_ += portions;
    progress_(step_, done_, parts_ * of);
  }

 private:
  const Progress& progress_;
  std::string_view step_;
  std::size_t parts_;
  std::mutex mutex_;
  std::size_t done_ = 0;  // portions of all parts
};

}  // namespace comity::place
