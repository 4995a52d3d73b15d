// SPDX-License-Identifier: BSD-3-Clause
// PublishedMask: a CPU set in shared memory with one writer and any number of readers, and a word that goes with it. Two
// copies: the writer fills the one that nobody is told to read, then moves `version_`. A writer killed midway leaves the
// other copy whole, so readers never see half a set, nor the word of another, and never wait for a writer.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "base/cpu_set.hpp"

namespace comity::node {

// Tells sets apart in one word, but for one in 2^64.
[[nodiscard]] inline std::uint64_t digest_of(const CpuSet& set) {
  std::uint64_t digest = 0;
  for (const std::uint64_t word : set.words()) digest = digest * 0x9E3779B97F4A7C15U + word;
  return digest;
}

class PublishedMask {
 public:
  struct Copy {
    CpuSet mask;
    std::uint64_t word;
  };

  // One thread of one process at a time.
  void publish(const CpuSet& mask, std::uint64_t word = 0) {
    const std::uint64_t next = version_.load(std::memory_order_relaxed) + 1;
    Words& copy = copies_[next % 2];
    // Release on each word: none may be seen before the version that made this copy the unread one.
    for (std::size_t i = 0; i < CpuSet::kWords; ++i) copy[i].store(mask.words()[i], std::memory_order_release);
    copy[CpuSet::kWords].store(word, std::memory_order_release);
    version_.store(next, std::memory_order_release);
  }

  [[nodiscard]] CpuSet read() const { return read_copy().mask; }
  [[nodiscard]] Copy read_copy() const {
    while (true) {
      const std::uint64_t before = version_.load(std::memory_order_acquire);
      const Words& words = copies_[before % 2];
      Copy copy;
      // Acquire on each word: who reads a newer word also sees the version move.
      for (std::size_t i = 0; i < CpuSet::kWords; ++i) {
        copy.mask.words()[i] = words[i].load(std::memory_order_acquire);
      }
      copy.word = words[CpuSet::kWords].load(std::memory_order_acquire);
      if (version_.load(std::memory_order_acquire) == before) return copy;
    }
  }

 private:
  using Words = std::array<std::atomic<std::uint64_t>, CpuSet::kWords + 1>;  // the mask's, then the one beside it

  std::atomic<std::uint64_t> version_;  // copy version_ % 2 is the one to read; release in publish, acquire in read
  std::array<Words, 2> copies_;
};

}  // namespace comity::node
