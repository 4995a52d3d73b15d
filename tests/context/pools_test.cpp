// SPDX-License-Identifier: BSD-3-Clause
// Pools that are no OpenMP team: what a push does to their threads. Each push reaches every thread that exists, whoever
// made it and whenever, says the kernel of their masks and of where they ran; a pool whose members are placed by the pushed
// binding has one on each core, in each region.
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
constexpr int kRounds = 20;
constexpr int kRegionsAPush = kRegions / kRounds / 2;

class Pools : public OnOneCpu {
 protected:
  // Of a pool that exists: each push reaches all its threads, where they stay in each of a thousand regions, and each pop
  // gives each its own mask back. A region tells where members ran.
  template <typename Region>
  void expect_reached(const Region& region) const {
    const Masks narrow = masks_of(threads_of_this_process());
    Context context = Context::local();
    const auto expect_regions_on = [&](const Cpus& pushed) {
      EXPECT_EQ(threads_elsewhere(threads_of_this_process(), pushed), 0) << "before the first region";
      int elsewhere = 0;
      for (int i = 0; i < kRegionsAPush; ++i) {
        elsewhere += ran_elsewhere(region(), pushed);
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
    expect_reached([&] { return pool.run(nullptr); });
  }
}

TEST_F(Pools, OfStandardThreadsThatPlaceThemselvesHaveACoreEachInAThousandRegions) {
  Pool pool(cores_);  // made before the context, under a narrow mask
  Context context = Context::local();
  context.push(Resource::machine, 0);
  int shared = 0;
  for (int region = 0; region < kRegions; ++region) shared += have_a_core_each(pool.run(&context)) ? 0 : 1;
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
    expect_reached([&] { return run_region(arena, members); });
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
    shared += have_a_core_each(cpus) ? 0 : 1;
    most = std::max(most, cpus.size());
  }
  EXPECT_EQ(shared, 0);
  EXPECT_EQ(most, static_cast<std::size_t>(cores_)) << "no region had all members";
  context.pop();
}

#endif
#ifdef COMITY_TEST_OPENBLAS

// Regions of a pool of so many members. In the first of each push all that can be at work must be.
class Products {
 public:
  explicit Products(int members) : members_(members) {
    openblas_set_num_threads(members);
    EXPECT_TRUE(multiply(members));
    workers_ = threads_of_this_process();
    std::erase(workers_, getpid());
  }

  [[nodiscard]] std::vector<int> next() {
    if (regions_++ % kRegionsAPush != 0) {
      EXPECT_TRUE(multiply(members_));
      return {sched_getcpu()};
    }
    std::vector<int> cpus = cpus_of_product(members_, workers_);
    EXPECT_GE(static_cast<int>(cpus.size()), members_at_work(members_)) << "members that took no part";
    return cpus;
  }

 private:
  int members_;
  Threads workers_;
  int regions_ = 0;
};

class PoolsOfOpenBlas : public Pools {
 protected:
  void SetUp() override {
    if (!kernel_counts_work()) GTEST_SKIP() << "NOT TESTED: this kernel does not count what a thread ran";
  }
};

TEST_F(PoolsOfOpenBlas, AreReachedWhateverTheirSize) {
  for (const int members : {cores_, 4 * cores_, 1}) {
    Products products(members);
    expect_reached([&] { return products.next(); });
  }
  EXPECT_GT(threads_of_this_process().size(), 1U) << "this OpenBLAS has no pool";
}

TEST_F(PoolsOfOpenBlas, WhoseMembersArePlacedHaveACoreEachInAThousandRegions) {
  if (cores_ < 2) GTEST_SKIP() << "NOT TESTED: there is one core only";
  Products products(cores_);
  const Threads threads = threads_of_this_process();
  const Masks narrow = masks_of(threads);
  Context context = Context::local();
  context.push(Resource::machine, 0);
  if (!place_members(context, cores_)) GTEST_SKIP() << "NOT TESTED: this OpenBLAS does not place its members";
  const std::vector<Cpus> cores = pushed_cores(context);
  const Masks placed = masks_of(threads);
  EXPECT_EQ(std::ranges::count_if(placed, [&](const auto& one) { return core_around(cores, one.second) >= 0; }),
            cores_);
  int astray = 0;
  for (int region = 0; region < kRegions; ++region) {
    const bool are_apart = have_a_core_each(products.next());
    astray += are_apart && masks_of(threads) == placed ? 0 : 1;
  }
  EXPECT_EQ(astray, 0);
  context.pop();
  EXPECT_EQ(masks_of(threads), narrow);
}

#endif

}  // namespace
