// SPDX-License-Identifier: BSD-3-Clause
// Where tasks run: whom harts steal from and how much, tasks that name a NUMA node, harts that are not alike.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "base/cpu_set.hpp"
#include "base/error.hpp"
#include "base/spin.hpp"
#include "harts.hpp"
#include "os/cpus/affinity.hpp"
#include "sched/tasks/group.hpp"
#include "sched/tasks/stealing.hpp"
#include "sched/waiting/event.hpp"
#include "thread_states.hpp"

namespace comity::testing {
namespace {

using sched::Entered;
using sched::Group;
using sched::Hart;
using sched::Stealing;
using sched::Victim;

// Four harts, whatever CPUs there are: threads of those that are not here share that of the first.
struct FourCpus : sched::HartSource {
  [[nodiscard]] CpuSet cpus() const override { return {first_, first_ + 1, first_ + 2, first_ + 3}; }
  [[nodiscard]] bool wanted(std::size_t) const noexcept override { return false; }
  void taken(std::size_t) noexcept override {}
  void returned(std::size_t) noexcept override {}

 private:
  const std::size_t first_ = static_cast<std::size_t>(os::current_cpu()) / 4 * 4;
};

// Each second one is of the other node; or is twice as fast, so they say.
struct TwoNodes : FourCpus {
  [[nodiscard]] int node_of(std::size_t cpu) const noexcept override { return static_cast<int>(cpu % 2); }
};
struct UnlikeCpus : FourCpus {
  [[nodiscard]] int speed_of(std::size_t cpu) const noexcept override { return 1 + static_cast<int>(cpu % 2); }
};

// Each CPU is a node of its own.
struct NodeEach : sched::OwnCpus {
  [[nodiscard]] int node_of(std::size_t cpu) const noexcept override { return static_cast<int>(cpu); }
};

TEST(Victims, AreThoseOfTheOwnNodeFirst) {
  constexpr std::array<int, 5> kNodes{0, 1, 0, 1, 1};
  constexpr std::array<int, 5> kSpeeds{1, 1, 1, 1, 1};
  const sched::Victims of_2 = sched::victims_of(2, kNodes, kSpeeds);
  EXPECT_EQ(of_2.near, (std::vector<Victim>{{0, 128}}));
  EXPECT_EQ(of_2.far, (std::vector<Victim>{{1, 128}, {3, 128}, {4, 128}}));
  EXPECT_TRUE(sched::victims_of(0, std::array<int, 1>{3}, std::array<int, 1>{1}).near.empty());
}

TEST(Victims, LoseMoreToTheFasterThanToTheSlower) {
  constexpr std::array<int, 3> kNodes{0, 0, 0};
  constexpr std::array<int, 3> kSpeeds{1024, 512, 1024};
  EXPECT_EQ(sched::victims_of(0, kNodes, kSpeeds).near, (std::vector<Victim>{{1, 170}, {2, 128}}));
  EXPECT_EQ(sched::victims_of(1, kNodes, kSpeeds).near, (std::vector<Victim>{{0, 85}, {2, 85}}));
}

// Nobody is near: who has nothing steals from the other node then.
TEST(Victims, OfOtherNodesAreStolenFromToo) {
  NodeEach cpus;
  sched::Substrate substrate(cpus, {.harts = 2});
  Entered<Stealing> tasks(substrate.root());
  join(start(tasks, [&] {
    const std::size_t harts = substrate.harts();
    std::atomic<std::size_t> there{0};
    Group group(tasks);
    while (harts > 1 && substrate.idle() == 0) spin_pause();  // the other one has come up
    // Both must be there at once, and none leaves its hart: one is stolen.
    for (std::size_t i = 0; i < harts; ++i) {
      group.run([&] {
        ++there;
        while (there < harts) spin_pause();
      });
    }
    group.wait();
  }));
}

// A fiber on that hart, which runs `body` there.
template <typename Body>
sched::Fiber& start_on(Hart& hart, sched::Scheduler& scheduler, Body& body) {
  return scheduler.spawn_on(
      hart, [](void* with) { (*static_cast<Body*>(with))(); }, &body);
}

// Of whom the caller's hart steals first, second and so on: their nodes. All others keep their harts, each with one task.
std::vector<int> nodes_stolen_from(Stealing& tasks) {
  sched::Substrate& substrate = Hart::current()->substrate();
  const std::size_t thief = Hart::current()->number();
  const std::size_t others = substrate.harts() - 1;
  std::vector<int> nodes;  // of the thief's hart alone
  std::atomic<std::size_t> there{0};
  std::atomic<std::size_t> have_one{0};
  std::atomic<bool> over{false};
  sched::Event all_are_stolen;
  auto keep_a_hart = [&] {
    ++there;
    while (there < others) std::this_thread::yield();  // else one that is idle yet would be the thief
    Group group(tasks);
    group.run([&, node = Hart::current()->node()] {
      EXPECT_EQ(Hart::current()->number(), thief);
      nodes.push_back(node);
      if (nodes.size() == others) all_are_stolen.happen();
    });
    ++have_one;
    while (!over) std::this_thread::yield();
  };
  std::vector<sched::Fiber*> keepers;
  for (std::size_t i = 0; i < substrate.harts(); ++i) {
    if (i != thief) keepers.push_back(&start_on(substrate.hart(i), tasks, keep_a_hart));
  }
  while (have_one < others) std::this_thread::yield();
  all_are_stolen.wait();
  over = true;
  for (sched::Fiber* const keeper : keepers) join(*keeper);
  return nodes;
}

// By chance a thief without a rule would find the near one first in every third round.
TEST(Thieves, AskHartsOfTheirNodeFirst) {
  TwoNodes cpus;
  sched::Substrate substrate(cpus, {.harts = 4});
  Entered<Stealing> tasks(substrate.root());
  join(start(tasks, [&] {
    const int near = Hart::current()->node();
    for (int round = 0; round < 20; ++round) {
      ASSERT_EQ(nodes_stolen_from(tasks), (std::vector<int>{near, 1 - near, 1 - near})) << "round " << round;
    }
  }));
}

// How many the thief takes at once where 13 stand there for whoever comes.
class Theft {
 public:
  explicit Theft(Stealing& tasks) : tasks_(tasks) {}

