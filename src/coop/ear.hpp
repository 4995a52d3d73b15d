// SPDX-License-Identifier: BSD-3-Clause
// Ear: a thread that waits listens: for its doorbell, and for the library's descriptors where its job has ranks on other nodes.
// On the stack of its wait. Looks are its caller's: one after it was made, and one after each sleep.
#pragma once

#include "base/clock.hpp"
#include "coop/decision/rests.hpp"
#include "coop/far_waits.hpp"
#include "coop/peers.hpp"

namespace comity::coop {

class Ear {
 public:
  Ear(Peers& peers, node::Hears hears) : peers_(peers), listening_(peers.node(), hears), watch_(peers.watch()) {}
  Ear(const Ear&) = delete;
  Ear& operator=(const Ear&) = delete;

  // The library has found something in the last look, and may find more in the next.
  [[nodiscard]] bool has_more() const { return watch_.has_more(); }
  // waited: so far. Woken by another thing than the clock, it is to be made anew.
  [[nodiscard]] Nap sleep(Nanoseconds waited) {
    const std::span<pollfd> watched = watch_.take_idle();
    const bool on_descriptors = !watched.empty();
    const std::int64_t now = now_ns();
    peers_.long_waits().note_wait(waited);
    const Nanoseconds most = on_descriptors ? peers_.long_waits().nap_after(waited, peers_.far_waits().watched_nap())
                                            : peers_.nap_after(waited);
    peers_.node().answer();
    const Rest rest;
    const node::WokenBy by = listening_.sleep_on(watched, deadline_after(most, now));
    const Nanoseconds took(now_ns() - now);
    peers_.naps().add(by);
    if (by == node::WokenBy::ring) peers_.trust().was_rung();
    if (by == node::WokenBy::clock) peers_.long_waits().note_wait(waited + took);
    return {.by = by, .on_descriptors = on_descriptors, .took = took, .waited = waited + took};
  }

 private:
  Peers& peers_;
  node::Node::Listening listening_;
  Watch::Turn watch_;
};

}  // namespace comity::coop
