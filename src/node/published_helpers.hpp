// SPDX-License-Identifier: BSD-3-Clause
// PublishedHelpers: which threads of a process are MPI's own, in shared memory: one writer, any number of readers. Who looks
// at the threads of another process leaves these out. A writer killed midway, and more of them than there is room for, leave
// "not known".
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace comity::node {

class PublishedHelpers {
 public:
  static constexpr std::size_t kMost = 15;

  // One thread of one process at a time.
  void publish(std::span<const pid_t> threads) {
    if (const auto known = read(); known && std::ranges::equal(*known, threads)) return;
    const std::uint32_t turn = (state_.load(std::memory_order_relaxed) & ~kCountBits) + kTurn;
    state_.store(turn, std::memory_order_relaxed);
    if (threads.size() > kMost) return;
    // Release on each: none may be seen before the state that says nothing is known.
    for (std::size_t i = 0; i < threads.size(); ++i) threads_[i].store(threads[i], std::memory_order_release);
    state_.store(turn + static_cast<std::uint32_t>(threads.size()) + 1, std::memory_order_release);
  }

  // As they were published; none where that is not known.
  [[nodiscard]] std::optional<std::vector<pid_t>> read() const {
    const std::uint32_t before = state_.load(std::memory_order_acquire);
    const std::uint32_t count = before & kCountBits;
    if (count == 0 || count > kMost + 1) return std::nullopt;
    std::vector<pid_t> threads(count - 1);
    // Acquire on each: who reads a newer one also sees the state move.
    for (std::size_t i = 0; i < threads.size(); ++i) threads[i] = threads_[i].load(std::memory_order_acquire);
    if (state_.load(std::memory_order_acquire) != before) return std::nullopt;
    return threads;
  }

 private:
  static constexpr std::uint32_t kCountBits = 0xFF;
  static constexpr std::uint32_t kTurn = kCountBits + 1;

  std::atomic<std::uint32_t>
      state_;  // how often they were published, and in the low bits their number plus one; 0: not known
  std::array<std::atomic<std::int32_t>, kMost> threads_;
};
static_assert(sizeof(PublishedHelpers) == 64);

}  // namespace comity::node
