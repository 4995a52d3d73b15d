// SPDX-License-Identifier: BSD-3-Clause
// Fibers that may move: to whom they go, what goes with them, and that no hart goes on with one before its old hart has left.
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cfenv>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/spin.hpp"
#include "harts.hpp"
#include "interleavings.hpp"
#include "sanitizer.hpp"
#include "sched/fibers/rest_state.hpp"
#include "sched/tasks/group.hpp"
#include "sched/tasks/parallel.hpp"
#include "sched/tasks/stealing.hpp"
#include "sched/waiting/event.hpp"
#include "sched/waiting/semaphore.hpp"

namespace comity::testing {
namespace {

using sched::Entered;
using sched::Event;
using sched::Fiber;
using sched::Group;
using sched::Hart;
using sched::Range;
using sched::RoundRobin;
using sched::Stealing;

template <typename Body>
Fiber& start_mover(sched::Scheduler& scheduler, Body body) {
  return start(scheduler, std::move(body), {}, Fiber::Moves::in_waits);
}

// A fiber that waits in make() on one hart and goes on on another: of fibers in hold(), one on each hart, that on its hart wakes it
// and keeps that hart until it has gone on.
class Move {
 public:
  void make() {
    from_ = Hart::current();
    woken_.wait();
    to_ = Hart::current();
    EXPECT_NE(to_.load(), from_.load());
  }
  // One on each hart.
  void hold(std::size_t harts) {
    come_.fetch_add(1);
    while (come_ < harts) std::this_thread::yield();
    if (Hart::current() != from_) return;
    woken_.happen();
    while (to_ == nullptr) spin_pause();
  }
  [[nodiscard]] bool is_waited_for() const { return from_ != nullptr; }

 private:
  Event woken_;
  std::atomic<std::size_t> come_{0};
  std::atomic<const Hart*> from_{nullptr};
  std::atomic<const Hart*> to_{nullptr};
};

class Movers : public ::testing::Test {
 protected:
  // body(move) in a fiber that may move.
  template <typename Kind, typename Body>
  void move_in(const Body& body) {
    const std::size_t harts = here_.substrate.harts();
    if (harts < 2) {
      std::puts("NOT TESTED: fibers that move, for this machine has one CPU");
      return;
    }
    Entered<Kind> scheduler(here_.root());
    Move move;
    Fiber& mover = start_mover(scheduler, [&] { body(scheduler, move); });
    while (!move.is_waited_for()) yield();
    std::vector<Fiber*> holders;
    for (std::size_t i = 0; i < harts; ++i) holders.push_back(&start(scheduler, [&] { move.hold(harts); }));
    for (Fiber* const holder : holders) join(*holder);
    join(mover);
  }

