// SPDX-License-Identifier: BSD-3-Clause
// Who is dead, who only seems to be, and that nobody waits for the dead.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "becomes.hpp"
#include "fork_bootstrap.hpp"
#include "namespaces.hpp"
#include "node_fixture.hpp"
#include "process_state.hpp"
#include "told_in_time.hpp"

namespace comity::testing {
namespace {

using namespace std::chrono_literals;

[[noreturn]] void wait_to_be_killed() {
  while (true) ::pause();
}

TEST(Liveness, AKilledRankEndsTheWaitOfTheOthersWithinASecondAndIsNamed) {
  const auto ends = run_ranks(4, [](ForkBootstrap& job) {
    const auto node = attach(job);
    const auto group = node->make_group(job);
    group->wait();
    if (group->rank() == 2) ::kill(::getpid(), SIGKILL);
    const ToldInTime told;
    std::string words;
    EXPECT_EQ(status_of([&] { group->wait(); }, &words), Status::peer_lost);
    EXPECT_LT(told.after_ns(job.ended_ns(2)), kTellWithin_ns);
    const std::string named = "rank 2 (pid " + std::to_string(node->pid(2)) + ") of the group died";
    EXPECT_NE(words.find(named), std::string::npos) << words;
    EXPECT_FALSE(node->alive(2));
    EXPECT_EQ(node->harts().word(2).owner(), node::kNobody);
    EXPECT_EQ(node->harts().word(2).state(), node::HartState::free);
    // Later calls find the group broken at once.
    EXPECT_EQ(status_of([&] { group->wait(10s); }), Status::peer_lost);
    EXPECT_EQ(status_of([&] { static_cast<void>(group->split(0)); }), Status::peer_lost);
  });
  EXPECT_EQ(ends[2].signal, SIGKILL);
  EXPECT_TRUE(ends[0].exit_code == 0 && ends[1].exit_code == 0 && ends[3].exit_code == 0);
}

TEST(Notices, OneRankOfANodeIsFirstToTellEach) {
  const auto ends = run_ranks(8, [](ForkBootstrap& job) {
    const auto node = attach(job);
    const auto group = node->make_group(job);
    for (const unsigned notice : {0U, 1U, 31U}) {
      group->wait();
      std::vector<std::uint64_t> first(8);
      group->exchange(node->first_to_tell(notice) ? 1 : 0, first);
      EXPECT_EQ(std::count(first.begin(), first.end(), 1U), 1) << notice;
      EXPECT_FALSE(node->first_to_tell(notice));
    }
  });
  EXPECT_TRUE(all_good(ends));
}

class LivenessToWhoPolls : public ::testing::TestWithParam<Nanoseconds> {};
// A timeout of 0 or less looks once, without a sleep.
INSTANTIATE_TEST_SUITE_P(Timeouts, LivenessToWhoPolls, ::testing::Values(1ms, 0ns, -1s));

TEST_P(LivenessToWhoPolls, TellsOfADeathToo) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = attach(job);
    const auto group = node->make_group(job);
    if (group->rank() == 1) ::kill(::getpid(), SIGKILL);
    const ToldInTime told;
    Status end = Status::timeout;
    becomes_true([&] { return (end = status_of([&] { group->wait(GetParam()); })) != Status::timeout; });
    EXPECT_LT(told.after_ns(job.ended_ns(1)), kTellWithin_ns);
    EXPECT_EQ(end, Status::peer_lost);
  });
  EXPECT_EQ(ends[0].exit_code, 0);
}

TEST(Liveness, GroupsWithoutTheDeadRankGoOn) {
  const auto ends = run_ranks(4, [](ForkBootstrap& job) {
    const auto node = attach(job);
    const auto all = node->make_group(job);
    const auto pair = all->split(all->rank() / 2);
    if (all->rank() == 3) ::kill(::getpid(), SIGKILL);
    if (all->rank() == 2) {
      EXPECT_EQ(status_of([&] { pair->wait(); }), Status::peer_lost);
    }
    if (all->rank() > 1) return;
    EXPECT_TRUE(becomes_true([&] { return !node->alive(3); }));
    for (int round = 0; round < 100; ++round) pair->wait();
  });
  for (const int rank : {0, 1, 2}) EXPECT_EQ(ends[static_cast<std::size_t>(rank)].exit_code, 0);
}

