// SPDX-License-Identifier: BSD-3-Clause
#include "context/environment_policy.hpp"

#include <gtest/gtest.h>

#include <map>

namespace comity::context {
namespace {

using Environment = std::map<std::string, std::string, std::less<>>;
using Names = std::vector<std::string>;

Lookup in(const Environment& environment) {
  return [&](std::string_view name) -> std::optional<std::string> {
    const auto row = environment.find(name);
    return row == environment.end() ? std::nullopt : std::optional(row->second);
  };
}

Names names(const std::vector<Policy>& policies) {
  Names names;
  for (const Policy& policy : policies) names.push_back(policy.variable);
  return names;
}

Names found(const Environment& environment) { return names(fighting_policies(in(environment))); }
Names shrinking(const Environment& environment, int members = 4) {
  return names(shrinking_policies(in(environment), members));
}

TEST(EnvironmentPolicy, AnEmptyEnvironmentDoesNotFight) { EXPECT_EQ(found({}), Names{}); }

TEST(EnvironmentPolicy, BindingIsSeenInAllItsSpellings) {
  EXPECT_EQ(found({{"OMP_PROC_BIND", "true"}}), Names{"OMP_PROC_BIND"});
  EXPECT_EQ(found({{"OMP_PROC_BIND", "close,spread"}}), Names{"OMP_PROC_BIND"});
  EXPECT_EQ(found({{"OMP_PLACES", "cores"}}), Names{"OMP_PLACES"});
  EXPECT_EQ(found({{"GOMP_CPU_AFFINITY", "0-3"}}), Names{"GOMP_CPU_AFFINITY"});
  EXPECT_EQ(found({{"KMP_AFFINITY", "granularity=fine,compact"}}), Names{"KMP_AFFINITY"});
}

TEST(EnvironmentPolicy, BindingSwitchedOffInWordsDoesNotFight) {
  EXPECT_EQ(found({{"OMP_PROC_BIND", "FALSE"}, {"OMP_PLACES", "cores"}, {"GOMP_CPU_AFFINITY", "0-3"}}), Names{});
  EXPECT_EQ(found({{"KMP_AFFINITY", "verbose,none"}}), Names{});
  EXPECT_EQ(found({{"KMP_AFFINITY", "disabled"}}), Names{});
}

// Whoever unsets the first alone is pinned by the others.
TEST(EnvironmentPolicy, EveryVariableThatBindsByItselfIsNamed) {
  EXPECT_EQ(found({{"OMP_PROC_BIND", "close"}, {"OMP_PLACES", "cores"}}), (Names{"OMP_PROC_BIND", "OMP_PLACES"}));
  EXPECT_EQ(found({{"OMP_PROC_BIND", "true"}, {"OMP_PLACES", "cores"}, {"GOMP_CPU_AFFINITY", "0-3"}}),
            (Names{"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY"}));
}

TEST(EnvironmentPolicy, AProcBindThatDecidesNothingLeavesItToTheOthers) {
  for (const char* const nothing : {"", "0"}) {
    SCOPED_TRACE(nothing);
    EXPECT_EQ(found({{"OMP_PROC_BIND", nothing}}), Names{});
    EXPECT_EQ(found({{"OMP_PROC_BIND", nothing}, {"OMP_PLACES", "cores"}}), Names{"OMP_PLACES"});
    EXPECT_EQ(found({{"OMP_PROC_BIND", nothing}, {"GOMP_CPU_AFFINITY", "0-3"}}), Names{"GOMP_CPU_AFFINITY"});
  }
}

TEST(EnvironmentPolicy, AnEmptyValueBindsNothing) {
  EXPECT_EQ(found({{"OMP_PLACES", ""}, {"GOMP_CPU_AFFINITY", ""}, {"KMP_AFFINITY", ""}}), Names{});
}

TEST(EnvironmentPolicy, TheSentenceSaysWhatToUnset) {
  const std::string sentence = describe_fighting({{"OMP_PROC_BIND", "close"}, {"KMP_AFFINITY", "compact"}});
  EXPECT_NE(sentence.find("OMP_PROC_BIND=close"), std::string::npos);
  EXPECT_NE(sentence.find("unset OMP_PROC_BIND KMP_AFFINITY"), std::string::npos);
  EXPECT_EQ(describe_fighting({}), "");
}

// Each word was put to both runtimes: what either takes for yes, and what neither does.
TEST(ShrinkingPolicy, DynamicTeamsAreSeenInAllTheirSpellings) {
  for (const char* const yes :
       {"true", "TRUE", " true ", "t", "tr", "yes", "y", "1", "on", ".true.", ".T.", "enabled"}) {
    EXPECT_EQ(shrinking({{"OMP_DYNAMIC", yes}}), Names{"OMP_DYNAMIC"}) << yes;
  }
  for (const char* const no : {"", " ", "false", "FALSE", "0", "2", "o", "enab", "truer"}) {
    EXPECT_EQ(shrinking({{"OMP_DYNAMIC", no}}), Names{}) << no;
  }
}

TEST(ShrinkingPolicy, ALimitShrinksTeamsThatAreLarger) {
  for (const char* const low : {"1", "3", " 1 ", "0"}) {
    EXPECT_EQ(shrinking({{"OMP_THREAD_LIMIT", low}}), Names{"OMP_THREAD_LIMIT"}) << low;
  }
  for (const char* const high : {"4", "5", "99999999999", "-1", "1x", ""}) {
    EXPECT_EQ(shrinking({{"OMP_THREAD_LIMIT", high}}), Names{}) << high;
  }
  EXPECT_EQ(shrinking({{"OMP_THREAD_LIMIT", "4"}}, 5), Names{"OMP_THREAD_LIMIT"});
}

TEST(ShrinkingPolicy, NoActiveLevelMeansTeamsOfOne) {
  for (const char* const none : {"0", " 0 ", "+0"}) {
    EXPECT_EQ(shrinking({{"OMP_MAX_ACTIVE_LEVELS", none}}), Names{"OMP_MAX_ACTIVE_LEVELS"}) << none;
  }
  for (const char* const some : {"1", "2", "-1", "0x", ""}) {
    EXPECT_EQ(shrinking({{"OMP_MAX_ACTIVE_LEVELS", some}}), Names{}) << some;
  }
}

TEST(ShrinkingPolicy, ATeamOfOneCannotShrink) {
  EXPECT_EQ(shrinking({{"OMP_DYNAMIC", "true"}, {"OMP_THREAD_LIMIT", "0"}, {"OMP_MAX_ACTIVE_LEVELS", "0"}}, 1),
            Names{});
}

TEST(ShrinkingPolicy, TheSentenceSaysHowManyAndWhatToUnset) {
  const Environment all{{"OMP_DYNAMIC", "yes"}, {"OMP_THREAD_LIMIT", "1"}, {"OMP_MAX_ACTIVE_LEVELS", "0"}};
  const std::string sentence = describe_shrinking(shrinking_policies(in(all), 4), 4);
  EXPECT_NE(sentence.find("(OMP_DYNAMIC=yes, OMP_THREAD_LIMIT=1, OMP_MAX_ACTIVE_LEVELS=0)"), std::string::npos);
  EXPECT_NE(sentence.find("the 4 members"), std::string::npos);
  EXPECT_NE(sentence.find("unset OMP_DYNAMIC OMP_THREAD_LIMIT OMP_MAX_ACTIVE_LEVELS"), std::string::npos);
  EXPECT_EQ(describe_shrinking({}, 4), "");
}

}  // namespace
}  // namespace comity::context
