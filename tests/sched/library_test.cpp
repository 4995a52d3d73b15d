// SPDX-License-Identifier: BSD-3-Clause
// libcomity_sched from C++: lambdas, exceptions, futures, a scheduler of one's own, what stands on the C objects.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <comity/sched.hpp>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace comity::sched;  // NOLINT(google-build-using-namespace): a program of a user

struct Oops : std::runtime_error {
  Oops() : std::runtime_error("oops") {}
};

class Library : public ::testing::Test {
 protected:
  Harts harts_;
};

std::int64_t fib(int n) {
  if (n < 2) return n;
  std::int64_t left = 0;
  Group group;
  group.run([&left, n] { left = fib(n - 1); });
  const std::int64_t right = fib(n - 2);
  group.wait();
  return left + right;
}

TEST_F(Library, RunsATreeOfTasks) {
  EXPECT_EQ(harts_.run([] { return fib(18); }), 2584);
}

TEST_F(Library, CarriesExceptionsToWhoWaits) {
  EXPECT_THROW(harts_.run([] { throw Oops(); }), Oops);
  harts_.run([] {
    Group group;
    group.run([] { throw Oops(); });
    EXPECT_THROW(group.wait(), Oops);
    EXPECT_FALSE(group.is_cancelled());
    Fiber fiber([] { throw Oops(); });
    EXPECT_THROW(fiber.join(), Oops);
    EXPECT_THROW(team(3, [](int member) { member == 1 ? throw Oops() : void(); }), Oops);
    EXPECT_THROW(parallel_for(0, 1000, [](std::int64_t i) { i == 500 ? throw Oops() : void(); }), Oops);
    const auto part = [](std::int64_t first, std::int64_t) -> int {
      first >= 0 ? throw Oops() : 0;
      return 0;
    };
    EXPECT_THROW((void)parallel_reduce(0, 1000, 0, part, std::plus<>()), Oops);
    EXPECT_THROW((void)async([]() -> int { throw Oops(); }).get(), Oops);
    EXPECT_THROW(async([] { throw Oops(); }).get(), Oops);
  });
}

TEST_F(Library, EndsAClosureOnceWhetherItRanOrWasDropped) {
  const auto owned = std::make_shared<int>(7);
  harts_.run([&] {
    std::atomic<int> seen{0};
    Group group;
    for (int i = 0; i < 100; ++i) group.run([owned, &seen] { seen += *owned; });
    group.wait();
    EXPECT_EQ(seen, 700);
    group.cancel();
    for (int i = 0; i < 100; ++i) group.run([owned, &seen] { seen += *owned; }, i % 3 - 1);
    group.wait();
    EXPECT_EQ(seen, 700);
    std::array<char, 100> large{};
    large.back() = 'x';
    group.run([large] { EXPECT_EQ(large.back(), 'x'); });
    group.wait();
  });
  EXPECT_EQ(owned.use_count(), 1);
}

TEST_F(Library, GivesValuesOfFuturesToAll) {
  harts_.run([] {
    const Future<std::string> future = async([] {
      yield();
      return std::string("there");
    });
    std::thread thread([future] { EXPECT_EQ(future.get(), "there"); });
    EXPECT_EQ(future.get(), "there");
    EXPECT_TRUE(future.is_ready());
    thread.join();
  });
}

TEST_F(Library, OrdersTasksByTheirData) {
  harts_.run([] {
    int a = 0, b = 0, c = 0;
    Group group;
    group.run_after({writes(a)}, [&] { a = 1; });
    group.run_after({writes(b)}, [&] { b = 2; });
    group.run_after({reads(a), reads(b), writes(c)}, [&] { c = a + b; });
    group.run_after({writes(a)}, [&] { a = c * 10; });
    group.wait();
    EXPECT_EQ(a, 30);
  });
}

