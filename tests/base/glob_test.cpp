// SPDX-License-Identifier: BSD-3-Clause
#include "base/glob.hpp"

#include <gtest/gtest.h>

namespace comity {
namespace {

TEST(Glob, AStarStandsForAnyCharactersButASlash) {
  EXPECT_TRUE(matches_glob("libmpi*.so*", "libmpi.so.40"));
  EXPECT_TRUE(matches_glob("libmpi*.so*", "libmpi_mpifh.so"));
  EXPECT_TRUE(matches_glob("*", ""));
  EXPECT_TRUE(matches_glob("a*b*c", "abbbc"));
  EXPECT_FALSE(matches_glob("libmpi*.so*", "libmpi.s"));
  EXPECT_FALSE(matches_glob("*.so", "libmpi.so.40"));
  EXPECT_FALSE(matches_glob("/opt/*.so", "/opt/lib/libx.so"));
}

TEST(Glob, TwoStarsStandForSlashesToo) {
  EXPECT_TRUE(matches_glob("/opt/**.so", "/opt/lib/deep/libx.so"));
  EXPECT_TRUE(matches_glob("**/lib*/x*.so", "/opt/library/lib64/xyz.so"));
  EXPECT_TRUE(matches_glob("**", "/a/b"));
  EXPECT_FALSE(matches_glob("**/lib*/x*.so", "/opt/lib64/sub/xyz.so"));
}

TEST(Glob, AQuestionMarkIsOneCharacterThatIsNoSlash) {
  EXPECT_TRUE(matches_glob("lib?.so", "libm.so"));
  EXPECT_FALSE(matches_glob("lib?.so", "lib.so"));
  EXPECT_FALSE(matches_glob("lib?m.so", "lib/m.so"));
}

TEST(Glob, AllElseIsTakenAsItStands) {
  EXPECT_TRUE(matches_glob("a[1].so", "a[1].so"));
  EXPECT_FALSE(matches_glob("a[1].so", "a1.so"));
  EXPECT_FALSE(matches_glob("", "x"));
  EXPECT_TRUE(matches_glob("", ""));
}

TEST(Glob, ManyStarsCostNoMoreThanTheirProduct) {
  const std::string text(2000, 'a');
  EXPECT_FALSE(matches_glob("**a*a*a*a*a**a*a*a*a*a*a*a**a*a*ab", text));
}

}  // namespace
}  // namespace comity
