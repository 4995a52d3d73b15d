// SPDX-License-Identifier: BSD-3-Clause
// Every interleaving of some actors: each access to what they share is a place where another may go on, and all orders are
// tried. Not: what a weaker order of memory than one after another would allow.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "harts.hpp"
#include "sanitizer.hpp"

namespace comity::testing {

// Actors, each a fiber, that stop before each access to shared memory; choices decide who goes on.
class Interleavings {
 public:
  using Actor = std::function<void()>;
  using Fair = sched::Entered<sched::RoundRobin>;

  // orders: all of them. states: an order is left where each actor has seen what it saw in another one at that point, for the
  // rest would be the same; what actors see must then be numbers, and what else they share must not depend on the order.
  enum class Every : std::uint8_t { order, state };

  // Runs the actors that `make` returns in every order; returns in how many. At the end of each all have ended, or wait for what
  // nobody will bring about any more.
  static std::size_t try_all(Fair& fair, const std::function<std::vector<Actor>()>& make,
                             const std::function<void()>& check, Every every = Every::order) {
    Interleavings all;
    all.every_ = every;
    one_ = &all;
    std::size_t runs = 0;
    do {
      if (all.run_once(fair, make())) check();
      ++runs;
    } while (runs < kMostRuns && !::testing::Test::HasFailure() && all.next_choices());
    one_ = nullptr;
    return runs;
  }

  static void stop() {
    if (one_ == nullptr || one_->acting_ == nullptr) return;
    one_->acting_->rest(one_->driver_);
  }

  // What the acting one has just seen.
  template <typename T>
  static void saw(T value) {
    if constexpr (std::is_integral_v<T>) {
      if (one_ != nullptr && one_->acting_ != nullptr) one_->acting_->remember(static_cast<std::uint64_t>(value));
    }
  }

  // Until that holds, which is looked at without a stop: sleeps, locks, looking again and again. False: it never will.
  [[nodiscard]] static bool stop_until(const std::function<bool()>& holds) {
    State& self = *one_->acting_;
    self.may_go_on = &holds;
    self.rest(one_->driver_);
    self.may_go_on = nullptr;
    return !one_->nobody_goes_on_;
  }

 private:
  using Waiter = sched::Waiter;

  // A sanitizer looks at how it is done, and takes ten times as long.
  static constexpr std::size_t kMostRuns = kHasSanitizer ? 10'000 : std::numeric_limits<std::size_t>::max();

  struct State {
    Waiter* waiter = nullptr;  // where it stopped
    const std::function<bool()>* may_go_on = nullptr;
    bool ended = false;
    std::uint64_t steps = 0;
    std::uint64_t seen = 0;  // a hash of all that it has seen

    void remember(std::uint64_t value) { seen = (seen ^ (value + 1)) * 0x9e37'79b9'7f4a'7c15 + (seen >> 29); }
    void rest(Waiter*& driver) {
      Waiter here(sched::WaitFor::event, nullptr);
      waiter = &here;
      driver->wake();
      here.wait();
    }
    [[nodiscard]] bool is_able() const { return !ended && (may_go_on == nullptr || (*may_go_on)()); }
  };

  // False: it was left, for its end is known.
  bool run_once(Fair& fair, std::vector<Actor> actors) {
    nobody_goes_on_ = false;
    std::vector<State> states(actors.size());
    std::vector<sched::Fiber*> fibers;
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
    bool known = false;
    for (std::vector<State*> able = those_able(states); !able.empty() && !known; able = those_able(states)) {
      known = is_known(states);
      if (known) break;
      go_on(*able[choose(able.size())]);
    }
    nobody_goes_on_ = true;
    for (State& state : states) {
      while (!state.ended) go_on(state);
    }
    for (sched::Fiber* const fiber : fibers) join(*fiber);
    return !known;
  }

  void go_on(State& state) {
    give_turn(state, [&] { std::exchange(state.waiter, nullptr)->wake(); });
  }

  // At a place where no choice has been made yet.
  bool is_known(const std::vector<State>& states) {
    if (every_ == Every::order || depth_ < choices_.size()) return false;
    State all;
    for (const State& state : states) {
      all.remember(state.steps);
      all.remember(state.seen);
    }
    return !known_.insert(all.seen).second;
  }

  // Until it stops or ends.
  template <typename Begin>
  void give_turn(State& state, const Begin& begin) {
    Waiter waiter(sched::WaitFor::event, nullptr);
    driver_ = &waiter;
    acting_ = &state;
    ++state.steps;
    begin();
    waiter.wait();
    acting_ = nullptr;
  }

  static std::vector<State*> those_able(std::vector<State>& states) {
    std::vector<State*> able;
    for (State& state : states) {
      if (state.is_able()) able.push_back(&state);
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
  Every every_ = Every::order;
  std::unordered_set<std::uint64_t> known_;
  std::vector<Choice> choices_;
  std::size_t depth_ = 0;
  Waiter* driver_ = nullptr;
  State* acting_ = nullptr;
  bool nobody_goes_on_ = false;
  inline static Interleavings* one_ = nullptr;
};

template <typename T>
class StoppingAtomic {
 public:
  StoppingAtomic() = default;
  explicit StoppingAtomic(T value) : value_(value) {}
  T load(std::memory_order = std::memory_order_seq_cst) const {
    Interleavings::stop();
    return seen(value_);
  }
  void store(T value, std::memory_order order = std::memory_order_seq_cst) { (void)exchange(value, order); }
  T exchange(T value, std::memory_order = std::memory_order_seq_cst) {
    Interleavings::stop();
    return seen(std::exchange(value_, value));
  }
  T fetch_add(T more, std::memory_order = std::memory_order_seq_cst) {
    Interleavings::stop();
    return seen(std::exchange(value_, static_cast<T>(value_ + more)));
  }
  T fetch_sub(T fewer, std::memory_order = std::memory_order_seq_cst) {
    Interleavings::stop();
    return seen(std::exchange(value_, static_cast<T>(value_ - fewer)));
  }
  bool compare_exchange_strong(T& expected, T desired, std::memory_order = std::memory_order_seq_cst) {
    Interleavings::stop();
    const T before = seen(value_);
    if (before == expected) {
      value_ = desired;
      return true;
    }
    expected = before;
    return false;
  }
  bool compare_exchange_weak(T& expected, T desired, std::memory_order order = std::memory_order_seq_cst) {
    return compare_exchange_strong(expected, desired, order);
  }

 private:
  static T seen(T value) {
    Interleavings::saw(value);
    return value;
  }

  T value_{};
};

}  // namespace comity::testing