  std::size_t taken(Hart& thief, Hart& victim) {
    auto hold_thief = [this] {
      step_ = Step::thief_is_held;
      wait_for(Step::one_is_there);
    };
    auto be_robbed = [this] { make_tasks(); };
    sched::Fiber& held = start_on(thief, tasks_, hold_thief);
    sched::Fiber& robbed = start_on(victim, tasks_, be_robbed);
    join(robbed);
    join(held);
    return taken_;
  }

 private:
  enum class Step { begins, thief_is_held, one_is_there, one_is_stolen, half_are_shown, counted };

  void wait_for(Step step) const {
    while (step_.load() < step) std::this_thread::yield();
  }

  // The first task alone is shown, and no others before that is gone: the next one that is made shows half of the 25 then.
  void make_tasks() {
    wait_for(Step::thief_is_held);
    Group group(tasks_);
    group.run([this] {
      step_ = Step::one_is_stolen;
      wait_for(Step::half_are_shown);
    });
    for (int i = 0; i < 24; ++i) group.run([this] { count_once(); });
    step_ = Step::one_is_there;
    wait_for(Step::one_is_stolen);
    group.run([this] { count_once(); });
    step_ = Step::half_are_shown;
    wait_for(Step::counted);
    group.wait();
  }

  // What came with the first that runs stands in its hart's own deque.
  void count_once() {
    if (taken_ > 0) return;
    taken_ = 1;
    Stealing::Tasks& own = tasks_.tasks_of(*Hart::current());
    while (sched::Task* const task = own.deque.pop()) {
      ++taken_;
      Stealing::run(own, *task);
    }
    step_ = Step::counted;
  }

