// SPDX-License-Identifier: BSD-3-Clause
// What a push on a context does to the hart table of the node. Not: the table's own rules (node), nor the keeper's.
#include "runtime/wiring.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "node/becomes.hpp"
#include "runtime/context_fixture.hpp"
#include "runtime/lone_bootstrap.hpp"

namespace comity::testing {
namespace {

using node::HartState;

TEST(Wiring, APushTakesTheHartOfARankThatRestsAndAPopGivesItBack) {
  const auto ends = run_on_four_cores(2, [](ForkBootstrap& job) {
    const WiredContext context(job);
    meet(job);  // both are out of the create, which rests
    if (job.job_rank() == 0) {
      node::HartTable& harts = context.node().harts();
      EXPECT_TRUE(hart_becomes(HartState::idle, context.node(), 1));
      context->push(context::ObjectType::machine, 0);
      EXPECT_EQ(harts.word(1).state(), HartState::lent);
      EXPECT_EQ(harts.word(1).holder(), 0);
      EXPECT_EQ(harts.word(1).owner(), 1);
      EXPECT_EQ(context.node().published_mask(0), (CpuSet{0, 1, 2, 3}));
      context->pop();
      EXPECT_EQ(harts.word(1).state(), HartState::idle);
      EXPECT_EQ(harts.word(1).holder(), 1);
      EXPECT_EQ(context.node().published_mask(0), CpuSet{0});
    }
    context->quiesce(std::nullopt);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(Wiring, APushAsksForTheHartOfARankThatRunsAndAPopNoLonger) {
  const auto ends = run_on_four_cores(2, [](ForkBootstrap& job) {
    const WiredContext context(job);
    meet(job);
    if (job.job_rank() == 0) {
      node::HartTable& harts = context.node().harts();
      context->push(context::ObjectType::machine, 0);
      EXPECT_EQ(harts.word(1).wanted(), 1U);
      EXPECT_EQ(harts.word(1).holder(), 1);
      EXPECT_EQ(harts.word(2).holder(), 0) << "a hart of nobody's is to be had at once";
      context->pop();
      EXPECT_EQ(harts.word(1).wanted(), 0U);
      EXPECT_EQ(harts.word(2).state(), HartState::free);
    }
    meet(job);
  });
  EXPECT_TRUE(all_good(ends));
}

// The child lets go of everything that it has a copy of: its context, then what no context uses any longer.
TEST(Wiring, AForkChildThatFreesItsParentsContextLeavesTheParentItsHarts) {
  const auto ends = run_on_four_cores(2, [](ForkBootstrap& job) {
    std::optional<WiredContext> context(std::in_place, job);
    meet(job);
    if (job.job_rank() == 0) {
      node::Node& node = context->node();
      EXPECT_TRUE(hart_becomes(HartState::idle, node, 1));
      (*context)->push(context::ObjectType::machine, 0);
      const node::HartWord before = node.harts().word(1);
      EXPECT_EQ(before.holder(), 0);
      const pid_t child = ::fork();
      if (child == 0) {
        context.reset();
        runtime::LoneBootstrap nobody;
        const WiredContext own(nobody);
        ::_exit(0);
      }
      int status = -1;
      ::waitpid(child, &status, 0);
      EXPECT_EQ(status, 0);
      EXPECT_EQ(node.harts().word(1), before);
      EXPECT_EQ(node.published_mask(0), (CpuSet{0, 1, 2, 3}));
      (*context)->pop();
      EXPECT_EQ(node.harts().word(1).holder(), 1);
    }
    (*context)->quiesce(std::nullopt);
  });
  EXPECT_TRUE(all_good(ends));
}

// A second push narrows what is asked for, and its pop asks again.
TEST(Wiring, TheInnermostPushCounts) {
  const auto ends = run_on_four_cores(2, [](ForkBootstrap& job) {
    const WiredContext context(job);
    meet(job);
    if (job.job_rank() == 0) {
      node::HartTable& harts = context.node().harts();
      context->push(context::ObjectType::machine, 0);
      context->push(context::ObjectType::core, 2);
      EXPECT_EQ(harts.word(1).wanted(), 0U);
      EXPECT_EQ(harts.word(2).holder(), 0);
      EXPECT_EQ(harts.word(3).state(), HartState::free);
      context->pop();
      EXPECT_EQ(harts.word(1).wanted(), 1U);
      EXPECT_EQ(harts.word(3).holder(), 0);
      context->pop();
    }
    meet(job);
  });
  EXPECT_TRUE(all_good(ends));
}

// A segment that comes while a push is in force.
TEST(Wiring, ALaterNodeIsAskedForWhatAnEarlierContextHasPushed) {
  const auto ends = run_on_four_cores(2, [](ForkBootstrap& job) {
    runtime::LoneBootstrap nobody;
    const WiredContext own(nobody);
    if (job.job_rank() == 0) own->push(context::ObjectType::machine, 0);
    const WiredContext both(job);
    EXPECT_NE(own.node().id(), both.node().id());
    meet(job);
    if (job.job_rank() == 0) {
      EXPECT_EQ(both.node().harts().word(1).wanted(), 1U);
      own->pop();
      EXPECT_EQ(both.node().harts().word(1).wanted(), 0U);
    }
    meet(job);
  });
  EXPECT_TRUE(all_good(ends));
}

// A launcher that counts the cores the other way round, then a spread: each is alone on its core, so waits may spin.
TEST(Wiring, ASpreadOntoTheCoresOfOthersLeavesEachRankRoomToSpin) {
  const auto ends = run_on_four_cores(2, [](ForkBootstrap& job) {
    setenv("COMITY_MACHINE_BINDING", std::to_string(1 - job.job_rank()).c_str(), 1);
    const WiredContext context(job);
    context->spread(context::ObjectType::core);
    meet(job);
    EXPECT_EQ(context.node().published_mask(job.job_rank()), CpuSet{static_cast<std::size_t>(job.job_rank())});
    EXPECT_FALSE(context.node().hart_is_wanted());
    meet(job);
    context->pop();
    meet(job);
    EXPECT_FALSE(context.node().hart_is_wanted());
    meet(job);
  });
  EXPECT_TRUE(all_good(ends));
}

// Whichever of them another rank told it on: the ranks of the other one are to stay silent too.
TEST(Wiring, WhoTellsANoticeMarksEverySegmentThatItIsIn) {
  const auto ends = run_on_four_cores(2, [](ForkBootstrap& job) {
    runtime::LoneBootstrap nobody;
    const WiredContext one(nobody);
    const WiredContext other(job);
    ASSERT_NE(one.node().id(), other.node().id());
    meet(job);
    if (job.job_rank() != 0) return;
    runtime::Told told;
    runtime::Wiring wiring(one->node(), Options(), told);
    wiring.follow(one->node());
    wiring.follow(other->node());
    const auto told_before_on = [](node::Node& node, context::Notice notice) {
      return !node.first_to_tell(static_cast<unsigned>(notice));
    };

    EXPECT_TRUE(one.node().first_to_tell(static_cast<unsigned>(context::Notice::small_team)));
    EXPECT_FALSE(wiring.first_to_tell(context::Notice::small_team));
    EXPECT_TRUE(told_before_on(other.node(), context::Notice::small_team));

    EXPECT_TRUE(other.node().first_to_tell(static_cast<unsigned>(context::Notice::narrow_start)));
    EXPECT_FALSE(wiring.first_to_tell(context::Notice::narrow_start));
    EXPECT_TRUE(told_before_on(one.node(), context::Notice::narrow_start));

    EXPECT_TRUE(wiring.first_to_tell(context::Notice::fighting_policy));
    for (const WiredContext* const context : {&one, &other}) {
      EXPECT_TRUE(told_before_on(context->node(), context::Notice::fighting_policy));
    }
  });
  EXPECT_TRUE(all_good(ends));
}

// After the last context of a process the next one has another segment, and another wiring.
TEST(Wiring, WhoHasHeardANoticeIsSilentOnTheNextSegment) {
  constexpr auto kNotice = context::Notice::small_team;
  const auto ends = run_on_four_cores(1, [](ForkBootstrap&) {
    runtime::LoneBootstrap nobody;
    const WiredContext former(nobody);
    const WiredContext next(nobody);
    runtime::Told told;
    {
      runtime::Wiring wiring(former->node(), Options(), told);
      wiring.follow(former->node());
      EXPECT_TRUE(former.node().first_to_tell(static_cast<unsigned>(kNotice)));  // by another rank
      EXPECT_FALSE(wiring.first_to_tell(kNotice));
    }
    runtime::Wiring wiring(next->node(), Options(), told);
    EXPECT_FALSE(wiring.first_to_tell(kNotice));
    wiring.follow(next->node());
    EXPECT_FALSE(next.node().first_to_tell(static_cast<unsigned>(kNotice)));
    EXPECT_TRUE(wiring.first_to_tell(context::Notice::fighting_policy));
  });
  EXPECT_TRUE(all_good(ends));
}

}  // namespace
}  // namespace comity::testing
