// SPDX-License-Identifier: BSD-3-Clause
#include "context/threads/environment_policy.hpp"

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

constexpr Readers kGnu{true, false};
constexpr Readers kLlvm{false, true};
constexpr Readers kBoth{true, true};

Names found(const Environment& environment, Readers readers = kBoth) {
  return names(fighting_policies(in(environment), readers));
}
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
  EXPECT_EQ(found({{"OMP_PROC_BIND", "FALSE"}}), Names{});
  EXPECT_EQ(found({{"OMP_PROC_BIND", "FALSE"}, {"OMP_PLACES", "cores"}, {"GOMP_CPU_AFFINITY", "0-3"}}, kGnu), Names{});
  for (const char* const word : {"verbose,none", "disabled", "", "verbose", "norespect", "granularity=fine"}) {
    EXPECT_EQ(found({{"KMP_AFFINITY", word}}), Names{}) << word;
  }
}

// The two runtimes were asked: the masks of a team of two under each of these, here and below.
TEST(EnvironmentPolicy, LlvmPinsByPlacesWhateverProcBindSays) {
  for (const char* const off : {"false", "0", "disabled"}) {
    SCOPED_TRACE(off);
    EXPECT_EQ(found({{"OMP_PROC_BIND", off}, {"OMP_PLACES", "cores"}}, kLlvm), Names{"OMP_PLACES"});
    EXPECT_EQ(found({{"OMP_PROC_BIND", off}, {"OMP_PLACES", ""}}, kLlvm), Names{"OMP_PLACES"});
    EXPECT_EQ(found({{"OMP_PROC_BIND", off}, {"GOMP_CPU_AFFINITY", "0-3"}}, kLlvm), Names{"GOMP_CPU_AFFINITY"});
    EXPECT_EQ(found({{"OMP_PROC_BIND", off}, {"KMP_AFFINITY", "compact"}}, kLlvm), Names{"KMP_AFFINITY"});
  }
}

TEST(EnvironmentPolicy, ATypeInKmpAffinityOverrulesAllElseWithLlvmAlone) {
  const Environment others{{"OMP_PROC_BIND", "close"}, {"OMP_PLACES", "cores"}, {"GOMP_CPU_AFFINITY", "0-3"}};
  const Names three{"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY"};
  const auto with = [&](const char* kmp, Readers readers) {
    Environment all = others;
    all["KMP_AFFINITY"] = kmp;
    return found(all, readers);
  };
  for (const char* const off : {"none", "NONE", " none", "verbose,none", "none,compact", "disabled", "nonesuch",
                                "nocompact", "granularity=compact", "explicit"}) {
    EXPECT_EQ(with(off, kLlvm), Names{}) << off;
    EXPECT_EQ(with(off, kGnu), three) << off;
    EXPECT_EQ(with(off, kBoth), three) << off;
  }
  for (const char* const silent : {"", "verbose", "norespect", "granularity=fine"}) {
    EXPECT_EQ(with(silent, kLlvm), three) << silent;
  }
}

TEST(EnvironmentPolicy, KmpAffinityPinsByItsFirstType) {
  for (const char* const pins :
       {"compact", "COMPACT", " verbose , compact", "granularity=fine,compact,1,0", "compact,none", "scatter",
        "balanced", "logical", "physical", "explicit,proclist=[0,1]", "proclist=[0,1],explicit", "proclist=[0,1]"}) {
    EXPECT_EQ(found({{"KMP_AFFINITY", pins}}, kLlvm), Names{"KMP_AFFINITY"}) << pins;
  }
}

TEST(EnvironmentPolicy, GnuPinsByTheWordsThatItKnowsAlone) {
  for (const char* const known : {"true", " TRUE ", "master", "primary", "Close", "spread , close", "close\t"}) {
    EXPECT_EQ(found({{"OMP_PROC_BIND", known}}, kGnu), Names{"OMP_PROC_BIND"}) << known;
  }
  for (const char* const unknown : {"1", "disabled", "garbage", "closex", "tru", "true,", "true,true", "false,true",
                                    "close,", "close,true", "close;spread", ",close", "", " ", "0"}) {
    SCOPED_TRACE(unknown);
    EXPECT_EQ(found({{"OMP_PROC_BIND", unknown}}, kGnu), Names{});
    EXPECT_EQ(found({{"OMP_PROC_BIND", unknown}, {"OMP_PLACES", "cores"}}, kGnu), Names{"OMP_PLACES"});
    EXPECT_EQ(found({{"OMP_PROC_BIND", unknown}, {"GOMP_CPU_AFFINITY", "0-3"}}, kGnu), Names{"GOMP_CPU_AFFINITY"});
  }
  for (const char* const off : {"false", " false", "FALSE\t"}) {
    EXPECT_EQ(found({{"OMP_PROC_BIND", off}, {"OMP_PLACES", "cores"}, {"GOMP_CPU_AFFINITY", "0-3"}}, kGnu), Names{})
        << off;
  }
}

