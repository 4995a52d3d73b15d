// SPDX-License-Identifier: BSD-3-Clause
// Who waits for long tells its node, and those who want to know it sleep until then.
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <thread>

#include "becomes.hpp"
#include "fork_bootstrap.hpp"
#include "node_fixture.hpp"
#include "os/threads/threads.hpp"
#include "process_state.hpp"

namespace comity::testing {
namespace {

void meet(ForkBootstrap& job) { (void)job.job_sum(0); }

TEST(Rests, AreToldToAllOfTheNode) {
  const auto ends = run_ranks(3, [](ForkBootstrap& job) {
    const auto node = attach(job);
    EXPECT_FALSE(node->rests(0) || node->rests(1) || node->rests(2));
    EXPECT_EQ(node->rest_changes(), 0U);
    meet(job);
    if (job.job_rank() == 1) node->tell_rest(true);
    if (job.job_rank() != 1) node->wait_for_rest_change(0);
    EXPECT_TRUE(node->rests(1));
    EXPECT_FALSE(node->rests(0) || node->rests(2));
    EXPECT_EQ(node->rest_changes(), 1U);
    meet(job);
    if (job.job_rank() == 1) node->tell_rest(false);
    node->wait_for_rest_change(1);
    EXPECT_FALSE(node->rests(1));
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(Rests, WakeAThreadThatSleepsOverThem) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = attach(job);
    if (job.job_rank() == 0) {
      std::atomic<pid_t> thread{0};
      std::thread attends([&] {
        thread = os::this_thread();
        node->wait_for_rest_change(0);
        job.word(1).store(1);
      });
      EXPECT_TRUE(becomes_true([&] { return thread != 0 && state_of(thread) == 'S'; }));
      EXPECT_EQ(job.word(1).load(), 0U) << "nothing has changed yet";
      job.word(0).store(1);
      attends.join();
    } else {
      EXPECT_TRUE(becomes_true([&] { return job.word(0).load() == 1; }));
      node->tell_rest(true);
    }
  });
  EXPECT_TRUE(all_good(ends));
}

// What it has left is left for good.
TEST(Rests, OfWhoIsKilledStay) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = attach(job);
    if (job.job_rank() == 1) {
      node->tell_rest(true);
      (void)::raise(SIGKILL);
    }
    node->wait_for_rest_change(0);
    EXPECT_TRUE(node->rests(1));
    node->tell_rest(true);
    EXPECT_EQ(node->rest_changes(), 2U);
  });
  EXPECT_EQ(ends.at(0).exit_code, 0) << "the other one goes on";
}

// Each change is seen, however they fall.
TEST(Rests, OfManyAtOnceAreNeverSleptOver) {
  constexpr std::uint32_t kTimes = 2000;
  const auto ends = run_ranks(4, [](ForkBootstrap& job) {
    const auto node = attach(job);
    std::uint32_t seen = 0;
    if (job.job_rank() == 0) {
      while (seen < 3 * kTimes) {
        node->wait_for_rest_change(seen);
        seen = node->rest_changes();
      }
      EXPECT_TRUE(node->rests(1) && node->rests(2) && node->rests(3)) << "each has told so last";
    } else {
      for (std::uint32_t time = 1; time <= kTimes; ++time) node->tell_rest(time % 2 == 0);
    }
  });
  EXPECT_TRUE(all_good(ends));
}

}  // namespace
}  // namespace comity::testing
