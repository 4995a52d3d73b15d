// SPDX-License-Identifier: BSD-3-Clause
// What fibers wait for one another with, among fibers of several harts and plain threads at once.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "channel_of.hpp"
#include "harts.hpp"
#include "sanitizer.hpp"
#include "sched/fork_join.hpp"
#include "sched/waiting/event.hpp"
#include "sched/waiting/full_empty.hpp"
#include "sched/waiting/mutex.hpp"
#include "sched/waiting/semaphore.hpp"

namespace comity::testing {
namespace {

using sched::Entered;
using sched::Fiber;
using sched::RoundRobin;

constexpr int kRounds = kHasSanitizer ? 200 : 2000;

// Eight fibers and two threads that all do the same: body(0) .. body(9).
class Crowd : public ::testing::Test {
 protected:
  static constexpr int kFibers = 8;
  static constexpr int kThreads = 2;
  static constexpr int kAll = kFibers + kThreads;

  template <typename Body>
  void all_do(const Body& body) {
    std::vector<Fiber*> fibers;
    std::vector<std::thread> threads;
    for (int i = 0; i < kFibers; ++i) fibers.push_back(&start(fair_, [&body, i] { body(i); }));
    for (int i = kFibers; i < kAll; ++i) threads.emplace_back([&body, i] { body(i); });
    for (Fiber* const fiber : fibers) join(*fiber);
    for (std::thread& thread : threads) thread.join();
  }

 private:
  Harts here_;
  Entered<RoundRobin> fair_{here_.root()};
};

void yield_if_fiber() {
  if (sched::Hart::current() != nullptr) yield();
}

TEST_F(Crowd, MutexLetsOneInAtATime) {
  sched::Mutex mutex;
  int inside = 0;
  int entries = 0;
  all_do([&](int) {
    for (int i = 0; i < kRounds; ++i) {
      const std::lock_guard lock(mutex);
      EXPECT_EQ(++inside, 1);
      if (i % 8 == 0) yield_if_fiber();
      --inside;
      ++entries;
    }
  });
  EXPECT_EQ(entries, kAll * kRounds);
  EXPECT_TRUE(mutex.try_lock());
  EXPECT_FALSE(mutex.try_lock());
  mutex.unlock();
}

// A value that goes round: each waits for its number, and sets the next one's.
TEST_F(Crowd, ConditionWakesAllWhoWait) {
  sched::Mutex mutex;
  sched::Condition changed;
  int turn = 0;
  all_do([&](int mine) {
    for (int round = 0; round < kRounds / 20; ++round) {
      std::unique_lock held(mutex);
      changed.wait(held, [&] { return turn % kAll == mine; });
      ++turn;
      changed.notify_all();
    }
  });
  EXPECT_EQ(turn, kRounds / 20 * kAll);
}

TEST_F(Crowd, ConditionWakesOneForEachNotice) {
  sched::Mutex mutex;
  sched::Condition more;
  int tokens = 0;
  std::atomic<int> taken{0};
  all_do([&](int mine) {
    for (int i = 0; i < kRounds; ++i) {
      std::unique_lock held(mutex);
      if (mine % 2 == 0) {
        ++tokens;
        more.notify_one();
      } else {
        more.wait(held, [&] { return tokens > 0; });
        --tokens;
        ++taken;
      }
    }
  });
  EXPECT_EQ(taken, kAll / 2 * kRounds);
  EXPECT_EQ(tokens, 0);
}

TEST_F(Crowd, SemaphoreLetsSoManyInAndNoMore) {
  sched::Semaphore places(3);
  std::atomic<int> inside{0};
  all_do([&](int) {
    for (int i = 0; i < kRounds; ++i) {
      places.acquire();
      EXPECT_LE(++inside, 3);
      if (i % 8 == 0) yield_if_fiber();
      --inside;
      places.release();
    }
  });
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(places.try_acquire());
  EXPECT_FALSE(places.try_acquire());
}

TEST_F(Crowd, BarrierHoldsUntilAllHaveCome) {
  sched::Barrier barrier(kAll);
  std::atomic<int> come{0};
  std::atomic<int> last{0};
  all_do([&](int) {
    for (int round = 1; round <= kRounds / 4; ++round) {
      ++come;
      if (barrier.wait()) ++last;
      EXPECT_GE(come, round * kAll);
      if (barrier.wait()) ++last;
    }
  });
  EXPECT_EQ(last, kRounds / 4 * 2);
}

// Each on a hart of its own where there are two: they look for each other and seldom sleep.
TEST(Barrier, LetsTwoHartsMeet) {
  Harts here({.harts = 2});
  Entered<sched::ForkJoin> team(here.root());
  sched::Barrier barrier(2);
  std::array<std::atomic<int>, 2> come{};
  team.run(2, [&](std::size_t mine) {
    for (int round = 1; round <= 10 * kRounds; ++round) {
      come[mine] = round;
      barrier.wait();
      const int other = come[1 - mine];
      EXPECT_TRUE(other == round || other == round + 1) << other << " at the end of round " << round;
    }
  });
}

TEST_F(Crowd, EventIsWaitedForByAll) {
  for (int round = 0; round < kRounds / 20; ++round) {
    sched::Event event;
    std::string value;
    all_do([&](int mine) {
      if (mine == round % kAll) {
        value = "there";
        event.happen();
      }
      event.wait();
      EXPECT_EQ(value, "there");
    });
    EXPECT_TRUE(event.has_happened());
  }
}

TEST_F(Crowd, ChannelLosesNothingAndKeepsTheOrderOfEachSender) {
  struct Sent {
    int by;
    int number;
  };
  ChannelOf<Sent> channel(4);
  std::atomic<int> senders{kAll / 2};
  std::atomic<int> received{0};
  all_do([&](int mine) {
    if (mine % 2 == 0) {
      for (int i = 0; i < kRounds; ++i) EXPECT_TRUE(channel.send({mine, i}));
      if (--senders == 0) channel.close();
      return;
    }
    std::array<int, kAll> last;
    last.fill(-1);
    while (const auto got = channel.receive()) {
      EXPECT_GT(got->number, last[static_cast<std::size_t>(got->by)]);
      last[static_cast<std::size_t>(got->by)] = got->number;
      ++received;
    }
  });
  EXPECT_EQ(received, kAll / 2 * kRounds);
  EXPECT_FALSE(channel.send({0, 0}));
}

TEST_F(Crowd, FullEmptyWordIsPutOnceAndTakenOnce) {
  sched::FullEmpty<int> word;
  std::atomic<std::int64_t> sum{0};
  all_do([&](int mine) {
    for (int i = 0; i < kRounds / 4; ++i) {
      if (mine % 2 == 0) {
        word.put(1);
      } else {
        sum += word.take();
      }
    }
  });
  EXPECT_EQ(sum, kRounds / 4 * kAll / 2);
  word.write(5);
  EXPECT_EQ(word.read(), 5);
  EXPECT_EQ(word.take(), 5);
  word.write(6);
  word.empty();
  word.put(7);
  EXPECT_EQ(word.read(), 7);
}

}  // namespace
}  // namespace comity::testing
