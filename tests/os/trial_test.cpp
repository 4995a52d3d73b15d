// SPDX-License-Identifier: BSD-3-Clause
#include "os/process/trial.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <stdexcept>

namespace comity::os {
namespace {

using namespace std::chrono_literals;

TEST(Trial, SaysNothingOfWhatComesToItsEnd) {
  int here = 0;
  EXPECT_EQ(why_it_ends([&] { here = 1; }, 30s), "");
  EXPECT_EQ(here, 0) << "it was done elsewhere";
  EXPECT_EQ(why_it_ends([] { throw std::runtime_error("refused"); }, 30s), "");
}

TEST(Trial, SaysWhatEndsIt) {
  EXPECT_NE(why_it_ends([] { ::raise(SIGKILL); }, 30s).find("ended by a signal, Killed"), std::string::npos);
  EXPECT_EQ(why_it_ends([] { ::_exit(7); }, 30s), "it left with exit code 7");
  EXPECT_EQ(why_it_ends([] { ::pause(); }, 1s), "it had not ended after 1 s");
}

TEST(Trial, KeepsItsWordsToItself) {
  ::testing::internal::CaptureStdout();
  (void)why_it_ends(
      [] {
        std::puts("a complaint");
        std::fflush(stdout);
      },
      30s);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
}

}  // namespace
}  // namespace comity::os
