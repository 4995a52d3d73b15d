// SPDX-License-Identifier: BSD-3-Clause
// Copies: for how long the large messages of this thread may keep both sides busy. Where an MPI moves a message in pieces, each side
// waits for the other at each of them: who slept then as for a message that is elsewhere would take a nap a piece. So a wait
// spins longer at its begin, and one that is rung, or has napped, while there is something left rings the other side too before it
// sleeps again.
// That uses it up, so that ranks do not keep one another awake for a message that is not there yet. A spin goes on for as long as the library
// is seen to move something meanwhile. Of one thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "base/clock.hpp"

namespace comity::coop {

class Copies {
 public:
  // Of the call that this thread is in; of a request; of one whose message is in a buffer of the program until it detaches it.
  static void add(std::uint64_t bytes) { add_to(call_ns_, bytes); }
  static void add_started(std::uint64_t bytes) { add_to(started_ns_, bytes); }
  static void keep_for_detach(std::uint64_t bytes) { buffered_ns_ = sum(buffered_ns_, bytes * kSlow_ns); }
  static void detach() {
    started_ns_ = std::max(started_ns_, buffered_ns_);
    buffered_ns_ = 0;
  }

  // How much longer the first spin of a wait that begins is. Once.
  [[nodiscard]] static Nanoseconds take_spin() {
    has_moved_ = false;
    const std::int64_t taken = spin_ns_;
    spin_ns_ = 0;
    return Nanoseconds(taken);
  }
  // The library has moved something, be it a part of one of these.
  static void note_moved() { has_moved_ = true; }
  // Whether a spin until then is over, which goes on where something has moved since this was asked.
  [[nodiscard]] static bool is_time_to_sleep(std::int64_t& end_ns, std::int64_t now) {
    if (now < end_ns) return false;
    if (!std::exchange(has_moved_, false) || left().count() == 0) return true;
    end_ns = now + kPiece_ns;
    return false;
  }
  [[nodiscard]] static Nanoseconds left() { return Nanoseconds(call_ns_ + started_ns_); }
  // After a ring or a nap: whether the other side is to be rung for the next piece. That is used up.
  [[nodiscard]] static bool take_piece() {
    if (call_ns_ + started_ns_ <= 0) return false;
    std::int64_t& whose_ns = call_ns_ > 0 ? call_ns_ : started_ns_;
    whose_ns = std::max<std::int64_t>(0, whose_ns - kPiece_ns);
    return true;
  }

  static void end_of_call() { call_ns_ = 0; }
  // Nobody tells how much of it was of these.
  static void end_of_some_requests() { started_ns_ /= 2; }
  static void end_of_all_requests() { started_ns_ = 0; }

 private:
  static constexpr std::uint64_t kFastBytes = 4;  // a nanosecond: a slow processor's copy
  static constexpr std::int64_t kMostSpin_ns = 4'000'000;
  static constexpr std::uint64_t kSlow_ns = 2;       // a byte
  static constexpr std::int64_t kPiece_ns = 50'000;  // a wake-up, and the spin behind it
  static constexpr std::int64_t kMost_ns = 1'000'000'000;

  static std::int64_t sum(std::int64_t ns, std::uint64_t more, std::int64_t most = kMost_ns) {
    return std::min(most, ns + static_cast<std::int64_t>(std::min(more, static_cast<std::uint64_t>(most))));
  }
  static void add_to(std::int64_t& whose_ns, std::uint64_t bytes) {
    whose_ns = sum(whose_ns, bytes * kSlow_ns);
    spin_ns_ = sum(spin_ns_, bytes / kFastBytes, kMostSpin_ns);
  }

  static inline constinit thread_local bool has_moved_ __attribute__((tls_model("initial-exec"))) = false;
  static inline constinit thread_local std::int64_t spin_ns_ __attribute__((tls_model("initial-exec"))) = 0;
  static inline constinit thread_local std::int64_t call_ns_ __attribute__((tls_model("initial-exec"))) = 0;
  static inline constinit thread_local std::int64_t started_ns_ __attribute__((tls_model("initial-exec"))) = 0;
  static inline constinit thread_local std::int64_t buffered_ns_ __attribute__((tls_model("initial-exec"))) = 0;
};

}  // namespace comity::coop
