// SPDX-License-Identifier: BSD-3-Clause
// A deadlock is told with who waits for what, and nothing else is told as one. Each is planted in a child process, for its fibers
// never end. Not under the thread sanitizer, which has a thread of its own: whom that may wake nobody knows.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "channel_of.hpp"
#include "harts.hpp"
#include "os/threads/far_fence.hpp"
#include "sanitizer.hpp"
#include "sched/tasks/group.hpp"
#include "sched/tasks/stealing.hpp"
#include "sched/waiting/event.hpp"
#include "sched/waiting/full_empty.hpp"
#include "sched/waiting/mutex.hpp"
#include "sched/waiting/semaphore.hpp"

namespace comity::testing {
namespace {

std::atomic<int> refusals_left{0};               // blocks that operator new does not give
std::atomic<void (*)()> at_next_block{nullptr};  // called once, before operator new gives one

}  // namespace
}  // namespace comity::testing

#ifndef COMITY_HAS_SANITIZER
// Not inlined: the compiler would take these for mismatched calls of their callers.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  using comity::testing::at_next_block;
  using comity::testing::refusals_left;
  if (at_next_block != nullptr) {
    if (void (*const call)() = at_next_block.exchange(nullptr)) call();
  }
  void* const block = refusals_left > 0 && refusals_left-- > 0 ? nullptr : std::malloc(bytes);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
[[gnu::noinline]] void operator delete(void* block) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block, std::size_t /*bytes*/) noexcept { std::free(block); }
#endif

namespace comity::testing {
namespace {

using sched::Entered;
using sched::Event;
using sched::Mutex;
using sched::RoundRobin;
using sched::Stealing;

constexpr Nanoseconds kSoon{1'000'000};
constexpr int kTold = 7;

// Ends the process with kTold where the text has all of these, and says which it lacks.
std::function<void(const std::string&)> expect_told(std::vector<std::string> parts) {
  return [parts = std::move(parts)](const std::string& text) {
    int code = kTold;
    for (const std::string& part : parts) {
      if (text.find(part) != std::string::npos) continue;
      std::fprintf(stderr, "not told: %s\n%s", part.c_str(), text.c_str());
      code = 1;
    }
    std::fflush(stderr);
    ::_exit(code);
  };
}

// The same where that one is not named.
std::function<void(const std::string&)> expect_told_without(const std::string& other, std::vector<std::string> parts) {
  return [other, tell = expect_told(std::move(parts))](const std::string& text) {
    if (text.find(other) != std::string::npos) {
      std::fputs(text.c_str(), stderr);
      ::_exit(1);
    }
    tell(text);
  };
}

// So many fibers, each of which has a mutex and wants that of the next.
class Circle {
 public:
  Circle(Harts& here, int size)
      : fair_(here.root()), mutexes_(static_cast<std::size_t>(size)), all_have_one_(static_cast<std::size_t>(size)) {
    for (int i = 0; i < size; ++i) {
      const auto both = [this, size, i] {
        const std::lock_guard first(mutexes_[static_cast<std::size_t>(i)]);
        all_have_one_.wait();
        const std::lock_guard second(mutexes_[static_cast<std::size_t>((i + 1) % size)]);
      };
      members.push_back(&start(fair_, both, "member " + std::to_string(i) + "."));
    }
  }
  std::vector<sched::Fiber*> members;

