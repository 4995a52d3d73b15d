// SPDX-License-Identifier: BSD-3-Clause
// What counts as the cost of a wake-up: a sleep that a release has ended, and none that ended otherwise.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>

#include "becomes.hpp"
#include "fork_bootstrap.hpp"
#include "node_fixture.hpp"
#include "process_state.hpp"

namespace comity::testing {
namespace {

using namespace std::chrono_literals;

// A group that has been released before, so that there is a time to count from by mistake; and a mean of wake-up costs
// that any one more moves, for none takes so long.
struct AfterARound {
  explicit AfterARound(ForkBootstrap& job, const node::AttachOptions& options)
      : node(attach(job, options)), group(node->make_group(job)) {
    group->wait();
    node->note_wake(1s);
    noted = mine();
    (void)job.job_sum(0);
  }

  [[nodiscard]] Nanoseconds mine() const { return node->wake_cost(node->participant()); }

  std::shared_ptr<node::Node> node;
  std::unique_ptr<node::Group> group;
  Nanoseconds noted{};
};

// Where nothing but the futex can make that rank sleep.
bool rank_sleeps(const node::Node& node, int rank) {
  return becomes_true([&] {
    for (std::size_t slot = 0; slot < node.segment().slots(); ++slot) {
      if (node.segment().group(slot).sleepers.load() > 0) return state_of(node.pid(rank)) == 'S';
    }
    return false;
  });
}

TEST(WakeCost, IsNotWhatASleepTakesThatTimesOut) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const AfterARound after(job, {.slice = 1ms, .spin_us = 0});
    if (job.job_rank() == 0) {
      EXPECT_EQ(status_of([&] { after.group->wait(20ms); }), Status::timeout);
      EXPECT_EQ(after.mine(), after.noted);
    }
    (void)job.job_sum(0);
  });
  EXPECT_TRUE(all_good(ends));
}

// Rank 0 sleeps on until rank 1 has found the death and wakes it: a wake-up, long after the release that was the last.
TEST(WakeCost, IsNotWhatASleepTakesThatADeathEnds) {
  const auto ends = run_ranks(3,
                              [](ForkBootstrap& job) {
                                const int me = job.job_rank();
                                const AfterARound after(job, {.slice = me == 0 ? 60s : 10ms, .spin_us = 0});
                                if (me == 2) {
                                  while (true) ::pause();
                                }
                                if (me == 1) {
                                  EXPECT_TRUE(rank_sleeps(*after.node, 0));
                                  job.kill_rank(2);
                                }
                                EXPECT_EQ(status_of([&] { after.group->wait(); }), Status::peer_lost);
                                EXPECT_EQ(after.mine(), after.noted);
                              },
                              {.quiet_about = 2});
  EXPECT_EQ(ends[0].exit_code, 0);
  EXPECT_EQ(ends[1].exit_code, 0);
}

std::atomic<std::uint64_t>* handler_entered = nullptr;
std::atomic<std::uint64_t>* handler_may_end = nullptr;

void stay_in_handler(int) {
  handler_entered->store(1);
  while (handler_may_end->load() == 0) {
  }
}

// The release comes while the sleeper is in a signal's handler: what that took is not the wake-up's.
TEST(WakeCost, IsNotWhatASleepTakesThatASignalEnds) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const AfterARound after(job, {.slice = 60s, .spin_us = 0});
    handler_entered = &job.word(0);
    handler_may_end = &job.word(1);
    struct sigaction action = {};
    action.sa_handler = stay_in_handler;
    ASSERT_EQ(::sigaction(SIGUSR1, &action, nullptr), 0);
    if (job.job_rank() == 0) {
      EXPECT_TRUE(rank_sleeps(*after.node, 1));
      job.signal_rank(1, SIGUSR1);
      EXPECT_TRUE(becomes_true([&] { return handler_entered->load() != 0; }));
      after.group->wait();
      handler_may_end->store(1);
    } else {
      after.group->wait();
      EXPECT_EQ(after.mine(), after.noted);
    }
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(WakeCost, IsNotWhatASleepTakesThatWasStopped) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const AfterARound after(job, {.slice = 60s, .spin_us = 0});
    if (job.job_rank() == 0) {
      EXPECT_TRUE(rank_sleeps(*after.node, 1));
      job.signal_rank(1, SIGSTOP);
      EXPECT_TRUE(becomes_true([&] { return state_of(after.node->pid(1)) == 'T'; }));
      after.group->wait();
      job.signal_rank(1, SIGCONT);
    } else {
      after.group->wait();
      EXPECT_EQ(after.mine(), after.noted);
    }
  });
  EXPECT_TRUE(all_good(ends));
}

// The control: the same sleep, ended by the release.
TEST(WakeCost, IsWhatASleepTakesThatAReleaseEnds) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const AfterARound after(job, {.slice = 60s, .spin_us = 0});
    if (job.job_rank() == 0) {
      EXPECT_TRUE(rank_sleeps(*after.node, 1));
      after.group->wait();
    } else {
      after.group->wait();
      EXPECT_NE(after.mine(), after.noted);
    }
  });
  EXPECT_TRUE(all_good(ends));
}

}  // namespace
}  // namespace comity::testing
