// SPDX-License-Identifier: BSD-3-Clause
// RingTrust: how long a rank sleeps before it looks by itself, by how reliably rings have ended its waits. A time limit that lies
// before the kernel's next tick makes the processor set its clock, once for the sleep and once when it is rung: in a virtual machine
// that takes twice as long as the wake-up itself. So a rank that is rung each time sleeps for longer than a tick at first, and so does one
// of which nobody knows it yet: what it may lose is one such sleep. A wait that was over at a look, and nobody had rung, and it looks every
// millisecond until many more have been rung for.
// Thread-safe; of threads at once one may be counted for two.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "base/naps.hpp"

namespace comity::coop {

class RingTrust {
 public:
  [[nodiscard]] Nanoseconds nap_after(Nanoseconds waited) const {
    const Nanoseconds nap = comity::nap_after(waited);
    return is_deserved() ? std::max(nap, kFirstNap) : nap;
  }
  [[nodiscard]] bool is_deserved() const { return rung_.load(kAnyOrder) >= wanted_.load(kAnyOrder); }

  // A sleep ended by a ring.
  void was_rung() {
    const std::uint32_t rung = rung_.load(kAnyOrder) + 1;
    const std::uint32_t wanted = wanted_.load(kAnyOrder);
    if (rung < kForgiven * wanted) return rung_.store(rung, kAnyOrder);
    wanted_.store(std::max(wanted / 2, kFewest), kAnyOrder);
    rung_.store(wanted, kAnyOrder);
  }
  // A wait was over at a look behind a sleep that nobody ended. Who misses now and then is to be rung for the longer in between.
  void was_missed() {
    rung_.store(0, kAnyOrder);
    wanted_.store(std::min(2 * wanted_.load(kAnyOrder), kMost), kAnyOrder);
  }

 private:
  static constexpr auto kAnyOrder = std::memory_order_relaxed;
  static constexpr Nanoseconds kFirstNap = std::chrono::milliseconds(5);  // a tick is 1 to 4 ms on most kernels
  static constexpr std::uint32_t kFewest = 16;
  static constexpr std::uint32_t kMost = 1024;
  static constexpr std::uint32_t kForgiven = 4;  // times as many as wanted, and half of them will do

  std::atomic<std::uint32_t> rung_{kFewest};  // since the last miss; before the first as if many had been
  std::atomic<std::uint32_t> wanted_{kFewest};
};

}  // namespace comity::coop
