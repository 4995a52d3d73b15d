// SPDX-License-Identifier: BSD-3-Clause
// Where the members of OpenMP teams are under a push.
#include <comity/comity.hpp>

#include <gtest/gtest.h>
#include <omp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <semaphore>
#include <system_error>
#include <thread>
#include <vector>

#include "context/regions.hpp"
#include "context/threads/held.hpp"
#include "context/threads/process.hpp"

namespace {

using comity::Context;
using comity::Resource;
using comity::testing::bind_self;
using comity::testing::cpus_of;
using comity::testing::lowest_cpu_of;
using comity::testing::regions_not_even;
using comity::testing::regions_with_a_shared_core;
using comity::testing::ThreadsOnTwoCores;

constexpr int kRegions = 1000;

// Another process that burns one CPU until it is dropped.
class Hog {
 public:
  explicit Hog(int cpu) : child_(fork()) {
    if (child_ < 0) throw std::system_error(errno, std::generic_category(), "fork a process that hogs a core");
    if (child_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // whatever happens to the test, nothing goes on burning a core
    if (!comity::testing::bind_this_thread({cpu})) _exit(kNotThere);
    while (true) asm volatile("" ::: "memory");
  }
  ~Hog() {
    kill(child_, SIGKILL);
    int status = 0;
    EXPECT_EQ(waitpid(child_, &status, 0), child_);
    EXPECT_TRUE(WIFSIGNALED(status)) << "it had ended, or hogged no core";
  }
  Hog(const Hog&) = delete;
  Hog& operator=(const Hog&) = delete;

 private:
  static constexpr int kNotThere = 1;

  pid_t child_;
};

TEST_F(ThreadsOnTwoCores, EveryMemberHasItsOwnCoreInEachOfAThousandRegionsTheFirstIncluded) {
  bind_self(cpus_of(0).front());
  Context context = Context::local();
  context.push(Resource::machine, 0);
  EXPECT_EQ(regions_with_a_shared_core(kRegions, team()), 0);
  context.pop();
}

TEST_F(ThreadsOnTwoCores, AnotherProcessHoggingACoreChangesNothing) {
  bind_self(cpus_of(0).front());
  const Hog hog(cpus_of(0).front());
  Context context = Context::local();
  context.push(Resource::machine, 0);
  EXPECT_EQ(regions_with_a_shared_core(kRegions, team()), 0);
  context.pop();
}

// Where the launcher put the process is where its memory is warm.
TEST_F(ThreadsOnTwoCores, TheFirstMemberStaysOnTheCoreOnWhichTheProcessStarted) {
  for (const int home : {1, 0}) {
    bind_self(lowest_cpu_of(Context::local(), home));
    Context context = Context::local();
    context.push(Resource::machine, 0);
    std::vector<int> cpus(static_cast<std::size_t>(team()), -1);
#pragma omp parallel num_threads(team())
    cpus[static_cast<std::size_t>(omp_get_thread_num())] = cpus_of(0).front();
    for (std::size_t member = 0; member < cpus.size(); ++member) {
      const int core = (home + static_cast<int>(member)) % cores_;
      EXPECT_EQ(cpus[member], lowest_cpu_of(context, core)) << "member " << member << ", at home on core " << home;
    }
    context.pop();
  }
}

TEST_F(ThreadsOnTwoCores, APoolThatWasMadeUnderANarrowMaskIsSpreadAtEachPush) {
  bind_self(cpus_of(0).front());
  (void)regions_with_a_shared_core(3, team());  // the pool exists now, all on one CPU
  Context context = Context::local();
  for (int round = 0; round < 20; ++round) {
    context.push(Resource::machine, 0);
    EXPECT_EQ(regions_with_a_shared_core(50, team()), 0) << "round " << round;
    context.pop();
  }
}

// Each thread has a pool of its own; both exist, and no thread is born between the pushes.
TEST_F(ThreadsOnTwoCores, TheTeamOfASecondThreadIsPlacedThoughTheFirstOnesWasTheLast) {
  Context context = Context::local();
  const auto push_twice = [&](const char* who) {
    for (int round = 0; round < 2; ++round) {  // placed from inside a region, then by thread id
      context.push(Resource::machine, 0);
      EXPECT_EQ(regions_not_even(context, 20, team()), 0) << who << ", round " << round;
      context.pop();
    }
  };
  std::binary_semaphore pool_is_made{0};
  std::binary_semaphore first_is_placed{0};
  std::thread second([&] {
    (void)regions_with_a_shared_core(1, team());
    pool_is_made.release();
    first_is_placed.acquire();
    push_twice("second");
  });
  pool_is_made.acquire();
  push_twice("first");
  first_is_placed.release();
  second.join();
}

}  // namespace
