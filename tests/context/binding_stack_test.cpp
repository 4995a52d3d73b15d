// SPDX-License-Identifier: BSD-3-Clause
#include "context/binding_stack.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <optional>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace comity::context {
namespace {

constexpr Owner kA = 1;
constexpr Owner kB = 2;
const CpuSet kAll{0, 1, 2, 3};

Status status_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.status();
  }
  return Status::ok;
}

// Refuses masks that hold CPU 9; keeps threads with masks of their own.
class FakeBinder final : public Binder {
 public:
  std::vector<Saved::Thread> threads{{100, kAll}, {101, {3}}};
  CpuSet cpuset = kAll;  // what a restore can give
  bool stuck = false;    // a restore is refused
  pid_t helper = 0;      // a thread that is left alone from now on
  CpuSet place;          // of the main thread in its team: its part of a push; empty: all of it

  CpuSet binding() const override { return threads.front().mask; }
  ThreadMasks masks_of_threads() override {
    ThreadMasks masks{{}, binding()};
    for (const auto& thread : threads) masks.all |= thread.mask;
    return masks;
  }
  Saved move(const CpuSet& mask, const CpuSet* pushed, TeamPolicy /*teams*/) override {
    if (mask.contains(9)) throw Error(Status::system, "refused");
    Saved saved{pushed == nullptr ? binding() : *pushed, threads, mask};
    std::erase_if(saved.threads, [this](const Saved::Thread& thread) { return thread.id == helper; });
    for (const auto& reached : saved.threads) give_back({reached.id, mask});
    if (!place.empty()) threads.front().mask = saved.given = place;
    return saved;
  }
  Restored restore(const Saved& saved) noexcept override {
    Restored restored{!stuck && cpuset == kAll};
    for (auto& thread : threads) {
      if (thread.id == helper) continue;
      if (stuck) {
        restored.note(thread.id, EPERM);
        continue;
      }
      thread.mask = saved.process;
      for (const auto& before : saved.threads) {
        if (before.id == thread.id) thread.mask = before.mask;
      }
      thread.mask &= cpuset;
    }
    return restored;
  }
  void give_back(const Saved::Thread& one) noexcept override {
    for (auto& thread : threads) {
      if (thread.id == one.id) thread.mask = one.mask;
    }
  }
  CpuSet move_caller(const CpuSet& mask) override {
    if (mask.contains(9)) throw Error(Status::system, "refused");
    return std::exchange(threads[1].mask, mask);
  }
  std::vector<pid_t> note_helpers() override { return {}; }
};

TEST(BindingStack, PopGivesEachThreadItsOwnMaskBack) {
  FakeBinder binder;
  BindingStack stack(binder);
  stack.push(kA, {1});
  EXPECT_EQ(binder.threads[1].mask, CpuSet({1}));
  stack.pop(kA);
  EXPECT_EQ(binder.threads[0].mask, kAll);
  EXPECT_EQ(binder.threads[1].mask, CpuSet({3}));
}

TEST(BindingStack, AThreadBornSinceThePushGetsTheProcessMask) {
  FakeBinder binder;
  BindingStack stack(binder);
  stack.push(kA, {1});
  binder.threads.push_back({102, {1}});
  stack.pop(kA);
  EXPECT_EQ(binder.threads[2].mask, kAll);
}

TEST(BindingStack, AMaskFromOutsideIsTheBindingUntilThePopOnceItWasLookedFor) {
  FakeBinder binder;
  BindingStack stack(binder);
  stack.push(kA, {1, 2});
  binder.threads[0].mask = {2};
  EXPECT_EQ(stack.binding(), CpuSet({1, 2}));
  stack.look_anew();
  EXPECT_EQ(stack.binding(), CpuSet({2}));
  stack.push(kB, {3});
  EXPECT_EQ(stack.binding(), CpuSet({3}));
  stack.pop(kB);
  EXPECT_EQ(stack.binding(), CpuSet({2}));
  stack.pop(kA);
  EXPECT_EQ(stack.binding(), kAll);
}

TEST(BindingStack, ASecondMaskFromOutsideIsFoundAlsoWhereItIsTheOneThatWasPushed) {
  FakeBinder binder;
  BindingStack stack(binder);
  stack.push(kA, {1});
  binder.threads[0].mask = {2};
  stack.look_anew();
  binder.threads[0].mask = {1};
  stack.look_anew();
  EXPECT_EQ(stack.binding(), CpuSet({1}));
}

