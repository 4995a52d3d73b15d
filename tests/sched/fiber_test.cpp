// SPDX-License-Identifier: BSD-3-Clause
// Fibers on one hart: what belongs to each of them while others run, their stacks, and their ends.
#include <gtest/gtest.h>

#include <cerrno>
#include <cfenv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "harts.hpp"

namespace comity::testing {
namespace {

using sched::Entered;
using sched::Fiber;
using sched::Hart;
using sched::RoundRobin;

struct OneHart : Harts {
  OneHart() : Harts({.harts = 1}) {}
  Entered<RoundRobin> fair{root()};
};

TEST(Fiber, RunsUntilItIsJoined) {
  OneHart here;
  int value = 0;
  Fiber& fiber = start(here.fair, [&] { value = 7; });
  EXPECT_EQ(value, 0);
  join(fiber);
  EXPECT_EQ(value, 7);
}

TEST(Fiber, TakesTurnsWithOthersThatYield) {
  OneHart here;
  std::string order;
  join(start(here.fair, [&] {
    std::vector<Fiber*> fibers;
    for (const char name : {'a', 'b', 'c'}) {
      fibers.push_back(&start(here.fair, [&order, name] {
        for (int i = 0; i < 3; ++i) {
          order += name;
          yield();
        }
      }));
    }
    for (Fiber* const fiber : fibers) join(*fiber);
  }));
  EXPECT_EQ(order, "abcabcabc");
}

TEST(Fiber, KeepsItsErrnoWhileOthersRun) {
  OneHart here;
  const auto body = [](int mine) {
    return [mine] {
      errno = mine;
      for (int i = 0; i < 3; ++i) {
        yield();
        EXPECT_EQ(errno, mine);
      }
    };
  };
  Fiber& first = start(here.fair, body(EAGAIN));
  Fiber& second = start(here.fair, body(ENOENT));
  join(first);
  join(second);
}

TEST(Fiber, KeepsItsRoundingWhileOthersRun) {
  OneHart here;
  const int before = std::fegetround();
  const auto body = [](int mine) {
    return [mine] {
      std::fesetround(mine);
      for (int i = 0; i < 3; ++i) {
        yield();
        EXPECT_EQ(std::fegetround(), mine);
      }
    };
  };
  Fiber& first = start(here.fair, body(FE_UPWARD));
  Fiber& second = start(here.fair, body(FE_DOWNWARD));
  join(first);
  join(second);
  EXPECT_EQ(std::fegetround(), before);
  join(start(here.fair, [=] { EXPECT_EQ(std::fegetround(), before); }));
}

// Each handles its own exception while the other throws and ends one: the C++ runtime keeps a stack of them a thread.
TEST(Fiber, HandlesItsExceptionsWhileOthersHandleTheirs) {
  OneHart here;
  const auto body = [](const char* mine) {
    return [mine] {
      for (int i = 0; i < 3; ++i) {
        try {
          throw std::runtime_error(mine);
        } catch (const std::exception& error) {
          yield();
          EXPECT_STREQ(error.what(), mine);
          try {
            throw;
          } catch (const std::exception& again) {
            yield();
            EXPECT_STREQ(again.what(), mine);
          }
        }
        EXPECT_EQ(std::current_exception(), nullptr);
      }
    };
  };
  Fiber& first = start(here.fair, body("first"));
  Fiber& second = start(here.fair, body("second"));
  join(first);
  join(second);
}

struct YieldsWhileUnwound {
  ~YieldsWhileUnwound() {
    EXPECT_EQ(std::uncaught_exceptions(), 1);
    yield();
    EXPECT_EQ(std::uncaught_exceptions(), 1);
  }
};

TEST(Fiber, CountsItsOwnUncaughtExceptions) {
  OneHart here;
  Fiber& thrower = start(here.fair, [] {
    try {
      const YieldsWhileUnwound local;
      throw std::runtime_error("under way");
    } catch (const std::runtime_error&) {
      yield();
    }
  });
  Fiber& calm = start(here.fair, [] {
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(std::uncaught_exceptions(), 0);
      yield();
    }
  });
  join(thrower);
  join(calm);
}

thread_local int of_the_thread = 0;

TEST(Fiber, SharesThreadLocalVariablesWithAllOfItsHart) {
  OneHart here;
  of_the_thread = 1;
  Fiber& fiber = start(here.fair, [] {
    EXPECT_EQ(of_the_thread, 1);
    of_the_thread = 2;
  });
  join(fiber);
  EXPECT_EQ(of_the_thread, 2);
}

TEST(Fiber, CallsMallocAndPrintf) {
  OneHart here;
  std::vector<Fiber*> fibers;
  for (int i = 0; i < 20; ++i) {
    fibers.push_back(&start(here.fair, [i] {
      std::vector<std::string> strings;
      for (int k = 0; k < 50; ++k) {
        strings.push_back(std::string(static_cast<std::size_t>(100 + k), 'x'));
        if (k % 10 == i % 10) yield();
      }
      std::array<char, 64> text{};
      EXPECT_EQ(std::snprintf(text.data(), text.size(), "%d %.2f", i, i / 2.0), i < 10 ? 6 : i < 20 ? 7 : 0);
    }));
  }
  for (Fiber* const fiber : fibers) join(*fiber);
}

TEST(Fiber, GivesItsStackBackWhenItIsJoinedOrDetached) {
  OneHart here;
  for (int i = 0; i < 2000; ++i) {
    Fiber& joined = start(here.fair, [] {});
    start(here.fair, [] {}).detached = true;
    join(joined);
  }
  yield();
  EXPECT_LE(here.substrate.stacks().count().made, 64U);
}

TEST(Fiber, IsJoinedAndStartedByAPlainThread) {
  OneHart here;
  std::atomic<bool> done{false};
  std::thread plain([&] {
    Fiber& fiber = start(here.fair, [&] { EXPECT_NE(Hart::current(), nullptr); });
    join(fiber);
    done = true;
  });
  while (!done) yield();
  plain.join();
}

TEST(StackPool, CountsStacksAndGivesThemOutAgain) {
  sched::StackPool pool(sched::StackPool::kSmallestStack);
  sched::StackShelf shelf;
  std::vector<Fiber*> taken;
  for (int i = 0; i < 100; ++i) taken.push_back(&pool.take(shelf, nullptr));
  const std::size_t made = pool.count().made;
  EXPECT_GE(pool.count().in_use, 100U);
  for (Fiber* const fiber : taken) pool.give(shelf, *fiber);
  pool.empty(shelf);
  EXPECT_EQ(pool.count().in_use, 0U);
  EXPECT_EQ(pool.count().made, made);
  EXPECT_GE(pool.count().most_in_use, 100U);
}

// By then its lines of memory have come from the other hart's cache.
TEST(StackPool, GivesOneThatRanOnAnotherHartOutAfterTheNext) {
  sched::StackPool pool(sched::StackPool::kSmallestStack);
  sched::StackShelf shelf;
  Fiber& first = pool.take(shelf, nullptr);
  Fiber& second = pool.take(shelf, nullptr);
  pool.give(shelf, second);
  pool.give_from_elsewhere(shelf, first);
  EXPECT_EQ(&pool.take(shelf, nullptr), &second);
  EXPECT_EQ(&pool.take(shelf, nullptr), &first);
  // The only one that is there.
  pool.give(shelf, second);
  pool.empty(shelf);
  pool.give_from_elsewhere(shelf, first);
  EXPECT_EQ(&pool.take(shelf, nullptr), &first);
  EXPECT_EQ(shelf.count, 0U);
}

TEST(StackPool, RefusesStacksThatAreTooSmall) {
  try {
    const sched::StackPool pool(1024);
    FAIL() << "was made";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::range);
    EXPECT_STREQ(error.what(), "stacks of 1024 bytes for fibers: too small; ask for 16384 or more");
  }
}

}  // namespace
}  // namespace comity::testing
