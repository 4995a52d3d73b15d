// SPDX-License-Identifier: BSD-3-Clause
// Tasks: groups, what they throw, cancelling, loops; random trees of tasks against the same done one after another.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/spin.hpp"
#include "harts.hpp"
#include "sanitizer.hpp"
#include "sched/tasks/group.hpp"
#include "sched/tasks/parallel.hpp"
#include "sched/tasks/stealing.hpp"
#include "sched/waiting/mutex.hpp"
#include "sched/waiting/semaphore.hpp"

namespace comity::testing {
namespace {

using sched::Entered;
using sched::Group;
using sched::Hart;
using sched::Range;
using sched::Schedule;
using sched::Stealing;

class Tasks : public ::testing::Test {
 protected:
  ~Tasks() override {
    in_.reset();
    EXPECT_EQ(here_.root().harts_wanted(), 0) << "somebody asked for a hart and forgot it";
  }

  template <typename Body>
  void in_a_fiber(const Body& body) {
    join(start(tasks_, [&body] { body(); }));
  }

 private:
  Harts here_;
  std::optional<Entered<Stealing>> in_{std::in_place, here_.root()};

 protected:
  Entered<Stealing>& tasks_ = *in_;
};

std::int64_t fib(Stealing& tasks, int n) {
  if (n < 2) return n;
  std::int64_t left = 0;
  Group group(tasks);
  group.run([&] { left = fib(tasks, n - 1); });
  const std::int64_t right = fib(tasks, n - 2);
  group.wait();
  return left + right;
}

TEST_F(Tasks, OfATreeAreAllRun) {
  in_a_fiber([&] { EXPECT_EQ(fib(tasks_, kHasSanitizer ? 15 : 22), kHasSanitizer ? 610 : 17711); });
}

TEST_F(Tasks, OfOneProducerAreAllRun) {
  constexpr int kTasks = kHasSanitizer ? 10'000 : 300'000;
  in_a_fiber([&] {
    std::atomic<int> run{0};
    Group group(tasks_);
    for (int i = 0; i < kTasks; ++i) group.run([&run] { run.fetch_add(1, std::memory_order_relaxed); });
    group.wait();
    EXPECT_EQ(run, kTasks);
  });
}

// Two that wait for each other run on two stacks, however few harts there are.
TEST_F(Tasks, ThatWaitForOneAnotherGoOn) {
  in_a_fiber([&] {
    for (int round = 0; round < 200; ++round) {
      sched::Semaphore ping(0);
      sched::Semaphore pong(0);
      Group group(tasks_);
      group.run([&] {
        ping.release();
        pong.acquire();
      });
      group.run([&] {
        ping.acquire();
        pong.release();
      });
      group.wait();
    }
  });
}

TEST_F(Tasks, StayOnTheHartThatBeganThem) {
  in_a_fiber([&] {
    Group group(tasks_);
    for (int i = 0; i < 500; ++i) {
      group.run([] {
        const Hart* const home = Hart::current();
        yield();
        EXPECT_EQ(Hart::current(), home);
      });
    }
  });
}

TEST_F(Tasks, HandWhatTheyThrowToWhoWaits) {
  in_a_fiber([&] {
    Group group(tasks_);
    for (int i = 0; i < 20; ++i) {
      group.run([i] {
        if (i == 7) throw std::runtime_error("seven");
      });
    }
    try {
      group.wait();
      ADD_FAILURE() << "nothing came";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "seven");
    }
    bool run = false;
    group.run([&] { run = true; });
    group.wait();
    EXPECT_TRUE(run);
  });
}

TEST_F(Tasks, OfACancelledGroupAreDroppedWithWhatTheyHold) {
  in_a_fiber([&] {
    const auto held = std::make_shared<int>(1);
    std::atomic<int> run{0};
    {
      Group group(tasks_);
      group.cancel();
      EXPECT_TRUE(group.is_cancelled());
      for (int i = 0; i < 100; ++i) {
        // One that fits into a task, and one that does not.
        group.run([held, &run] { ++run; });
        group.run([held, &run, filling = std::array<double, 16>{}] { run += 1 + static_cast<int>(filling[0]); });
      }
    }
    EXPECT_EQ(run, 0);
    EXPECT_EQ(held.use_count(), 1);
  });
}

TEST_F(Tasks, BelongToTheSchedulerOfWhoWaits) {
  try {
    const Group group(tasks_);
    FAIL() << "from a fiber of another one";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::order);
  }
}