TEST(BindingStack, AMaskFromOutsideUnderTheInnermostPushIsFoundAfterItsPop) {
  FakeBinder binder;
  BindingStack stack(binder);
  stack.push(kA, {1, 2});
  binder.threads[0].mask = {2};
  stack.push(kB, {3});
  stack.look_anew();
  EXPECT_EQ(stack.binding(), CpuSet({3}));
  stack.pop(kB);
  stack.look_anew();
  EXPECT_EQ(stack.binding(), CpuSet({2}));
}

CpuSet of_threads(const BindingStack& stack) {
  return stack.binding_of_threads([](const ThreadMasks&) {});
}

// A team of one is on one core of what is pushed for it.
TEST(BindingStack, TheBindingOfThreadsHasAllOfThePushWhileTheMainThreadIsAtItsPlaceInIt) {
  FakeBinder binder;
  BindingStack stack(binder);
  binder.place = {0};
  stack.push(kA, {0, 1});
  binder.threads[1].mask = {3};
  EXPECT_EQ(of_threads(stack), CpuSet({0, 1, 3}));
  binder.threads[0].mask = {2};
  EXPECT_EQ(of_threads(stack), CpuSet({2, 3}));
}

TEST(BindingStack, TheBindingOfThreadsHasNothingOfAPushThatTheMainThreadHadLeftBeforeTheNext) {
  FakeBinder binder;
  BindingStack stack(binder);
  stack.push(kA, {0, 1});
  for (auto& thread : binder.threads) thread.mask = {2};
  stack.push(kB, {3});
  EXPECT_EQ(of_threads(stack), CpuSet({3}));
  stack.pop(kB);
  EXPECT_EQ(of_threads(stack), CpuSet({2}));
}

TEST(BindingStack, ALookTellsWhoeverListensWhatIsPushedAndInForce) {
  FakeBinder binder;
  std::vector<CpuSet> told;
  BindingStack stack(binder, [&](const BindingStack::State& now) { told = {now.pushed, now.binding}; });
  binder.threads[0].mask = {3};
  stack.look_anew();
  EXPECT_EQ(told, (std::vector<CpuSet>{{}, {3}}));
  stack.push(kA, {1, 2});
  stack.look_anew();
  EXPECT_EQ(told, (std::vector<CpuSet>{{1, 2}, {1, 2}}));
  binder.threads[0].mask = {2};
  stack.look_anew();
  EXPECT_EQ(told, (std::vector<CpuSet>{{2}, {2}}));
}

TEST(BindingStack, APopThatGivesLessThanItTookTellsWhatIsInForce) {
  FakeBinder binder;
  std::vector<CpuSet> told;
  BindingStack stack(binder, [&](const BindingStack::State& now) { told = {now.pushed, now.binding}; });
  stack.push(kA, {1, 2});
  binder.cpuset = {0, 3};
  stack.pop(kA);
  EXPECT_EQ(told, (std::vector<CpuSet>{{}, {0, 3}}));
}

TEST(BindingStack, APopThatIsRefusedIsDoneAndTheEntryBelowHasTheMaskThatStayed) {
  FakeBinder binder;
  std::vector<CpuSet> told;
  BindingStack stack(binder, [&](const BindingStack::State& now) { told = {now.pushed, now.binding}; });
  stack.push(kA, {1, 2});
  stack.push(kA, {3});
  binder.stuck = true;
  const BindingStack::Popped popped = stack.pop(kA);
  EXPECT_EQ(popped.restored.refused, 100);
  EXPECT_EQ(popped.restored.problem, EPERM);
  EXPECT_EQ(popped.binding, CpuSet({3}));
  EXPECT_EQ(stack.depth(kA), 1);
  EXPECT_EQ(stack.binding(), CpuSet({3}));
  EXPECT_EQ(told, (std::vector<CpuSet>{{3}, {3}}));
  const Restored removed = stack.remove(kA);
  EXPECT_EQ(removed.problem, EPERM);
  EXPECT_EQ(stack.depth(kA), 0);
  EXPECT_EQ(told, (std::vector<CpuSet>{{}, {3}}));
}

TEST(BindingStack, APopGivesTheMaskThatItBroughtBack) {
  FakeBinder binder;
  BindingStack stack(binder);
  stack.push(kA, {1, 2});
  stack.push(kA, {3});
  EXPECT_EQ(stack.pop(kA).binding, CpuSet({1, 2}));
  const BindingStack::Popped popped = stack.pop(kA);
  EXPECT_EQ(popped.binding, kAll);
  EXPECT_EQ(popped.restored.problem, 0);
}