TEST(Liveness, AStoppedRankIsNotDead) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = attach(job, {.slice = 10ms});
    const auto group = node->make_group(job);
    group->wait();
    if (group->rank() == 1) {
      ::kill(::getpid(), SIGSTOP);
      group->wait();
      return;
    }
    // Many slices long: the members are tested again and again meanwhile.
    EXPECT_EQ(status_of([&] { group->wait(300ms); }), Status::timeout);
    EXPECT_TRUE(node->alive(1));
    EXPECT_TRUE(
        becomes_true([&] { return state_of(job.process_of(1)) == 'T'; }));  // else the signal comes before the stop
    job.signal_rank(1, SIGCONT);
    group->wait();
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(Liveness, AForkChildOfADeadRankDoesNotKeepItAlive) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = attach(job);
    const auto group = node->make_group(job);
    if (group->rank() == 1) {
      const pid_t child = ::fork();
      if (child == 0) {
        // It has no part in the group, and dropping its copies disturbs nobody.
        job.word(1).store(node->is_fork_child() && status_of([&] { group->wait(0ms); }) == Status::handle ? 1 : 2);
        job.word(0).store(static_cast<std::uint64_t>(::getpid()));
        wait_to_be_killed();
      }
      becomes_true([&] { return job.word(0).load() != 0; });
      ::kill(::getpid(), SIGKILL);
    }
    EXPECT_EQ(status_of([&] { group->wait(); }), Status::peer_lost);
    EXPECT_EQ(job.word(1).load(), 1U);
    ::kill(static_cast<pid_t>(job.word(0).load()), SIGKILL);
  });
  EXPECT_EQ(ends[0].exit_code, 0);
}

TEST(Liveness, AForkChildThatDropsItsCopiesDisturbsNobody) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    auto node = attach(job);
    auto group = node->make_group(job);
    const pid_t child = ::fork();
    if (child == 0) {
      group.reset();
      node.reset();
      ::_exit(0);
    }
    int status = 1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    group->wait();
    EXPECT_TRUE(node->alive(1 - node->participant()));
    group->wait();  // nobody ends before both have looked
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(Liveness, WhoDropsItsGroupEndsTheWaitOfTheOthers) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = attach(job, {.slice = 20ms});
    auto group = node->make_group(job);
    group->wait();
    if (group->rank() == 1) {
      group.reset();
    } else {
      std::string words;
      EXPECT_EQ(status_of([&] { group->wait(); }, &words), Status::peer_lost);
      EXPECT_NE(words.find("left it"), std::string::npos) << words;
    }
    static_cast<void>(job.job_max(0));
  });
  EXPECT_TRUE(all_good(ends));
}

void expect_a_death_is_seen_across_pid_namespaces() {
  const auto ends = run_ranks(2,
                              [](ForkBootstrap& job) {
                                const auto node = attach(job);
                                const auto group = node->make_group(job);
                                EXPECT_EQ(node->pid(0), 1);
                                EXPECT_EQ(node->pid(1), 1);
                                if (group->rank() == 1) ::_exit(7);
                                EXPECT_EQ(status_of([&] { group->wait(); }), Status::peer_lost);
                              },
                              {.pid_namespace = PidNamespace::own});
  EXPECT_EQ(ends[0].exit_code, 0);
  EXPECT_EQ(ends[1].exit_code, 7);
}

TEST(Liveness, WorksAcrossPidNamespaces) {
  const bool ran = run_with(to_unshare(CLONE_NEWPID), expect_a_death_is_seen_across_pid_namespaces);
  if (!ran) GTEST_SKIP() << "NOT TESTED: pid namespaces are not permitted here";
}

TEST(Liveness, SlotsOfTheDeadAreReused) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = attach(job);
    const auto slots = static_cast<int>(node->segment().slots());
    const auto all = node->make_group(job);
    std::vector<std::unique_ptr<node::Group>> kept;
    for (int i = 1; i < slots; ++i) kept.push_back(all->split(0));
    EXPECT_EQ(status_of([&] { static_cast<void>(all->split(0)); }), Status::memory);
    all->wait();
    if (all->rank() == 1) ::kill(::getpid(), SIGKILL);
    EXPECT_TRUE(becomes_true([&] { return !node->alive(1); }));
    kept.clear();  // none is freed by rank 1
    // All but the one of `all`, which a living rank is in.
    const std::vector<int> me{0};
    for (int i = 1; i < slots; ++i) EXPECT_TRUE(node::Slots(*node).claim(me).has_value()) << i;
    EXPECT_FALSE(node::Slots(*node).claim(me).has_value());
  });
  EXPECT_EQ(ends[0].exit_code, 0);
}

