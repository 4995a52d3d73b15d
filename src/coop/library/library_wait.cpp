// SPDX-License-Identifier: BSD-3-Clause
#include "coop/library/library_wait.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "base/clock.hpp"
#include "coop/copies.hpp"
#include "coop/wait.hpp"
#include "interpose/watch.hpp"

namespace comity::coop {
namespace {

// A message that was there before this thread listened is taken by the next round of the library's progress, and its
// caller has looked at it before the round after that: then whoever sends has seen that somebody listens.
constexpr int kRoundsBeforeSleep = 3;
// Where the library has found something in each of them; what is always ready is no news.
constexpr int kMostRoundsBeforeSleep = 12;
// A look at the clock takes as long as a round, and what has come is seen before the first one.
constexpr int kRoundsPerLook = 4;

// At most one Ear. A thread that ends in a wait leaves it behind, for an object that ends with its thread would have the C
// library run our code then.
class Listens {
 public:
  explicit operator bool() const { return is_on_; }
  void begin(Peers& peers, node::Hears hears) {
    new (place_.data()) Ear(peers, hears);
    is_on_ = true;
  }
  void end() {
    if (std::exchange(is_on_, false)) (*this)->~Ear();
  }
  Ear* operator->() { return std::launder(reinterpret_cast<Ear*>(place_.data())); }

 private:
  alignas(Ear) std::array<std::byte, sizeof(Ear)> place_{};
  bool is_on_ = false;
};

// When the last thread came to wait while another one makes the rounds, on the clock of now_ns(); never, if none has.
constinit std::atomic<std::int64_t> newest_ns{0};

// What a thread waits in.
struct LibraryCall {
  std::uint64_t number;  // of its waits
  node::Hears hears;
  Meeting* meeting;  // of a collective
  LibraryWait::For whom;
  Wanted wanted;
};

// The wait of one thread, by the rounds of progress that it makes.
class Rounds {
 public:
  void stop() {
    listening_.end();
    if (Cooperation* const here = at_work(); here != nullptr) {
      note_first_spin(*here);
      here->peers.note_end_of_wait(nap_);
      if (std::exchange(has_asked_, false)) here->peers.node().stop_asking();
      here->peers.node().answer();
    }
    nap_ = {};
  }

  // Another thread makes them. It listens for this one too, and sleeps as one that has just begun to.
  void leave_to_another(Cooperation& here, const LibraryCall& call) {
    if (wait_ != call.number) restart(call);
    const std::int64_t now = now_ns();
    begin(here, now);
    spin_until(Nanoseconds(0), now);  // where the other one is done before, and this one is to go on
    if (call.meeting != nullptr) call.meeting->sleep_inside();
    if (rings_-- > 0) ring_those_who_wait(here, call);
    newest_ns.store(now, std::memory_order_relaxed);
    here.peers.ring_own_threads();
  }

  void next(Cooperation& here, const LibraryCall& call) {
    if (wait_ != call.number) restart(call);
    ++rounds_;
    if (listening_) return rest(here, call);
    if (rounds_ % kRoundsPerLook == 0 && has_spun(here)) listen(here, call);
  }

