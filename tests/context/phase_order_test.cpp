// SPDX-License-Identifier: BSD-3-Clause
// Phases of several contexts on one thread that are left in another order than that in which they were entered: the team of
// the phase that is still open stays, and at the end the size is that from before the first. On a simulated machine, where
// every rank may have four cores. Built once a runtime (GNU, LLVM).
#include <comity/comity.hpp>

#include <gtest/gtest.h>
#include <omp.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <thread>

namespace {

using comity::Context;

constexpr int kBefore = 3;  // no phase's
constexpr int kNarrow = 1;
constexpr int kWide = 4;

int members_of_a_region() {
  int members = 0;
#pragma omp parallel
#pragma omp single
  members = omp_get_num_threads();
  return members;
}

class PhaseOrder : public ::testing::Test {
 protected:
  PhaseOrder() {
    setenv("HWLOC_SYNTHETIC", "core:4 pu:1", 1);
    omp_set_num_threads(kBefore);
    for (std::optional<Context>& each : contexts_) each.emplace(Context::local());
  }

  Context& context(std::size_t index) { return contexts_[index].value(); }
  void free(std::size_t index) { contexts_[index].reset(); }

  static void enter(Context& context, int width) {
    int32_t selected = 0;
    ASSERT_EQ(comity_context_enter(context.handle(), COMITY_MACHINE, 1, width, &selected), COMITY_OK);
    ASSERT_EQ(selected, 1);
  }
  static void leave(Context& context) { ASSERT_EQ(comity_context_leave(context.handle()), COMITY_OK); }

 private:
  std::array<std::optional<Context>, 3> contexts_;
};

TEST_F(PhaseOrder, TheInnermostLeftFirstGivesBackWhatItFound) {
  enter(context(0), kNarrow);
  enter(context(1), kWide);
  leave(context(1));
  EXPECT_EQ(members_of_a_region(), kNarrow);
  leave(context(0));
  EXPECT_EQ(members_of_a_region(), kBefore);
}

TEST_F(PhaseOrder, TheOutermostLeftFirstKeepsTheOpenPhasesTeamAndLeavesNoneNarrow) {
  enter(context(0), kNarrow);
  enter(context(1), kWide);
  leave(context(0));
  EXPECT_EQ(members_of_a_region(), kWide) << "the open phase's";
  leave(context(1));
  EXPECT_EQ(members_of_a_region(), kBefore) << "not the size that the first phase had made";
}

TEST_F(PhaseOrder, TheOneInTheMiddleLeftFirstHandsOnToTheNextInside) {
  enter(context(0), 2);
  enter(context(1), kNarrow);
  enter(context(2), kWide);
  leave(context(1));
  EXPECT_EQ(members_of_a_region(), kWide);
  leave(context(2));
  EXPECT_EQ(members_of_a_region(), 2) << "that of the first, which is open";
  leave(context(0));
  EXPECT_EQ(members_of_a_region(), kBefore);
}

TEST_F(PhaseOrder, AFreedContextsPhaseHandsOnToo) {
  enter(context(0), kNarrow);
  enter(context(0), 2);
  enter(context(1), kWide);
  free(0);
  EXPECT_EQ(members_of_a_region(), kWide);
  leave(context(1));
  EXPECT_EQ(members_of_a_region(), kBefore);
}

TEST_F(PhaseOrder, APhaseOfAnotherThreadIsNotInsideMine) {
  enter(context(0), kNarrow);
  std::thread other([&] {
    omp_set_num_threads(2);
    enter(context(1), kWide);
  });
  other.join();
  leave(context(0));
  EXPECT_EQ(members_of_a_region(), kBefore);
  leave(context(1));
  EXPECT_EQ(members_of_a_region(), kBefore) << "it is left on this thread, which it never sized";
}

}  // namespace