 private:
  Entered<RoundRobin> fair_;
  std::vector<Mutex> mutexes_;
  sched::Barrier all_have_one_;
};

void wait_in_a_circle(int size, std::vector<std::string> parts, std::size_t harts = 0) {
  Harts here({.harts = harts, .deadlock_after = kSoon, .on_deadlock = expect_told(std::move(parts))});
  const Circle circle(here, size);
  Event never;
  never.wait();
}

TEST(Deadlock, OfTwoNamesBothAndWhatTheyHave) {
  EXPECT_EXIT(wait_in_a_circle(2, {"deadlock: 3 fibers wait", "(member 0.) waits for the mutex",
                                   "(member 1.) waits for the mutex", "(member 0.) has, at ", "(member 1.) has, at ",
                                   "a circle of 2: ", "test_sched_deadlock+0x", "(main program) waits for the future"}),
              ::testing::ExitedWithCode(kTold), "");
}

TEST(Deadlock, OfThreeIsToldOnOneHartToo) {
  EXPECT_EXIT(wait_in_a_circle(3, {"a circle of 3: ", "(member 2.) has"}, 1), ::testing::ExitedWithCode(kTold), "");
}

TEST(Deadlock, OfAHundredNamesThemAll) {
  std::vector<std::string> parts{"a circle of 100: "};
  for (int i = 0; i < 100; ++i) parts.push_back("(member " + std::to_string(i) + ".) waits for the mutex");
  EXPECT_EXIT(wait_in_a_circle(100, parts), ::testing::ExitedWithCode(kTold), "");
}

void let_a_thread_sleep() {
  std::thread([] { std::this_thread::sleep_for(std::chrono::hours(1)); }).detach();
}

// A thread of somebody else's sleeps, as those that an MPI or an OpenMP runtime starts, and might wake whom it likes: but not who waits for
// a fiber that waits itself. Of the others nothing is said.
TEST(Deadlock, OfACircleIsToldThoughAnotherThreadIsThere) {
  EXPECT_EXIT(
      {
        let_a_thread_sleep();
        Harts here(
            {.deadlock_after = kSoon,
             .on_deadlock = expect_told_without(
                 "(outside)", {"deadlock: 4 fibers wait for one another, and no other thread could wake any of them",
                               "(main program) waits for the end of fiber", "(member 0.) waits for the mutex",
                               "(member 2.) has, at ", "a circle of 3: "})});
        Entered<RoundRobin> fair(here.root());
        Event never;
        start(
            fair, [&] { never.wait(); }, "outside");
        Circle circle(here, 3);
        join(*circle.members.front());
      },
      ::testing::ExitedWithCode(kTold), "");
}

// Who leaves a scheduler waits for each of its fibers, be it one that waits for him, or one that the thread may wake.
TEST(Deadlock, OfOneWhoLeavesASchedulerIsToldThoughAnotherThreadIsThere) {
  if (!os::join_far_fences()) GTEST_SKIP() << "NOT TESTED: that who leaves is told as well, for he looks all the time";
  EXPECT_EXIT(
      {
        let_a_thread_sleep();
        Harts here(
            {.deadlock_after = kSoon,
             .on_deadlock = expect_told_without(
                 "(patient)", {"deadlock: 2 fibers wait for one another", "(inside) waits for the mutex",
                               "(main program) has, at ", "(main program) waits for the fibers of the scheduler 0x"})});
        Entered<RoundRobin> fair(here.root());
        Event never;
        start(
            fair,
            [&] {
              Entered<RoundRobin> below(fair);
              start(
                  below, [&] { never.wait(); }, "outside");
            },
            "patient");
        Mutex mutex;
        const std::lock_guard held(mutex);
        Entered<RoundRobin> left(here.root());
        start(
            left, [&] { const std::lock_guard waits(mutex); }, "inside");
      },
      ::testing::ExitedWithCode(kTold), "");
}

// A fiber on each of two harts, of which the one on the other hart is woken once by who looks for a deadlock, in the middle of that.
struct WokenMeanwhile {
  static inline sched::Substrate* substrate = nullptr;
  static inline std::array<Event, 2> events;
  static inline std::atomic<bool> went_on{false};

