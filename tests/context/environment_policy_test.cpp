// SPDX-License-Identifier: BSD-3-Clause
#include "context/environment_policy.hpp"

#include <gtest/gtest.h>

#include <map>

namespace comity::context {
namespace {

std::vector<std::string> found(const std::map<std::string, std::string, std::less<>>& environment) {
  std::vector<std::string> names;
  for (const auto& policy : fighting_policies([&](std::string_view name) -> std::optional<std::string> {
         const auto row = environment.find(name);
         return row == environment.end() ? std::nullopt : std::optional(row->second);
       })) {
    names.push_back(policy.variable);
  }
  return names;
}

using Names = std::vector<std::string>;

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
  const std::string sentence = describe({{"OMP_PROC_BIND", "close"}, {"KMP_AFFINITY", "compact"}});
  EXPECT_NE(sentence.find("OMP_PROC_BIND=close"), std::string::npos);
  EXPECT_NE(sentence.find("unset OMP_PROC_BIND KMP_AFFINITY"), std::string::npos);
  EXPECT_EQ(describe({}), "");
}

}  // namespace
}  // namespace comity::context
