// SPDX-License-Identifier: BSD-3-Clause
// Threads that are bound alone, as the kernel has them: beside the process's binding, and under its pushes and pops.
#include <comity/split.hpp>

#include <gtest/gtest.h>
#include <omp.h>

#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

#include "context/masks.hpp"

namespace comity {
namespace {

using testing::bind_this_thread;
using testing::Cpus;
using testing::cpus_in;
using testing::cpus_of;

comity_cpuset set_of(int cpu) {
  comity_cpuset set{};
  set.words[cpu / 64] |= std::uint64_t{1} << (cpu % 64);
  return set;
}

class ThreadScopes : public ::testing::Test {
 protected:
  void SetUp() override {
    if (all_.size() < 2) GTEST_SKIP() << "NOT TESTED: it needs two CPUs, this process has one";
    first_ = {all_.front()};
    last_ = {all_.back()};
  }
  void TearDown() override { bind_this_thread(all_); }

  const Cpus all_ = cpus_of(0);
  Cpus first_, last_;
};

TEST_F(ThreadScopes, BindOneThreadAloneUntilTheirEnd) {
  Context context = Context::local();
  std::thread([&] {
    {
      const ThreadScope outer(context, set_of(first_.front()));
      EXPECT_EQ(cpus_of(0), first_);
      {
        const ThreadScope inner(context, set_of(last_.front()));
        EXPECT_EQ(cpus_of(0), last_);
      }
      EXPECT_EQ(cpus_of(0), first_);
      EXPECT_EQ(cpus_in(context.binding()), all_) << "the process's binding is another thing";
    }
    EXPECT_EQ(cpus_of(0), all_);
  }).join();
  EXPECT_EQ(cpus_of(0), all_);
}

TEST_F(ThreadScopes, NestWithPushesOfTheProcess) {
  Context context = Context::local();
  EXPECT_TRUE(bind_this_thread(last_));
  {
    const ThreadScope scope(context, set_of(first_.front()));
    EXPECT_EQ(cpus_in(context.binding()), first_) << "of the main thread it is the binding";
    context.push(Resource::machine, 0);
    EXPECT_EQ(cpus_in(context.binding()), all_);
    {
      const ThreadScope under(context, set_of(last_.front()));
      EXPECT_EQ(cpus_of(0), last_);
      EXPECT_EQ(cpus_in(context.binding()), all_);
    }
    context.pop();
    EXPECT_EQ(cpus_of(0), first_);
  }
  EXPECT_EQ(cpus_of(0), last_);
}

TEST_F(ThreadScopes, ThatEndUnderALaterPushEndWithItsPop) {
  Context context = Context::local();
  EXPECT_TRUE(bind_this_thread(last_));
  std::optional<ThreadScope> scope(std::in_place, context, set_of(first_.front()));
  context.push(Resource::machine, 0);
  const Cpus pushed = cpus_of(0);
  scope.reset();
  EXPECT_EQ(cpus_of(0), pushed);
  context.pop();
  EXPECT_EQ(cpus_of(0), last_);
}

TEST_F(ThreadScopes, WhosePushIsGoneHaveEndedWithIt) {
  Context context = Context::local();
  context.push_cpuset(set_of(last_.front()));
  std::optional<ThreadScope> scope(std::in_place, context, set_of(first_.front()));
  context.pop();
  EXPECT_EQ(cpus_of(0), all_);
  scope.reset();
  EXPECT_EQ(cpus_of(0), all_);
}

TEST_F(ThreadScopes, AreEndedByTheirOwnThreadAlone) {
  Context context = Context::local();
  const comity_cpuset set = set_of(first_.front());
  comity_thread_scope scope{};
  ASSERT_EQ(comity_context_bind_thread(context.handle(), &set, &scope), COMITY_OK);
  std::thread([&] { EXPECT_EQ(comity_context_release_thread(context.handle(), &scope), COMITY_ERR_ORDER); }).join();
  EXPECT_EQ(cpus_of(0), first_);
  EXPECT_EQ(comity_context_release_thread(context.handle(), &scope), COMITY_OK);
  EXPECT_EQ(cpus_of(0), all_);
}

// What a pool does: its master divides the binding, each thread takes its part.
TEST_F(ThreadScopes, DivideTheBindingAmongThreads) {
  Context context = Context::local();
  const std::vector<comity_cpuset> parts = shares(context, Pieces{Resource::pu}, Assignment::packed, 2);
  std::vector<Cpus> found(parts.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    threads.emplace_back([&, i] {
      const ThreadScope scope(context, parts[i]);
      found[i] = cpus_of(0);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < parts.size(); ++i) EXPECT_EQ(found[i], cpus_in(parts[i]));
  EXPECT_NE(found[0], found[1]);
}

TEST_F(ThreadScopes, BindMembersOfATeamInsideARegion) {
  Context context = Context::local();
  context.push(Resource::machine, 0);
  const std::vector<comity_cpuset> parts = shares(context, Pieces{Resource::pu, 2}, Assignment::packed, 2);
  std::vector<Cpus> before(2), inside(2), after(2);
#pragma omp parallel num_threads(2)
  {
    const auto member = static_cast<std::size_t>(omp_get_thread_num());
    before[member] = cpus_of(0);
    {
      const ThreadScope scope(context, parts[1 - member]);
      inside[member] = cpus_of(0);
    }
    after[member] = cpus_of(0);
  }
  EXPECT_EQ(inside, (std::vector<Cpus>{cpus_in(parts[1]), cpus_in(parts[0])}));
  EXPECT_EQ(after, before);
  context.pop();
}

}  // namespace
}  // namespace comity
