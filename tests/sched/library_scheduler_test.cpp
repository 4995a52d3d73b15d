// SPDX-License-Identifier: BSD-3-Clause
// Schedulers of one's own over libcomity_sched: what they are told and asked, whose turn it is, and what ends the process.
#include <gtest/gtest.h>

#include <atomic>
#include <comity/sched.hpp>
#include <csignal>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace {

using namespace comity::sched;  // NOLINT(google-build-using-namespace): a program of a user

comity_sched_options with_harts(int harts) {
  comity_sched_options options{};
  options.harts = harts;
  return options;
}

// Fibers in the order in which they could go on, and children as the test says.
class InTurn : public Scheduler {
 public:
  Turn turn = Turn::either;
  Child first = nullptr;

  struct Books {
    int entered = 0, exited = 0, requested = 0, returned = 0;
  };
  Books books_of(Child child) {
    const std::lock_guard held(mutex_);
    return books_[child];
  }

 protected:
  explicit InTurn(int harts) : own_(static_cast<std::size_t>(harts)) {}

  void made(int, Runnable fiber) noexcept override {
    const std::lock_guard held(mutex_);
    fresh_.push_back(fiber);
  }
  void ready(int hart, Runnable fiber) noexcept override { own_[static_cast<std::size_t>(hart)].push_back(fiber); }
  Runnable next(int hart) noexcept override {
    const std::lock_guard held(mutex_);
    auto& own = own_[static_cast<std::size_t>(hart)];
    auto& from = own.empty() ? fresh_ : own;
    if (from.empty()) return nullptr;
    const Runnable fiber = from.front();
    from.pop_front();
    return fiber;
  }
  int waiting(int hart) noexcept override {
    const std::lock_guard held(mutex_);
    return static_cast<int>(own_[static_cast<std::size_t>(hart)].size() + fresh_.size());
  }
  Turn granted(int, Child& child) noexcept override {
    child = first;
    return turn;
  }
  void requested(Child child, int harts) noexcept override {
    const std::lock_guard held(mutex_);
    if (harts > 0) books_[child].requested += harts;
  }
  void returned(int, Child child) noexcept override {
    const std::lock_guard held(mutex_);
    ++books_[child].returned;
  }
  void child_entered(Child child) noexcept override {
    const std::lock_guard held(mutex_);
    ++books_[child].entered;
  }
  void child_exited(Child child) noexcept override {
    const std::lock_guard held(mutex_);
    ++books_[child].exited;
  }

 private:
  std::mutex mutex_;
  std::deque<Runnable> fresh_;             // under the mutex
  std::map<Child, Books> books_;           // the same
  std::vector<std::deque<Runnable>> own_;  // each of its hart alone
};

using Own = Entered<InTurn>;

void spawn_and_forget(comity_sched_scheduler* scheduler, comity_sched_function work, void* argument) {
  comity::check(comity_sched_spawn(scheduler, work, argument, nullptr, nullptr));
}

// A fiber of the parent yields until one of the child has run: there is always one of the parent that can run. On one hart nobody
// else could see to the child.
TEST(OwnScheduler, LendsToAChildThoughOneOfItsFibersCanAlwaysRun) {
  for (const Turn turn : {Turn::own, Turn::either, Turn::children}) {
    Harts harts(with_harts(1));
    harts.run([turn] {
      Own own(comity::sched::harts());
      own.turn = turn;
      Fiber(
          [] {
            std::atomic<bool> done{false};
            {
              const Below below(Kind::round_robin);
              spawn_and_forget(
                  below.handle(), [](void* flag) { *static_cast<std::atomic<bool>*>(flag) = true; }, &done);
              while (!done) yield();
            }
          },
          "parent", own.handle())
          .join();
    });
  }
}

// The same the other way round: a child whose fibers yield for ever, which goes first.
TEST(OwnScheduler, RunsAFiberThoughAChildThatGoesFirstAlwaysAsks) {
  Harts harts(with_harts(1));
  harts.run([] {
    Own own(comity::sched::harts());
    own.turn = Turn::children;
    Fiber(
        [&own] {
          const Below below(Kind::round_robin);
          std::atomic<bool> stop{false};
          std::vector<Fiber> busy;
          for (int i = 0; i < 2; ++i) {
            busy.emplace_back(
                [&stop] {
                  while (!stop) yield();
                },
                "busy", below.handle());
          }
          Fiber([&stop] { stop = true; }, "own", own.handle()).join();
          for (Fiber& fiber : busy) fiber.join();
        },
        "parent", own.handle())
        .join();
  });
}

// Both children ask, the second one later; the scheduler says which one the hart goes to.
TEST(OwnScheduler, ChoosesTheChildThatGetsTheHart) {
  for (const bool second_first : {false, true}) {
    Harts harts(with_harts(1));
    harts.run([second_first] {
      Own own(comity::sched::harts());
      own.turn = Turn::children;
      Fiber(
          [&own, second_first] {
            const Below one(Kind::round_robin);
            const Below other(Kind::round_robin);
            std::string order;
            own.first = child_of(second_first ? other.handle() : one.handle());
            Fiber of_one([&order] { order += '1'; }, "one", one.handle());
            Fiber of_other([&order] { order += '2'; }, "other", other.handle());
            EXPECT_EQ(wanted_by(child_of(one.handle())), 1);
            EXPECT_EQ(wanted_by(child_of(other.handle())), 1);
            of_one.join();
            of_other.join();
            EXPECT_EQ(order, second_first ? "21" : "12");
            EXPECT_EQ(wanted_by(child_of(other.handle())), 0);
            own.first = nullptr;
          },
          "parent", own.handle())
          .join();
    });
  }
}