TEST_F(Library, CountsEachIndexOnceWithAnySchedule) {
  harts_.run([] {
    for (const Schedule schedule : {Schedule::adaptive, Schedule::fixed, Schedule::dynamic, Schedule::guided}) {
      std::vector<int> marks(997, 0);
      parallel_for(0, 997, [&](std::int64_t i) { ++marks[static_cast<std::size_t>(i)]; }, {schedule, 10});
      EXPECT_EQ(std::count(marks.begin(), marks.end(), 1), 997);
    }
    const auto squares = [](std::int64_t first, std::int64_t last) {
      std::int64_t sum = 0;
      for (std::int64_t i = first; i < last; ++i) sum += i * i;
      return sum;
    };
    for (const Schedule schedule : {Schedule::adaptive, Schedule::fixed, Schedule::dynamic, Schedule::guided}) {
      for (const std::int64_t grain : {0, 7}) {
        EXPECT_EQ(parallel_reduce(0, 1000, std::int64_t{0}, squares, std::plus<>(), {schedule, grain}), 332833500);
      }
    }
  });
}

// How many parts a body gets is another number for each.
TEST(LibraryOnOneHart, CutsLoopsAsTheirScheduleSays) {
  struct Cut {
    Schedule schedule;
    std::int64_t grain;
    int parts;
  };
  comity_sched_options options{};
  options.harts = 1;
  Harts harts(options);
  harts.run([] {
    for (const Cut cut : {Cut{Schedule::adaptive, 10, 12}, Cut{Schedule::fixed, 0, 1}, Cut{Schedule::dynamic, 10, 10},
                          Cut{Schedule::guided, 10, 5}}) {
      int parts = 0;
      parallel_for_parts(0, 100, [&parts](std::int64_t, std::int64_t) { ++parts; }, {cut.schedule, cut.grain});
      EXPECT_EQ(parts, cut.parts) << static_cast<int>(cut.schedule);
      const auto count = [](std::int64_t, std::int64_t) { return 1; };
      EXPECT_EQ(parallel_reduce(0, 100, 0, count, std::plus<>(), {cut.schedule, cut.grain}), cut.parts)
          << static_cast<int>(cut.schedule);
    }
  });
}

