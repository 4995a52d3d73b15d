// SPDX-License-Identifier: BSD-3-Clause
// CopyTime: how long the messages that this thread has started keep the other side busy with copying. Who waits for that is not
// waiting for one that is elsewhere: its next wait spins so much longer before it sleeps.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "base/clock.hpp"
#include "interpose/requests/type_size.hpp"

namespace comity::coop {

class CopyTime {
 public:
  // Smaller messages are over sooner than anybody falls asleep, and are not to pay for this.
  template <class Count>
  static void add(Count count, MPI_Datatype type) {
    if (count < kLarge) return;
    const auto bytes = static_cast<std::uint64_t>(count) * interpose::size_of(type);
    ns_ = std::min<std::int64_t>(kMost_ns, ns_ + static_cast<std::int64_t>(bytes / kBytesPerNanosecond));
  }
  [[nodiscard]] static Nanoseconds take() {
    const std::int64_t taken = ns_;
    ns_ = 0;
    return Nanoseconds(taken);
  }

 private:
  static constexpr int kLarge = 4096;                      // elements
  static constexpr std::uint64_t kBytesPerNanosecond = 4;  // a slow processor's copy
  static constexpr std::int64_t kMost_ns = 1'000'000;

  static inline constinit thread_local std::int64_t ns_ __attribute__((tls_model("initial-exec"))) = 0;
};

}  // namespace comity::coop
