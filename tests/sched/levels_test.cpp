// SPDX-License-Identifier: BSD-3-Clause
// Schedulers in three levels under random blocking and waking: no level ever runs more than it was given, none is forgotten.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "harts.hpp"
#include "sanitizer.hpp"
#include "sched/fork_join.hpp"
#include "sched/tasks/stealing.hpp"

namespace comity::testing {
namespace {

using sched::Entered;
using sched::Fiber;
using sched::ForkJoin;
using sched::Hart;
using sched::Lane;
using sched::Next;
using sched::RoundRobin;
using sched::Scheduler;
using sched::Stealing;
using sched::Waiter;

// Of a level, in one word so that both are of one moment: [harts] given to it, and in use there, by a fiber or by a child.
struct Books {
  std::atomic<std::int64_t> word{0};

  static constexpr std::int64_t kGiven = std::int64_t{1} << 32;
  void give(int harts) { word.fetch_add(harts * kGiven); }
  void use() {
    const std::int64_t now = word.fetch_add(1) + 1;
    if ((now & (kGiven - 1)) > now / kGiven) ADD_FAILURE() << now % kGiven << " in use, given " << now / kGiven;
  }
  void stop_using() { word.fetch_sub(1); }
};

struct HasBooks {
  Books books;
  std::atomic<std::int64_t> told_yields{0};
};

// A kind of scheduler that keeps the books of its children and its own, and counts what it is told of fibers that yield.
template <typename Kind>
class Booked : public Kind, public HasBooks {
 protected:
  explicit Booked(Scheduler& parent) : Kind(parent) {}

  Next hart_granted(Lane& lane) override {
    const Next next = Kind::hart_granted(lane);
    if (next.what == Next::What::lend) {
      books.use();
      books_of(*next.child).give(1);
    }
    return next;
  }
  void hart_returned(Scheduler& child, Lane&) noexcept override {
    books_of(child).give(-1);
    books.stop_using();
  }
  void fiber_yielded(Lane& lane, Fiber& fiber) noexcept override {
    ++told_yields;
    Kind::fiber_yielded(lane, fiber);
  }

 private:
  static Books& books_of(Scheduler& child) { return dynamic_cast<HasBooks&>(child).books; }
};

using Level = Entered<Booked<RoundRobin>>;
using StealingLevel = Entered<Booked<Stealing>>;

// Places where fibers of all levels wait for whoever looks there. Each tells how often that happened.
class Slots {
 public:
  int wait_at(std::size_t at, Books& books) {
    Waiter waiter(sched::WaitFor::event, this);
    Waiter* nobody = nullptr;
    if (!slots_[at].compare_exchange_strong(nobody, &waiter)) return 0;
    books.stop_using();
    waiter.wait();
    books.use();
    return 1;
  }
  int wake_at(std::size_t at) {
    Waiter* const found = slots_[at].exchange(nullptr);
    if (found == nullptr) return 0;
    found->wake();
    return 1;
  }
  int wake_all() {
    int woken = 0;
    for (std::size_t i = 0; i < kCount; ++i) woken += wake_at(i);
    return woken;
  }
  static constexpr std::size_t kCount = 8;