// On one hart the first part is the only one that begins.
TEST(LibraryOnOneHart, DropsThePartsOfAReductionAfterOneThatFailed) {
  comity_sched_options options{};
  options.harts = 1;
  Harts harts(options);
  harts.run([] {
    for (const Schedule schedule : {Schedule::adaptive, Schedule::fixed, Schedule::dynamic, Schedule::guided}) {
      int parts = 0;
      const auto fail = [&parts](std::int64_t first, std::int64_t last) -> std::int64_t {
        ++parts;
        if (first >= 0) throw Oops();
        return last;
      };
      EXPECT_THROW((void)parallel_reduce(0, 100'000, std::int64_t{0}, fail, std::plus<>(), {schedule, 10}), Oops);
      EXPECT_EQ(parts, 1) << static_cast<int>(schedule);
    }
  });
}

TEST_F(Library, RunsTasksOfANodeAndTasksThatMayMove) {
  harts_.run([] {
    std::atomic<int> run{0};
    Group group;
    for (int i = 0; i < 100; ++i) {
      group.run_on(node_of(i % harts()), [&run] { ++run; });
      group.run_movable([&run] {
        yield();
        ++run;
      });
    }
    group.wait();
    EXPECT_EQ(run, 200);
    EXPECT_THROW(group.run_on(4711, [] {}), comity::Failure);
    EXPECT_THROW((void)node_of(harts()), comity::Failure);
    Fiber mover(
        [] {
          // An OpenMP runtime keeps its team for the thread.
          EXPECT_THROW(openmp(1, [] {}), comity::Failure);
        },
        "mover", nullptr, Moves::in_waits);
    mover.join();
  });
}

thread_local int of_the_thread = 0;

// On one hart: the thread waits for fibers that only that hart can run, and stands for it.
TEST(LibraryOnOneHart, RunsForeignCodeOnAThreadThatLendsItsHart) {
  comity_sched_options options{};
  options.harts = 1;
  Harts harts(options);
  harts.run([] {
    of_the_thread = 1;
    std::atomic<int> running{0};
    const auto runs_alone = [&running] {
      EXPECT_EQ(++running, 1);
      std::this_thread::yield();
      --running;
    };
    Semaphore to_fiber(0);
    Semaphore to_thread(0);
    Fiber fiber([&] {
      for (int i = 0; i < 100; ++i) {
        to_fiber.acquire();
        runs_alone();
        to_thread.release();
      }
    });
    on_own_thread([&] {
      EXPECT_EQ(of_the_thread, 0);
      of_the_thread = 2;
      EXPECT_EQ(hart(), -1);
      for (int i = 0; i < 100; ++i) {
        runs_alone();
        to_fiber.release();
        to_thread.acquire();
      }
    });
    EXPECT_EQ(of_the_thread, 1);
    fiber.join();
    EXPECT_THROW(on_own_thread([] { throw Oops(); }), Oops);
    Fiber([] { EXPECT_THROW(on_own_thread([] {}), comity::Failure); }, "mover", nullptr, Moves::in_waits).join();
  });
}

// On one hart nobody else takes one meanwhile.
TEST(LibraryOnOneHart, BeginsTasksOfHigherPriorityFirst) {
  comity_sched_options options{};
  options.harts = 1;
  Harts harts(options);
  harts.run([] {
    std::string order;
    Group group;
    group.run([&] { order += 'c'; }, -1);
    group.run([&] { order += 'd'; }, -2);
    group.run([&] { order += 'x'; });
    group.run([&] { order += 'b'; }, 1);
    group.run([&] { order += 'a'; }, 5);
    group.wait();
    EXPECT_EQ(order, "abxcd");
  });
}

TEST_F(Library, HandsValuesThroughQueuesAndMaps) {
  harts_.run([] {
    Queue<std::unique_ptr<int>> queue;
    Map<int, std::vector<int>> map;
    Group group;
    for (int producer = 0; producer < 4; ++producer) {
      group.run([&queue, producer] {
        for (int i = 0; i < 100; ++i) EXPECT_TRUE(queue.send(std::make_unique<int>(producer * 100 + i)));
      });
    }
    for (int consumer = 0; consumer < 3; ++consumer) {
      group.run([&queue, &map] {
        while (const auto value = queue.receive()) {
          map.update(**value % 10, [&](std::vector<int>& values) { values.push_back(**value); });
        }
      });
    }
    Fiber closes([&] {
      while (true) {
        int count = 0;
        map.for_each([&](int, const std::vector<int>& values) { count += static_cast<int>(values.size()); });
        if (count == 400) break;
        yield();
      }
      queue.close();
    });
    group.wait();
    closes.join();
    EXPECT_EQ(map.size(), 10U);
    EXPECT_EQ(map.find(3)->size(), 40U);
    EXPECT_FALSE(map.find(10).has_value());
    EXPECT_FALSE(map.insert(3, {}));
    EXPECT_TRUE(map.erase(3));
    EXPECT_FALSE(map.erase(3));
    EXPECT_FALSE(queue.receive().has_value());
  });
}

// The newest first, on whatever hart; counts what it was told.
class NewestFirst : public Scheduler {
 public:
  std::atomic<int> told_made{0};
  std::atomic<int> told_blocked{0};
  std::atomic<int> told_finished{0};

 protected:
  explicit NewestFirst(int harts) : own_(static_cast<std::size_t>(harts)) {}

  void made(int, Runnable fiber) noexcept override {
    ++told_made;
    {
      const std::lock_guard held(mutex_);
      fresh_.push_back(fiber);
    }
    if (comity_sched_idle() != 0) request(1);
  }
  void ready(int hart, Runnable fiber) noexcept override { own(hart).push_back(fiber); }
  Runnable next(int hart) noexcept override {
    std::vector<Runnable>* from = &own(hart);
    const std::lock_guard held(mutex_);
    if (from->empty()) from = &fresh_;
    if (from->empty()) return nullptr;
    const Runnable last = from->back();
    from->pop_back();
    return last;
  }
  int waiting(int hart) noexcept override {
    const std::lock_guard held(mutex_);
    return static_cast<int>(own(hart).size() + fresh_.size());
  }
  void blocked(int, Runnable) noexcept override { ++told_blocked; }
  void finished(int, Runnable) noexcept override { ++told_finished; }

 private:
  std::vector<Runnable>& own(int hart) { return own_[static_cast<std::size_t>(hart)]; }

  std::mutex mutex_;
  std::vector<Runnable> fresh_;             // under the mutex
  std::vector<std::vector<Runnable>> own_;  // each of its hart alone
};

TEST_F(Library, RunsUnderASchedulerOfOnesOwn) {
  harts_.run([] {
    Entered<NewestFirst> newest(harts());
    constexpr int kFibers = 200;
    Mutex mutex;
    int sum = 0;
    std::int64_t number = 0;
    {
      std::vector<Fiber> fibers;
      for (int i = 0; i < kFibers; ++i) {
        const auto work = [&] {
          const std::lock_guard<Mutex> held(mutex);
          ++sum;
          yield();
        };
        fibers.emplace_back(work, nullptr, newest.handle());
      }
      for (Fiber& fiber : fibers) fiber.join();
    }
    EXPECT_EQ(sum, kFibers);
    Fiber([&] { number = fib(10); }, "tasks", newest.handle()).join();  // tasks as fibers, in its order
    Fiber(
        [&] {
          Below below(Kind::stealing);
          Fiber([&] { number += fib(10); }, "below", below.handle()).join();
        },
        "parent", newest.handle())
        .join();
    EXPECT_EQ(number, 110);
    EXPECT_GE(newest.told_made, kFibers);
    EXPECT_EQ(newest.told_made, newest.told_finished);
  });
}

TEST(LibraryByOption, RunsTasksFairlyWhereItSaysSo) {
  ASSERT_EQ(setenv("COMITY_SCHED_SCHEDULER", "round-robin", 1), 0);
  {
    comity_sched_options options{};
    options.harts = 1;
    Harts harts(options);
    harts.run([] {
      // A scheduler that is fair begins the second task while the first one yields; tasks that are stolen would not.
      std::string order;
      Mutex mutex;
      Group group;
      for (const char name : {'a', 'b'}) {
        group.run([&, name] {
          for (int i = 0; i < 3; ++i) {
            {
              const std::lock_guard<Mutex> held(mutex);
              order += name;
            }
            yield();
          }
        });
      }
      group.wait();
      EXPECT_EQ(order, "ababab");
      EXPECT_EQ(fib(10), 55);
    });
  }
  ASSERT_EQ(setenv("COMITY_SCHED_SCHEDULER", "robin", 1), 0);
  try {
    const Harts harts;
    FAIL() << "a scheduler that there is not";
  } catch (const comity::Failure& failure) {
    EXPECT_EQ(failure.code(), COMITY_ERR_OPTION);
    EXPECT_NE(std::string(failure.what()).find("stealing|round-robin"), std::string::npos) << failure.what();
  }
  ASSERT_EQ(unsetenv("COMITY_SCHED_SCHEDULER"), 0);
}

TEST_F(Library, SaysWhatWasWrong) {
  EXPECT_THROW(Group(), comity::Failure);
  EXPECT_THROW(Harts(), comity::Failure);
  try {
    Group group;
  } catch (const comity::Failure& failure) {
    EXPECT_NE(std::string(failure.what()).find("comity_sched_run"), std::string::npos) << failure.what();
  }
}

}  // namespace