TEST(OwnScheduler, IsToldWhichChildBeginsAsksReturnsAndEnds) {
  Harts harts(with_harts(1));
  harts.run([] {
    Own own(comity::sched::harts());
    Fiber(
        [&own] {
          const Below quiet(Kind::round_robin);
          Child asked = nullptr;
          {
            const Below below(Kind::round_robin);
            asked = child_of(below.handle());
            Fiber([] {}, nullptr, below.handle()).join();
            EXPECT_EQ(own.books_of(asked).exited, 0);
          }
          const auto books = own.books_of(asked);
          EXPECT_EQ(books.entered, 1);
          EXPECT_GE(books.requested, 1);
          EXPECT_GE(books.returned, 1);
          EXPECT_EQ(books.exited, 1);
          const auto none = own.books_of(child_of(quiet.handle()));
          EXPECT_EQ(none.entered, 1);
          EXPECT_EQ(none.requested + none.returned + none.exited, 0);
        },
        "parent", own.handle())
        .join();
  });
}

// Counts what it is told of fibers that have run.
class Counts : public InTurn {
 public:
  struct Told {
    int ready = 0, yielded = 0, blocked = 0, finished = 0;
  };
  Told told;  // on one hart

 protected:
  explicit Counts(int harts) : InTurn(harts) {}

  void ready(int hart, Runnable fiber) noexcept override {
    ++told.ready;
    InTurn::ready(hart, fiber);
  }
  void yielded(int hart, Runnable fiber) noexcept override {
    ++told.yielded;
    InTurn::ready(hart, fiber);
  }
  void blocked(int, Runnable) noexcept override { ++told.blocked; }
  void finished(int, Runnable) noexcept override { ++told.finished; }
};

TEST(OwnScheduler, IsToldOfEachYieldEachWaitAndTheEnd) {
  Harts harts(with_harts(1));
  harts.run([] {
    Entered<Counts> own(comity::sched::harts());
    Semaphore gate(0);
    bool waits = false;
    Fiber solver(
        [&] {
          for (int i = 0; i < 5; ++i) yield();
          EXPECT_EQ(own.told.yielded, 5);
          EXPECT_EQ(own.told.ready + own.told.blocked + own.told.finished, 0);
          waits = true;
          gate.acquire();
          EXPECT_EQ(own.told.blocked, 1);
          EXPECT_EQ(own.told.ready, 1);
        },
        "solver", own.handle());
    while (!waits) yield();  // a fiber of the scheduler above
    EXPECT_EQ(own.told.blocked, 1);
    gate.release();
    solver.join();
    EXPECT_EQ(own.told.yielded, 5);
    EXPECT_EQ(own.told.finished, 1);
  });
}

TEST(OwnScheduler, KnowsNoChildThatHasEnded) {
  Harts harts(with_harts(1));
  harts.run([] {
    comity_sched_scheduler* gone = nullptr;
    {
      const Below below(Kind::round_robin);
      gone = below.handle();
    }
    EXPECT_THROW((void)child_of(gone), comity::Failure);
    EXPECT_THROW((void)child_of(nullptr), comity::Failure);
    EXPECT_EQ(wanted_by(nullptr), 0);
  });
}

// Gives a fiber that has run to another hart than its own, and asks for harts until another one comes.
class GivesToStrangers : public Scheduler {
 protected:
  void made(int, Runnable fiber) noexcept override { push({-1, fiber}); }
  void ready(int hart, Runnable fiber) noexcept override { push({hart, fiber}); }
  Runnable next(int hart) noexcept override {
    {
      const std::lock_guard held(mutex_);
      if (fibers_.empty()) return nullptr;
      if (fibers_.front().of != hart) {
        const Runnable fiber = fibers_.front().fiber;
        fibers_.pop_front();
        return fiber;
      }
    }
    request(1);
    return nullptr;
  }
  int waiting(int) noexcept override { return 0; }

 private:
  struct One {
    int of;  // the hart that it has run on; -1: none
    Runnable fiber;
  };
  void push(const One& one) {
    {
      const std::lock_guard held(mutex_);
      fibers_.push_back(one);
    }
    request(1);
  }
  std::mutex mutex_;
  std::deque<One> fibers_;  // under the mutex
};

TEST(OwnScheduler, ThatGivesAFiberToAStrangeHartEndsTheProcess) {
  {
    const Harts harts;
    if (comity::sched::harts() < 2) GTEST_SKIP() << "NOT TESTED: there is one CPU, and so no strange hart";
  }
  EXPECT_EXIT(
      {
        Harts harts;
        harts.run([] {
          Entered<GivesToStrangers> own;
          Fiber([] { yield(); }, "solver", own.handle()).join();
        });
      },
      ::testing::KilledBySignal(SIGABRT),
      R"(gave fiber [0-9]+ \(solver\) to hart [01]: it has run on hart [01], and goes on there alone)");
}

}  // namespace