  static void wake_other() {
    if (substrate->parked() != 2) {  // nobody looks yet
      at_next_block = &wake_other;
      return;
    }
    events[1 - sched::Hart::current()->number()].happen();
    while (substrate->parked() == 2) std::this_thread::yield();
  }
  static void wait() {
    events[sched::Hart::current()->number()].wait();
    went_on = true;
    Event never;
    never.wait();
  }
};

// The circle is there when the hart is woken; it is told when that sleeps again.
TEST(Deadlock, OfACircleIsToldLaterWhereAHartIsWokenMeanwhile) {
  if (kHasSanitizer) GTEST_SKIP() << "NOT TESTED: a sanitizer has an operator new of its own";
  if (sched::OwnCpus().cpus().count() < 2) GTEST_SKIP() << "NOT TESTED: there is one CPU, and so no other hart";
  EXPECT_EXIT(
      {
        let_a_thread_sleep();
        const auto told = [tell = expect_told({"a circle of 2: "})](const std::string& text) {
          if (!WokenMeanwhile::went_on) ::_exit(1);
          tell(text);
        };
        Harts here({.harts = 2, .deadlock_after = kSoon, .on_deadlock = told});
        WokenMeanwhile::substrate = &here.substrate;
        Entered<RoundRobin> fair(here.root());
        std::atomic<bool> began{false};
        start(fair, [&] {
          began = true;
          WokenMeanwhile::wait();
        });
        while (!began) std::this_thread::yield();  // which keeps this hart: so that is on the other one
        const Circle circle(here, 2);
        at_next_block = &WokenMeanwhile::wake_other;
        WokenMeanwhile::wait();
      },
      ::testing::ExitedWithCode(kTold), "");
}

TEST(Deadlock, EndsAProgramThatDoesNotAsk) {
  EXPECT_EXIT(
      {
        Harts here({.deadlock_after = kSoon});
        Event never;
        never.wait();
      },
      ::testing::KilledBySignal(SIGABRT), R"(comity: error: \[sched\] deadlock: 1 fiber waits, and nothing is left)");
}

// Then it is told when there is memory again.
TEST(Deadlock, IsLookedForLaterWhereMemoryIsShort) {
  if (kHasSanitizer) GTEST_SKIP() << "NOT TESTED: a sanitizer has an operator new of its own";
  EXPECT_EXIT(
      {
        const auto told = [tell = expect_told({"(main program) waits for the future"})](const std::string& text) {
          if (refusals_left > 0) ::_exit(1);
          tell(text);
        };
        Harts here({.harts = 1, .deadlock_after = kSoon, .on_deadlock = told});
        Event never;
        refusals_left = 3;
        never.wait();
      },
      ::testing::ExitedWithCode(kTold), "");
}

TEST(Deadlock, SaysOfAMutexOfAThreadThatNoFiberHasIt) {
  EXPECT_EXIT(
      {
        Harts here(
            {.harts = 1,
             .deadlock_after = kSoon,
             .on_deadlock = expect_told({"(main program) waits for the mutex", "which none of these has: who"})});
        Mutex mutex;
        Event never;
        std::atomic<bool> locked{false};
        std::thread other([&] {
          mutex.lock();
          locked = true;
          never.wait();
        });
        while (!locked) yield();
        mutex.lock();
        other.join();
      },
      ::testing::ExitedWithCode(kTold), "");
}

TEST(Deadlock, SaysWhatEachKindOfWaitIsFor) {
  EXPECT_EXIT(
      {
        Harts here({.deadlock_after = kSoon,
                    .on_deadlock = expect_told(
                        {"waits for the semaphore", "waits for the barrier", "waits for a value of the channel 0x",
                         "waits for room in the channel 0x", "waits for the full/empty word", "waits for the condition",
                         "waits for the tasks of the group", "waits for the end of fiber"})});
        Entered<Stealing> tasks(here.root());
        sched::Semaphore semaphore(0);
        sched::Barrier barrier(2);
        ChannelOf<int> channel(1);
        sched::FullEmpty<int> word;
        Mutex mutex;
        sched::Condition condition;
        Event never;
        start(tasks, [&] { semaphore.acquire(); });
        start(tasks, [&] { barrier.wait(); });
        start(tasks, [&] { (void)channel.receive(); });
        ChannelOf<int> full(1);
        start(tasks, [&] {
          full.send(1);
          full.send(2);
        });
        start(tasks, [&] { (void)word.read(); });
        start(tasks, [&] {
          std::unique_lock held(mutex);
          condition.wait(held);
        });
        join(start(tasks, [&] {
          sched::Group group(tasks);
          group.run([&] { never.wait(); }, 1);  // by a worker, not in the wait itself
          group.wait();
        }));
      },
      ::testing::ExitedWithCode(kTold), "");
}

void leave_a_lost_fiber(bool far_fences, std::vector<std::string> parts) {
  Harts here({.deadlock_after = kSoon, .on_deadlock = expect_told(std::move(parts)), .far_fences = far_fences});
  Event never;
  Entered<RoundRobin> fair(here.root());
  start(
      fair, [&] { never.wait(); }, "lost");
}

TEST(Deadlock, OfFibersWhoseSchedulerIsLeftIsToldToo) {
  if (!os::join_far_fences()) GTEST_SKIP() << "NOT TESTED: that who leaves is told as well, for he looks all the time";
  EXPECT_EXIT(leave_a_lost_fiber(
                  true, {"(lost) waits for the future", "(main program) waits for the fibers of the scheduler 0x"}),
              ::testing::ExitedWithCode(kTold), "");
}

// Who leaves then looks all the time, and so waits for nothing.
TEST(Deadlock, OfFibersWhoseSchedulerIsLeftIsToldWithoutFarFences) {
  EXPECT_EXIT(
      leave_a_lost_fiber(false, {"deadlock: 1 fiber waits, and nothing is left", "(lost) waits for the future"}),
      ::testing::ExitedWithCode(kTold), "");
}

TEST(Deadlock, OfAThreadThatWaitsWithThemIsTold) {
  EXPECT_EXIT(
      {
        Harts here({.deadlock_after = kSoon, .on_deadlock = expect_told({"waits for the future"})});
        Event never;
        std::thread thread([&] { never.wait(); });
        never.wait();
        thread.join();
      },
      ::testing::ExitedWithCode(kTold), "");
}

// The thread sleeps much longer than it takes until somebody looks.
TEST(Deadlock, IsNoneWhileAThreadMayCome) {
  Harts here(
      {.deadlock_after = Nanoseconds(1'000), .on_deadlock = [](const std::string& text) { ADD_FAILURE() << text; }});
  Event event;
  std::thread thread([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    event.happen();
  });
  event.wait();
  thread.join();
}

// What is left of a scheduler that is left waits for a task that has not begun.
void leave_what_waits_for_a_task(bool far_fences) {
  Harts here({.harts = 1,
              .deadlock_after = Nanoseconds(1),
              .on_deadlock = [](const std::string& text) { ADD_FAILURE() << text; },
              .far_fences = far_fences});
  Entered<Stealing> tasks(here.root());
  struct {
    Event event;
    bool waits = false;
  } left;
  const auto wait = [](void* argument) {
    auto& mine = *static_cast<decltype(left)*>(argument);
    mine.waits = true;
    mine.event.wait();
  };
  join(start(tasks, [&] {
    sched::Group group(tasks);
    {
      Entered<RoundRobin> child(tasks);
      child.spawn(wait, &left, "left", sched::Fiber::End::detached);
      while (!left.waits) yield();
      for (int i = 0; i < 40; ++i) {
        group.run([&, i] {
          if (i == 0) left.event.happen();  // the oldest, and so the last
        });
      }
    }
    group.wait();
  }));
}

TEST(Deadlock, IsNoneWhileTasksWaitForTheirTurn) { leave_what_waits_for_a_task(true); }

// Who leaves looks again and again for what is left.
TEST(Deadlock, IsNoneWhileTasksWaitForTheirTurnWithoutFarFences) { leave_what_waits_for_a_task(false); }

// Ends when a hart has looked: sooner or later all fibers wait, for the caller has what they wait for.
void pause_until_it_is_looked(const sched::Substrate& substrate) {
  const std::uint64_t before = substrate.deadlock_looks();
  while (substrate.deadlock_looks() == before) std::this_thread::yield();
}

// Fibers and a thread that wait for one another all the time in all ways, and for nothing for ever; every pause of all harts is
// looked at, and by the thread there are some.
void wait_at_random() {
  constexpr int kFibers = 30;
  constexpr int kRounds = kHasSanitizer ? 300 : 3000;
  constexpr int kValuesAPause = 100;
  Harts here({.spin = Nanoseconds(0), .deadlock_after = Nanoseconds(1), .on_deadlock = [](const std::string& text) {
                ADD_FAILURE() << text;
              }});
  Entered<Stealing> tasks(here.root());
  ChannelOf<int> to_thread(3);
  ChannelOf<int> to_fibers(3);
  std::uint64_t pauses = 0;
  std::thread echo([&] {
    for (int values = 1; const auto value = to_thread.receive(); ++values) {
      if (values % kValuesAPause == 0) {
        pause_until_it_is_looked(here.substrate);
        ++pauses;
      }
      to_fibers.send(*value);
    }
  });
  std::vector<Mutex> mutexes(5);
  sched::Semaphore semaphore(2);
  std::vector<sched::Fiber*> fibers;
  for (unsigned f = 0; f < kFibers; ++f) {
    fibers.push_back(&start(tasks, [&, f] {
      std::mt19937 random(f);
      for (int round = 0; round < kRounds; ++round) {
        switch (random() % 4) {
          case 0: {
            const std::size_t low = random() % 4;
            const std::scoped_lock first(mutexes[low]);
            yield();
            const std::scoped_lock second(mutexes[low + 1]);
            break;
          }
          case 1:
            semaphore.acquire();
            yield();
            semaphore.release();
            break;
          case 2:
            EXPECT_TRUE(to_thread.send(round));
            EXPECT_TRUE(to_fibers.receive().has_value());
            break;
          default: {
            sched::Group group(tasks);
            for (int i = 0; i < 3; ++i) group.run([] { yield(); });
            group.wait();
          }
        }
      }
    }));
  }
  for (sched::Fiber* const fiber : fibers) join(*fiber);
  to_thread.close();
  echo.join();
  EXPECT_GT(pauses, 0U);
  EXPECT_GE(here.substrate.deadlock_looks(), pauses);
}

TEST(Deadlock, IsNeverToldInALongRandomRun) { wait_at_random(); }

// What is looked for then are circles alone.
TEST(Deadlock, IsNeverToldInALongRandomRunBesideAnotherThread) {
  std::mutex until_the_end;
  until_the_end.lock();
  std::thread stranger([&] { const std::lock_guard waits(until_the_end); });
  wait_at_random();
  until_the_end.unlock();
  stranger.join();
}

}  // namespace
}  // namespace comity::testing
