// SPDX-License-Identifier: BSD-3-Clause
// The deque of tasks under every interleaving of an owner and thieves: each access to what they share is a place where another
// may go on, and all orders are tried. Each task is taken exactly once.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harts.hpp"
#include "sched/task_deque.hpp"

namespace comity::testing {
namespace {

using sched::Entered;
using sched::Fiber;
using sched::Hart;
using sched::RoundRobin;
using sched::Waiter;

// Actors, each a fiber, that stop before each access to shared memory; choices decide who goes on.
class Interleavings {
 public:
  using Actor = std::function<void()>;

  // Runs the actors that `make` returns in every order; returns in how many.
  static std::size_t try_all(Entered<RoundRobin>& fair, const std::function<std::vector<Actor>()>& make,
                             const std::function<void()>& check) {
    Interleavings all;
    one_ = &all;
    std::size_t runs = 0;
    do {
      all.run_once(fair, make());
      check();
      ++runs;
    } while (!::testing::Test::HasFailure() && all.next_choices());
    one_ = nullptr;
    return runs;
  }

  static void stop() {
    if (one_ == nullptr || one_->acting_ == nullptr) return;
    Waiter waiter(sched::WaitFor::event, nullptr);
    one_->acting_->waiter = &waiter;
    one_->driver_->wake();
    waiter.wait();
  }

 private:
  struct State {
    Waiter* waiter = nullptr;  // where it stopped
    bool ended = false;
  };

  void run_once(Entered<RoundRobin>& fair, std::vector<Actor> actors) {
    std::vector<State> states(actors.size());
    std::vector<Fiber*> fibers;
    for (std::size_t i = 0; i < actors.size(); ++i) {
      give_turn(states[i], [&] {
        fibers.push_back(&start(fair, [&states, &actors, this, i] {
          actors[i]();
          states[i].ended = true;
          driver_->wake();
        }));
      });
    }
    depth_ = 0;
    for (std::vector<State*> able = those_able(states); !able.empty(); able = those_able(states)) {
      State& chosen = *able[choose(able.size())];
      give_turn(chosen, [&] { std::exchange(chosen.waiter, nullptr)->wake(); });
    }
    for (Fiber* const fiber : fibers) join(*fiber);
  }

  // Until it stops or ends.
  template <typename Begin>
  void give_turn(State& state, const Begin& begin) {
    Waiter waiter(sched::WaitFor::event, nullptr);
    driver_ = &waiter;
    acting_ = &state;
    begin();
    waiter.wait();
    acting_ = nullptr;
  }

  static std::vector<State*> those_able(std::vector<State>& states) {
    std::vector<State*> able;
    for (State& state : states) {
      if (!state.ended) able.push_back(&state);
    }
    return able;
  }

  std::size_t choose(std::size_t among) {
    if (depth_ == choices_.size()) choices_.push_back({0, among});
    EXPECT_EQ(choices_[depth_].among, among) << "an actor does not do the same twice";
    return choices_[depth_++].taken;
  }

  bool next_choices() {
    while (!choices_.empty() && choices_.back().taken + 1 == choices_.back().among) choices_.pop_back();
    if (choices_.empty()) return false;
    ++choices_.back().taken;
    return true;
  }

  struct Choice {
    std::size_t taken;
    std::size_t among;
  };
  std::vector<Choice> choices_;
  std::size_t depth_ = 0;
  Waiter* driver_ = nullptr;
  State* acting_ = nullptr;
  inline static Interleavings* one_ = nullptr;
};

template <typename T>
class StoppingAtomic {
 public:
  StoppingAtomic() = default;
  explicit StoppingAtomic(T value) : value_(value) {}
  T load(std::memory_order) const {
    Interleavings::stop();
    return value_;
  }
  void store(T value, std::memory_order) {
    Interleavings::stop();
    value_ = value;
  }
  bool compare_exchange_strong(T& expected, T desired, std::memory_order) {
    Interleavings::stop();
    if (value_ == expected) {
      value_ = desired;
      return true;
    }
    expected = value_;
    return false;
  }
  bool compare_exchange_weak(T& expected, T desired, std::memory_order order) {
    return compare_exchange_strong(expected, desired, order);
  }

 private:
  T value_{};
};

struct Piece {
  int times_taken = 0;
};
using Deque = sched::TaskDeque<Piece, StoppingAtomic>;

class EveryInterleaving : public ::testing::Test {
 protected:
  // An owner that does what the word says, letter by letter ('+' push, '-' pop, 'o' offer), and thieves that try so often each.
  void expect_each_taken_once(const std::string& owner, std::size_t thieves, int tries, std::size_t at_once) {
    // Two slots, so that the ring grows and its places are used again.
    const auto make = [&] {
      deque_ = std::make_unique<Deque>(2);
      pieces_.assign(owner.size(), {});
      std::vector<Interleavings::Actor> actors;
      actors.emplace_back([this, &owner] {
        std::size_t pushed = 0;
        for (const char what : owner) {
          if (what == '+') {
            EXPECT_TRUE(deque_->push(pieces_[pushed++]));
          } else if (what == 'o') {
            deque_->offer();
          } else if (Piece* const piece = deque_->pop()) {
            ++piece->times_taken;
          }
        }
      });
      for (std::size_t i = 0; i < thieves; ++i) {
        actors.emplace_back([this, tries, at_once] {
          std::array<Piece*, 4> found{};
          for (int k = 0; k < tries; ++k) {
            const std::size_t count = deque_->steal({found.data(), at_once});
            for (std::size_t n = 0; n < count; ++n) ++found[n]->times_taken;
          }
        });
      }
      return actors;
    };
    const auto check = [&] {
      // What is left is the owner's.
      while (Piece* const piece = deque_->pop()) ++piece->times_taken;
      std::size_t pushed = 0;
      for (const char what : owner) pushed += what == '+' ? 1 : 0;
      for (std::size_t i = 0; i < pushed; ++i) ASSERT_EQ(pieces_[i].times_taken, 1) << "piece " << i;
    };
    std::size_t runs = 0;
    join(start(fair_, [&] { runs = Interleavings::try_all(fair_, make, check); }));
    EXPECT_GT(runs, 100U);
    RecordProperty("interleavings", static_cast<int>(runs));
  }

 private:
  Harts here_{{.harts = 1}};
  Entered<RoundRobin> fair_{here_.root()};
  std::unique_ptr<Deque> deque_;
  std::vector<Piece> pieces_;
};

TEST_F(EveryInterleaving, OfPushesAndPopsWithAThief) { expect_each_taken_once("++o-+--", 1, 2, 1); }
TEST_F(EveryInterleaving, OfAThiefWhoTakesTwice) { expect_each_taken_once("+-+-", 1, 2, 1); }
TEST_F(EveryInterleaving, OfAThiefWhoTakesSeveral) { expect_each_taken_once("+++o+--", 1, 1, 4); }
TEST_F(EveryInterleaving, OfTwoThieves) { expect_each_taken_once("++-", 2, 1, 1); }

}  // namespace
}  // namespace comity::testing
