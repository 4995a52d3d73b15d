// SPDX-License-Identifier: BSD-3-Clause
// Pools that are no OpenMP team: what a push does to their threads. Each push reaches every thread that exists, whoever
// made it and whenever; a pool whose members place themselves by the pushed binding has one on each core, in each region.
#include <comity/comity.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "context/one_cpu.hpp"
#include "context/pool.hpp"

#ifdef COMITY_TEST_TBB
#include "context/tbb_pool.hpp"
#endif
#ifdef COMITY_TEST_OPENBLAS
#include "context/openblas_pool.hpp"
#endif

namespace {

using namespace comity::testing;
using comity::Context;
using comity::Resource;

constexpr int kRegions = 1000;

class Pools : public OnOneCpu {
 protected:
  // Of a pool that exists: each push reaches all its threads, where they stay in each of a thousand regions, and each pop
  // gives each its own mask back.
  template <typename Region>
  void expect_reached(const Region& region) const {
    constexpr int kRounds = 20;
    const Masks narrow = masks_of(threads_of_this_process());
    Context context = Context::local();
    const auto expect_regions_on = [&](const Cpus& pushed) {
      EXPECT_EQ(threads_elsewhere(threads_of_this_process(), pushed), 0) << "before the first region";
      int elsewhere = 0;
      for (int i = 0; i < kRegions / kRounds / 2; ++i) {
        region();
        elsewhere += threads_elsewhere(threads_of_this_process(), pushed);
      }
      EXPECT_EQ(elsewhere, 0);
    };
    for (int round = 0; round < kRounds && !HasFailure(); ++round) {
      context.push(Resource::machine, 0);
      expect_regions_on(before_);
      context.push(Resource::core, cores_ - 1);
      expect_regions_on(cpus_in(context.binding()));
      context.pop();
      context.pop();
      EXPECT_EQ(masks_of(threads_of_this_process()), narrow) << "round " << round;
    }
  }
};

TEST_F(Pools, OfStandardThreadsAreReachedWhateverTheirSize) {
  for (const int members : {1, cores_, 4 * cores_}) {
    Pool pool(members);
    expect_reached([&] { (void)pool.run(nullptr); });
  }
}

TEST_F(Pools, OfStandardThreadsThatPlaceThemselvesHaveACoreEachInAThousandRegions) {
  Pool pool(cores_);  // made before the context, under a narrow mask
  Context context = Context::local();
  context.push(Resource::machine, 0);
  int shared = 0;
  for (int region = 0; region < kRegions; ++region) shared += all_different(pool.run(&context)) ? 0 : 1;
  EXPECT_EQ(shared, 0);
  context.pop();
}

#ifdef COMITY_TEST_TBB

TEST_F(Pools, OfTbbAreReachedWhateverTheirSize) {
  const tbb::global_control workers = allow(4 * cores_);
  for (const int members : {1, cores_, 4 * cores_}) {
    tbb::task_arena arena(members);
    // Each must exist before the first push, or be born between two.
    ASSERT_TRUE(start_workers(arena, members, static_cast<std::size_t>(members))) << "oneTBB did not start all workers";
    expect_reached([&] { (void)run_region(arena, members); });
  }
}

TEST_F(Pools, OfTbbWithAnObserverHaveACoreEachInAThousandRegions) {
  const tbb::global_control workers = allow(cores_);
  tbb::task_arena arena(cores_);
  for (int region = 0; region < 20; ++region) (void)run_region(arena, cores_);  // the workers exist, on one CPU
  Context context = Context::local();
  context.push(Resource::machine, 0);
  const Places places(arena, context);
  int shared = 0;
  std::size_t most = 0;  // oneTBB waits for nobody: until all have come to one, however long others have the cores
  for (int region = 0; region < kRegions || most < static_cast<std::size_t>(cores_); ++region) {
    const std::vector<int> cpus = run_region(arena, cores_);
    shared += all_different(cpus) ? 0 : 1;
    most = std::max(most, cpus.size());
  }
  EXPECT_EQ(shared, 0);
  EXPECT_EQ(most, static_cast<std::size_t>(cores_)) << "no region had all members";
  context.pop();
}

#endif
#ifdef COMITY_TEST_OPENBLAS

TEST_F(Pools, OfOpenBlasAreReachedWhateverTheirSize) {
  for (const int members : {cores_, 4 * cores_, 1}) {
    openblas_set_num_threads(members);
    EXPECT_TRUE(multiply());
    expect_reached([] { EXPECT_TRUE(multiply()); });
  }
  EXPECT_GT(threads_of_this_process().size(), 1U) << "this OpenBLAS has no pool";
}

#endif

}  // namespace