 private:
  void restart(const LibraryCall& call) {
    wait_ = call.number;
    rounds_ = 0;
    began_ns_ = 0;
    steps_ = call.wanted.steps;
    has_spun_first_ = false;
    nap_ = {};
  }
  bool has_spun(Cooperation& here) {
    const std::int64_t now = now_ns();
    if (began_ns_ == 0) {
      begin(here, now);
      spin_first(here, now);
    }
    if (!may_spin_ || here.peers.node().hart_is_wanted()) return true;
    return Copies::is_time_to_sleep(spin_end_ns_, now);
  }
  void spin_first(Cooperation& here, std::int64_t now) {
    const Nanoseconds more = Copies::take_spin();
    const Nanoseconds usual = spin_time(here.peers, more);
    has_spun_first_ = usual.count() > 0 && here.peers.spins_first(more);
    spin_until(has_spun_first_ ? usual : Nanoseconds(0), now);
  }
  void note_first_spin(Cooperation& here) {
    if (!std::exchange(has_spun_first_, false)) return;
    if (nap_.took.count() == 0) {
      here.peers.note_spin_was_worth();
    } else {
      here.peers.note_spin_before(nap_);
    }
  }
  void begin(Cooperation& here, std::int64_t now) {
    if (began_ns_ != 0) return;
    began_ns_ = now;
    rings_ = rings_of_a_wait(here.peers.node().participants());
    here.peers.age_debts();
  }
  void spin_until(Nanoseconds spin, std::int64_t now) {
    may_spin_ = spin.count() > 0;
    spin_end_ns_ = deadline_after(spin, now);
  }
  void listen(Cooperation& here, const LibraryCall& call) {
    if (call.meeting != nullptr) call.meeting->sleep_inside();
    listening_.begin(here.peers, has_others() ? node::Hears::everything : call.hears);
    meter_ = {};
    rounds_ = 0;
    const bool owes_a_piece = std::exchange(owes_a_piece_, false);
    if (rings_-- > 0) {
      ring_those_who_wait(here, call);
    } else if (owes_a_piece) {  // of two that do this one listens already
      ring_the_other_side(here, call);
    }
  }
  static bool has_others() { return newest_ns.load(std::memory_order_relaxed) != 0; }
  static std::int64_t newest(std::int64_t mine) { return std::max(mine, newest_ns.load(std::memory_order_relaxed)); }
  // They may wait for what the rounds have done since the call began.
  static void ring_those_who_wait(Cooperation& here, const LibraryCall& call) {
    if (call.meeting == nullptr && call.whom != LibraryWait::For::those_owed) return here.peers.ring_everybody();
    ring_the_other_side(here, call);
  }
  static void ring_the_other_side(Cooperation& here, const LibraryCall& call) {
    if (call.meeting != nullptr) call.meeting->ring_those_inside();
    here.peers.ring_those_owed();
  }
  void rest(Cooperation& here, const LibraryCall& call) {
    Watch::begin_look();
    if (rounds_ < (listening_->has_more() ? kMostRoundsBeforeSleep : kRoundsBeforeSleep)) return;
    rounds_ = 0;
    if (call.wanted.of != kElsewhere) ask(here, call.wanted);
    meter_.before_sleep(here.peers);
    nap_ = listening_->sleep(Nanoseconds(now_ns() - newest(began_ns_)));
    if (nap_.by == node::WokenBy::clock) return;  // listens on
    listening_.end();
    owes_a_piece_ = Copies::take_piece();
    spin_until(spin_time_after(here.peers, nap_), now_ns());
  }

  // Whether the rounds since the last answer were a step, or this rank waits for something else, nobody tells: hence a limit. Another one's
  // end tells that things go on.
  void ask(Cooperation& here, const Wanted& wanted) {
    if (steps_ == 0) return;
    has_asked_ = true;
    switch (here.peers.node().ask(wanted.of)) {
      case node::Node::Asked::still:
        return;
      case node::Node::Asked::anew:
        --steps_;
        return;
      case node::Node::Asked::handed_on:
        steps_ = wanted.steps;
        return;
    }
  }

  std::uint64_t wait_ = 0;
  std::uint64_t steps_ = 0;
  bool has_asked_ = false;
  int rounds_ = 0;
  int rings_ = 0;
  std::int64_t began_ns_ = 0;
  std::int64_t spin_end_ns_ = 0;
  bool may_spin_ = false;
  bool has_spun_first_ = false;  // in this wait
  bool owes_a_piece_ = false;
  Nap nap_;  // the last one
  LookMeter meter_;
  Listens listening_;
};

// The call of this thread that waits; apart from its rounds, for this is all that most rounds look at.
constinit thread_local const void* waits __attribute__((tls_model("initial-exec"))) = nullptr;
constinit thread_local LibraryCall library_call
    __attribute__((tls_model("initial-exec"))){0, node::Hears::everything, nullptr, LibraryWait::For::anybody, {}};
constinit thread_local bool has_rounds __attribute__((tls_model("initial-exec"))) = false;
constinit thread_local Rounds rounds;

}  // namespace

void LibraryWait::begin(node::Hears hears, Meeting* meeting, For whom, Wanted wanted) {
  waits = interpose::outermost;
  library_call = {library_call.number + 1, hears, meeting, whom, wanted};
}

void LibraryWait::end() {
  if (waits == nullptr) return;
  waits = nullptr;
  if (has_rounds) rounds.stop();
  Copies::end_of_call();
  has_rounds = false;
}

Meeting* LibraryWait::meeting() {
  return waits != nullptr && waits == interpose::outermost ? library_call.meeting : nullptr;
}

void before_another_looks() {
  Cooperation* const here = waits == nullptr ? nullptr : at_work();
  if (here == nullptr || waits != interpose::outermost) return;
  has_rounds = true;
  rounds.leave_to_another(*here, library_call);
}

void rest_after_a_round() {
  if (waits == nullptr) return;
  Cooperation* const here = at_work();
  if (here == nullptr) return;
  // A call that was left by longjmp has not told its end.
  const bool is_on = waits == interpose::outermost && interpose::is_inner_call(__builtin_frame_address(0));
  if (is_on) {
    has_rounds = true;
    rounds.next(*here, library_call);
  } else {
    LibraryWait::end();
  }
}

}  // namespace comity::coop