  Stealing& tasks_;
  std::size_t taken_ = 0;  // of the thief's hart until it is counted
  std::atomic<Step> step_{Step::begins};
};

TEST(Thieves, TakeTwoThirdsWhereTheyAreTwiceAsFastAndOneThirdOfThose) {
  UnlikeCpus cpus;
  sched::Substrate substrate(cpus, {.harts = 2});
  Entered<Stealing> tasks(substrate.root());
  join(start(tasks, [&] {
    for (const std::size_t i : {0U, 1U}) {
      Hart& thief = substrate.hart(i);
      Hart& victim = substrate.hart(1 - i);
      EXPECT_EQ(Theft(tasks).taken(thief, victim), thief.speed() > victim.speed() ? 9U : 4U);
    }
  }));
}

struct Piece {};
using Deque = sched::TaskDeque<Piece>;

TEST(Shares, AreOfThePublicPartAndOneAtLeast) {
  std::vector<Piece> all(25);
  std::array<Piece*, 32> found{};
  Deque deque;
  for (Piece& piece : all) ASSERT_TRUE(deque.push(piece));
  ASSERT_EQ(deque.steal(found, 1), 1U);  // the first alone becomes public, and then none until that is gone
  deque.offer();                         // half of 24
  EXPECT_EQ(deque.steal(found, 171), 8U);
  EXPECT_EQ(deque.steal(found, 64), 1U);
  EXPECT_EQ(deque.steal(found), 2U);
}

// Two harts, one of half the speed, in a time that only their tasks make pass: each works, or looks in vain for as long as a
// tenth of a task takes. All tasks are made on the fast one, or on the slow one.
class TwoSpeeds {
 public:
  struct Side {
    Side(double of_a_task, std::uint32_t stolen) : cost(of_a_task), share(stolen) {}

    Deque deque;
    double cost;  // of a task
    std::uint32_t share;
    double now = 0.0;
    double busy = 0.0;
    int steals = 0;
  };

  explicit TwoSpeeds(std::size_t maker, std::size_t tasks) : pieces_(tasks), left_(tasks) {
    for (Piece& piece : pieces_) EXPECT_TRUE(sides_[maker].deque.push(piece));
  }

  void run() {
    while (left_ > 0) {
      Side& side = sides_[sides_[0].now <= sides_[1].now ? 0 : 1];
      step(side, sides_[&side == &sides_[0] ? 1 : 0]);
    }
  }
  [[nodiscard]] double busy(std::size_t side) const {
    return sides_[side].busy / std::max(sides_[0].now, sides_[1].now);
  }
  [[nodiscard]] int steals() const { return sides_[0].steals + sides_[1].steals; }

 private:
  void step(Side& side, Side& other) {
    side.deque.offer();
    if (side.deque.pop() != nullptr) {
      side.now += side.cost;
      side.busy += side.cost;
      --left_;
      return;
    }
    side.now += 0.1;
    side.steals += other.deque.steal_into(side.deque, side.share) > 0 ? 1 : 0;
  }

