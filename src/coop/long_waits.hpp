// SPDX-License-Identifier: BSD-3-Clause
// LongWaits: this rank tells its node when a wait of its grows long, so that others use its cores, and when that wait is over. How long
// is long follows from its waits so far: where they are long each is told of early. Not: what the others make of it (attendant).
// Thread-safe.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "base/clock.hpp"
#include "node/node.hpp"
#include "os/threads/openmp.hpp"

namespace comity::coop {

class LongWaits {
 public:
  // Before anybody waits, where the node's ranks have one thread at a time in MPI. Lives as long as this.
  void tell(node::Node& node) { node_ = &node; }

  // How long to sleep, at most as usual, so that a wait which grows long is told of then.
  [[nodiscard]] Nanoseconds nap_after(Nanoseconds waited, Nanoseconds usual) const {
    if (node_ == nullptr || waited >= long_enough()) return usual;
    return std::min(usual, std::max(long_enough() - waited, kShortestSleep));
  }
  // It has lasted so long, and goes on or was ended by no ring.
  void note_wait(Nanoseconds waited) {
    if (node_ == nullptr || is_told_.load(kAnyOrder) || waited < long_enough() || computes_meanwhile()) return;
    is_told_.store(true, kAnyOrder);
    node_->tell_rest(true);
  }
  // It waits for nobody any more, and leaves its cores for good.
  void end() {
    if (node_ != nullptr && !is_told_.exchange(true, kAnyOrder)) node_->tell_rest(true);
  }
  // waited: 0 where it has not slept.
  void note_end(Nanoseconds waited) {
    if (node_ == nullptr || waited.count() <= 0) return;
    if (is_told_.exchange(false, kAnyOrder)) node_->tell_rest(false);
    const std::int64_t mean_ns = mean_ns_.load(kAnyOrder);
    mean_ns_.store(mean_ns + (std::min(waited, kLongest).count() - mean_ns) / kMemory, kAnyOrder);
  }

 private:
  static constexpr auto kAnyOrder = std::memory_order_relaxed;
  static constexpr Nanoseconds kUsually =
      std::chrono::milliseconds(5);  // RingTrust's first nap: no sleep ends earlier for this
  static constexpr Nanoseconds kSoonest = std::chrono::microseconds(500);
  static constexpr Nanoseconds kShortestSleep = std::chrono::microseconds(100);
  static constexpr Nanoseconds kLongest = std::chrono::seconds(1);           // that counts as such
  static constexpr Nanoseconds kWorthATimer = std::chrono::milliseconds(1);  // one takes about 2 us (RingTrust)
  static constexpr std::int64_t kPartOfAWait = 8;
  static constexpr std::int64_t kMemory = 8;  // waits that the running mean looks back on

  [[nodiscard]] Nanoseconds long_enough() const {
    const Nanoseconds mean(mean_ns_.load(kAnyOrder));
    return mean < kWorthATimer ? kUsually : std::clamp(mean / kPartOfAWait, kSoonest, kUsually);
  }
  // A member of a team waits for it, the others go on.
  [[nodiscard]] static bool computes_meanwhile() {
    return std::ranges::any_of(os::OpenMp::loaded(), [](const os::OpenMp& runtime) { return runtime.in_parallel(); });
  }

  node::Node* node_ = nullptr;
  std::atomic<bool> is_told_{false};
  std::atomic<std::int64_t> mean_ns_{0};  // of waits that have slept
};

}  // namespace comity::coop
