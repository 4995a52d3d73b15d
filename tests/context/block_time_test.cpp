// SPDX-License-Identifier: BSD-3-Clause
// How long the members of LLVM's team spin after a region is the user's to say: what puts them to rest at the end of a phase
// gives that time back.
#include <comity/comity.hpp>

#include <gtest/gtest.h>

#include <cstdlib>

extern "C" {  // of LLVM's runtime; GNU's omp.h, which this is compiled with, lacks them
int kmp_get_blocktime(void);
void kmp_set_blocktime(int milliseconds);
}

namespace {

using comity::Context;
using comity::Resource;

constexpr int kOurs_ms = 37;

class BlockTime : public ::testing::TestWithParam<const char*> {};

TEST_P(BlockTime, IsAfterAPhaseWhatItWasBefore) {
  setenv("HWLOC_SYNTHETIC", "core:4 pu:1", 1);
  setenv("COMITY_CONTEXT_TEAM_AFTER_PHASE", GetParam(), 1);
  Context context = Context::local();
  kmp_set_blocktime(kOurs_ms);
  const int before = kmp_get_blocktime();
  int inside = 0;
  context.phase(Resource::machine, 1, [&] {
#pragma omp parallel
#pragma omp single
    inside = kmp_get_blocktime();
  });
  EXPECT_EQ(before, kOurs_ms);
  EXPECT_EQ(inside, kOurs_ms);
  EXPECT_EQ(kmp_get_blocktime(), kOurs_ms);
}

INSTANTIATE_TEST_SUITE_P(WhateverBecomesOfTheTeam, BlockTime, ::testing::Values("rest", "spin"));

}  // namespace
