// SPDX-License-Identifier: BSD-3-Clause
// What the C++ interface adds to the C calls: results as values, failures as exceptions, ends at the end of a scope.
#include <comity/comity.hpp>
#include <comity/place.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "capi/fork_callbacks.hpp"
#include "node/becomes.hpp"
#include "node/fork_bootstrap.hpp"
#include "node/process_state.hpp"

namespace comity {
namespace {

using namespace std::chrono_literals;
using testing::all_good;
using testing::ForkBootstrap;
using testing::run_ranks;

// The code of the failure that a step throws; COMITY_OK where it throws none.
template <typename Step>
comity_status code_of(Step&& step) {
  try {
    step();
    return COMITY_OK;
  } catch (const Failure& failure) {
    EXPECT_STREQ(failure.what(), comity_last_error());
    return failure.code();
  }
}

TEST(Wrapper, MemoryIsTheSizeAndTheKindOfANode) {
  setenv("HWLOC_XMLFILE", COMITY_TEST_DATA "/machines/knl-7250.xml", 1);
  {
    const Context context = Context::local();
    EXPECT_EQ(context.memory(0).size_bytes, std::uint64_t{96} << 30U);
    EXPECT_EQ(context.memory(0).kind, MemoryKind::dram);
    EXPECT_EQ(context.memory(1).size_bytes, std::uint64_t{16} << 30U);
    EXPECT_EQ(context.memory(1).kind, MemoryKind::hbm);
    EXPECT_EQ(code_of([&] { (void)context.memory(2); }), COMITY_ERR_RANGE);
  }
  unsetenv("HWLOC_XMLFILE");
}

TEST(Wrapper, BoundNearestIsUndoneAtTheEndOfItsScope) {
  setenv("HWLOC_SYNTHETIC", "package:2 numa:2 core:4 pu:1", 1);
  Context context = Context::local();
  const BindingGuard core = context.bound(Resource::core, 5);
  {
    const BindingGuard numa = context.bound_nearest(Resource::numa);
    EXPECT_EQ(context.binding_string(), "4-7");
    const BindingGuard package = context.bound_nearest(Resource::package);
    EXPECT_EQ(context.binding_string(), "0-7");
    EXPECT_EQ(context.depth(), 3);
    EXPECT_EQ(code_of([&] { const BindingGuard none = context.bound_nearest(Resource::core); }), COMITY_ERR_NOT_FOUND);
    EXPECT_EQ(context.depth(), 3) << "what was refused pops nothing";
  }
  EXPECT_EQ(context.binding_string(), "5");
  EXPECT_EQ(context.depth(), 1);
}

// A deadline may have passed any time ago; -1 ns would be for ever in C.
constexpr std::array kPassed{-1ns, -2ns, std::chrono::nanoseconds(-1h), std::chrono::nanoseconds::min(), 0ns};

// The others come when rank 0 has looked in vain; from then on it looks until it goes on.
void look_for_those_who_come_late(ForkBootstrap& job, Context& context, const Group* group) {
  if (job.job_rank() > 0) {
    (void)job.job_sum(0);
    return context.quiesce_for(1h, group);
  }
  for (const auto timeout : kPassed) {
    EXPECT_EQ(code_of([&] { context.quiesce_for(timeout, group); }), COMITY_ERR_TIMEOUT) << timeout.count();
  }
  (void)job.job_sum(0);
  comity_status found = COMITY_ERR_TIMEOUT;
  for (int look = 0; look < 10'000 && found == COMITY_ERR_TIMEOUT; ++look) {
    found = code_of([&] { context.quiesce_for(-1ns, group); });
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_EQ(found, COMITY_OK);
}

class TimeoutBelowZero : public ::testing::Test {
 protected:
  TimeoutBelowZero() { setenv("HWLOC_SYNTHETIC", "core:4 pu:1", 1); }
};

TEST_F(TimeoutBelowZero, LooksOnceForAllRanksOfTheContext) {
  const auto ends = run_ranks(3, [](ForkBootstrap& job) {
    Context context(testing::callbacks(job));
    look_for_those_who_come_late(job, context, nullptr);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_F(TimeoutBelowZero, LooksOnceForThoseOfAGroupAlone) {
  const auto ends = run_ranks(3, [](ForkBootstrap& job) {
    Context context(testing::callbacks(job));
    const std::optional<Group> pair = context.split(job.job_rank() < 2 ? 0 : -1);
    if (pair) look_for_those_who_come_late(job, context, &*pair);
    if (!pair) (void)job.job_sum(0);
    (void)job.job_sum(0);  // rank 2 rests nowhere before the pair is done
  });
  EXPECT_TRUE(all_good(ends));
}

// The others come when rank 0 sleeps. A timeout that wrapped would have passed, and it would be back at once.
template <typename Timeout>
void rest_for(ForkBootstrap& job, Context& context, Timeout timeout) {
  if (job.job_rank() == 0) {
    job.word(0).store(static_cast<std::uint64_t>(getpid()));
    EXPECT_EQ(code_of([&] { context.quiesce_for(timeout); }), COMITY_OK) << timeout.count();
    job.word(0).store(0);
  } else {
    const auto sleeper = [&] { return static_cast<pid_t>(job.word(0).load()); };
    (void)testing::becomes_true([&] { return sleeper() != 0 && testing::state_of(sleeper()) == 'S'; });
    EXPECT_EQ(code_of([&] { context.quiesce_for(5s); }), COMITY_OK) << timeout.count();
  }
  (void)job.job_sum(0);
}

TEST(LongestTimeout, HasNoEndInAnyUnit) {
  setenv("HWLOC_SYNTHETIC", "core:4 pu:1", 1);
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    Context context(testing::callbacks(job));
    rest_for(job, context, std::chrono::nanoseconds::max());
    rest_for(job, context, std::chrono::nanoseconds::max() - 1ns);
    rest_for(job, context, std::chrono::microseconds::max());
    rest_for(job, context, std::chrono::milliseconds::max());
    rest_for(job, context, std::chrono::hours::max());
    rest_for(job, context, std::chrono::duration<std::uint64_t>::max());
    rest_for(job, context, std::chrono::duration<double>::max());
    rest_for(job, context, std::chrono::duration<double>(1e9));
  });
  EXPECT_TRUE(all_good(ends));
}

// Shorter than any of nanoseconds; in nanoseconds it would wrap too, to one that lasts.
TEST_F(TimeoutBelowZero, HasPassedInAnyUnit) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    Context context(testing::callbacks(job));
    if (job.job_rank() == 0) {
      EXPECT_EQ(code_of([&] { context.quiesce_for(std::chrono::microseconds::min()); }), COMITY_ERR_TIMEOUT);
      EXPECT_EQ(code_of([&] { context.quiesce_for(std::chrono::hours::min() + 1h); }), COMITY_ERR_TIMEOUT);
      EXPECT_EQ(code_of([&] { context.quiesce_for(-1ms); }), COMITY_ERR_TIMEOUT);
      EXPECT_EQ(code_of([&] { context.quiesce_for(-0.5s); }), COMITY_ERR_TIMEOUT);
      EXPECT_EQ(code_of([&] { context.quiesce_for(0.001s); }), COMITY_ERR_TIMEOUT);
      EXPECT_EQ(code_of([&] { context.quiesce_for(std::chrono::duration<int, std::pico>(1)); }), COMITY_ERR_TIMEOUT);
    }
    (void)job.job_sum(0);
  });
  EXPECT_TRUE(all_good(ends));
}

// In a group too: rank 0's progress is what lets rank 1 come.
TEST(Progress, GoesOnWhileAGroupRests) {
  setenv("HWLOC_SYNTHETIC", "core:4 pu:1", 1);
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    Context context(testing::callbacks(job));
    const std::optional<Group> both = context.split(0);
    EXPECT_EQ(code_of([&] { context.quiesce(*both, COMITY_QUIESCE_PROGRESS); }), COMITY_ERR_UNSUPPORTED);
    context.set_progress([](void* data) { static_cast<ForkBootstrap*>(data)->word(0).store(1); }, &job);
    if (job.job_rank() == 1) {
      while (job.word(0).load() == 0) std::this_thread::yield();
    }
    context.quiesce(*both, COMITY_QUIESCE_PROGRESS);
  });
  EXPECT_TRUE(all_good(ends));
}

