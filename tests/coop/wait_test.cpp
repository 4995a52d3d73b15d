// SPDX-License-Identifier: BSD-3-Clause
// How a rank waits: it ends when it is rung, and also when nobody rings; ranks meet, and a death ends their meetings.
#include "coop/wait.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include "coop/arrivals.hpp"
#include "coop/copies.hpp"
#include "node/becomes.hpp"
#include "node/fork_bootstrap.hpp"
#include "node/node_fixture.hpp"

namespace comity::testing {
namespace {

using namespace std::chrono_literals;
using coop::Arrivals;
using coop::FarWaits;
using coop::Meeting;
using coop::Peers;
using coop::Watch;
using coop::Whom;

// Not through the segment, where a wait makes a rank's harts idle.
void meet(ForkBootstrap& job) { (void)job.job_sum(0); }

void no_progress() {}

std::vector<std::uint64_t> all_here(const ForkBootstrap& job, const node::Node& node) {
  return std::vector<std::uint64_t>(static_cast<std::size_t>(job.job_size()), node.id());
}

std::vector<std::int32_t> all_ranks(const ForkBootstrap& job) {
  std::vector<std::int32_t> ranks(static_cast<std::size_t>(job.job_size()));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

// All ranks of a job on this node.
std::vector<RankEnd> run_peers(int ranks, const std::function<void(ForkBootstrap& job, Peers& peers)>& body) {
  return run_ranks(ranks, [&](ForkBootstrap& job) {
    const auto node = attach(job, {.slice = 20ms});
    Peers peers(node, all_here(job, *node));
    body(job, peers);
  });
}

// The only communicator of the tests, of those ranks.
constexpr std::uint64_t kHandle = 1;
void meet_as(Arrivals& arrivals, ForkBootstrap& job, std::span<const std::int32_t> ranks,
             const Whom& whom = Whom::everybody()) {
  if (!arrivals.find(kHandle)) arrivals.learn({kHandle, ranks, job});
  const auto meeting = arrivals.find(kHandle);
  ASSERT_TRUE(meeting.has_value());
  if (Meeting* const met = arrivals.meet(kHandle, *meeting, whom)) met->end(/*refused=*/false);
}

TEST(CoopNap, IsAnEighthOfTheTimeWaitedInItsBounds) {
  EXPECT_EQ(nap_after(0ns), 1ms);
  EXPECT_EQ(nap_after(8ms), 1ms);
  EXPECT_EQ(nap_after(40ms), 5ms);
  EXPECT_EQ(nap_after(1s), 10ms);
}

void ring(coop::RingTrust& trust, int times) {
  for (int i = 0; i < times; ++i) trust.was_rung();
}

TEST(CoopRingTrust, IsThereAtFirstLostByOneMissAndEarnedByManyRings) {
  coop::RingTrust trust;
  EXPECT_EQ(trust.nap_after(0ns), 5ms);
  EXPECT_EQ(trust.nap_after(64ms), 8ms) << "an eighth of the time waited, where that is longer";
  ring(trust, 15);
  trust.was_missed();
  EXPECT_EQ(trust.nap_after(0ns), 1ms);
  EXPECT_EQ(trust.nap_after(64ms), 8ms);
  ring(trust, 31);
  EXPECT_EQ(trust.nap_after(0ns), 1ms) << "one too few";
  ring(trust, 1);
  EXPECT_EQ(trust.nap_after(0ns), 5ms);
}

TEST(CoopRingTrust, IsTheDearerTheMoreOftenItWasLost) {
  coop::RingTrust trust;
  trust.was_missed();
  ring(trust, 31);
  EXPECT_FALSE(trust.is_deserved());
  ring(trust, 1);
  EXPECT_TRUE(trust.is_deserved());
  for (int i = 0; i < 20; ++i) trust.was_missed();
  ring(trust, 1023);
  EXPECT_FALSE(trust.is_deserved());
  ring(trust, 1);
  EXPECT_TRUE(trust.is_deserved()) << "never more than so many";
}

TEST(CoopRingTrust, ForgivesWhoIsRungForLong) {
  coop::RingTrust trust;
  trust.was_missed();
  ring(trust, 4 * 32);  // as it was at first, and a miss doubles it again
  EXPECT_TRUE(trust.is_deserved());
  trust.was_missed();
  ring(trust, 31);
  EXPECT_FALSE(trust.is_deserved());
  ring(trust, 1);
  EXPECT_TRUE(trust.is_deserved());
}

int waits_without(coop::SpinWorth& worth) {
  int waits = 0;
  while (!worth.takes()) ++waits;
  return waits;
}

TEST(CoopSpinWorth, IsLostBySomeInVainOneAfterTheOther) {
  coop::SpinWorth worth;
  for (int i = 0; i < 3; ++i) worth.was_in_vain();
  EXPECT_EQ(waits_without(worth), 0);
  worth.was_worth();
  for (int i = 0; i < 3; ++i) worth.was_in_vain();
  EXPECT_EQ(waits_without(worth), 0) << "one between was worth it";
  worth.was_in_vain();
  EXPECT_EQ(waits_without(worth), 16);
}

TEST(CoopSpinWorth, IsTriedTheMoreRarelyTheMoreOftenInVain) {
  coop::SpinWorth worth;
  for (int i = 0; i < 4; ++i) worth.was_in_vain();
  for (const int waits : {16, 32, 64, 128, 256, 512, 1024, 1024}) {
    EXPECT_EQ(waits_without(worth), waits);
    worth.was_in_vain();
  }
  (void)waits_without(worth);
  worth.was_worth();
  for (int i = 0; i < 4; ++i) worth.was_in_vain();
  EXPECT_EQ(waits_without(worth), 16) << "as at first, where one was worth it";
}

// So many looks that the mean is what each of them used, to some nanoseconds.
Nanoseconds nap_after_looks(coop::FarBounds bounds, Nanoseconds used) {
  FarWaits far(bounds);
  for (int look = 0; look < 200; ++look) far.note_look(used);
  return std::chrono::round<std::chrono::microseconds>(far.nap() / 10) * 10;
}

TEST(CoopFarWaits, LookAsRarelyAsTheirShareOfACoreTakesAndAreNoLaterThanTheyMay) {
  EXPECT_EQ(FarWaits({}).spin(), 100us) << "a percent of 10 ms";
  EXPECT_EQ(FarWaits({}, 4).spin(), 25us) << "of four ranks of a node each has a part of it";
  EXPECT_EQ(FarWaits({}).nap(), 1ms) << "before a look has told what it uses";
  EXPECT_EQ(nap_after_looks({}, 7us), 700us);
  EXPECT_EQ(nap_after_looks({}, 1us), 500us);
  EXPECT_EQ(nap_after_looks({}, 40us), 1ms);
  EXPECT_EQ(nap_after_looks({}, 1s), 1ms);
  EXPECT_EQ(nap_after_looks({.late = 50ms}, 40us), 4ms);
  EXPECT_EQ(nap_after_looks({.late = 50ms, .burn_percent = 8}, 40us), 1ms);
  EXPECT_EQ(nap_after_looks({.late = 200us}, 40us), 200us);
  EXPECT_EQ(FarWaits({.burn_percent = 8}).spin(), 400us);
  EXPECT_EQ(FarWaits({.burn_percent = 0}).spin(), 0us);
  EXPECT_EQ(nap_after_looks({.burn_percent = 0}, 1us), 1ms);
}

coop::Nap on_descriptors(node::WokenBy by) { return {.by = by, .on_descriptors = true}; }

TEST(CoopFarWaits, LookEverMoreRarelyBehindDescriptorsThatTell) {
  using node::WokenBy;
  FarWaits far({});
  far.note_end_of_wait(on_descriptors(WokenBy::descriptor));
  EXPECT_EQ(far.watched_nap(), 1ms) << "who may not trust them looks as without them";
  far.may_trust_descriptors();
  for (const auto nap : {2ms, 4ms, 8ms, 10ms, 10ms}) {
    far.note_end_of_wait(on_descriptors(WokenBy::descriptor));
    EXPECT_EQ(far.watched_nap(), nap);
    EXPECT_EQ(far.nap(), 1ms);
  }
  far.note_end_of_wait(on_descriptors(WokenBy::ring));
  far.note_end_of_wait({.by = WokenBy::clock});
  EXPECT_EQ(far.watched_nap(), 10ms) << "which says nothing of them";
  EXPECT_EQ(far.spin(), 50us) << "as for a wake-up";
  far.note_end_of_wait(on_descriptors(WokenBy::clock));
  EXPECT_EQ(far.watched_nap(), 1ms) << "something came that none has told of";
  EXPECT_EQ(far.spin(), 100us);
}

TEST(CoopFarWaits, SpinBehindADescriptorForTheirShareOfTheSleep) {
  EXPECT_EQ(FarWaits({}).spin_after(0ms), 0us);
  EXPECT_EQ(FarWaits({}).spin_after(5ms), 50us);
  EXPECT_EQ(FarWaits({}).spin_after(1s), 100us);
}

// What the library asks while a thread listens; the first place is the doorbell's.
void ask(std::initializer_list<int> descriptors, bool any_is_ready = false) {
  std::vector<pollfd> asked;
  for (const int one : descriptors) asked.push_back(os::to_read(one));
  Watch::note(asked, any_is_ready);
}
std::vector<int> watched(Watch::Turn& turn) {
  std::vector<int> numbers;
  const std::span<pollfd> all = turn.take_idle();
  for (std::size_t i = 1; i < all.size(); ++i) numbers.push_back(all[i].fd);
  return numbers;
}

TEST(CoopWatch, IsOfWhatTheLibraryAskedInItsLastLook) {
  std::thread([] {  // of one thread
    Watch watch;
    watch.open(4);
    ask({1});
    Watch::Turn turn(watch);
    EXPECT_EQ(watched(turn), std::vector<int>{}) << "asked by nobody who listens";
    ask({3, 4});
    Watch::note_set(5, false);
    EXPECT_EQ(watched(turn), (std::vector{3, 4, 5}));
    EXPECT_EQ(watched(turn), std::vector<int>{}) << "it may have closed them";
    Watch::begin_look();
    ask({3, 4, 5, 6}, true);
    EXPECT_TRUE(turn.has_more());
    EXPECT_EQ(watched(turn), std::vector<int>{}) << "one is ready, and would end each sleep";
    Watch::begin_look();
    EXPECT_TRUE(turn.has_more()) << "until it asks again";
    ask({6});
    EXPECT_FALSE(turn.has_more());
    Watch::begin_look();
    EXPECT_EQ(watched(turn), std::vector{6}) << "the last look that has asked";
    Watch::begin_look();
    ask({3, 4, 5});
    ask({6, 7});
    EXPECT_EQ(watched(turn), std::vector<int>{}) << "more than there is room for";
    Watch::begin_look();
    for (int round = 0; round < 3; ++round) {
      ask({3, 4}, round == 1);
      ask({5});
    }
    EXPECT_EQ(watched(turn), (std::vector{3, 4, 5})) << "of the last round";
  })
      .join();
}

TEST(CoopWatch, IsOfOneThreadAtATimeAndOnlyWhereItIsOpen) {
  Watch watch;
  {
    Watch::Turn closed(watch);
    ask({3});
    EXPECT_EQ(watched(closed), std::vector<int>{});
  }
  watch.open(1);
  Watch::Turn first(watch);
  ask({3});
  std::thread([&] {
    Watch::Turn second(watch);
    ask({4});
    EXPECT_EQ(watched(second), std::vector<int>{});
  }).join();
  EXPECT_EQ(watched(first), std::vector{3});
}

// What comes from another node is told by a descriptor alone.
TEST(CoopWait, EndsWhenADescriptorOfTheLibraryTells) {
  const auto ends = run_ranks(1, [](ForkBootstrap& job) {
    const auto node = attach(job, {.slice = 20ms, .spin_us = 0});
    node->open_wire();
    Peers peers(node, {node->id(), node->id() + 1}, {.late = 1h, .burn_percent = 0});  // no look of its own ends it
    peers.watch().open(1);
    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe(pipe.data()), 0);
    bool is_told = false;
    std::jthread other([&] {
      EXPECT_TRUE(hart_becomes(node::HartState::idle, *node, 0));
      EXPECT_EQ(::write(pipe[1], "x", 1), 1);
    });
    coop::wait_until(peers, [&] {
      pollfd asked = os::to_read(pipe[0]);
      is_told = ::poll(&asked, 1, 0) > 0;
      Watch::note({&asked, 1}, is_told);
      return is_told;
    });
    EXPECT_TRUE(is_told);
    other.join();
    for (const int end : pipe) ::close(end);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(CoopRings, AreEnoughForTheStepsOfACollective) {
  EXPECT_EQ(coop::rings_of_a_wait(1), 3);
  EXPECT_EQ(coop::rings_of_a_wait(16), 7);
  EXPECT_GE(coop::rings_of_a_wait(1024), 10);
}

TEST(CoopCopies, AreUsedUpByWhoSpinsForThem) {
  std::thread([] {  // of one thread
    using coop::Copies;
    Copies::add(400'000);
    EXPECT_EQ(Copies::take_spin(), 100us);
    EXPECT_EQ(Copies::take_spin(), 0us) << "once";
    EXPECT_EQ(Copies::left(), 800us);
    Copies::add_started(std::uint64_t{100} << 30U);
    EXPECT_EQ(Copies::take_spin(), 4ms);
    EXPECT_EQ(Copies::left(), 1s + 800us);
    EXPECT_TRUE(Copies::take_piece());
    EXPECT_EQ(Copies::left(), 1s + 750us);
    Copies::end_of_call();
    Copies::end_of_some_requests();
    EXPECT_EQ(Copies::left(), 500ms);
    Copies::end_of_all_requests();
    EXPECT_EQ(Copies::left(), 0s);
    Copies::keep_for_detach(5000);
    EXPECT_EQ(Copies::left(), 0s);
    Copies::detach();
    EXPECT_EQ(Copies::left(), 10us);
    EXPECT_TRUE(Copies::take_piece());
    EXPECT_EQ(Copies::left(), 0s);
    EXPECT_FALSE(Copies::take_piece());
    Copies::detach();
    EXPECT_EQ(Copies::left(), 0s);
  })
      .join();
}

TEST(CoopCopies, LetASpinGoOnWhileTheyMove) {
  std::thread([] {
    using coop::Copies;
    std::int64_t end_ns = 1000;
    Copies::note_moved();
    EXPECT_FALSE(Copies::is_time_to_sleep(end_ns, 999));
    EXPECT_TRUE(Copies::is_time_to_sleep(end_ns, 1000)) << "it was no large message that moved";
    Copies::add(100'000);
    EXPECT_TRUE(Copies::is_time_to_sleep(end_ns, 1000)) << "it has not moved since";
    Copies::note_moved();
    EXPECT_FALSE(Copies::is_time_to_sleep(end_ns, 1000));
    EXPECT_EQ(end_ns, 51'000);
    EXPECT_FALSE(Copies::is_time_to_sleep(end_ns, 50'999));
    EXPECT_TRUE(Copies::is_time_to_sleep(end_ns, 51'000));
    Copies::end_of_call();
  }).join();
}

TEST(CoopPeers, AreKnownByTheirRankInTheJob) {
  const auto ends = run_ranks(3, [](ForkBootstrap& job) {
    const auto node = attach(job);
    const std::uint64_t other = node->id() + 1;
    const Peers peers(node, {other, node->id(), node->id(), coop::kNoNode, node->id()});
    EXPECT_TRUE(peers.takes_part(0)) << "of another node";
    EXPECT_TRUE(peers.takes_part(1));
    EXPECT_FALSE(peers.takes_part(3)) << "of no node";
    EXPECT_EQ(peers.participant_of(3), coop::kElsewhere);
    EXPECT_FALSE(peers.takes_part(5));
    EXPECT_FALSE(peers.takes_part(-1));
    EXPECT_EQ(peers.participant_of(0), coop::kElsewhere);
    EXPECT_EQ(peers.participant_of(1), 0);
    EXPECT_EQ(peers.participant_of(2), 1);
    EXPECT_EQ(peers.participant_of(4), 2);
    EXPECT_EQ(peers.participant_of(5), coop::kElsewhere);
    EXPECT_EQ(peers.participant_of(-1), coop::kElsewhere);
    EXPECT_FALSE(peers.all_are_here());
    EXPECT_EQ(peers.nap_after(1s), 1ms) << "nobody rings from another node";
    EXPECT_TRUE(Peers(node, all_here(job, *node)).all_are_here());
    EXPECT_EQ(Peers(node, all_here(job, *node)).nap_after(1s), 10ms);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(CoopWait, EndsWhenItIsRung) {
  const auto ends = run_peers(2, []([[maybe_unused]] ForkBootstrap& job, Peers& peers) {
    for (std::uint64_t round = 1; round <= 2000; ++round) {
      if (job.job_rank() == 0) {
        job.word(0).store(round);
        peers.ring(1);
        coop::wait_until(peers, [&] { return job.word(1).load() >= round; });
      } else {
        coop::wait_until(peers, [&] { return job.word(0).load() >= round; });
        job.word(1).store(round);
        peers.ring(0);
      }
    }
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(CoopWait, EndsAlsoWhereNobodyRings) {
  const auto ends = run_peers(2, []([[maybe_unused]] ForkBootstrap& job, Peers& peers) {
    if (job.job_rank() == 0) {
      EXPECT_TRUE(becomes_true([&] { return peers.node().listens(1); }));
      job.word(0).store(1);
    } else {
      coop::wait_until(peers, [&] { return job.word(0).load() == 1; });
    }
    meet(job);
  });
  EXPECT_TRUE(all_good(ends));
}

// Each waits for the other's ring, which it gives before it sleeps itself.
TEST(CoopWait, RingsThoseThatItOwesBeforeItSleeps) {
  const auto ends = run_peers(2, []([[maybe_unused]] ForkBootstrap& job, Peers& peers) {
    if (job.job_rank() == 1) {
      node::Node::Listening listening(peers.node());
      meet(job);
      EXPECT_TRUE(listening.sleep_until(kNever)) << "else the watchdog ends it";
      job.word(0).store(1);
    } else {
      meet(job);
      peers.owe(1);
      coop::wait_until(peers, [&] { return job.word(0).load() == 1; });
    }
    meet(job);
  });
  EXPECT_TRUE(all_good(ends));
}

// How often the other one was rung since it listened, which counts once until it listens anew.
std::uint32_t rings_of_debts(Peers& peers, int whom) {
  const std::uint32_t before = peers.node().rings(whom);
  peers.ring_those_owed();
  return peers.node().rings(whom) - before;
}

TEST(CoopPeers, ForgetDebtsThatAreNotMadeAgain) {
  constexpr int kWaits = 32;
  const auto ends = run_peers(2, []([[maybe_unused]] ForkBootstrap& job, Peers& peers) {
    std::optional<node::Node::Listening> listening;
    for (const bool is_made_again : {true, false}) {
      if (job.job_rank() == 1) listening.emplace(peers.node());
      meet(job);
      if (job.job_rank() == 0) {
        peers.owe(1);
        for (int wait = 0; wait < kWaits; ++wait) {
          peers.age_debts();
          if (is_made_again) peers.owe(1);
        }
        EXPECT_EQ(rings_of_debts(peers, 1), is_made_again ? 1U : 0U);
      }
      meet(job);
      listening.reset();
    }
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(CoopPeers, RingWhomTheyMayHaveAnsweredWhereWindowsAre) {
  const auto ends = run_peers(2, []([[maybe_unused]] ForkBootstrap& job, Peers& peers) {
    std::optional<node::Node::Listening> listening;
    if (job.job_rank() == 1) listening.emplace(peers.node());
    meet(job);
    if (job.job_rank() == 0) {
      peers.may_answer();
      peers.owe(1);
      for (int wait = 0; wait < 1000; ++wait) peers.age_debts();
      EXPECT_EQ(rings_of_debts(peers, 1), 1U);
    }
    meet(job);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(CoopPeers, OweEverybodyForAsLongAsTheyAreToldTo) {
  struct Case {
    bool owes_before, has_windows;
    std::uint32_t rings_behind;
  };
  const auto ends = run_peers(2, []([[maybe_unused]] ForkBootstrap& job, Peers& peers) {
    std::optional<node::Node::Listening> listening;
    const auto listen_anew = [&] {
      listening.reset();
      if (job.job_rank() == 1) listening.emplace(peers.node());
      meet(job);
    };
    for (const Case& one : {Case{false, false, 0}, Case{true, false, 1}, Case{false, true, 1}}) {
      for (int wait = 0; wait < 32; ++wait) peers.age_debts();
      if (one.has_windows) peers.may_answer();
      if (one.owes_before) peers.owe(1);
      {
        const Peers::OwesEverybody owes(peers);
        listen_anew();
        if (job.job_rank() == 0) {
          EXPECT_EQ(rings_of_debts(peers, 1), 1U);
        }
        meet(job);
      }
      listen_anew();
      if (job.job_rank() == 0) {
        EXPECT_EQ(rings_of_debts(peers, 1), one.rings_behind);
      }
      meet(job);
    }
  });
  EXPECT_TRUE(all_good(ends));
}

// A thread that sleeps for what another thread of its rank does.
TEST(CoopWait, IsRungByOtherThreadsOfItsRank) {
  const auto ends = run_peers(1, []([[maybe_unused]] ForkBootstrap& job, Peers& peers) {
    for (const bool by_name : {true, false}) {
      node::Node::Listening listening(peers.node());
      std::thread other([&] { by_name ? peers.ring(0) : peers.ring_own_threads(); });
      EXPECT_TRUE(listening.sleep_until(kNever)) << "else the watchdog ends it";
      other.join();
    }
    peers.ring(coop::kElsewhere);
  });
  EXPECT_TRUE(all_good(ends));
}

// A message in pieces, each of which takes a look of one side and then of the other, where nobody may spin.
TEST(CoopWait, RingsTheOtherSideForEachPieceOfALargeMessage) {
  constexpr std::uint64_t kPieces = 200;
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = attach(job, {.slice = 20ms, .spin_us = 0});
    Peers peers(node, all_here(job, *node));
    const auto me = static_cast<std::uint64_t>(job.job_rank());
    peers.owe(job.job_rank() == 0 ? 1 : 0);
    coop::Copies::add(100'000'000);
    meet(job);
    coop::wait_until(peers, [&] {
      const std::uint64_t piece = job.word(0).load();
      if (piece < kPieces && piece % 2 == me) job.word(0).store(piece + 1);
      return piece >= kPieces;
    });
    meet(job);
    EXPECT_GT(node->rings(0) + node->rings(1), kPieces / 4) << "else most of them take a nap";
    meet(job);
  });
  EXPECT_TRUE(all_good(ends));
}

// Who asks what each of some threads waits for that wait at once, none of which may spin.
class ThreadsThatWait {
 public:
  static constexpr std::size_t kThreads = 4;
  explicit ThreadsThatWait(Peers& peers) : peers_(peers) {
    for (std::size_t i = 0; i < kThreads; ++i) threads_[i] = std::jthread([this, i] { wait(i); });
  }
  [[nodiscard]] bool all_are_asked_again() {
    for (std::size_t i = 0; i < kThreads; ++i) {
      const int before = by_all_[i];
      if (!is_over_[i] && !becomes_true([&] { return by_all_[i] > before + 5; })) return false;
    }
    return true;
  }
  [[nodiscard]] bool is_over(std::size_t thread) const { return is_over_[thread]; }
  void end(std::size_t thread) {
    is_over_[thread] = true;
    threads_[thread].join();
  }
  void end_all() {
    for (std::size_t i = 0; i < kThreads; ++i) is_over_[i] = true;
    for (std::jthread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }
  // That have asked for themselves after their first look: those whose turn it was.
  [[nodiscard]] std::vector<std::size_t> lookers() const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < kThreads; ++i) {
      if (by_itself_[i] > 1) found.push_back(i);
    }
    return found;
  }

 private:
  void wait(std::size_t i) {
    const auto me = std::this_thread::get_id();
    coop::wait_until(peers_, [this, i, me] {
      ++by_all_[i];
      if (std::this_thread::get_id() == me) ++by_itself_[i];
      return is_over_[i].load();
    });
  }

  Peers& peers_;
  std::array<std::atomic<int>, kThreads> by_all_{};
  std::array<std::atomic<int>, kThreads> by_itself_{};
  std::array<std::atomic<bool>, kThreads> is_over_{};
  std::array<std::jthread, kThreads> threads_;
};

std::vector<RankEnd> run_lookout(const std::function<void(Peers& peers)>& body) {
  return run_ranks(1, [&](ForkBootstrap& job) {
    const auto node = attach(job, {.slice = 20ms, .spin_us = 0});
    Peers peers(node, all_here(job, *node));
    peers.lookout().open();
    body(peers);
  });
}

TEST(CoopLookout, OneOfTheThreadsThatWaitLooksForAll) {
  const auto ends = run_lookout([](Peers& peers) {
    ThreadsThatWait threads(peers);
    EXPECT_TRUE(threads.all_are_asked_again());
    EXPECT_EQ(threads.lookers().size(), 1U);
    threads.end_all();
    EXPECT_EQ(threads.lookers().size(), 1U);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(CoopLookout, WhoIsDoneHandsTheLookOn) {
  const auto ends = run_lookout([](Peers& peers) {
    ThreadsThatWait threads(peers);
    for (std::size_t ended = 1; ended < ThreadsThatWait::kThreads; ++ended) {
      EXPECT_TRUE(threads.all_are_asked_again()) << ended;
      const auto lookers = threads.lookers();
      EXPECT_EQ(lookers.size(), ended);
      for (const std::size_t one : lookers) {
        if (!threads.is_over(one)) threads.end(one);
      }
    }
    EXPECT_TRUE(threads.all_are_asked_again());
    threads.end_all();
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(CoopLookout, WhatATestThrowsItsOwnThreadIsTold) {
  const auto ends = run_lookout([](Peers& peers) {
    ThreadsThatWait threads(peers);
    EXPECT_TRUE(threads.all_are_asked_again());
    int tests = 0;
    const auto test = [&]() -> bool {
      if (++tests > 3) throw Error(Status::peer_lost, "gone");
      return false;
    };
    EXPECT_EQ(status_of([&] { coop::wait_until(peers, test); }), Status::peer_lost);
    EXPECT_TRUE(threads.all_are_asked_again());
    threads.end_all();
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(CoopLookout, WhoHasALargeMessageLooksForItself) {
  const auto ends = run_lookout([](Peers& peers) {
    ThreadsThatWait threads(peers);
    EXPECT_TRUE(threads.all_are_asked_again());
    const auto me = std::this_thread::get_id();
    int tests = 0;
    coop::Copies::add(100'000);
    coop::wait_until(peers, [&] {
      EXPECT_EQ(std::this_thread::get_id(), me);
      return ++tests > 5;
    });
    coop::Copies::end_of_call();
    threads.end_all();
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(CoopWait, LetsWhatItsTestThrowsThrough) {
  const auto ends = run_peers(1, []([[maybe_unused]] ForkBootstrap& job, Peers& peers) {
    int tests = 0;
    const auto test = [&]() -> bool {
      if (++tests == 5) throw Error(Status::peer_lost, "gone");
      return false;
    };
    EXPECT_EQ(status_of([&] { coop::wait_until(peers, test); }), Status::peer_lost);
    EXPECT_FALSE(peers.node().listens(0));
  });
  EXPECT_TRUE(all_good(ends));
}

// A request's status is told once. Whenever it ends: in the spin, before the sleep, after a nap.
TEST(CoopWait, IsNotAskedAgainOnceItIsOver) {
  const auto ends = run_peers(1, []([[maybe_unused]] ForkBootstrap& job, Peers& peers) {
    peers.node().note_wake(20us);
    for (int last = 1; last <= 12; ++last) {
      int tests = 0;
      coop::wait_until(peers, [&] { return ++tests == last || tests > last; });
      EXPECT_EQ(tests, last);
    }
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(CoopArrivals, NobodyGoesOnBeforeTheLastHasCome) {
  for (const int ranks : {2, 3, 8}) {
    const auto ends = run_peers(ranks, []([[maybe_unused]] ForkBootstrap& job, Peers& peers) {
      Arrivals arrivals(peers, no_progress);
      const auto all = all_ranks(job);
      const auto size = static_cast<std::uint64_t>(job.job_size());
      for (std::uint64_t round = 1; round <= 200; ++round) {
        if (round % 50 == static_cast<std::uint64_t>(job.job_rank())) std::this_thread::sleep_for(3ms);
        job.word(0).fetch_add(1);
        meet_as(arrivals, job, all);
        EXPECT_GE(job.word(0).load(), round * size);
      }
    });
    EXPECT_TRUE(all_good(ends)) << ranks;
  }
}

// What ends without waits of ours ends with them: a root runs ahead, and who waits for nobody does.
TEST(CoopArrivals, AreOfThoseThatACallWaitsForAndOfNoOthers) {
  static constexpr std::array<int, 3> kCounts{1, 0, 1};
  const auto ends = run_peers(3, [](ForkBootstrap& job, Peers& peers) {
    Arrivals arrivals(peers, no_progress);
    const auto all = all_ranks(job);
    const auto come = [&](const Whom& whom) { meet_as(arrivals, job, all, whom); };
    const int me = job.job_rank();
    come(Whom::everybody());
    const auto others_are_past = [&](std::size_t word) {
      return me != 2 || becomes_true([&] { return job.word(word).load() == 2; });
    };
    EXPECT_TRUE(others_are_past(0)) << "they wait for me";
    for (int turn = 0; turn < 5; ++turn) come(Whom::root_for(1, 0));
    if (me != 2) job.word(0).fetch_add(1);
    come(Whom::everybody());
    EXPECT_TRUE(others_are_past(1)) << "they wait for me";
    come(Whom::nobody());
    come(Whom::everybody_for(0));
    come(Whom::root_for(0, 2));
    come(Whom::everybody_if_all_give(kCounts.data()));
    come(Whom::root_for(1, -3));  // no rank: the library says so
    if (me != 2) job.word(1).fetch_add(1);
    come(Whom::everybody());
    if (me == 0) {
      EXPECT_TRUE(becomes_true([&] { return peers.node().listens(1) && peers.node().listens(2); }));
      job.word(2).store(1);
    }
    come(Whom::root_for(1, 0));
    EXPECT_EQ(job.word(2).load(), 1U) << "nobody gets anything of a root that has not come";
    come(Whom::everybody());
  });
  EXPECT_TRUE(all_good(ends));
}

// p ranks cause less than p rings a time, in whatever order they come.
TEST(CoopArrivals, RingThoseWhoSleepOnce) {
  constexpr std::uint64_t kTimes = 20;
  const auto ends = run_peers(8, [](ForkBootstrap& job, Peers& peers) {
    Arrivals arrivals(peers, no_progress);
    const auto all = all_ranks(job);
    const int me = job.job_rank();
    const int size = job.job_size();
    meet_as(arrivals, job, all);
    meet(job);
    const auto rings = [&] {
      std::uint64_t sum = 0;
      for (int rank = 0; rank < size; ++rank) sum += peers.node().rings(rank);
      return sum;
    };
    const std::uint64_t before = rings();
    meet(job);
    for (std::uint64_t time = 0; time < kTimes; ++time) {
      if (static_cast<int>(time) % size == me) {  // the last one
        EXPECT_TRUE(becomes_true([&] {
          return std::ranges::all_of(all, [&](int rank) { return rank == me || peers.node().listens(rank); });
        }));
      }
      meet_as(arrivals, job, all);
    }
    meet(job);
    EXPECT_LE(rings() - before, kTimes * static_cast<std::uint64_t>(size - 1));
    meet(job);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(CoopArrivals, AreNoneWhereNobodyMayMeetOrARankIsAlone) {
  const auto ends = run_peers(2, []([[maybe_unused]] ForkBootstrap& job, Peers& peers) {
    Arrivals arrivals(peers, no_progress);
    if (job.job_rank() == 0) {  // nobody else comes
      arrivals.learn_stranger(1);
      EXPECT_EQ(arrivals.find(1), std::optional<Meeting*>(nullptr));
      (void)arrivals.forget(1);
      meet_as(arrivals, job, std::vector<std::int32_t>{0});
      (void)arrivals.forget(1);
      meet_as(arrivals, job, {});
    }
    meet(job);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(CoopArrivals, MakeProgressUntilTheLastHasCome) {
  static std::atomic<int> steps{0};
  const auto ends = run_peers(2, []([[maybe_unused]] ForkBootstrap& job, Peers& peers) {
    Arrivals arrivals(peers, [] { steps.fetch_add(1); });
    const auto all = all_ranks(job);
    meet_as(arrivals, job, all);
    if (job.job_rank() == 0) {
      EXPECT_TRUE(becomes_true([&] { return job.word(0).load() == 1; }));
    }
    const int before = steps.load();
    if (job.job_rank() == 1) {
      std::thread late([&] {
        (void)becomes_true([&] { return steps.load() > before + 2; });
        job.word(0).store(1);
      });
      meet_as(arrivals, job, all);
      late.join();
      EXPECT_GT(steps.load(), before + 2);
    } else {
      meet_as(arrivals, job, all);
    }
  });
  EXPECT_TRUE(all_good(ends));
}

// The place of a library's call that nobody leaves before all have come: by words of the job, without a sleep.
class StandIn {
 public:
  StandIn(ForkBootstrap& job, std::size_t word) : job_(job), word_(word) {}
  void enter() {
    ++calls_;
    job_.word(word_).fetch_add(1);
  }
  void leave() const {
    const auto all = calls_ * static_cast<std::uint64_t>(job_.job_size());
    while (job_.word(word_).load() < all) std::this_thread::yield();
  }
  void run() {
    enter();
    leave();
  }

 private:
  ForkBootstrap& job_;
  std::size_t word_;
  std::uint64_t calls_ = 0;
};

Meeting* come_to_a_call(Arrivals& arrivals) {
  Meeting* const meeting = arrivals.find(kHandle).value_or(nullptr);
  return arrivals.meet(kHandle, meeting, Whom::everybody(), Meeting::Behind::call);
}

// Calls until no rank tells any more that it comes. False: they have not come together often enough for that.
bool come_until_nobody_tells(Arrivals& arrivals, ForkBootstrap& job, StandIn& calls) {
  const std::int64_t end_ns = deadline_after(15s);
  while (true) {
    Meeting* const meeting = come_to_a_call(arrivals);
    const std::int64_t untold = job.job_sum(meeting->has_told() ? 0 : 1);
    calls.run();
    meeting->leave(/*refused=*/false);
    if (untold == job.job_size()) return true;
    if (job.job_max(now_ns()) > end_ns) return false;
    for (int round = 0; round < 1000; ++round) {
      Meeting* const met = come_to_a_call(arrivals);
      calls.run();
      met->leave(/*refused=*/false);
    }
  }
}

constexpr int kNotTested = 77;

// body(meeting, calls): of a rank of two that pass.
std::vector<RankEnd> run_two_that_pass(
    const std::function<void(ForkBootstrap& job, Peers& peers, Arrivals& arrivals, StandIn& calls)>& body) {
  return run_peers(2, [&](ForkBootstrap& job, Peers& peers) {
    Arrivals arrivals(peers, no_progress);
    meet_as(arrivals, job, all_ranks(job));
    StandIn calls(job, 0);
    if (!come_until_nobody_tells(arrivals, job, calls)) ::_exit(kNotTested);
    body(job, peers, arrivals, calls);
  });
}

void expect_good_or_not_tested(const std::vector<RankEnd>& ends) {
  for (const RankEnd& end : ends) {
    if (end.exit_code == kNotTested) GTEST_SKIP() << "NOT TESTED: two ranks did not come together 16 times in a row";
  }
  EXPECT_TRUE(all_good(ends));
}

TEST(CoopArrivals, AreToldToNobodyWhereAllComeTogether) {
  expect_good_or_not_tested(
      run_two_that_pass([](ForkBootstrap& job, Peers& /*peers*/, Arrivals& arrivals, StandIn& calls) {
        // Rank 0 does not wait in front for the other one, which comes to the call when that is inside.
        if (job.job_rank() == 1) {
          EXPECT_TRUE(becomes_true([&] { return job.word(1).load() == 1; }));
        }
        Meeting* const meeting = come_to_a_call(arrivals);
        EXPECT_FALSE(meeting->has_told());
        calls.enter();
        if (job.job_rank() == 0) job.word(1).store(1);
        calls.leave();
        meeting->leave(/*refused=*/false);
      }));
}

TEST(CoopArrivals, AreToldAgainByAllWhereOneHasSlept) {
  expect_good_or_not_tested(
      run_two_that_pass([](ForkBootstrap& job, Peers& /*peers*/, Arrivals& arrivals, StandIn& calls) {
        Meeting* const meeting = come_to_a_call(arrivals);
        EXPECT_FALSE(meeting->has_told());
        meet(job);
        if (job.job_rank() == 0) meeting->sleep_inside();
        EXPECT_EQ(meeting->has_told(), job.job_rank() == 0);
        calls.run();
        meeting->leave(/*refused=*/false);
        meet(job);
        for (int time = 0; time < 10; ++time) {
          Meeting* const met = come_to_a_call(arrivals);
          EXPECT_TRUE(met->has_told());
          calls.run();
          met->leave(/*refused=*/false);
        }
      }));
}

// One has slept inside a call that the other one had left before: so one of them alone passes the next one.
TEST(CoopArrivals, OfOneThatPassesAreToldBeforeItSleeps) {
  expect_good_or_not_tested(run_two_that_pass([](ForkBootstrap& job, Peers& peers, Arrivals& arrivals, StandIn& calls) {
    Meeting* meeting = come_to_a_call(arrivals);
    calls.run();
    if (job.job_rank() == 0) {
      meeting->leave(/*refused=*/false);
      meeting = come_to_a_call(arrivals);
      EXPECT_FALSE(meeting->has_told());
      job.word(1).store(1);
      EXPECT_TRUE(becomes_true([&] { return peers.node().listens(1); }));
      const std::uint64_t rings = peers.node().rings(1);
      meeting->sleep_inside();
      EXPECT_TRUE(meeting->has_told());
      EXPECT_EQ(peers.node().rings(1), rings + 1);
    } else {
      EXPECT_TRUE(becomes_true([&] { return job.word(1).load() == 1; }));
      meeting->sleep_inside();
      meeting->leave(/*refused=*/false);
      meeting = come_to_a_call(arrivals);
      EXPECT_TRUE(meeting->has_told());
    }
    calls.run();
    meeting->leave(/*refused=*/false);
  }));
}

// body(meeting): of each rank, where all have met once.
void expect_good_at_a_meeting(
    int ranks, const std::function<void(ForkBootstrap& job, Arrivals& arrivals, Meeting& meeting)>& body) {
  const auto ends = run_peers(ranks, [&](ForkBootstrap& job, Peers& peers) {
    Arrivals arrivals(peers, no_progress);
    meet_as(arrivals, job, all_ranks(job));
    body(job, arrivals, **arrivals.find(kHandle));
  });
  EXPECT_TRUE(all_good(ends));
}

// Rank 0 alone makes calls that the library refuses there, of each kind. Then all meet, where it has come no more often than the others.
TEST(CoopArrivals, AreNotOfACallThatIsRefused) {
  using Taken = Meeting::Taken;
  expect_good_at_a_meeting(3, [](ForkBootstrap& job, Arrivals& /*arrivals*/, Meeting& meeting) {
    const auto size = static_cast<std::uint64_t>(job.job_size());
    for (std::uint64_t round = 1; round <= 20; ++round) {
      if (job.job_rank() == 0) {
        meeting.come(Whom::uncounted(), Meeting::Behind::call, Taken::surely);
        meeting.end(/*refused=*/true);
        // Taken for another one: who looks before it is taken back has seen it.
        meeting.come(Whom::root_for(1, 0), Meeting::Behind::call, Taken::surely);
        meeting.end(/*refused=*/true);
      }
      meet(job);
      if (job.job_rank() == 0) {
        meeting.come(Whom::everybody(), Meeting::Behind::call, Taken::perhaps);
        EXPECT_FALSE(meeting.has_told());
        meeting.end(/*refused=*/true);
        meeting.come(Whom::nobody(), Meeting::Behind::call, Taken::surely);
        EXPECT_FALSE(meeting.has_told());
        meeting.end(/*refused=*/true);
        std::this_thread::sleep_for(1ms);  // so that the others wait for it, whom a turn too many would let go on
        meeting.come(Whom::nobody(), Meeting::Behind::call, Taken::perhaps);  // left by longjmp
      }
      job.word(0).fetch_add(1);
      meeting.come(Whom::everybody());  // a barrier, behind which no call of the library's ends
      EXPECT_GE(job.word(0).load(), round * size);
    }
  });
}

// The other one knows that call already, and waits in front of it until this one sleeps inside, or is done.
TEST(CoopArrivals, OfACallThatMayBeRefusedAreToldLater) {
  expect_good_at_a_meeting(2, [](ForkBootstrap& job, Arrivals& /*arrivals*/, Meeting& meeting) {
    for (std::uint64_t round = 1; round <= 6; ++round) {
      if (job.job_rank() == 0) {
        meeting.come(Whom::root_for(1, 0), Meeting::Behind::call, Meeting::Taken::perhaps);
        std::this_thread::sleep_for(1ms);  // so that the other one waits
        job.word(0).store(round);
        if (round % 2 == 0) meeting.sleep_inside();
      } else {
        meeting.come(Whom::root_for(1, 0));
        EXPECT_GE(job.word(0).load(), round);
      }
      meeting.end(/*refused=*/false);
      EXPECT_TRUE(meeting.has_told());
      meet(job);
    }
  });
}

// Of a small broadcast others may be done without the one to which it was refused, and have counted it.
TEST(CoopArrivals, AreTheSameForAllBehindOneThatOthersHadDoneWithoutARefusedRank) {
  expect_good_at_a_meeting(3, [](ForkBootstrap& job, Arrivals& arrivals, Meeting& meeting) {
    const auto size = static_cast<std::uint64_t>(job.job_size());
    for (std::uint64_t round = 1; round <= 20; ++round) {
      const bool is_refused = job.job_rank() == static_cast<int>(round % size);
      meeting.come(Whom::root_for(1, job.job_rank()), Meeting::Behind::call, Meeting::Taken::perhaps);
      meeting.end(is_refused);
      if (is_refused) std::this_thread::sleep_for(1ms);  // so that the others wait for it
      job.word(0).fetch_add(1);
      meet_as(arrivals, job, all_ranks(job));  // else the watchdog ends it
      EXPECT_GE(job.word(0).load(), round * size);
    }
  });
}

// Whoever waits in front for one that never comes, where it can go on into the library's call, does so.
TEST(CoopArrivals, KeepNobodyFromACallForLong) {
  expect_good_at_a_meeting(2, [](ForkBootstrap& job, Arrivals& arrivals, Meeting& meeting) {
    if (job.job_rank() == 0) {
      meeting.come(Whom::everybody(), Meeting::Behind::call);  // else the watchdog ends it
      meeting.end(/*refused=*/true);
    }
    meet(job);
    meet_as(arrivals, job, all_ranks(job));
  });
}

// Where the library's call spins: it may be refused, so nobody sees this rank come, and who waits in front goes in.
TEST(CoopArrivals, KeepNobodyFromACallThatOneOfThemIsInDoubtOf) {
  using Behind = Meeting::Behind;
  expect_good_at_a_meeting(2, [](ForkBootstrap& job, Arrivals& /*arrivals*/, Meeting& meeting) {
    for (std::uint64_t round = 1; round <= 6; ++round) {
      if (job.job_rank() == 0) {
        if (round % 2 == 0) std::this_thread::sleep_for(1ms);  // so that the other one waits
        meeting.come(Whom::everybody(), Behind::spinning_call, Meeting::Taken::perhaps);
        EXPECT_FALSE(meeting.has_told());
        while (job.word(0).load() < round) std::this_thread::yield();  // else the watchdog ends it
      } else {
        meeting.come(Whom::everybody(), Behind::spinning_call);
        job.word(0).store(round);
      }
      meeting.end(/*refused=*/false);
      meet(job);
    }
  });
}

TEST(CoopArrivals, AreNotOfACallThatIsRefusedToOneInDoubt) {
  expect_good_at_a_meeting(2, [](ForkBootstrap& job, Arrivals& /*arrivals*/, Meeting& meeting) {
    for (std::uint64_t round = 1; round <= 6; ++round) {
      if (job.job_rank() == 0) {
        meeting.come(Whom::everybody(), Meeting::Behind::spinning_call, Meeting::Taken::perhaps);
        std::this_thread::sleep_for(1ms);  // so that the other one waits
        meeting.end(/*refused=*/true);
        job.word(0).store(round);
      }
      meeting.come(Whom::everybody());  // a barrier, behind which no call of the library's ends
      EXPECT_GE(job.word(0).load(), round);
      meet(job);
    }
  });
}

// Nobody has slept in those between.
TEST(CoopArrivals, AreToldToNobodyBehindCallsThatWaitForNobody) {
  expect_good_or_not_tested(
      run_two_that_pass([](ForkBootstrap& job, Peers& /*peers*/, Arrivals& arrivals, StandIn& calls) {
        for (int time = 0; time < 10; ++time) {
          meet_as(arrivals, job, all_ranks(job), Whom::nobody());
          meet(job);
          Meeting* const meeting = come_to_a_call(arrivals);
          EXPECT_FALSE(meeting->has_told());
          calls.run();
          meeting->leave(/*refused=*/false);
        }
      }));
}

TEST(CoopArrivals, KeepNobodyForLongWhereOneThatPassesNeverSleeps) {
  expect_good_or_not_tested(
      run_two_that_pass([](ForkBootstrap& job, Peers& /*peers*/, Arrivals& arrivals, StandIn& calls) {
        Meeting* meeting = come_to_a_call(arrivals);
        calls.run();
        if (job.job_rank() == 0) {
          meeting->leave(/*refused=*/false);
          meeting = come_to_a_call(arrivals);
          job.word(1).store(1);
        } else {
          EXPECT_TRUE(becomes_true([&] { return job.word(1).load() == 1; }));
          meeting->sleep_inside();
          meeting->leave(/*refused=*/false);
          meeting = come_to_a_call(arrivals);
        }
        calls.run();  // else the watchdog ends it
        meeting->leave(/*refused=*/false);
      }));
}

// In whatever order ranks come, sleep and fall behind, none is kept from its call; and calls of other kinds stand between.
TEST(CoopArrivals, EndWhateverRanksPass) {
  for (const int ranks : {2, 3, 5}) {
    const auto ends = run_peers(ranks, [](ForkBootstrap& job, Peers& peers) {
      Arrivals arrivals(peers, no_progress);
      meet_as(arrivals, job, all_ranks(job));
      StandIn calls(job, 0);
      std::minstd_rand random(static_cast<unsigned>(job.job_rank() + 1));
      for (int round = 0; round < 3000; ++round) {
        Meeting* const meeting = come_to_a_call(arrivals);
        ASSERT_NE(meeting, nullptr);
        calls.enter();
        const bool sleeps = random() % 64 == 0;
        if (sleeps) meeting->sleep_inside();
        calls.leave();
        meeting->leave(/*refused=*/false);
        if (round % 40 == 0) meet_as(arrivals, job, all_ranks(job), Whom::root_for(1, round % job.job_size()));
        if (round % 97 == 0) meet_as(arrivals, job, all_ranks(job));
      }
    });
    EXPECT_TRUE(all_good(ends)) << ranks;
  }
}

TEST(CoopArrivals, OfACommunicatorWithADeadRankEnd) {
  const auto ends = run_peers(3, []([[maybe_unused]] ForkBootstrap& job, Peers& peers) {
    Arrivals arrivals(peers, no_progress);
    const auto all = all_ranks(job);
    meet_as(arrivals, job, all);
    if (job.job_rank() == 2) ::kill(::getpid(), SIGKILL);
    for (int round = 0; round < 3; ++round) meet_as(arrivals, job, all);  // else the watchdog ends it
  });
  EXPECT_EQ(ends[0].exit_code, 0);
  EXPECT_EQ(ends[1].exit_code, 0);
  EXPECT_EQ(ends[2].signal, SIGKILL);
}

}  // namespace
}  // namespace comity::testing