TEST(BindingStack, APhasesEntryIsNoPopsToTake) {
  FakeBinder binder;
  BindingStack stack(binder);
  stack.push(kA, {1});
  stack.push(kA, {2}, Until::leave);
  stack.push(kA, {3});
  stack.pop(kA);
  EXPECT_EQ(status_of([&] { stack.pop(kA); }), Status::order);
  EXPECT_EQ(stack.depth(kA), 2);
  EXPECT_EQ(stack.binding(), CpuSet({2}));
  (void)stack.remove(kA, 1);
  EXPECT_EQ(stack.binding(), CpuSet({1}));
  stack.pop(kA);
  EXPECT_EQ(stack.binding(), kAll);
}

TEST(BindingStack, PopOfTheEmptyStackChangesNothing) {
  FakeBinder binder;
  BindingStack stack(binder);
  EXPECT_EQ(status_of([&] { stack.pop(kA); }), Status::order);
  stack.push(kA, {2});
  EXPECT_EQ(stack.binding(), CpuSet({2}));
  stack.pop(kA);
  EXPECT_EQ(status_of([&] { stack.pop(kA); }), Status::order);
  EXPECT_EQ(stack.binding(), kAll);
}

TEST(BindingStack, PopOfAnotherContextsPushChangesNothing) {
  FakeBinder binder;
  BindingStack stack(binder);
  stack.push(kA, {1});
  stack.push(kB, {2});
  EXPECT_EQ(status_of([&] { stack.pop(kA); }), Status::order);
  EXPECT_EQ(stack.binding(), CpuSet({2}));
  stack.pop(kB);
  EXPECT_EQ(stack.binding(), CpuSet({1}));
}

TEST(BindingStack, ARefusedPushChangesNothing) {
  FakeBinder binder;
  BindingStack stack(binder);
  stack.push(kA, {1});
  EXPECT_EQ(status_of([&] { stack.push(kA, {9}); }), Status::system);
  EXPECT_EQ(stack.depth(kA), 1);
  EXPECT_EQ(stack.binding(), CpuSet({1}));
}

TEST(BindingStack, AFreedContextInTheMiddleLeavesTheTopInForceAndThePopGoesBelowIt) {
  FakeBinder binder;
  BindingStack stack(binder);
  stack.push(kA, {1});
  stack.push(kB, {2});
  stack.remove(kA);
  EXPECT_EQ(stack.binding(), CpuSet({2}));
  stack.pop(kB);
  EXPECT_EQ(binder.threads[0].mask, kAll);
  EXPECT_EQ(binder.threads[1].mask, CpuSet({3}));
}

TEST(BindingStack, AThreadThatBecameAHelperGetsItsMaskBackFromAFreedContextInTheMiddle) {
  FakeBinder binder;
  BindingStack stack(binder);
  stack.push(kA, {1});
  binder.helper = 101;
  stack.push(kB, {2});
  EXPECT_EQ(binder.threads[1].mask, CpuSet({1}));
  stack.remove(kA);
  EXPECT_EQ(binder.threads[1].mask, CpuSet({3}));
  stack.pop(kB);
  EXPECT_EQ(binder.threads[0].mask, kAll);
  EXPECT_EQ(binder.threads[1].mask, CpuSet({3}));
}

TEST(BindingStack, AThreadBornUnderTheTopGetsWhatWasBelowAFreedContextInTheMiddle) {
  FakeBinder binder;
  BindingStack stack(binder);
  stack.push(kB, {0, 1});
  stack.push(kA, {1});
  stack.push(kB, {2});
  stack.remove(kA);
  binder.threads.push_back({102, {2}});
  stack.pop(kB);
  EXPECT_EQ(binder.threads[2].mask, CpuSet({0, 1}));
}

TEST(BindingStack, AThreadBornUnderAFreedContextInTheMiddleGetsWhatWasBelowIt) {
  FakeBinder binder;
  BindingStack stack(binder);
  stack.push(kB, {0, 1});
  stack.push(kA, {1});
  binder.threads.push_back({102, {1}});
  stack.push(kB, {2});
  stack.remove(kA);
  EXPECT_EQ(binder.threads[2].mask, CpuSet({2}));
  stack.pop(kB);
  EXPECT_EQ(binder.threads[2].mask, CpuSet({0, 1}));
  stack.pop(kB);
  EXPECT_EQ(binder.threads[2].mask, kAll);
}