// Dealt to two nodes in turn, a chain gets half of it on each.
TEST(Wrapper, OrdersProcessesByTheirSeats) {
  std::vector<comity_place_seat> seats(6);
  for (std::size_t i = 0; i < seats.size(); ++i) seats[i].node = 1 + i % 2;
  const std::vector<std::int32_t> order = order_for_grid(seats, {6});
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i] / 3, order[i % 2] / 3) << i;
  const std::vector<comity_place_figures> found = figures_found();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].sum, 1);
  EXPECT_EQ(found[0].bound_sum, 1);
  EXPECT_EQ(order_for_grid(seats, {5}, {{1}, {2}}).size(), 6U);
  EXPECT_EQ(code_of([&] { (void)order_for_grid(seats, {7}); }), COMITY_ERR_RANGE);
  EXPECT_EQ(order_for_grid(seats, {6}, {{}, {}, Objective::sum}), order) << "of two nodes both bear the sum";
  EXPECT_EQ(code_of([&] { (void)order_for_grid(seats, {6}, {{}, {}, Objective{3}}); }), COMITY_ERR_ARGUMENT);
  EXPECT_THROW((void)order_for_grid(seats, {6}, {{1, 0}, {}}), std::invalid_argument);
}

TEST(Wrapper, CutsAGridIntoBoxesOfBoxes) {
  const Decomposition grid({10, 8}, {in_parts(4), in_cells(5)});
  EXPECT_EQ(grid.cuts(1), (std::vector<std::int32_t>{1, 4}));
  EXPECT_EQ(grid.parts(1), 4);
  EXPECT_EQ(grid.box({3}).first, (std::vector<std::int64_t>{5, 4}));
  EXPECT_EQ(grid.box({3, 1}).extent, (std::vector<std::int64_t>{5, 1}));
  EXPECT_EQ(code_of([&] { (void)grid.box({4}); }), COMITY_ERR_RANGE);
  EXPECT_EQ(code_of([] { (void)Decomposition({2, 2}, {in_parts(5)}); }), COMITY_ERR_RANGE);
  EXPECT_THROW((void)grid.box({0, 0, 0}), std::invalid_argument);
}

}  // namespace
}  // namespace comity
