// SPDX-License-Identifier: BSD-3-Clause
// What is set for idle threads of OpenMP, and what the user has set is left alone.
#include "coop/decision/idle_threads.hpp"

#include <gtest/gtest.h>

#include "coop/environment.hpp"

namespace comity::testing {
namespace {

std::string set(const coop::Lookup& variable) {
  std::string text;
  for (const coop::IdleSetting& setting : coop::settings_of_idle_threads(variable)) {
    text += (text.empty() ? "" : " ") + std::string(setting.name) + '=' + std::string(setting.value);
  }
  return text;
}

TEST(IdleThreads, AreToSleepAtOnceInEveryRuntime) {
  EXPECT_EQ(set(environment({})), "OMP_WAIT_POLICY=passive GOMP_SPINCOUNT=251 KMP_BLOCKTIME=0");
  EXPECT_TRUE(coop::may_set_block_time(environment({})));
  EXPECT_TRUE(coop::gnu_spins_unasked(environment({})));
  EXPECT_TRUE(coop::gnu_is_left_to_us(environment({})));
}

TEST(IdleThreads, SpinWhereTheUserWantsThatOrSaysWhatWeDoNotKnow) {
  for (const char* policy : {"active", "ACTIVE", " Active ", "", "whatever"}) {
    const auto given = environment({{"OMP_WAIT_POLICY", policy}});
    EXPECT_EQ(set(given), "") << policy;
    EXPECT_FALSE(coop::may_set_block_time(given)) << policy;
    EXPECT_FALSE(coop::gnu_spins_unasked(given)) << policy;
    EXPECT_FALSE(coop::gnu_is_left_to_us(given)) << policy;
  }
}

// It alone leaves LLVM's threads 200 ms.
TEST(IdleThreads, SleepSoonerWhereTheUserWantsThemPassive) {
  for (const char* policy : {"passive", "PASSIVE", " Passive\t"}) {
    const auto given = environment({{"OMP_WAIT_POLICY", policy}});
    EXPECT_EQ(set(given), "KMP_BLOCKTIME=0") << policy;
    EXPECT_TRUE(coop::may_set_block_time(given)) << policy;
    EXPECT_FALSE(coop::gnu_spins_unasked(given)) << policy;
    EXPECT_FALSE(coop::gnu_is_left_to_us(given)) << policy;
  }
}

// The number that says who has told them, so that they may look for work while there is room.
TEST(IdleThreads, ThatWereToldBeforeTheLaunchAreLeftToUsStill) {
  for (const char* policy : {"passive", "PASSIVE"}) {
    EXPECT_TRUE(coop::gnu_is_left_to_us(environment({{"OMP_WAIT_POLICY", policy}, {"GOMP_SPINCOUNT", "251"}})));
  }
  EXPECT_TRUE(coop::gnu_is_left_to_us(environment({{"GOMP_SPINCOUNT", "251"}})));
}

TEST(IdleThreads, OfARuntimeThatTheUserHasSetAreTheirs) {
  const auto gnu = environment({{"GOMP_SPINCOUNT", "1000"}});
  EXPECT_EQ(set(gnu), "KMP_BLOCKTIME=0");
  EXPECT_FALSE(coop::gnu_spins_unasked(gnu));
  EXPECT_FALSE(coop::gnu_is_left_to_us(gnu));
  EXPECT_TRUE(coop::may_set_block_time(gnu));
  for (const char* name : {"KMP_BLOCKTIME", "KMP_LIBRARY"}) {
    const auto llvm = environment({{name, "turnaround"}});
    EXPECT_EQ(set(llvm), "GOMP_SPINCOUNT=251") << name;
    EXPECT_FALSE(coop::may_set_block_time(llvm)) << name;
    EXPECT_TRUE(coop::gnu_spins_unasked(llvm)) << name;
  }
}

}  // namespace
}  // namespace comity::testing