  std::vector<Piece> pieces_;
  std::size_t left_;
  std::array<Side, 2> sides_{Side(1.0, sched::share_of(2, 1)), Side(2.0, sched::share_of(1, 2))};
};

TEST(HartsOfTwoSpeeds, AreBothBusyUntilTheEnd) {
  for (const std::size_t maker : {0U, 1U}) {
    for (const std::size_t tasks : {100U, 1000U, 10'000U}) {
      TwoSpeeds harts(maker, tasks);
      harts.run();
      EXPECT_GT(harts.busy(0), 0.9) << tasks << " tasks made on hart " << maker;
      EXPECT_GT(harts.busy(1), 0.9) << tasks << " tasks made on hart " << maker;
    }
  }
}

// Hart by hart: `first` runs on the one that comes first, which is the only one that looks for tasks meanwhile; the others have
// called `other` before.
template <typename First, typename Other>
void with_the_others_held(Stealing& tasks, const First& first, const Other& other) {
  const std::size_t harts = Hart::current()->substrate().harts();
  std::atomic<std::size_t> there{0};
  std::atomic<std::size_t> held{0};
  std::atomic<bool> done{false};
  Group group(tasks);
  while (Hart::current()->substrate().idle() + 1 < static_cast<int>(harts)) spin_pause();
  for (std::size_t i = 0; i < harts; ++i) {
    group.run([&] {
      const bool leads = there.fetch_add(1) == 0;
      while (there < harts) spin_pause();
      if (leads) {
        while (held + 1 < harts) spin_pause();
        first();
        done = true;
        return;
      }
      Group own(tasks);
      other(own);
      ++held;
      while (!done) spin_pause();
    });
  }
  group.wait();
}

TEST(TasksOfANode, GoAfterOwnTasksAndBeforeThoseOfOthers) {
  NodeEach cpus;
  sched::Substrate substrate(cpus, {.harts = 2});
  if (substrate.harts() < 2) {
    std::puts("NOT TESTED: harts of two nodes, for this machine has one CPU");
    return;
  }
  Entered<Stealing> tasks(substrate.root());
  std::string order;
  join(start(tasks, [&] {
    const auto first = [&] {
      const std::size_t here = Hart::current()->number();
      Group group(tasks);
      group.run_on(substrate.hart(1 - here).node(), [&] { order += "other node's, "; });
      group.run_on(substrate.hart(here).node(), [&] { order += "node's first, "; });
      group.run_on(substrate.hart(here).node(), [&] { order += "node's second, "; });
      group.run([&] { order += "own, "; });
      group.wait();
    };
    with_the_others_held(tasks, first, [&](Group& group) { group.run([&] { order += "stolen, "; }); });
  }));
  EXPECT_EQ(order, "own, node's first, node's second, stolen, other node's, ");
}

// All others sleep, and the one that is woken is of the node: that of the task, or for a task of none that of who made it.
TEST(TasksOfANode, WakeAHartOfIt) {
  TwoNodes cpus;
  sched::Substrate substrate(cpus, {.harts = 4, .spin = Nanoseconds(0)});
  Entered<Stealing> tasks(substrate.root());
  join(start(tasks, [&] {
    const int others = static_cast<int>(substrate.harts()) - 1;
    for (int round = 0; round < 60; ++round) {
      const int here = Hart::current()->node();
      const int node = round % 3 == 0 ? here : round % 3 - 1;
      std::atomic<const Hart*> ran_on{nullptr};
      Group group(tasks);
      while (substrate.parked() < others || !others_sleep()) std::this_thread::yield();
      const auto work = [&] { ran_on = Hart::current(); };
      if (round % 3 == 0) {
        group.run(work);
      } else {
        group.run_on(node, work);
      }
      while (ran_on == nullptr) std::this_thread::yield();
      ASSERT_EQ(ran_on.load()->node(), node) << "round " << round;
    }
  }));
}

// The other hart has nothing else to do, and this one does not look.
TEST(TasksOfANode, AreBegunByAHartOfIt) {
  NodeEach cpus;
  sched::Substrate substrate(cpus, {.harts = 2});
  if (substrate.harts() < 2) {
    std::puts("NOT TESTED: harts of two nodes, for this machine has one CPU");
    return;
  }
  Entered<Stealing> tasks(substrate.root());
  join(start(tasks, [&] {
    for (int round = 0; round < 200; ++round) {
      Hart& other = substrate.hart(1 - Hart::current()->number());
      std::atomic<const Hart*> ran_on{nullptr};
      Group group(tasks);
      while (substrate.idle() == 0) spin_pause();  // it has come up, and will be asked for
      group.run_on(other.node(), [&] { ran_on = Hart::current(); });
      while (ran_on == nullptr) spin_pause();
      EXPECT_EQ(ran_on.load(), &other);
    }
  }));
}

TEST(TasksOfANode, AreBegunThoughAFiberAlwaysCanGoOn) {
  Harts here({.harts = 1});
  Entered<Stealing> tasks(here.root());
  join(start(tasks, [&] {
    bool done = false;
    Group group(tasks);
    group.run_on(here.substrate.hart(0).node(), [&done] { done = true; });
    while (!done) yield();
  }));
}

TEST(TasksOfANode, AreRefusedWhereNoHartIsOfIt) {
  Harts here({.harts = 1});
  Entered<Stealing> tasks(here.root());
  join(start(tasks, [&] {
    Group group(tasks);
    try {
      group.run_on(4711, [] { ADD_FAILURE() << "was run"; });
      ADD_FAILURE() << "was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::range);
      EXPECT_NE(std::string(error.what()).find("4711"), std::string::npos);
    }
  }));
}

}  // namespace
}  // namespace comity::testing
