// SPDX-License-Identifier: BSD-3-Clause
// Harts: how many, where they run, when they sleep and who wakes them.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <set>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "harts.hpp"
#include "os/cpus/affinity.hpp"
#include "os/threads/far_fence.hpp"
#include "os/threads/threads.hpp"
#include "sched/fork_join.hpp"
#include "sched/waiting/event.hpp"
#include "thread_states.hpp"

namespace comity::testing {
namespace {

using namespace std::chrono_literals;
using sched::Entered;
using sched::Fiber;
using sched::ForkJoin;
using sched::Hart;
using sched::RoundRobin;

constexpr Nanoseconds kForever = std::chrono::hours(1);

void until(const auto& holds) {
  while (!holds()) yield();
}

TEST(Harts, AreAsManyAsTheCpusAndNoMoreThreads) {
  { const Harts first; }  // with the first thread a sanitizer starts one of its own
  std::vector<pid_t> before;
  os::list_threads(before);
  Harts here;
  EXPECT_EQ(here.substrate.harts(), here.cpus.cpus().count());
  std::vector<pid_t> after;
  os::list_threads(after);
  EXPECT_EQ(after.size() - before.size(), here.cpus.cpus().count() - 1);
}

TEST(Harts, AreNeverMoreThanTheCpus) {
  Harts here({.harts = 1'000'000});
  EXPECT_EQ(here.substrate.harts(), here.cpus.cpus().count());
}

TEST(Harts, RunOnACpuEach) {
  Harts here;
  Entered<ForkJoin> team(here.root());
  const std::size_t count = here.substrate.harts();
  std::vector<CpuSet> masks(count);
  std::atomic<std::size_t> come{0};
  team.run(count, [&](std::size_t) {
    masks[Hart::current()->number()] = os::affinity(0);
    ++come;
    // Each holds its hart until all have one.
    while (come < count) std::this_thread::yield();
  });
  CpuSet all;
  for (const CpuSet& mask : masks) {
    EXPECT_EQ(mask.count(), 1U);
    EXPECT_FALSE(all.intersects(mask));
    all |= mask;
  }
  EXPECT_EQ(all, here.cpus.cpus());
}

TEST(Harts, GiveTheProgramItsBindingBack) {
  const CpuSet before = os::affinity(0);
  {
    const Harts here;
    EXPECT_EQ(os::affinity(0).count(), 1U);
  }
  EXPECT_EQ(os::affinity(0), before);
  EXPECT_EQ(Hart::current(), nullptr);
}

TEST(Harts, AreThereOnceInAProcess) {
  sched::OwnCpus cpus;
  const Harts here({.harts = 1});
  try {
    const sched::Substrate second(cpus, {.harts = 1});
    FAIL() << "a second one";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::order);
  }
}

TEST(Harts, ParkWhenNobodyAsksForThem) {
  Harts here({.spin = 0ns});
  const int others = static_cast<int>(here.substrate.harts()) - 1;
  until([&] { return here.substrate.parked() == others; });
}

// The fiber that waits for a team is woken on the hart that is in the team, which goes to it by itself: it is not called any more.
TEST(Harts, HaveNothingElseToDoInATeamThoughTheyWereCalledBefore) {
  Harts here({.harts = 1});
  Entered<ForkJoin> team(here.root());
  for (int round = 0; round < 3; ++round) {
    team.run(1, [&](std::size_t) { EXPECT_FALSE(Hart::current()->has_other_work()) << "round " << round; });
  }
}

// Keeps books of what harts say of the CPUs that they have from it.
class Books : public sched::OwnCpus {
 public:
  void taken(std::size_t cpu) noexcept override {
    EXPECT_EQ(held_[cpu].fetch_add(1), 0) << "taken twice";
    ++times_taken_[cpu];
  }
  void returned(std::size_t cpu) noexcept override { EXPECT_EQ(held_[cpu].fetch_sub(1), 1) << "returned, not taken"; }

  [[nodiscard]] bool holds(std::size_t cpu) const { return held_[cpu] == 1; }
  [[nodiscard]] int times_taken(std::size_t cpu) const { return times_taken_[cpu]; }
  [[nodiscard]] std::size_t count_held() const {
    std::size_t held = 0;
    cpus().for_each([&](std::size_t cpu) { held += holds(cpu) ? 1U : 0U; });
    return held;
  }

