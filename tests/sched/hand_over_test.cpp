// SPDX-License-Identifier: BSD-3-Clause
// Harts handed over between levels under every interleaving: those who ask, withdraw, come, sleep and return. No request is
// slept through, none is left over, and nobody comes to a level that has ended. The numbers are those of the schedulers
// themselves; who does what with them in which order is written here as Scheduler and Hart do it.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "harts.hpp"
#include "interleavings.hpp"
#include "sched/harts/demand.hpp"
#include "sched/harts/idle_harts.hpp"
#include "sched/harts/lingerers.hpp"

namespace comity::testing {
namespace {

using Idle = sched::IdleHarts<StoppingAtomic>;

struct Gift {};

struct Level {
  explicit Level(Level* parent = nullptr) : above(parent) {}

  Level* const above;
  sched::Demand<StoppingAtomic> demand;
  StoppingAtomic<int> given{0};
  sched::Lingerers<Gift, StoppingAtomic> lingerers;
  StoppingAtomic<int> shared{0};  // fibers that any hart may begin

  [[nodiscard]] sched::Demand<StoppingAtomic>* demand_above() const {
    return above != nullptr ? &above->demand : nullptr;
  }
};

// A root with two levels below it, and two harts.
struct Machine {
  static constexpr std::size_t kHarts = 2;
  Level root;
  Level middle{&root};
  Level inner{&middle};
  Idle idle;
  std::array<Idle::Flag, kHarts> asleep;
  StoppingAtomic<int> ended{0};    // fibers
  StoppingAtomic<int> offered{0};  // the same
  inline static Gift gift;         // at one place in all runs, for what actors see tells these apart
  StoppingAtomic<int> running{0};  // fibers
  int taken = 0;                   // fibers, or claims; each keeps its hart
  bool locked = false;
  bool is_entered = true;
  bool is_gone = false;
  bool was_touched_when_gone = false;

  void request(Level& level, int harts) {
    level.demand.request(harts, level.demand_above(), [&](int more) { request(*level.above, more); });
    if (level.above == nullptr) wake_for_requests();
  }
  void cancel(Level& level, int harts) {
    level.demand.cancel(harts, level.demand_above(), [&](int fewer) { cancel(*level.above, -fewer); });
  }
  void wake_for_requests() {
    int needed = idle.to_wake([&] { return root.demand.wanted_now(); });
    for (std::size_t i = 0; i < kHarts && needed > 0; ++i) {
      if (Idle::unpark(asleep[i])) --needed;
    }
  }

  // From the root down; a hart that was lent from there has been claimed for the levels below it too. It stays where a child is
  // about to say how many it wants.
  [[nodiscard]] bool come_down_to(Level& level) {
    if (!middle.demand.claim(&root.demand)) return false;
    cancel(root, 1);
    if (&level == &middle) return true;
    while (Interleavings::stop_until([&] { return inner.demand.wanted() > 0 || !middle.demand.is_asked(); })) {
      if (inner.demand.claim(&middle.demand)) return true;
      if (!middle.demand.is_asked()) return false;
    }
    return false;
  }
  [[nodiscard]] bool take_shared(Level& level) {
    int left = level.shared.load();
    while (left > 0) {
      if (level.shared.compare_exchange_weak(left, left - 1)) return true;
    }
    return false;
  }
  void offer(Level& level) {
    if (level.shared.load() == 0 && level.lingerers.give(gift)) return;
    level.shared.fetch_add(1);
    if (!level.lingerers.count_on_one()) request(level, 1);
  }

  // A hart that was told idle; it looks again and again.
  void spin_for(Level& level) {
    while (Interleavings::stop_until([&] { return root.demand.wanted() > 0 && middle.demand.wanted() > 0; })) {
      if (come_down_to(level)) return begin_work();
    }
  }
  // The same, without looking more than once before it sleeps.
  void sleep_for(std::size_t hart, Level& level) {
    while (true) {
      idle.begin_park(asleep[hart]);
      const bool sleeps = root.demand.wanted_now() == 0;
      if (sleeps && !Interleavings::stop_until([&] { return asleep[hart].load() == 0; })) return;
      idle.end_park(asleep[hart]);
      if (!Interleavings::stop_until([&] { return root.demand.wanted() == 0 || middle.demand.wanted() > 0; })) return;
      if (come_down_to(level)) return begin_work();
    }
  }
  void begin_work() {
    ++taken;
    if (idle.end_idle()) wake_for_requests();
  }
};

class EveryHandOver : public ::testing::Test {
 protected:
  using Make = std::function<std::vector<Interleavings::Actor>()>;

