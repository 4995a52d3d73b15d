// SPDX-License-Identifier: BSD-3-Clause
// Text of others: what of it is shown, and where it may be cut.
#include "base/utf8.hpp"

#include <gtest/gtest.h>

#include <array>

namespace comity {
namespace {

TEST(Visible, KeepsLettersAndNothingThatATerminalActsOn) {
  EXPECT_EQ(visible("step/l\u00f6se \u65e5 \U0001F600"), "step/l\u00f6se \u65e5 \U0001F600");
  EXPECT_EQ(visible("\r\n\t\x7f"), "????");
  EXPECT_EQ(visible("\xc2\x9b"), "??") << "a control letter of two bytes";
  EXPECT_EQ(visible("\xc0\xaf\xe0\x80\x80\xed\xa0\x80\xf4\x90\x80\x80\xe4"), std::string(13, '?'));
}

TEST(Visible, LeavesTheEndsOfLines) {
  EXPECT_EQ(visible_lines("l\u00f6se\n\n\xf6\tb\n"), "l\u00f6se\n\n??b\n");
  EXPECT_EQ(visible_lines(""), "");
  EXPECT_EQ(visible_lines("a\r"), "a?");
}

TEST(Visible, IsToldWithoutACopy) {
  EXPECT_TRUE(is_visible("l\u00f6se \u65e5"));
  EXPECT_TRUE(is_visible(""));
  EXPECT_FALSE(is_visible("l\xf6se"));
  EXPECT_FALSE(is_visible("a\nb"));
}

TEST(Cuts, LeaveLettersWhole) {
  const std::string text = "a\u00f6\u65e5b";  // of 1, 2, 3 and 1 bytes
  constexpr std::array<std::string_view, 8> kBegins{
      "", "a", "a", "a\u00f6", "a\u00f6", "a\u00f6", "a\u00f6\u65e5", "a\u00f6\u65e5b"};
  constexpr std::array<std::string_view, 8> kEnds{
      "", "b", "b", "b", "\u65e5b", "\u65e5b", "\u00f6\u65e5b", "a\u00f6\u65e5b"};
  for (std::size_t bytes = 0; bytes < kBegins.size(); ++bytes) {
    EXPECT_EQ(begin_of(text, bytes), kBegins.at(bytes)) << bytes;
    EXPECT_EQ(end_of(text, bytes), kEnds.at(bytes)) << bytes;
  }
  EXPECT_EQ(begin_of(text, 100), text);
  EXPECT_EQ(end_of(text, 100), text);
}

TEST(Cuts, AreTold) {
  EXPECT_EQ(shortened("abcdefgh", 8), "abcdefgh");
  EXPECT_EQ(shortened("abcdefghi", 8), "abcde...");
  EXPECT_EQ(shortened("abcdefghi", 2), "..." + std::string());
  EXPECT_EQ(in_quotes("n1"), "\"n1\"");
  EXPECT_EQ(in_quotes("l\u00f6se \u65e5"), "\"l\u00f6se \u65e5\"");
  EXPECT_EQ(in_quotes(std::string_view("a\0\x1b[31m\x7f\xff", 9)), R"("a\x00\x1b[31m\x7f\xff")");
  EXPECT_EQ(in_quotes(std::string(2'000'000, 'x')), '"' + std::string(197, 'x') + "...\"");
}

}  // namespace
}  // namespace comity
