// SPDX-License-Identifier: BSD-3-Clause
// Text for people: wrapping, tables, lists that are too long, sizes.
#include "cli/common/screen.hpp"

#include <gtest/gtest.h>

namespace comity::cli {
namespace {

TEST(Screen, WrapsAtEightyColumnsBehindTheIndent) {
  const std::string text = wrap(std::string(40, 'a') + ' ' + std::string(35, 'b') + ' ' + std::string(10, 'c'), 4);
  EXPECT_EQ(text, "    " + std::string(40, 'a') + ' ' + std::string(35, 'b') + "\n    " + std::string(10, 'c') + '\n');
}

TEST(Screen, KeepsAWordThatIsLongerThanALineWhole) {
  const std::string word(100, 'x');
  EXPECT_EQ(wrap("a " + word + " b", 2), "  a\n  " + word + "\n  b\n");
}

TEST(Screen, ShortensAListBetweenItsFirstAndItsLastPiece) {
  EXPECT_EQ(shorten_list("0-3,8", 20), "0-3,8");
  EXPECT_EQ(shorten_list("0,2,4,6,8,10,12,14", 12), "0,2,4,..,14");
  EXPECT_LE(shorten_list("0,2,4,6,8,10,12,14", 12).size(), 12U);
}

TEST(Screen, AlignsATableAndCutsItsLastColumn) {
  EXPECT_EQ(table({{"a", "long", "x"}, {"bbb", "s", std::string(100, 'y')}}, 2),
            "  a    long  x\n  bbb  s     " + std::string(65, 'y') + "..\n");
}

TEST(Screen, WritesSizesInTheUnitThatPeopleUse) {
  EXPECT_EQ(bytes_text(0), "0 bytes");
  EXPECT_EQ(bytes_text(512 * 1024), "512 KiB");
  EXPECT_EQ(bytes_text((std::uint64_t{3} << 30U) / 2), "1.5 GiB");
  EXPECT_EQ(bytes_text(std::uint64_t{2} << 40U), "2 TiB");
}

TEST(Screen, CountsInTheRightNumber) {
  EXPECT_EQ(count_text(1, "core"), "1 core");
  EXPECT_EQ(count_text(0, "core"), "0 cores");
}

TEST(Screen, PaintsOnlyWhereItIsColoured) {
  EXPECT_EQ(Screen(false).paint(Colour::red, "x"), "x");
  EXPECT_EQ(Screen(true).paint(Colour::red, "x"), "\033[31mx\033[0m");
}

}  // namespace
}  // namespace comity::cli
