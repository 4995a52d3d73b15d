// SPDX-License-Identifier: BSD-3-Clause
// DeltaSamples: what the rule of older tools gave behind calls, until somebody writes it down: those samples in which it changed. Not: the rule (delta).
// Invariant: there are so many at the most; where more come one of two goes, and none that cannot be where its neighbour can.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace comity::memory {

struct DeltaSample {
  std::int64_t time_ns = 0;
  std::int64_t mpi = 0;    // [bytes] by the rule
  std::int64_t total = 0;  // [bytes] that there was
  [[nodiscard]] bool is_impossible() const { return mpi > total || mpi < 0; }
};

// By one thread at a time.
class DeltaSamples {
 public:
  void add(const DeltaSample& sample) noexcept {
    if (has_any_ && sample.mpi == last_.mpi && sample.is_impossible() == last_.is_impossible()) return;
    has_any_ = true;
    last_ = sample;
    if (count_ == samples_.size()) halve();
    samples_[count_++] = sample;
  }
  [[nodiscard]] std::span<const DeltaSample> all() const { return {samples_.data(), count_}; }
  void clear() noexcept { count_ = 0; }

 private:
  void halve() noexcept {
    for (std::size_t i = 0; i + 1 < count_; i += 2) {
      const DeltaSample& a = samples_[i];
      const DeltaSample& b = samples_[i + 1];
      const bool is_first = a.is_impossible() == b.is_impossible() ? a.mpi > b.mpi : a.is_impossible();
      samples_[i / 2] = is_first ? a : b;
    }
    count_ /= 2;
  }

  static constexpr std::size_t kMost = 512;
  std::array<DeltaSample, kMost> samples_{};
  std::size_t count_ = 0;
  DeltaSample last_;
  bool has_any_ = false;
};

}  // namespace comity::memory