 private:
  std::array<std::atomic<Waiter*>, kCount> slots_{};
};

constexpr int kFibers = 12;                              // a level
constexpr int kEvents = kHasSanitizer ? 1'500 : 20'900;  // that happen to a fiber; a million in all

struct Events {
  std::atomic<std::int64_t> yields{0}, blocks{0}, unblocks{0};
};

// What is tried and does not happen, for nobody waits there or somebody does already, is no event.
void live(Books& books, Slots& slots, Events& events, unsigned seed) {
  books.use();
  std::minstd_rand random(seed);
  int yields = 0;
  int blocks = 0;
  int unblocks = 0;
  while (yields + blocks + unblocks < kEvents) {
    const std::size_t at = random() / 7 % Slots::kCount;
    switch (random() / 7 % 4) {
      case 0:
        books.stop_using();
        yield();
        books.use();
        ++yields;
        break;
      case 1:
        blocks += slots.wait_at(at, books);
        break;
      default:
        unblocks += slots.wake_at(at);
    }
  }
  events.yields += yields;
  events.blocks += blocks;
  events.unblocks += unblocks;
  books.stop_using();
}

TEST(Levels, RunNoMoreThanTheyWereGiven) {
  Harts here;
  Events events;
  std::int64_t told_yields = 0;
  {
    Slots slots;
    // The root keeps no books: so one level more, without fibers, lends to the outermost of the three.
    Level below_root(here.root());
    below_root.books.give(static_cast<int>(here.substrate.harts()));
    Level outer(below_root);
    StealingLevel middle(outer);
    Level inner(middle);
    Level sibling(outer);
    std::atomic<int> alive{0};
    unsigned seed = 1;
    const auto begin = [&](Scheduler& level, Books& books) {
      for (int i = 0; i < kFibers; ++i) {
        ++alive;
        start(level, [&, mine = ++seed] {
          live(books, slots, events, mine);
          --alive;
        }).detached = true;
      }
    };
    begin(outer, outer.books);
    begin(middle, middle.books);
    begin(inner, inner.books);
    begin(sibling, sibling.books);
    while (alive > 0) {
      events.unblocks += slots.wake_all();
      yield();
    }
    told_yields = outer.told_yields + middle.told_yields + inner.told_yields + sibling.told_yields;
  }
  EXPECT_EQ(events.blocks.load(), events.unblocks.load());
  EXPECT_EQ(told_yields, events.yields.load());
  EXPECT_GE(events.yields + events.blocks + events.unblocks, std::int64_t{4} * kFibers * kEvents);
}

// A request that is withdrawn or left over is no reason to stay awake, and harts come back from every depth.
TEST(Levels, GiveAllHartsBack) {
  Harts here({.spin = Nanoseconds(0)});
  const int others = static_cast<int>(here.substrate.harts()) - 1;
  for (int round = 0; round < 100; ++round) {
    {
      Entered<RoundRobin> outer(here.root());
      Entered<ForkJoin> middle(outer);
      Entered<RoundRobin> inner(middle);
      inner.request(3);
      inner.request(-2);
      join(start(inner, [&] { EXPECT_EQ(Hart::current()->scheduler().parent(), &middle); }));
    }
    while (here.substrate.parked() != others) yield();
  }
  EXPECT_EQ(here.root().harts_wanted(), 0);
}

// An inner library with a team, called from each member of an outer team; on one hart, which is called from team to team,
// and on all.
TEST(Levels, TeamsNest) {
  for (const std::size_t harts : {1, 0}) {
    Harts here({.harts = harts});
    std::atomic<int> sum{0};
    Entered<ForkJoin> outer(here.root());
    for (int round = 0; round < 100; ++round) {
      outer.run(3, [&](std::size_t) {
        Entered<ForkJoin> inner(outer);
        inner.run(4, [&](std::size_t member) { sum += static_cast<int>(member); });
      });
    }
    EXPECT_EQ(sum, 100 * 3 * 6);
  }
}

// Two fibers that hand the hart to each other for ever leave it to another scheduler now and then.
TEST(Levels, ThatAlwaysHaveWorkLeaveTheHartToOthers) {
  Harts here({.harts = 1});
  Entered<RoundRobin> busy(here.root());
  Entered<RoundRobin> other(here.root());
  std::atomic<bool> done{false};
  const auto spin = [&] {
    while (!done) yield();
  };
  Fiber& first = start(busy, spin);
  Fiber& second = start(busy, spin);
  Fiber& last = start(other, [&] { done = true; });
  join(first);
  join(second);
  join(last);
}

// The hart that comes for the children runs a fiber of their parent first now and then: nothing is asked for at the root then.
TEST(Levels, WhoseFibersYieldForEverLendToChildrenThatAskedBefore) {
  Harts here({.harts = 1});
  Entered<RoundRobin> parent(here.root());
  const auto wait_for_a_child = [&] {
    for (int round = 0; round < 20; ++round) {
      Entered<RoundRobin> child(parent);
      std::atomic<bool> done{false};
      Fiber& fiber = start(child, [&] { done = true; });
      while (!done) yield();
      join(fiber);
    }
  };
  std::array<Fiber*, 3> fibers{};
  for (Fiber*& fiber : fibers) fiber = &start(parent, wait_for_a_child);
  for (Fiber* const fiber : fibers) join(*fiber);
}

}  // namespace
}  // namespace comity::testing