TEST(EnvironmentPolicy, LlvmTakesWhatItDoesNotKnowForYes) {
  for (const char* const yes : {"garbage", "f", "fals", "1", "01", "-0", "", " "}) {
    EXPECT_EQ(found({{"OMP_PROC_BIND", yes}}, kLlvm), Names{"OMP_PROC_BIND"}) << yes;
  }
  for (const char* const no : {"false", " False", "falsex", "false,true", "disabled", "0", "00", "0close"}) {
    EXPECT_EQ(found({{"OMP_PROC_BIND", no}}, kLlvm), Names{}) << no;
  }
}

TEST(EnvironmentPolicy, ARuntimeThatDoesNotReadAVariableDoesNotFight) {
  EXPECT_EQ(found({{"KMP_AFFINITY", "compact"}}, kGnu), Names{});
  EXPECT_EQ(found({{"OMP_PROC_BIND", "close"}, {"OMP_PLACES", "cores"}, {"KMP_AFFINITY", "compact"}}, {false, false}),
            Names{});
}

// Whoever unsets the first alone is pinned by the others.
TEST(EnvironmentPolicy, EveryVariableThatBindsByItselfIsNamed) {
  EXPECT_EQ(found({{"OMP_PROC_BIND", "close"}, {"OMP_PLACES", "cores"}}), (Names{"OMP_PROC_BIND", "OMP_PLACES"}));
  EXPECT_EQ(found({{"OMP_PROC_BIND", "true"}, {"OMP_PLACES", "cores"}, {"GOMP_CPU_AFFINITY", "0-3"}}),
            (Names{"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY"}));
}

TEST(EnvironmentPolicy, AnEmptyValuePinsWithLlvmAlone) {
  for (const char* const name : {"OMP_PROC_BIND", "OMP_PLACES"}) {
    EXPECT_EQ(found({{name, ""}}, kGnu), Names{}) << name;
    EXPECT_EQ(found({{name, ""}}, kLlvm), Names{name}) << name;
  }
}

TEST(EnvironmentPolicy, AnAffinityPinsByAListOnly) {
  for (const Readers readers : {kGnu, kLlvm}) {
    for (const char* const list : {"0", " 0-3", "0 1"}) {
      EXPECT_EQ(found({{"GOMP_CPU_AFFINITY", list}}, readers), Names{"GOMP_CPU_AFFINITY"}) << list;
    }
    for (const char* const none : {"", " ", "x"}) {
      EXPECT_EQ(found({{"GOMP_CPU_AFFINITY", none}}, readers), Names{}) << none;
    }
  }
  EXPECT_EQ(found({{"GOMP_CPU_AFFINITY", "{0},{1}"}}, kGnu), Names{});
}

TEST(EnvironmentPolicy, AnAffinityWithoutAListSwitchesAllButAKmpTypeOffWithLlvm) {
  for (const char* const none : {"", " ", "x"}) {
    SCOPED_TRACE(none);
    EXPECT_EQ(found({{"GOMP_CPU_AFFINITY", none}}, kLlvm), Names{});
    EXPECT_EQ(found({{"GOMP_CPU_AFFINITY", none}, {"OMP_PROC_BIND", "close"}, {"OMP_PLACES", "cores"}}, kLlvm),
              Names{});
    EXPECT_EQ(found({{"GOMP_CPU_AFFINITY", none}, {"KMP_AFFINITY", "compact"}}, kLlvm), Names{"KMP_AFFINITY"});
  }
  EXPECT_EQ(found({{"GOMP_CPU_AFFINITY", "{0},{1}"}}, kLlvm), Names{"GOMP_CPU_AFFINITY"});
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
