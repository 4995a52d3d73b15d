// SPDX-License-Identifier: BSD-3-Clause
// wait_until: the one wait of this part. It spins while the rank's hart is its own and for at most what a wake-up costs,
// then sleeps until it is rung, and looks again now and then whoever rings: what nobody rings for (a rank of another
// node, a step of a library's own protocol) is late by an eighth of the time waited, 1 to 10 ms, or by what far_waits or ring_trust say. Where threads
// of a rank wait at once one looks for all (lookout).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/clock.hpp"
#include "coop/copies.hpp"
#include "coop/decision/rests.hpp"
#include "coop/ear.hpp"
#include "coop/peers.hpp"
#include "os/cpus/cpu_time.hpp"

namespace comity::coop {

// 0: it may not spin. more: how much longer than usual. Who may wait for another node spins longer: its messages take longer than
// a wake-up here, and nobody there rings.
[[nodiscard]] inline Nanoseconds spin_time(const Peers& peers, Nanoseconds more) {
  if (!peers.may_spin()) return Nanoseconds(0);
  const Nanoseconds budget = peers.node().spin_budget();
  if (!peers.all_are_here()) return std::max(budget, peers.far_waits().spin()) + more;
  return budget.count() <= 0 ? Nanoseconds(0) : budget + more;
}

// After a sleep that was ended. What descriptors tell may be for others, and come at any rate.
[[nodiscard]] inline Nanoseconds spin_time_after(const Peers& peers, const Nap& nap) {
  const Nanoseconds usual = spin_time(peers, Nanoseconds(0));
  return nap.by == node::WokenBy::descriptor ? std::min(usual, peers.far_waits().spin_after(nap.took)) : usual;
}

// What the looks of one wait that sleeps now and then use of a processor. It matters where nobody rings.
class LookMeter {
 public:
  void before_sleep(Peers& peers) {
    if (peers.all_are_here()) return;
    const std::int64_t used_ns = os::thread_cpu_ns();
    if (before_ns_ != kNone) peers.far_waits().note_look(Nanoseconds(used_ns - before_ns_));
    before_ns_ = used_ns;
  }

 private:
  static constexpr std::int64_t kNone = -1;
  std::int64_t before_ns_ = kNone;
};

// How often one wait may ring those that it owes: enough for the steps of a collective, and no endless exchange of rings
// between ranks that all wait for somebody else.
[[nodiscard]] inline int rings_of_a_wait(int participants) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(participants))) + 2;
}

// Who may ask what a wait waits for: other threads of the rank too, or the thread alone that waits.
enum class AskedBy : std::uint8_t { any_thread, own_thread };

// The seat of a thread that waits in the rank's lookout, if it has one.
class Turn {
 public:
  explicit Turn(Peers& peers) : peers_(peers) {}
  ~Turn() {
    if (seat_) peers_.lookout().leave(*seat_);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  // Sleeps while another thread looks. Returns whether it is over.
  template <typename Test>
  [[nodiscard]] bool is_over_by_another(Test& test) {
    seat_.emplace(test);
    if (peers_.lookout().sit_down(*seat_)) return false;
    peers_.ring_those_owed();
    peers_.ring_own_threads();
    const Rest rest;
    peers_.node().fall_asleep();
    const bool is_over = peers_.lookout().sleep(*seat_);
    peers_.node().awake();
    return is_over;
  }
  void look_for_others() {
    if (seat_) peers_.lookout().look_for_others(*seat_);
  }
  // Since when naps count: a wait that has just begun is looked for often.
  [[nodiscard]] std::int64_t newest_ns(std::int64_t began_ns) const {
    return seat_ ? std::max(began_ns, peers_.lookout().newest_ns()) : began_ns;
  }
  // For all.
  [[nodiscard]] node::Hears hears(node::Hears mine) const { return seat_ ? node::Hears::everything : mine; }

 private:
  Peers& peers_;
  std::optional<Lookout::Seat> seat_;
};

// test(): whether it is over; makes the MPI go on, and makes this rank's part of it. It is not asked again once it is over,
// for a request's status is told once. Throws what test() throws.
template <typename Test>
class Wait {
 public:
  Wait(Peers& peers, Test& test, Nanoseconds more, node::Hears hears)
      : peers_(peers), node_(peers.node()), test_(test), more_(more), hears_(hears), turn_(peers) {}