  void expect(const Make& make, const std::function<void()>& holds) {
    std::size_t runs = 0;
    const auto make_anew = [&] {
      machine = std::make_unique<Machine>();
      return make();
    };
    join(start(fair_, [&] { runs = Interleavings::try_all(fair_, make_anew, holds, Interleavings::Every::state); }));
    EXPECT_GT(runs, 10U);
    RecordProperty("interleavings", static_cast<int>(runs));
  }
  // What a parent knows of its child, and what is wanted in the end.
  void expect_wanted(int harts) {
    EXPECT_EQ(machine->inner.demand.wanted(), harts);
    EXPECT_EQ(machine->middle.demand.wanted(), harts);
    EXPECT_EQ(machine->root.demand.wanted(), harts);
    EXPECT_EQ(machine->middle.demand.is_asked(), harts > 0);
    EXPECT_EQ(machine->root.demand.is_asked(), harts > 0);
  }

  std::unique_ptr<Machine> machine;

 private:
  Harts here_{{.harts = 1}};
  sched::Entered<sched::RoundRobin> fair_{here_.root()};
};

TEST_F(EveryHandOver, WakesAHartThatIsAboutToSleep) {
  expect(
      [&] {
        machine->idle.begin_idle();
        return std::vector<Interleavings::Actor>{[&] { machine->request(machine->inner, 1); },
                                                 [&] { machine->sleep_for(0, machine->inner); }};
      },
      [&] {
        EXPECT_EQ(machine->taken, 1);
        expect_wanted(0);
      });
}

// Who asks twice may count on a hart that is awake, and is being taken by what was asked for first.
TEST_F(EveryHandOver, WakesAnotherHartForARequestThatCountedOnATakenOne) {
  expect(
      [&] {
        machine->idle.begin_idle();
        machine->idle.begin_idle();
        return std::vector<Interleavings::Actor>{[&] {
                                                   machine->request(machine->middle, 1);
                                                   machine->request(machine->middle, 1);
                                                 },
                                                 [&] { machine->spin_for(machine->middle); },
                                                 [&] { machine->sleep_for(1, machine->middle); }};
      },
      [&] {
        EXPECT_EQ(machine->taken, 2);
        EXPECT_EQ(machine->root.demand.wanted(), 0);
      });
}

TEST_F(EveryHandOver, LeavesNothingOfAWithdrawnRequest) {
  expect(
      [&] {
        machine->idle.begin_idle();
        return std::vector<Interleavings::Actor>{[&] {
                                                   machine->request(machine->inner, 2);
                                                   machine->cancel(machine->inner, 2);
                                                 },
                                                 [&] { machine->spin_for(machine->inner); }};
      },
      [&] {
        // Who was claimed in between did come; whether further down as well, or for nothing, nobody can say.
        EXPECT_LE(machine->taken, 1);
        EXPECT_EQ(machine->inner.demand.wanted(), 0);
        EXPECT_FALSE(machine->middle.demand.is_asked());
        EXPECT_EQ(machine->root.demand.is_asked(), machine->middle.demand.wanted() > 0);
      });
}

// Fibers that were put where one hart lingers while another looks at the root: each has a hart in the end.
TEST_F(EveryHandOver, BeginsAllThatCountedOnALingeringHart) {
  const auto linger = [&] {
    Level& here = machine->middle;
    here.lingerers.begin();
    (void)here.shared.load();
    const auto end = here.lingerers.end();
    if (end.given != nullptr) return machine->begin_work();
    if ((end.counted_on || here.shared.load() > 0) && machine->take_shared(here)) return machine->begin_work();
    if (end.counted_on) ADD_FAILURE() << "counted on for nothing";
    machine->spin_for(here);
  };
  expect(
      [&, linger] {
        machine->idle.begin_idle();
        machine->idle.begin_idle();
        return std::vector<Interleavings::Actor>{[&] {
                                                   machine->offer(machine->middle);
                                                   machine->offer(machine->middle);
                                                 },
                                                 linger, [&] { machine->spin_for(machine->middle); }};
      },
      [&] { EXPECT_EQ(machine->taken, 2); });
}

// Harts say that they linger before they tell of the end of a fiber: what those who waited for that have next is seen to by them in
// every order, and no other hart is asked for.
TEST_F(EveryHandOver, AsksForNoHartWhereOneHasJustToldOfAnEnd) {
  constexpr int kFibers = 2;
  const auto end_and_linger = [&] {
    Level& here = machine->middle;
    here.lingerers.begin();
    machine->ended.fetch_add(1);
    if (!Interleavings::stop_until([&] { return machine->offered.load() == kFibers; })) return;
    const auto end = here.lingerers.end();
    if (end.given != nullptr || (end.counted_on && machine->take_shared(here))) ++machine->taken;
  };
  const auto join_and_offer = [&](int before) {
    return [&, before] {
      if (!Interleavings::stop_until([&] { return machine->ended.load() > before; })) return;
      machine->offer(machine->middle);
      machine->offered.fetch_add(1);
    };
  };
  expect(
      [=] {
        return std::vector<Interleavings::Actor>{end_and_linger, end_and_linger, join_and_offer(0), join_and_offer(1)};
      },
      [&] {
        EXPECT_EQ(machine->taken, kFibers);
        expect_wanted(0);
      });
}

// Who looks at what the fibers of sleeping harts wait for finds that no hart changes it before he has done.
TEST_F(EveryHandOver, LetsNoHartGoOnWhileItsFibersAreLookedAt) {
  bool went_on = false;  // in some order
  const auto run_a_fiber = [&] {
    machine->running.store(1);
    machine->running.store(0);
  };
  const auto sleep_between_two_fibers = [&, run_a_fiber] {
    run_a_fiber();
    machine->idle.begin_park(machine->asleep[0]);
    if (!Interleavings::stop_until([&] { return machine->asleep[0].load() == 0; })) return;
    machine->idle.end_park(machine->asleep[0]);
    if (!Interleavings::stop_until([&] { return !machine->idle.is_looked_at(); })) return;
    run_a_fiber();
    ++machine->taken;
  };
  const auto look = [&] {
    machine->idle.begin_look();
    if (machine->idle.parked_now() == 1) {
      EXPECT_EQ(machine->running.load(), 0);
      EXPECT_EQ(machine->running.load(), 0);
    }
    machine->idle.end_look();
  };
  expect(
      [&, sleep_between_two_fibers, look] {
        return std::vector<Interleavings::Actor>{
            sleep_between_two_fibers, look, [&] {
              if (!Interleavings::stop_until([&] { return machine->idle.parked() == 1; })) return;
              (void)Idle::unpark(machine->asleep[0]);
            }};
      },
      [&] { went_on = went_on || machine->taken == 1; });
  EXPECT_TRUE(went_on);
}

// Harts that come while a level ends leave before it is gone, or do not come.
TEST_F(EveryHandOver, ComesToNoLevelThatHasEnded) {
  const auto locked = [&](const std::function<void()>& inside) {
    if (!Interleavings::stop_until([&] { return !machine->locked; })) return;
    machine->locked = true;
    inside();
    machine->locked = false;
  };
  const auto come_and_return = [&, locked] {
    Level& level = machine->middle;
    bool comes = false;
    locked([&] {
      comes = machine->is_entered && level.demand.claim(&machine->root.demand);
      if (comes) level.given.fetch_add(1);
    });
    if (!comes) return;
    machine->cancel(machine->root, 1);
    machine->was_touched_when_gone = machine->was_touched_when_gone || machine->is_gone;
    level.given.fetch_sub(1);
  };
  expect(
      [&, locked, come_and_return] {
        machine->request(machine->middle, 2);
        return std::vector<Interleavings::Actor>{
            [&, locked] {
              Level& level = machine->middle;
              locked([&] { machine->is_entered = false; });
              machine->cancel(level, level.demand.wanted());
              if (!Interleavings::stop_until([&] { return level.given.load() == 0; })) return;
              machine->is_gone = true;
            },
            come_and_return, come_and_return};
      },
      [&] {
        EXPECT_TRUE(machine->is_gone);
        EXPECT_FALSE(machine->was_touched_when_gone);
        EXPECT_EQ(machine->root.demand.wanted(), 0);
        EXPECT_EQ(machine->middle.demand.wanted(), 0);
        EXPECT_FALSE(machine->root.demand.is_asked());
      });
}

}  // namespace
}  // namespace comity::testing