  Harts here_;
};

TEST_F(Movers, GoOnElsewhereWhileTheirHartIsBusy) {
  move_in<RoundRobin>([](auto&, Move& move) { move.make(); });
  move_in<Stealing>([](auto&, Move& move) { move.make(); });
}

// Compilers keep the address of errno, which is why it is asked for in functions of their own.
[[gnu::noinline]] void set_errno(int number) { errno = number; }
[[gnu::noinline]] int get_errno() { return errno; }

TEST_F(Movers, TakeErrnoRoundingAndExceptionsAlong) {
  move_in<RoundRobin>([](auto&, Move& move) {
    std::fesetround(FE_UPWARD);
    set_errno(ENOTTY);
    try {
      throw std::runtime_error("mine");
    } catch (const std::exception&) {
      move.make();
      EXPECT_EQ(get_errno(), ENOTTY);
      try {
        throw;
      } catch (const std::exception& again) {
        EXPECT_STREQ(again.what(), "mine");
      }
    }
    EXPECT_EQ(std::current_exception(), nullptr);
    EXPECT_EQ(std::fegetround(), FE_UPWARD);
  });
}

TEST_F(Movers, WaitForTasksThatTheyMadeOnAnotherHart) {
  move_in<Stealing>([](Stealing& tasks, Move& move) {
    std::atomic<int> run{0};
    Group group(tasks);
    for (int i = 0; i < 100; ++i) group.run([&run] { ++run; });
    move.make();
    for (int i = 0; i < 100; ++i) group.run([&run] { ++run; });
    group.wait();
    EXPECT_EQ(run, 200);
  });
}

TEST_F(Movers, RunLoopsThatStayOnAHart) {
  move_in<Stealing>([](Stealing& tasks, Move& move) {
    std::vector<std::atomic<int>> touched(1000);
    const auto body = [&](Range range) {
      for (std::int64_t i = range.begin; i < range.end; ++i) ++touched[static_cast<std::size_t>(i)];
      EXPECT_FALSE(Hart::current()->fiber().may_move);
    };
    parallel_for(tasks, {0, 1000}, 1, body);
    move.make();
    parallel_for(tasks, {0, 1000}, 1, body);
    for (const auto& times : touched) ASSERT_EQ(times, 2);
    const auto size = [](Range range) { return range.size(); };
    EXPECT_EQ(parallel_reduce(tasks, Range{0, 1000}, 0, std::int64_t{0}, size, std::plus<>()), 1000);
  });
}

TEST_F(Movers, AreTasksOfAGroupTooWhereTheyAreMarked) {
  move_in<Stealing>([](Stealing& tasks, Move& move) {
    Group group(tasks);
    group.run_movable([] { EXPECT_TRUE(Hart::current()->fiber().may_move); });
    group.run_movable([] { throw std::runtime_error("moved"); });
    EXPECT_THROW(group.wait(), std::runtime_error);
    move.make();
  });
}

// On one hart too, where whoever wakes one may be on it.
TEST(MoversOfAHart, TakeTurns) {
  Harts here({.harts = 1});
  Entered<RoundRobin> fair(here.root());
  sched::Semaphore ping(0);
  sched::Semaphore pong(0);
  std::string order;
  Fiber& left = start_mover(fair, [&] {
    for (int i = 0; i < 3; ++i) {
      order += 'l';
      ping.release();
      pong.acquire();
    }
  });
  Fiber& right = start_mover(fair, [&] {
    for (int i = 0; i < 3; ++i) {
      ping.acquire();
      order += 'r';
      pong.release();
    }
  });
  join(left);
  join(right);
  EXPECT_EQ(order, "lrlrlr");
}

// Tokens go round among fibers of two schedulers, some of which may move; each wait is ended by a fiber that may be anywhere.
TEST(ManyMovers, LoseNoToken) {
  constexpr std::size_t kFibers = 24;
  constexpr int kRounds = kHasSanitizer ? 100 : 3000;
  Harts here;
  std::atomic<int> moves{0};
  std::atomic<int> passed{0};
  {
    std::vector<std::unique_ptr<sched::Semaphore>> seats;
    for (std::size_t i = 0; i < kFibers; ++i) seats.push_back(std::make_unique<sched::Semaphore>(i % 3 == 0 ? 1 : 0));
    Entered<RoundRobin> fair(here.root());
    Entered<Stealing> tasks(here.root());
    std::vector<Fiber*> fibers;
    for (std::size_t i = 0; i < kFibers; ++i) {
      sched::Scheduler& home = i % 2 == 0 ? static_cast<sched::Scheduler&>(fair) : tasks;
      const auto pass = [&, i] {
        for (int round = 0; round < kRounds; ++round) {
          const Hart* const before = Hart::current();
          seats[i]->acquire();
          if (Hart::current() != before) ++moves;
          ++passed;
          if (round % 5 == 0) yield();
          seats[(i + 1) % kFibers]->release();
        }
      };
      fibers.push_back(&start(home, pass, {}, i % 4 == 3 ? Fiber::Moves::never : Fiber::Moves::in_waits));
    }
    for (Fiber* const fiber : fibers) join(*fiber);
  }
  EXPECT_EQ(passed, static_cast<int>(kFibers) * kRounds);
  RecordProperty("moves", moves);
  EXPECT_EQ(here.root().harts_wanted(), 0) << "somebody asked for a hart and forgot it";
}

// The scheduler ends as soon as the fiber has, while whoever woke that may still be on his way.
TEST(ManyMovers, OutliveNoSchedulerThatOneFromOutsideStillUses) {
  constexpr std::size_t kRounds = kHasSanitizer ? 100 : 2000;
  Harts here;
  std::vector<Event> events(kRounds);
  std::atomic<std::size_t> round{0};
  std::thread outside([&] {
    for (std::size_t i = 0; i < kRounds; ++i) {
      while (round <= i) std::this_thread::yield();
      events[i].happen();
    }
  });
  for (std::size_t i = 0; i < kRounds; ++i) {
    Entered<RoundRobin> fair(here.root());
    join(start_mover(fair, [&] {
      ++round;
      events[i].wait();
    }));
  }
  outside.join();
}

// Two waits of one fiber, on two harts: each is shown once, and nobody comes before the stack is free.
TEST(EveryMove, IsShownOnceAndAfterTheStackIsLeft) {
  Harts here({.harts = 1});
  Entered<RoundRobin> fair(here.root());
  struct Shared {
    sched::RestState<StoppingAtomic> rest;
    int stacks_in_use = 0;
    int waits = 0;
    int shown = 0;
  };
  std::unique_ptr<Shared> now;
  const auto hart = [&](int turn) {
    if (!Interleavings::stop_until([&now, turn] { return now->shown == turn; })) return;
    EXPECT_EQ(now->stacks_in_use, 0);
    ++now->stacks_in_use;
    ++now->waits;  // known to who will wake it, and still on the stack
    if (!Interleavings::stop_until([] { return true; })) return;
    --now->stacks_in_use;
    if (now->rest.leave()) ++now->shown;
  };
  const auto waker = [&](int wait) {
    if (!Interleavings::stop_until([&now, wait] { return now->waits == wait; })) return;
    if (now->rest.wake()) ++now->shown;
  };
  std::size_t runs = 0;
  join(start(fair, [&] {
    runs = Interleavings::try_all(
        fair,
        [&] {
          now = std::make_unique<Shared>();
          return std::vector<Interleavings::Actor>{[&] { hart(0); }, [&] { hart(1); }, [&] { waker(1); },
                                                   [&] { waker(2); }};
        },
        [&] { EXPECT_EQ(now->shown, 2); });
  }));
  EXPECT_GT(runs, 20U);
}

}  // namespace
}  // namespace comity::testing