 private:
  std::array<std::atomic<int>, CpuSet::kCapacity> held_{};
  std::array<std::atomic<int>, CpuSet::kCapacity> times_taken_{};
};

// The first hart stays, for the program is on it.
TEST(Harts, TakeACpuWhileTheyRunAndReturnItBeforeTheySleep) {
  constexpr int kRounds = 20;
  Books books;
  std::vector<std::size_t> cpus;
  {
    sched::Substrate substrate(books, {.spin = 0ns});
    const std::size_t count = substrate.harts();
    for (std::size_t i = 0; i < count; ++i) cpus.push_back(substrate.hart(i).cpu());
    Entered<ForkJoin> team(substrate.root());
    for (int round = 0; round < kRounds; ++round) {
      until([&] { return substrate.parked() == static_cast<int>(count) - 1 && others_sleep(); });
      EXPECT_EQ(books.count_held(), 1U);
      EXPECT_TRUE(books.holds(cpus[0]));
      std::atomic<std::size_t> come{0};
      std::atomic<std::size_t> counted{0};
      const auto all = [count](std::atomic<std::size_t>& have) {
        ++have;
        while (have < count) std::this_thread::yield();
      };
      team.run(count, [&](std::size_t) {
        EXPECT_TRUE(books.holds(Hart::current()->cpu()));
        all(come);
        EXPECT_EQ(books.count_held(), count);
        all(counted);
      });
    }
  }
  EXPECT_EQ(books.count_held(), 0U);
  for (std::size_t i = 1; i < cpus.size(); ++i) EXPECT_GT(books.times_taken(cpus[i]), kRounds);
}

// All harts sleep meanwhile: also that of the fiber which leaves.
TEST(Harts, SleepWhileAFiberLeavesASchedulerWhoseFibersWait) {
  if (!os::join_far_fences()) {
    std::puts(
        "NOT TESTED: that all harts sleep, for this kernel has no fence for other processors, and who leaves looks all "
        "the time");
    return;
  }
  Harts here({.spin = 0ns});
  const int count = static_cast<int>(here.substrate.harts());
  for (int round = 0; round < 20; ++round) {
    sched::Event over;
    std::atomic<int> ended{0};
    std::thread thread([&] {
      while (here.substrate.parked() != count) std::this_thread::yield();
      over.happen();
    });
    {
      Entered<RoundRobin> fair(here.root());
      for (int i = 0; i < 2 * count; ++i) {
        start(fair, [&] {
          over.wait();
          ++ended;
        }).detached = true;
      }
    }
    EXPECT_EQ(ended, 2 * count);
    thread.join();
  }
}

// They would spin for an hour, were it not for somebody who wants their CPU.
TEST(Harts, ThatSpinParkAtOnceWhenTheirCpuIsWanted) {
  Harts here({.spin = kForever});
  const int others = static_cast<int>(here.substrate.harts()) - 1;
  until([&] { return here.substrate.idle() == others; });
  EXPECT_EQ(here.substrate.parked(), 0);
  here.cpus.cpus().for_each([&](std::size_t cpu) { here.cpus.want(cpu); });
  until([&] { return here.substrate.parked() == others; });
}

TEST(Harts, ThatParkedWakeForAFiberThatTheyMayBegin) {
  Harts here({.spin = 0ns});
  const std::size_t count = here.substrate.harts();
  Entered<ForkJoin> team(here.root());
  for (int round = 0; round < 200; ++round) {
    std::atomic<std::size_t> come{0};
    team.run(count, [&](std::size_t) {
      ++come;
      while (come < count) std::this_thread::yield();
    });
    ASSERT_EQ(come, count);
  }
}

// Fibers that begin on the hart of who made them alone, and are joined there and elsewhere.
TEST(Harts, JoinFibersOfOneAnother) {
  Harts here({.harts = 2});
  Entered<RoundRobin> fair(here.root());
  join(start(fair, [&] {
    for (int round = 0; round < 300; ++round) {
      std::atomic<Fiber*> made{nullptr};
      bool own_has_ended = false;
      bool other_has_ended = false;
      Fiber& elsewhere = start(fair, [&] {
        while (made == nullptr) yield();
        join(*made);
        EXPECT_TRUE(other_has_ended);
      });
      Fiber& own = start(fair, [&] { own_has_ended = true; });
      made = &start(fair, [&] { other_has_ended = true; });
      join(own);
      EXPECT_TRUE(own_has_ended);
      join(elsewhere);
    }
  }));
}

// A fiber that waits on a hart that has parked since is woken by another hart, and goes on where it was.
TEST(Harts, ThatParkedWakeForAFiberOfTheirs) {
  Harts here({.spin = 0ns});
  Entered<RoundRobin> fair(here.root());
  std::atomic<sched::Waiter*> waiting{nullptr};
  std::atomic<bool> stop{false};
  Fiber& fiber = start(fair, [&] {
    const Hart* const home = Hart::current();
    while (!stop) {
      sched::Waiter waiter(sched::WaitFor::event, nullptr);
      waiting = &waiter;
      waiter.wait();
      EXPECT_EQ(Hart::current(), home);
    }
  });
  for (int i = 0; i < 500; ++i) {
    sched::Waiter* found = nullptr;
    until([&] { return (found = waiting.exchange(nullptr)) != nullptr; });
    if (i == 499) stop = true;
    found->wake();
  }
  join(fiber);
}

}  // namespace
}  // namespace comity::testing