TEST(Liveness, SlotsOfGroupsWhoseMembersAllDiedAreReused) {
  const auto ends = run_ranks(3, [](ForkBootstrap& job) {
    const auto node = attach(job);
    const auto slots = static_cast<int>(node->segment().slots());
    const auto all = node->make_group(job);
    std::vector<std::unique_ptr<node::Group>> kept;  // of ranks 1 and 2; no living rank is in them, nor leaves them
    for (int i = 1; i < slots; ++i) kept.push_back(all->split(all->rank() == 0 ? -1 : 0));
    const std::vector<int> me{all->rank()};
    EXPECT_FALSE(node::Slots(*node).claim(me).has_value());
    all->wait();
    if (all->rank() == 2) ::kill(::getpid(), SIGKILL);
    EXPECT_TRUE(becomes_true([&] { return !node->alive(2); }));
    if (all->rank() == 1) {
      EXPECT_FALSE(node::Slots(*node).claim(me).has_value()) << "a living rank is in all of them";
      ::kill(::getpid(), SIGKILL);
    }
    EXPECT_TRUE(becomes_true([&] { return !node->alive(1); }));
    for (int i = 1; i < slots; ++i) EXPECT_TRUE(node::Slots(*node).claim(me).has_value()) << i;
    EXPECT_FALSE(node::Slots(*node).claim(me).has_value());
  });
  EXPECT_EQ(ends[0].exit_code, 0);
  EXPECT_EQ(ends[1].signal, SIGKILL);
  EXPECT_EQ(ends[2].signal, SIGKILL);
}

// What others of the user may write there is no participant at all; the last one stands for it, which lives.
TEST(Slots, WithImpossibleMembersAreNoErrorToWhoLooksForOne) {
  const auto ends = run_ranks(1, [](ForkBootstrap& job) {
    const auto node = attach(job);
    constexpr std::uint64_t kLive = 2;
    constexpr std::uint64_t kBuiltByNobody = std::uint64_t{0xFFFF} << 16U | 1U;
    const std::array me{node->participant()};
    for (const std::uint64_t state : {kLive, kBuiltByNobody}) {
      for (const std::uint32_t member : {0xFFFFFFFBU, 0x8F23D542U, 0x7FFFFFFFU}) {
        for (std::size_t slot = 0; slot < node->segment().slots(); ++slot) {
          node->segment().group(slot).size.store(1);
          node->segment().members(slot)[0].participant.store(member);
          node->segment().members(slot)[0].presence.store(node::Presence::joined);
          node->segment().group(slot).state.store(state);
        }
        EXPECT_FALSE(node::Slots(*node).claim(me).has_value());
      }
    }
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(Slots, ASplitThatFindsTooFewTakesNone) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = attach(job);
    const auto slots = static_cast<int>(node->segment().slots());
    const auto all = node->make_group(job);
    std::vector<std::unique_ptr<node::Group>> kept;
    for (int i = 2; i < slots; ++i) kept.push_back(all->split(0));
    for (int attempt = 0; attempt < 3; ++attempt) {
      // One slot for two colours: one of the leaders gets it, and both are refused.
      EXPECT_EQ(status_of([&] { static_cast<void>(all->split(all->rank())); }), Status::memory) << attempt;
    }
    std::unique_ptr<node::Group> both;
    EXPECT_EQ(status_of([&] { both = all->split(0); }), Status::ok) << "the slot is free again";
  });
  EXPECT_TRUE(all_good(ends));
}

// Back to what a claim is just before its last step, which makes the slot live; the low bits say so.
void make_half_claimed(const node::Node& node, const node::Claim& claim) {
  constexpr std::uint64_t kLive = 2;
  constexpr std::uint64_t kBuilding = 1;
  std::atomic<std::uint64_t>& state = node.segment().group(claim.slot).state;
  ASSERT_EQ(state.load() & 0xFFFFU, kLive);
  state.store(state.load() - kLive + kBuilding);
}

TEST(Liveness, ASlotThatItsClaimerDiedOverIsReusedAndNotBefore) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = attach(job);
    const auto slots = static_cast<int>(node->segment().slots());
    const node::Slots mine(*node);
    const std::vector<int> rank_0{0};
    if (job.job_rank() == 1) make_half_claimed(*node, mine.claim(rank_0).value());
    (void)job.job_max(0);
    if (job.job_rank() == 1) wait_to_be_killed();
    for (int i = 1; i < slots; ++i) EXPECT_TRUE(mine.claim(rank_0).has_value()) << i;
    EXPECT_FALSE(mine.claim(rank_0).has_value()) << "its claimer lives";
    job.kill_rank(1);
    EXPECT_TRUE(becomes_true([&] { return !node->alive(1); }));
    EXPECT_TRUE(mine.claim(rank_0).has_value());
    EXPECT_FALSE(mine.claim(rank_0).has_value());
  });
  EXPECT_EQ(ends[0].exit_code, 0);
  EXPECT_EQ(ends[1].signal, SIGKILL);
}

}  // namespace
}  // namespace comity::testing
