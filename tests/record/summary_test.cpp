// SPDX-License-Identifier: BSD-3-Clause
// Summaries over ranks: what they say, and that the order of merging does not matter.
#include "record/format/summary.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <span>

#include "base/error.hpp"

namespace comity::record {
namespace {

Content content_of(std::mt19937& random) {
  Table table("t", {{"key", ColumnKind::text}, {"n", ColumnKind::integer}, {"x", ColumnKind::real}});
  for (std::uint32_t row = 0; row < random() % 5; ++row) {
    // Quarters, so that sums of reals are exact in any order.
    const double real = random() % 20 == 0 ? std::nan("") : 0.25 * static_cast<double>(random() % 100);
    table.add_row(
        {std::string(1, static_cast<char>('a' + random() % 3)), static_cast<std::int64_t>(random() % 7), real});
  }
  Content content;
  content.facts["same"] = "x";
  if (random() % 2 == 0) content.facts["sometimes"] = std::to_string(random() % 2);
  content.tables.insert_or_assign("t", table);
  return content;
}

// Equal, where what is no number equals itself.
Bytes encoded(const Summary& summary) {
  ByteWriter bytes;
  summary.encode(bytes);
  return bytes.take();
}

TEST(Summaries, MergeAssociativelyAndInAnyOrder) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    const Summary a(0, content_of(random));
    const Summary b(1, content_of(random));
    const Summary c(2, content_of(random));
    Summary left = a;
    left.merge(b);
    left.merge(c);
    Summary right = b;
    right.merge(c);
    Summary whole = a;
    whole.merge(right);
    Summary other = c;
    other.merge(b);
    other.merge(a);
    ASSERT_EQ(encoded(left), encoded(whole));
    ASSERT_EQ(encoded(left), encoded(other));
  }
}

TEST(Summaries, ComeBackAsTheyWere) {
  std::mt19937 random(8);
  Summary summary(0, content_of(random));
  for (std::uint32_t rank = 1; rank < 10; ++rank) summary.merge(Summary(rank, content_of(random)));
  const Bytes bytes = encoded(summary);
  ByteReader from(bytes);
  EXPECT_EQ(encoded(Summary::decode(from)), bytes);
  from.expect_end();
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    ByteReader cut{std::span(bytes).first(length)};
    ASSERT_THROW((void)Summary::decode(cut), Error) << length;
  }
}

Content one_row(std::int64_t n, double x) {
  Table table("t", {{"n", ColumnKind::integer}, {"x", ColumnKind::real}});
  table.add_row({n, x});
  Content content;
  content.tables.insert_or_assign("t", table);
  return content;
}

TEST(Summaries, OfEqualValuesNameTheLowestRank) {
  Summary summary(5, one_row(1, 1));
  summary.merge(Summary(2, one_row(1, 1)));
  const auto& spread = std::get<Spread<std::int64_t>>(summary.table("t").at({}, "n"));
  EXPECT_EQ(spread.minimum_rank, 2U);
  EXPECT_EQ(spread.maximum_rank, 2U);
}

TEST(Summaries, StayAtTheEndOfTheRangeWhereASumDoesNotFit) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  Summary summary(0, one_row(kMost, 1));
  summary.merge(Summary(1, one_row(1, 1)));
  EXPECT_EQ(std::get<Spread<std::int64_t>>(summary.table("t").at({}, "n")).sum, kMost);
}

TEST(Summaries, LeaveWhatIsNoNumberOutOfMinimumAndMaximum) {
  Summary summary(0, one_row(1, std::nan("")));
  summary.merge(Summary(1, one_row(1, 3)));
  const auto& spread = std::get<Spread<double>>(summary.table("t").at({}, "x"));
  EXPECT_EQ(spread.minimum, 3);
  EXPECT_EQ(spread.maximum_rank, 1U);
  EXPECT_TRUE(std::isnan(spread.sum));
}

TEST(Summaries, AddUpTheRowsOfOneKeyInARankFirst) {
  Table table("t", {{"key", ColumnKind::text}, {"n", ColumnKind::integer}});
  for (const std::int64_t n : {1, 2, 3}) table.add_row({"a", n});
  Content content;
  content.tables.insert_or_assign("t", table);
  const Summary summary(0, content);
  EXPECT_EQ(std::get<Spread<std::int64_t>>(summary.table("t").at({"a"}, "n")).maximum, 6);
  EXPECT_EQ(summary.table("t").rows.at({"a"}).ranks, 1U);
  EXPECT_THROW((void)summary.table("t").at({"b"}, "n"), Error);
  EXPECT_THROW((void)summary.table("t").at({"a"}, "key"), Error);
  EXPECT_THROW((void)summary.table("u"), Error);
}

TEST(Summaries, KeepTablesOfOneNameAndOtherColumnsApart) {
  Table other("t", {{"m", ColumnKind::integer}});
  other.add_row({std::int64_t{1}});
  Content content;
  content.tables.insert_or_assign("t", other);
  Summary summary(0, one_row(1, 1));
  summary.merge(Summary(1, content));
  EXPECT_EQ(summary.tables("t").size(), 2U);
  EXPECT_EQ(summary.table_names(), (std::vector<std::string>{"t"}));
  EXPECT_THROW((void)summary.table("t"), Error);
}

TEST(Summaries, TellOfAFactWhetherAllRanksHaveOneValue) {
  Content a;
  a.facts["program"] = "x";
  Content b = a;
  b.facts["program"] = "y";
  Summary summary(3, a);
  summary.merge(Summary(1, a));
  EXPECT_TRUE(summary.facts().at("program").same);
  summary.merge(Summary(0, b));
  EXPECT_EQ(summary.facts().at("program"), (FactSummary{.value = "y", .rank = 0, .ranks = 3, .same = false}));
}

}  // namespace
}  // namespace comity::record
