// SPDX-License-Identifier: BSD-3-Clause
// FarWaits: how a rank waits where ranks of its job are on other nodes, which cannot ring it: it spins at first, and then sleeps, on
// the library's descriptors where it knows them (watch), and looks now and then. Two bounds: how late it may see what no descriptor
// has told, and how much of a core the node's ranks burn where all of them wait, of which spins take half where the wait is of 10 ms, and looks
// half. Where both cannot be kept it is not later. Descriptors that tell are looked behind ever more rarely, those that do not as if there were none.
// Thread-safe.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "base/clock.hpp"
#include "base/naps.hpp"
#include "node/node.hpp"

namespace comity::coop {

struct FarBounds {
  Nanoseconds late = std::chrono::milliseconds(1);
  std::int64_t burn_percent = 2;  // of a core, all ranks of the node together
  bool watches = true;            // the library's descriptors, where all ranks can
};

// One sleep of a wait.
struct Nap {
  node::WokenBy by = node::WokenBy::ring;
  bool on_descriptors = false;
  Nanoseconds took{0};
  Nanoseconds waited{0};  // from the begin of the wait to the end of this
};

class FarWaits {
 public:
  // ranks: of the node.
  explicit FarWaits(FarBounds bounds, int ranks = 1)
      : bounds_(bounds), ranks_(ranks), longest_(bounds.late), watched_ns_(bounds.late.count()) {}

  [[nodiscard]] const FarBounds& bounds() const { return bounds_; }
  // Where descriptors tell it sleeps sooner, for then what comes costs a wake-up as at home.
  [[nodiscard]] Nanoseconds spin() const {
    const Nanoseconds usual = half_of(kShortestWait);
    return is_told() ? usual / 2 : usual;
  }
  // Of one that a descriptor has told of something that was not yet the end.
  [[nodiscard]] Nanoseconds spin_after(Nanoseconds slept) const { return std::min(spin(), half_of(slept)); }
  // As long as a look may take this rank's part of that half of the core, and no longer than it may be late.
  [[nodiscard]] Nanoseconds nap() const {
    if (bounds_.burn_percent <= 0) return bounds_.late;
    const Nanoseconds rare(look_ns_.load(std::memory_order_relaxed) * ranks_ * 2 * kPercent / bounds_.burn_percent);
    return std::clamp(rare, std::min(kShortestFarNap, bounds_.late), bounds_.late);
  }
  // The same on descriptors.
  [[nodiscard]] Nanoseconds watched_nap() const {
    return is_told() ? Nanoseconds(watched_ns_.load(std::memory_order_relaxed)) : nap();
  }
  // What a nap and the look behind it have used of a processor. Others may get lost where threads look at once.
  void note_look(Nanoseconds used) {
    const std::int64_t mean_ns = look_ns_.load(std::memory_order_relaxed);
    look_ns_.store(mean_ns + (std::min(used, kDearestLook).count() - mean_ns) / kMemory, std::memory_order_relaxed);
  }

  // Before anybody waits, where whatever comes to this rank comes to the thread that waits, or is rung for: looks behind descriptors
  // that tell may be rare.
  void may_trust_descriptors() { longest_ = std::max(bounds_.late, kLongestNap); }
  // Behind the last sleep of a wait: what it waited for was told, or only found.
  void note_end_of_wait(const Nap& last) {
    if (!last.on_descriptors || last.by == node::WokenBy::ring) return;
    const Nanoseconds now(watched_ns_.load(std::memory_order_relaxed));
    const Nanoseconds next = last.by == node::WokenBy::descriptor ? std::min(2 * now, longest_) : bounds_.late;
    watched_ns_.store(next.count(), std::memory_order_relaxed);
  }

 private:
  static constexpr std::int64_t kPercent = 100;
  static constexpr Nanoseconds kShortestWait = std::chrono::milliseconds(10);  // that is to keep the bound
  static constexpr Nanoseconds kShortestFarNap =
      std::chrono::microseconds(500);  // shorter ones slow who computes beside
  static constexpr Nanoseconds kDearestLook = std::chrono::milliseconds(1);
  static constexpr std::int64_t kMemory = 8;  // looks that the running mean looks back on

  [[nodiscard]] bool is_told() const { return watched_ns_.load(std::memory_order_relaxed) > bounds_.late.count(); }
  // Of what a wait of that length may burn.
  [[nodiscard]] Nanoseconds half_of(Nanoseconds wait) const {
    return wait * bounds_.burn_percent / (2 * kPercent * ranks_);
  }

  FarBounds bounds_;
  std::int64_t ranks_;
  Nanoseconds longest_;
  std::atomic<std::int64_t> look_ns_{10'000};
  std::atomic<std::int64_t> watched_ns_;
};

}  // namespace comity::coop