TEST(BindingStack, AThreadBornUnderTwoPushesGetsTheMaskInForceNotThatOfAPinnedMainThread) {
  FakeBinder binder;
  BindingStack stack(binder);
  stack.push(kA, {0, 1});
  binder.threads[0].mask = {0};  // placed as member 0 of a team
  stack.push(kA, {2});
  binder.threads.push_back({102, {2}});
  stack.pop(kA);
  EXPECT_EQ(binder.threads[2].mask, CpuSet({0, 1}));
}

TEST(BindingStack, RemoveKeepsTheFirstEntriesOfAnOwner) {
  FakeBinder binder;
  BindingStack stack(binder);
  stack.push(kA, {0});
  stack.push(kA, {1});
  stack.push(kB, {2});
  stack.push(kA, {3});
  stack.remove(kA, 1);
  EXPECT_EQ(stack.depth(kA), 1);
  EXPECT_EQ(stack.binding(), CpuSet({2}));
  stack.pop(kB);
  EXPECT_EQ(stack.binding(), CpuSet({0}));
}

TEST(BindingStack, AFreedContextOnTopIsPopped) {
  FakeBinder binder;
  BindingStack stack(binder);
  stack.push(kB, {2});
  stack.push(kA, {1});
  stack.push(kA, {3});
  stack.remove(kA);
  EXPECT_EQ(stack.binding(), CpuSet({2}));
  EXPECT_EQ(stack.depth(kA), 0);
  EXPECT_EQ(stack.depth(kB), 1);
}

constexpr pid_t kCaller = 101;  // the second of the binder's threads: it had CPU 3

// Entered and left around pushes in every order: `steps` are e(nter), l(eave), p(ush), o (pop).
CpuSet after(FakeBinder& binder, const std::string& steps) {
  BindingStack stack(binder);
  std::optional<ThreadScope> scope;
  for (const char step : steps) {
    if (step == 'e') scope = stack.bind_caller(kCaller, {2});
    if (step == 'l') stack.release_caller(*scope);
    if (step == 'p') stack.push(kA, {0, 1});
    if (step == 'o') stack.pop(kA);
  }
  return binder.threads[1].mask;
}

struct Steps {
  const char* steps;
  CpuSet mask;  // of the thread
};

class ThreadScopes : public ::testing::TestWithParam<Steps> {};

TEST_P(ThreadScopes, NestWithPushesInAnyOrder) {
  FakeBinder binder;
  EXPECT_EQ(after(binder, GetParam().steps).to_list(), GetParam().mask.to_list());
}

INSTANTIATE_TEST_SUITE_P(Orders, ThreadScopes,
                         ::testing::Values(Steps{"e", {2}}, Steps{"el", {3}}, Steps{"ep", {0, 1}}, Steps{"epo", {2}},
                                           Steps{"epol", {3}}, Steps{"epl", {0, 1}}, Steps{"eplo", {3}},
                                           Steps{"pe", {2}}, Steps{"pel", {0, 1}}, Steps{"pelo", {3}},
                                           Steps{"peo", {3}}, Steps{"peol", {3}}, Steps{"peplo", {0, 1}},
                                           Steps{"peploo", {3}}, Steps{"peopl", {0, 1}}, Steps{"peoplo", {3}},
                                           Steps{"eppl", {0, 1}}, Steps{"epplo", {0, 1}}, Steps{"epploo", {3}}),
                         [](const auto& steps) { return std::string(steps.param.steps); });

TEST(ThreadScope, ThatALaterPushHasNotReachedEndsAtOnce) {
  FakeBinder binder;
  BindingStack stack(binder);
  const ThreadScope scope = stack.bind_caller(kCaller, {2});
  binder.helper = kCaller;
  stack.push(kA, {0, 1});
  stack.release_caller(scope);
  EXPECT_EQ(binder.threads[1].mask, CpuSet({3}));
}

TEST(ThreadScope, ARefusedOneChangesNothing) {
  FakeBinder binder;
  BindingStack stack(binder);
  EXPECT_EQ(status_of([&] { (void)stack.bind_caller(kCaller, {9}); }), Status::system);
  EXPECT_EQ(binder.threads[1].mask, CpuSet({3}));
}

}  // namespace
}  // namespace comity::context
