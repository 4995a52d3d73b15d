// SPDX-License-Identifier: BSD-3-Clause
// Pools that are no OpenMP team: what a push does to their threads. Each push reaches every thread that exists, whoever
// made it and whenever; a pool whose members place themselves by the pushed binding has one on each core, in each region.
#include <comity/comity.hpp>

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "context/pool.hpp"

#ifdef COMITY_TEST_TBB
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>
#endif
#ifdef COMITY_TEST_OPENBLAS
#include <cblas.h>
#endif

namespace {

using comity::Context;
using comity::Resource;
using comity::testing::all_different;
using comity::testing::place;
using comity::testing::Pool;

constexpr int kRegions = 1000;

cpu_set_t mask_of(pid_t thread) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  sched_getaffinity(thread, sizeof(mask), &mask);
  return mask;
}

void bind_self(const cpu_set_t& mask) { ASSERT_EQ(sched_setaffinity(0, sizeof(mask), &mask), 0); }

cpu_set_t only(int cpu) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CPU_SET(cpu, &mask);
  return mask;
}

int lowest_cpu(const cpu_set_t& mask) {
  int cpu = 0;
  while (!CPU_ISSET(cpu, &mask)) ++cpu;
  return cpu;
}

std::vector<pid_t> threads_of_this_process() {
  std::vector<pid_t> threads;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    threads.push_back(std::stoi(task.path().filename()));
  }
  return threads;
}

using Masks = std::map<pid_t, std::vector<int>>;

Masks masks_of_all_threads() {
  Masks masks;
  for (const pid_t thread : threads_of_this_process()) {
    const cpu_set_t mask = mask_of(thread);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &mask)) masks[thread].push_back(cpu);
    }
  }
  return masks;
}

int threads_elsewhere(const cpu_set_t& mask) {
  int elsewhere = 0;
  for (const pid_t thread : threads_of_this_process()) {
    const cpu_set_t found = mask_of(thread);
    elsewhere += CPU_EQUAL(&found, &mask) ? 0 : 1;
  }
  return elsewhere;
}

class Pools : public testing::Test {
 protected:
  Pools() : before_(mask_of(0)), cores_(Context::local().count(Resource::core)) {
    bind_self(only(lowest_cpu(before_)));
  }
  ~Pools() override { sched_setaffinity(0, sizeof(before_), &before_); }

  // Of a pool that exists: each push reaches all its threads, and each pop gives each its own mask back.
  void expect_reached() const {
    const Masks narrow = masks_of_all_threads();
    Context context = Context::local();
    for (int round = 0; round < 20; ++round) {
      context.push(Resource::machine, 0);
      EXPECT_EQ(threads_elsewhere(before_), 0) << "round " << round;
      context.push(Resource::core, cores_ - 1);
      EXPECT_EQ(threads_elsewhere(mask_of(0)), 0) << "round " << round;
      context.pop();
      context.pop();
      EXPECT_EQ(masks_of_all_threads(), narrow) << "round " << round;
    }
  }

  cpu_set_t before_;
  int cores_;
};

TEST_F(Pools, OfStandardThreadsAreReachedWhateverTheirSize) {
  for (const int members : {1, cores_, 4 * cores_}) {
    Pool pool(members);
    (void)pool.run(nullptr);
    expect_reached();
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

// oneTBB tells when a thread comes into the arena, which is when it takes its place.
class Places final : public tbb::task_scheduler_observer {
 public:
  Places(tbb::task_arena& arena, const Context& context) : task_scheduler_observer(arena), context_(context) {
    observe(true);
  }
  ~Places() override { observe(false); }
  void on_scheduler_entry(bool) override { place(context_, tbb::this_task_arena::current_thread_index()); }

 private:
  const Context& context_;
};

// oneTBB counts the CPUs of the process when it starts, and has no workers where the launcher bound the rank to one.
tbb::global_control allow(int members) {
  return {tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(members)};
}

// The CPU of each member of the arena that came to the region, -1 for the others.
std::vector<int> run_region(tbb::task_arena& arena, int members) {
  std::vector<int> cpus(static_cast<std::size_t>(members), -1);
  arena.execute([&] {
    tbb::parallel_for(0, 8 * members, [&](int) {
      cpus[static_cast<std::size_t>(tbb::this_task_arena::current_thread_index())] = sched_getcpu();
      for (int turn = 0; turn < 2000; ++turn) asm volatile("");  // long enough for the others to come
    });
  });
  std::erase(cpus, -1);
  return cpus;
}

TEST_F(Pools, OfTbbAreReachedWhateverTheirSize) {
  const tbb::global_control workers = allow(4 * cores_);
  for (const int members : {1, cores_, 4 * cores_}) {
    tbb::task_arena arena(members);
    // Workers start one another in the background; each must exist before the first push, or be born between two.
    const auto all = static_cast<std::size_t>(members);
    for (int region = 0; region < 20'000 && threads_of_this_process().size() < all; ++region) {
      (void)run_region(arena, members);
    }
    ASSERT_GE(threads_of_this_process().size(), all) << "oneTBB did not start all workers";
    expect_reached();
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
  std::size_t most = 0;
  for (int region = 0; region < kRegions; ++region) {
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

void multiply() {
  constexpr int n = 200;
  static std::vector<double> a(n * n, 1.0);
  static std::vector<double> c(n * n);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0, a.data(), n, a.data(), n, 0.0, c.data(), n);
  EXPECT_EQ(c[0], n);
}

TEST_F(Pools, OfOpenBlasAreReachedWhateverTheirSize) {
  for (const int members : {cores_, 4 * cores_, 1}) {
    openblas_set_num_threads(members);
    multiply();
    expect_reached();
  }
  EXPECT_GT(threads_of_this_process().size(), 1U) << "this OpenBLAS has no pool";
}

#endif

}  // namespace