TEST_F(Tasks, LoopsTouchEachIndexOnce) {
  in_a_fiber([&] {
    for (const std::int64_t grain : {0, 1, 7, 100'000}) {
      for (const std::int64_t count : {0, 1, 2, 1000, 12'345}) {
        std::vector<std::atomic<int>> touched(static_cast<std::size_t>(count));
        parallel_for(tasks_, {0, count}, grain, [&](Range range) {
          for (std::int64_t i = range.begin; i < range.end; ++i) ++touched[static_cast<std::size_t>(i)];
        });
        for (const auto& times : touched) ASSERT_EQ(times, 1);
      }
    }
  });
}

TEST_F(Tasks, LoopsThrowWhatTheirBodiesThrow) {
  in_a_fiber([&] {
    const auto loop = [&] {
      parallel_for(tasks_, {0, 1000}, 1, [](Range range) {
        if (range.begin <= 613 && 613 < range.end) throw std::runtime_error("613");
      });
    };
    for (int i = 0; i < 50; ++i) EXPECT_THROW(loop(), std::runtime_error);
  });
}

// Letters, so that parts in another order give another word.
std::string letters(Range range) {
  std::string part;
  for (std::int64_t i = range.begin; i < range.end; ++i) part += static_cast<char>('a' + i % 26);
  return part;
}

void expect_reductions_in_order(sched::Scheduler& scheduler) {
  const auto together = [](std::string left, const std::string& right) { return left + right; };
  for (const auto schedule : {Schedule::adaptive, Schedule::fixed, Schedule::dynamic, Schedule::guided}) {
    for (const std::int64_t grain : {0, 1, 3, 1000}) {
      for (const std::int64_t size : {0, 1, 2, 500}) {
        EXPECT_EQ(parallel_reduce(scheduler, {7, 7 + size}, schedule, grain, std::string(), letters, together),
                  letters({7, 7 + size}))
            << static_cast<int>(schedule) << ' ' << grain;
      }
    }
  }
}

TEST_F(Tasks, ReductionsKeepTheOrder) {
  in_a_fiber([&] { expect_reductions_in_order(tasks_); });
}

TEST(TasksThatAreFibers, KeepTheOrderOfReductionsToo) {
  Harts here;
  Entered<sched::RoundRobin> fair(here.root());
  join(start(fair, [&] { expect_reductions_in_order(fair); }));
}

TEST_F(Tasks, ReductionsThrowWhatTheirPartsThrow) {
  in_a_fiber([&] {
    for (const auto schedule : {Schedule::adaptive, Schedule::fixed, Schedule::dynamic, Schedule::guided}) {
      const auto sum = [&] {
        const auto part = [](Range range) {
          if (range.begin <= 613 && 613 < range.end) throw std::runtime_error("613");
          return range.size();
        };
        (void)parallel_reduce(tasks_, {0, 1000}, schedule, 1, std::int64_t{0}, part, std::plus<>());
      };
      for (int i = 0; i < 20; ++i) EXPECT_THROW(sum(), std::runtime_error);
    }
  });
}

// The only hart is called away to a fiber of another scheduler again and again, while tasks stand in its deque.
TEST(TasksOfAHart, AreComeBackFor) {
  Harts here({.harts = 1});
  Entered<Stealing> tasks(here.root());
  bool done = false;
  sched::Fiber& producer = start(tasks, [&] {
    sched::Semaphore last(0);
    int run = 0;
    Group group(tasks);
    for (int i = 0; i < 5000; ++i) {
      group.run([&] {
        if (++run == 5000) last.release();
      });
    }
    last.acquire();  // and so the tasks are run by workers
    done = true;
  });
  while (!done) yield();
  join(producer);
}

// They were made while the other hart had something to do; who waits for them runs them himself, and shows the rest to it.
TEST(TasksOfAHart, AreShownToAHartThatHasComeSince) {
  Harts here({.harts = 2});
  if (here.substrate.harts() < 2) {
    std::puts("NOT TESTED: tasks that are shown to another hart, for this machine has one CPU");
    return;
  }
  Entered<Stealing> tasks(here.root());
  join(start(tasks, [&] {
    const Hart* const maker = Hart::current();
    std::atomic<bool> held{false};
    std::atomic<bool> let_go{false};
    std::atomic<int> elsewhere{0};
    Group holder(tasks);
    while (here.substrate.idle() == 0) spin_pause();
    holder.run([&] {
      held = true;
      while (!let_go) spin_pause();
    });
    while (!held) spin_pause();
    Group group(tasks);
    for (int i = 0; i < 50; ++i) {
      group.run([&, i] {
        if (Hart::current() != maker) {
          ++elsewhere;
          return;
        }
        // The first that the maker runs; the other hart has at most the one that was shown when it was made.
        let_go = true;
        while (i == 49 && here.substrate.idle() == 0) spin_pause();
        while (i == 48 && elsewhere < 2) spin_pause();
      });
    }
    group.wait();
    EXPECT_GE(elsewhere, 2);
  }));
}

// A fiber that yields for ever leaves tasks that may wait their turn too.
TEST(TasksOfAHart, ThatMayWaitAreBegunThoughAFiberAlwaysCanGoOn) {
  Harts here({.harts = 1});
  Entered<Stealing> tasks(here.root());
  join(start(tasks, [&] {
    bool done = false;
    Group group(tasks);
    group.run([&done] { done = true; }, -1);
    while (!done) yield();
  }));
}

// Who waits runs the newest tasks of his hart himself: but not before one that is urgent, and not that one, which may wait for him.
TEST(TasksOfAHart, ThatAreUrgentGoBeforeThoseThatWhoWaitsRunsHimself) {
  Harts here({.harts = 1});
  Entered<Stealing> tasks(here.root());
  std::string order;
  join(start(tasks, [&] {
    sched::Semaphore later(0);
    Group other(tasks);
    other.run(
        [&] {
          order += "urgent, ";
          later.acquire();
          order += "its end";
        },
        1);
    Group group(tasks);
    group.run([&] { order += "usual, "; });
    group.wait();
    later.release();
  }));
  EXPECT_EQ(order, "urgent, usual, its end");
}

TEST(LoopsOnAHart, DropWhatHasNotBegunAfterAPartThatFailed) {
  Harts here({.harts = 1});
  Entered<Stealing> tasks(here.root());
  join(start(tasks, [&] {
    int parts = 0;
    const auto fail = [&parts](Range) {
      ++parts;
      throw std::runtime_error("first");
    };
    EXPECT_THROW(parallel_for(tasks, {0, 1000}, 1, fail), std::runtime_error);
    EXPECT_EQ(parts, 1);
    const auto fail_to_add = [&fail](Range range) {
      fail(range);
      return range.size();
    };
    for (const auto schedule : {Schedule::adaptive, Schedule::fixed, Schedule::dynamic, Schedule::guided}) {
      parts = 0;
      EXPECT_THROW((void)parallel_reduce(tasks, {0, 1000}, schedule, 1, std::int64_t{0}, fail_to_add, std::plus<>()),
                   std::runtime_error);
      EXPECT_EQ(parts, 1) << static_cast<int>(schedule);
    }
  }));
}

// A sum of the grain and the number of indices would be no number any more.
TEST(LoopsOnAHart, TakeAGrainLargerThanAllIndices) {
  constexpr std::int64_t kGrain = std::numeric_limits<std::int64_t>::max();
  Harts here({.harts = 1});
  const auto expect_all = [&](sched::Scheduler& scheduler) {
    join(start(scheduler, [&] {
      for (const auto schedule : {Schedule::adaptive, Schedule::fixed, Schedule::dynamic, Schedule::guided}) {
        std::int64_t indices = 0;
        parallel_for(scheduler, {5, 1005}, schedule, kGrain, [&](Range range) { indices += range.size(); });
        EXPECT_EQ(indices, 1000) << static_cast<int>(schedule);
      }
      const auto size = [](Range range) { return range.size(); };
      EXPECT_EQ(parallel_reduce(scheduler, Range{5, 1005}, kGrain, std::int64_t{0}, size, std::plus<>()), 1000);
    }));
  };
  {
    Entered<Stealing> tasks(here.root());
    expect_all(tasks);
  }
  Entered<sched::RoundRobin> fair(here.root());
  expect_all(fair);
}

using Parts = std::vector<std::pair<std::int64_t, std::int64_t>>;

// What the body gets, in this order.
Parts parts_of_loop(sched::Scheduler& scheduler, Range range, Schedule schedule, std::int64_t grain) {
  Parts parts;
  parallel_for(scheduler, range, schedule, grain, [&](Range part) { parts.emplace_back(part.begin, part.end); });
  return parts;
}

Parts parts_of_reduction(sched::Scheduler& scheduler, Range range, Schedule schedule, std::int64_t grain) {
  Parts parts;
  const auto size = [&](Range part) {
    parts.emplace_back(part.begin, part.end);
    return part.size();
  };
  EXPECT_EQ(parallel_reduce(scheduler, range, schedule, grain, std::int64_t{0}, size, std::plus<>()), range.size());
  return parts;
}

// Of a loop and of a reduction the same.
Parts parts_of(sched::Scheduler& scheduler, Range range, Schedule schedule, std::int64_t grain) {
  Parts parts = parts_of_loop(scheduler, range, schedule, grain);
  EXPECT_EQ(parts, parts_of_reduction(scheduler, range, schedule, grain));
  return parts;
}

// Where tasks are fibers too, in place of the halves that nobody could steal there.
TEST(LoopsOnAHart, AreCutWithoutHalvesWhereTasksAreFibers) {
  Harts here({.harts = 1});
  Entered<sched::RoundRobin> fair(here.root());
  join(start(fair, [&] {
    EXPECT_EQ(parts_of(fair, {5, 50}, Schedule::adaptive, 10),
              (Parts{{5, 15}, {15, 25}, {25, 35}, {35, 45}, {45, 50}}));
    EXPECT_EQ(parts_of_loop(fair, {0, 10}, Schedule::adaptive, 0), (Parts{{0, 5}, {5, 7}, {7, 8}, {8, 9}, {9, 10}}));
    EXPECT_EQ(parts_of_reduction(fair, {0, 3}, Schedule::adaptive, 0), (Parts{{0, 1}, {1, 2}, {2, 3}}));
    Parts pairs;  // 600 / 256 indices a part
    for (std::int64_t first = 0; first < 600; first += 2) pairs.emplace_back(first, first + 2);
    EXPECT_EQ(parts_of_reduction(fair, {0, 600}, Schedule::adaptive, 0), pairs);
  }));
}

// As docs/sched.md has it; the halves of `adaptive` are left for others, and taken one after the other where nobody comes.
TEST(LoopsOnAHart, AreCutAsTheirScheduleSays) {
  Harts here({.harts = 1});
  Entered<Stealing> tasks(here.root());
  join(start(tasks, [&] {
    EXPECT_EQ(parts_of(tasks, {0, 100}, Schedule::adaptive, 8), (Parts{{0, 8},
                                                                       {8, 16},
                                                                       {16, 24},
                                                                       {24, 32},
                                                                       {32, 40},
                                                                       {40, 48},
                                                                       {48, 50},
                                                                       {50, 58},
                                                                       {58, 66},
                                                                       {66, 74},
                                                                       {74, 75},
                                                                       {75, 83},
                                                                       {83, 87},
                                                                       {87, 93},
                                                                       {93, 100}}));
    EXPECT_EQ(parts_of(tasks, {5, 55}, Schedule::dynamic, 8),
              (Parts{{5, 13}, {13, 21}, {21, 29}, {29, 37}, {37, 45}, {45, 53}, {53, 55}}));
    EXPECT_EQ(parts_of(tasks, {0, 3}, Schedule::dynamic, 0), (Parts{{0, 1}, {1, 2}, {2, 3}}));
    EXPECT_EQ(parts_of(tasks, {0, 100}, Schedule::guided, 10),
              (Parts{{0, 50}, {50, 75}, {75, 87}, {87, 97}, {97, 100}}));
    EXPECT_EQ(parts_of(tasks, {0, 10}, Schedule::guided, 0), (Parts{{0, 5}, {5, 7}, {7, 8}, {8, 9}, {9, 10}}));
    EXPECT_EQ(parts_of(tasks, {0, 100}, Schedule::fixed, 0), (Parts{{0, 100}}));
    EXPECT_EQ(parts_of(tasks, {0, 20}, Schedule::fixed, 8), (Parts{{0, 8}, {8, 16}, {16, 20}}));
  }));
}

// The other hart is kept busy, so that the caller takes the parts of both: his own before those that were dealt to the other.
TEST(LoopsOfTwoHarts, AreCutForBoth) {
  Harts here({.harts = 2});
  if (here.substrate.harts() < 2) {
    std::puts("NOT TESTED: loops of two harts, for this machine has one CPU");
    return;
  }
  Entered<Stealing> tasks(here.root());
  join(start(tasks, [&] {
    std::atomic<bool> held{false};
    std::atomic<bool> over{false};
    Group holder(tasks);
    while (here.substrate.idle() == 0) spin_pause();
    holder.run([&] {
      held = true;
      while (!over) spin_pause();
    });
    while (!held) spin_pause();
    EXPECT_EQ(parts_of(tasks, {0, 101}, Schedule::fixed, 0), (Parts{{0, 51}, {51, 101}}));
    EXPECT_EQ(parts_of(tasks, {0, 40}, Schedule::fixed, 8), (Parts{{0, 8}, {16, 24}, {32, 40}, {8, 16}, {24, 32}}));
    EXPECT_EQ(parts_of(tasks, {0, 100}, Schedule::guided, 10),
              (Parts{{0, 25}, {25, 43}, {43, 57}, {57, 67}, {67, 77}, {77, 87}, {87, 97}, {97, 100}}));
    EXPECT_EQ(parts_of(tasks, {0, 20}, Schedule::dynamic, 8), (Parts{{0, 8}, {8, 16}, {16, 20}}));
    over = true;
  }));
}

// Where nobody comes the lower half of these is worked through without another cut, as above. Here the upper one is taken while the
// first part is under way, and so the rest is halved; then nobody takes any more.
TEST(LoopsOfTwoHarts, AreHalvedAnewWhereTheUpperHalfHasBeenTaken) {
  Harts here({.harts = 2});
  if (here.substrate.harts() < 2) {
    std::puts("NOT TESTED: loops of two harts, for this machine has one CPU");
    return;
  }
  Entered<Stealing> tasks(here.root());
  join(start(tasks, [&] {
    const Hart* const maker = Hart::current();
    std::atomic<bool> taken{false};
    std::atomic<int> left{50};  // [indices] of the lower half
    Parts lower;                // of the maker's hart alone
    while (here.substrate.idle() == 0) spin_pause();
    parallel_for(tasks, {0, 100}, Schedule::adaptive, 8, [&](Range part) {
      const bool is_maker = Hart::current() == maker;
      if (!is_maker) taken = true;
      if (part.begin < 50) {
        if (is_maker) lower.emplace_back(part.begin, part.end);
        while (!taken) spin_pause();
        left -= static_cast<int>(part.size());
      }
      while (!is_maker && part.begin >= 50 && left > 0) spin_pause();
    });
    EXPECT_EQ(lower, (Parts{{0, 8}, {8, 16}, {16, 24}, {24, 29}, {29, 37}, {37, 39}, {39, 44}, {44, 50}}));
  }));
}

// A random tree of tasks that waits, yields and locks on the way; the sum is known without running it.
class RandomTree {
 public:
  RandomTree(Stealing& tasks, unsigned seed) : tasks_(tasks), seed_(seed) {}

  // Also what the same tree is worth, done here alone.
  std::uint64_t serial(unsigned node = 1, int depth = 0) const {
    std::uint64_t sum = node;
    for (unsigned child = 0; child < children(node, depth); ++child) sum += serial(name(node, child), depth + 1);
    return sum;
  }
  std::uint64_t parallel(unsigned node = 1, int depth = 0) {
    std::vector<std::uint64_t> sums(children(node, depth));
    Group group(tasks_);
    for (unsigned child = 0; child < sums.size(); ++child) {
      group.run([this, &sums, node, child, depth] { sums[child] = parallel(name(node, child), depth + 1); });
      if (draw(node, child) % 5 == 0) group.wait();
      if (draw(node, child) % 7 == 0) yield();
    }
    std::uint64_t sum = node;
    {
      const std::lock_guard lock(mutex_);
      if (draw(node, 9) % 3 == 0) yield();
      ++visited_;
    }
    group.wait();
    for (const std::uint64_t part : sums) sum += part;
    return sum;
  }

 private:
  unsigned draw(unsigned node, unsigned what) const {
    return static_cast<unsigned>(std::minstd_rand(seed_ + node * 31 + what * 7)() >> 3);
  }
  unsigned name(unsigned node, unsigned child) const { return node * 5 + child + 1; }
  unsigned children(unsigned node, int depth) const { return depth == 6 ? 0 : draw(node, 77) % 5; }

  Stealing& tasks_;
  unsigned seed_;
  sched::Mutex mutex_;
  int visited_ = 0;
};

TEST_F(Tasks, OfRandomTreesGiveWhatOneAfterAnotherGives) {
  in_a_fiber([&] {
    const unsigned trees = kHasSanitizer ? 60 : 2000;
    for (unsigned seed = 0; seed < trees; ++seed) {
      RandomTree tree(tasks_, seed);
      ASSERT_EQ(tree.parallel(), tree.serial()) << "seed " << seed;
    }
  });
}

}  // namespace
}  // namespace comity::testing