  void run(AskedBy who) {
    const Nanoseconds first = first_spin();
    if (spin(first)) return note_end_of_spin();
    if (may_share(who) && turn_.is_over_by_another(test_)) return;
    const std::int64_t began_ns = now_ns();
    int rings = rings_of_a_wait(node_.participants());
    peers_.age_debts();
    do {
      if (rings-- > 0) peers_.ring_those_owed();
    } while (!is_over_after_sleep(began_ns) && !spin_after_sleep());
    if (first.count() > 0) peers_.note_spin_before(nap_);
    peers_.note_end_of_wait(nap_);
    node_.answer();
  }

 private:
  // What a thread has to copy is known to itself alone.
  [[nodiscard]] bool may_share(AskedBy who) const {
    return who == AskedBy::any_thread && peers_.lookout().is_open() && Copies::left().count() == 0;
  }

  bool look() {
    Watch::begin_look();
    const bool is_over = test_();
    turn_.look_for_others();
    return is_over;
  }

  // More may come soon, and where a message comes in pieces the other side is to look as well.
  bool spin_after_sleep() {
    owes_a_piece_ = Copies::take_piece();
    return spin(spin_time_after(peers_, nap_));
  }

  void note_end_of_spin() {
    if (has_looked_again_) peers_.note_spin_was_worth();
  }
  Nanoseconds first_spin() {
    const Nanoseconds usual = spin_time(peers_, more_);
    return usual.count() > 0 && peers_.spins_first(more_) ? usual : Nanoseconds(0);
  }
  // Tests once at least. Returns whether it is over.
  bool spin(Nanoseconds budget) {
    if (budget.count() <= 0) return look();
    std::int64_t end_ns = deadline_after(budget);
    while (!look()) {
      if (node_.hart_is_wanted() || Copies::is_time_to_sleep(end_ns, now_ns())) return false;
      has_looked_again_ = true;
    }
    return true;
  }

  // Naps until it is over or something has told; then it was not asked again. Listening costs a fence for all (doorbell): once.
  bool is_over_after_sleep(std::int64_t began_ns) {
    Ear ear(peers_, turn_.hears(hears_));
    LookMeter meter;
    // Of two that do this one listens already.
    if (std::exchange(owes_a_piece_, false)) peers_.ring_those_owed();
    bool has_napped = false;
    while (!look_while_more_comes(ear)) {
      // A ring that came while nobody listened is not told again: from then on both would nap for each piece.
      if (std::exchange(has_napped, true) && Copies::take_piece()) peers_.ring_those_owed();
      meter.before_sleep(peers_);
      nap_ = ear.sleep(Nanoseconds(now_ns() - turn_.newest_ns(began_ns)));
      if (nap_.by != node::WokenBy::clock) return false;
    }
    return true;
  }

  // Not for long: what is always ready is no news.
  bool look_while_more_comes(const Ear& ear) {
    bool is_over = look();
    for (int looks = 1; looks < kMostLooks && !is_over && ear.has_more(); ++looks) is_over = look();
    return is_over;
  }

  static constexpr int kMostLooks = 12;

  Peers& peers_;
  node::Node& node_;
  Test& test_;
  Nanoseconds more_;
  node::Hears hears_;
  Turn turn_;
  bool has_looked_again_ = false;  // while it spins
  bool owes_a_piece_ = false;
  Nap nap_;  // the last one
};

// more: how much longer than usual it spins where it may spin at all. hears: what wakes it.
template <typename Test>
void wait_until(Peers& peers, Test&& test, Nanoseconds more = Nanoseconds(0),
                node::Hears hears = node::Hears::everything, AskedBy who = AskedBy::any_thread) {
  Wait<std::remove_reference_t<Test>>(peers, test, more, hears).run(who);
}

}  // namespace comity::coop
