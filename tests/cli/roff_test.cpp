// SPDX-License-Identifier: BSD-3-Clause
// Whatever a text holds, a reader of the page sees it as it is.
#include "cli/common/roff.hpp"

#include <gtest/gtest.h>

namespace comity::cli::roff {
namespace {

TEST(Roff, TakesNoCharacterForAnEscape) {
  EXPECT_EQ(escaped(R"(a\b)"), R"(a\eb)");
  EXPECT_EQ(escaped("--json"), R"(\-\-json)");
  EXPECT_EQ(escaped("jq '.x' `y` ^ ~"), R"(jq \(aq.x\(aq \(gay\(ga \(ha \(ti)");
}

TEST(Roff, TakesNoLineForARequest) {
  EXPECT_EQ(paragraphs(".so /etc/passwd"), "\\&.so /etc/passwd\n");
  EXPECT_EQ(paragraphs("'br"), "\\(aqbr\n");
  EXPECT_EQ(item(bold("x"), ".PP"), ".TP\n\\fBx\\fR\n\\&.PP\n");
}

TEST(Roff, MakesAParagraphOfEachLine) { EXPECT_EQ(paragraphs("one\ntwo\n"), "one\n.PP\ntwo\n"); }

TEST(Roff, WritesATitleInCapitals) {
  EXPECT_EQ(title("comity-topo", '1', "0.1.0"), ".TH \"COMITY\\-TOPO\" 1 \"\" \"comity 0.1.0\" Comity\n");
}

}  // namespace
}  // namespace comity::cli::roff
