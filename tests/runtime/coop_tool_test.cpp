// SPDX-License-Identifier: BSD-3-Clause
// What libcomity and cooperative waits tell one another. This program plays the preloaded library, whose functions are found by
// name.
#include "runtime/coop_tool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "context_fixture.hpp"
#include "node/becomes.hpp"

namespace {

struct FakeTool {
  bool at_work = false;
  int waits = 0;
  int rings = 0;
  std::atomic<std::uint64_t>* waiting = nullptr;  // counts who waits here, for all ranks to see
  void* (*begins)() = nullptr;
  void (*ends)(void*) = nullptr;
};
FakeTool tool;

}  // namespace

#define COMITY_TOOL extern "C" __attribute__((visibility("default")))

COMITY_TOOL int comity_tool_coop_at_work() { return tool.at_work ? 1 : 0; }
COMITY_TOOL int comity_tool_coop_wait(int (*over)(void*), void* question, std::int64_t deadline_ns) {
  if (!tool.at_work) return 0;
  ++tool.waits;
  if (tool.waiting != nullptr) tool.waiting->fetch_add(1);
  while (over(question) == 0 && comity::now_ns() < deadline_ns) continue;
  return 1;
}
COMITY_TOOL void comity_tool_coop_ring() { ++tool.rings; }
COMITY_TOOL void comity_tool_coop_tell_rests(void* (*begins)(), void (*ends)(void*)) {
  tool.begins = begins;
  tool.ends = ends;
}

namespace comity::testing {
namespace {

using namespace std::chrono_literals;
using node::HartState;
using runtime::ProgressMeanwhile;

int times_progress_was_made = 0;
void make_progress(void* ranks_that_made_some) {
  if (times_progress_was_made++ == 0) static_cast<std::atomic<std::uint64_t>*>(ranks_that_made_some)->fetch_add(1);
}

TEST(CoopTool, TellsOfRestsAsLongAsAContextLives) {
  const auto ends = run_on_four_cores(2, [](ForkBootstrap& job) {
    EXPECT_EQ(tool.begins, nullptr);
    {
      const WiredContext context(job);
      ASSERT_NE(tool.begins, nullptr);
      meet(job);  // the context is there: nobody sleeps in its creation
      EXPECT_EQ(context.node().harts().word(0).state(), HartState::held);
      meet(job);
      if (job.job_rank() == 1) {
        void* const rest = tool.begins();
        meet(job);
        meet(job);
        tool.ends(rest);
      } else {
        meet(job);
        EXPECT_EQ(context.node().harts().word(1).state(), HartState::idle) << "seen by another rank";
        EXPECT_EQ(context.node().harts().word(0).state(), HartState::held);
        meet(job);
      }
      meet(job);
      EXPECT_EQ(context.node().harts().word(1).state(), HartState::held);
      meet(job);  // who leaves gives its hart away
    }
    EXPECT_EQ(tool.begins, nullptr) << "nobody is there to be told";
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(CoopTool, ARestMayOutliveTheContextThatItBeganIn) {
  const auto ends = run_on_four_cores(1, [](ForkBootstrap& job) {
    void* rest = nullptr;
    void (*end)(void*) = nullptr;
    {
      const WiredContext context(job);
      rest = tool.begins();
      end = tool.ends;
    }
    end(rest);
  });
  EXPECT_TRUE(all_good(ends));
}

// Quiesces, rank 0 as the last one: when word 0 says of all others that they rest.
void rest_until_rank_0_comes(ForkBootstrap& job) {
  setenv("COMITY_NODE_SPIN_US", "0", 1);
  const WiredContext context(job);
  ProgressMeanwhile meanwhile({&make_progress, &job.word(0)});
  if (job.job_rank() == 0) {
    EXPECT_TRUE(becomes_true([&] { return job.word(0).load() + 1U == static_cast<unsigned>(job.job_size()); }));
  }
  context->quiesce(std::nullopt, &meanwhile);
}

TEST(CoopTool, ProgressIsMadeWhereWaitsAreNotCooperative) {
  const auto ends = run_on_four_cores(3, [](ForkBootstrap& job) {
    rest_until_rank_0_comes(job);
    EXPECT_EQ(times_progress_was_made > 0, job.job_rank() != 0);
    EXPECT_EQ(tool.waits, 0);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(CoopTool, ARankRestsThereWhereWaitsAreCooperative) {
  const auto ends = run_on_four_cores(3, [](ForkBootstrap& job) {
    tool.at_work = true;
    tool.waiting = &job.word(0);
    rest_until_rank_0_comes(job);
    EXPECT_EQ(times_progress_was_made, 0);
    EXPECT_EQ(tool.waits, job.job_rank() == 0 ? 0 : 1) << "the last one waits for nobody";
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(CoopTool, ATimeoutEndsARestWithProgress) {
  const auto ends = run_on_four_cores(2, [](ForkBootstrap& job) {
    const WiredContext context(job);
    ProgressMeanwhile meanwhile({&make_progress, &job.word(0)});
    if (job.job_rank() == 0) {
      EXPECT_THROW(context->quiesce(5ms, &meanwhile), Error);
    }
    meet(job);
    context->quiesce(std::nullopt, &meanwhile);
  });
  EXPECT_TRUE(all_good(ends));
}

}  // namespace
}  // namespace comity::testing
