// SPDX-License-Identifier: BSD-3-Clause
// Which visits of regions are looked at, and which of those are kept.
#include "memory/rank/borders.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace comity::memory {
namespace {

constexpr std::int64_t kMega = 1 << 20;
constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kSecond = 1'000 * kMillisecond;

RegionSource names() {
  RegionSource regions;
  regions.path = [](RegionNumber region) { return region == 0 ? kWholeRun : "region " + std::to_string(region); };
  return regions;
}

// A program on a clock of its own, and what it has.
class Program {
 public:
  explicit Program(std::int64_t cost_ns) : cost_ns_(cost_ns) { borders_.start(now_ns_); }

  // One visit, that takes so long and grows the program by so much.
  void visit(RegionNumber region, std::int64_t takes_ns, std::int64_t grows_bytes, BorderOf whose = 1) {
    const bool looks = borders_.visit(whose, region, now_ns_) && borders_.can_pay(now_ns_, bytes_);
    if (looks) borders_.begin(whose, region, look(), cost_ns_);
    now_ns_ += takes_ns;
    bytes_ += grows_bytes;
    if (borders_.is_open(whose)) borders_.end(whose, look(), cost_ns_);
  }
  [[nodiscard]] BorderLook look() {
    BorderLook one{now_ns_, bytes_, bytes_ / 2, bytes_ / 4, {}};
    one.components[static_cast<std::size_t>(Component::application)] = bytes_ - kMega;
    spent_ns_ += cost_ns_;
    return one;
  }
  [[nodiscard]] record::Table table() const { return borders_.table(Components(), names()); }
  [[nodiscard]] record::Table sums() const { return borders_.sums_table(names()); }

  Borders borders_;
  std::int64_t now_ns_ = kSecond;
  std::int64_t bytes_ = 10 * kMega;
  std::int64_t cost_ns_;
  std::int64_t spent_ns_ = 0;
};

// Rows of a text in a column, by another column.
std::map<std::string, std::int64_t> by_region(const record::Table& table, const char* column) {
  std::map<std::string, std::int64_t> found;
  for (std::size_t row = 0; row < table.rows(); ++row) found[table.text(row, "region")] = table.integer(row, column);
  return found;
}

TEST(MemoryBorders, TellNothingOfAVisitWhoseEndNobodySaw) {
  Program program(kMillisecond / 10);
  ASSERT_TRUE(program.borders_.visit(1, 5, program.now_ns_));
  program.borders_.begin(1, 5, program.look(), program.cost_ns_);
  program.now_ns_ += kSecond;
  (void)program.borders_.visit(1, 6, program.now_ns_);  // at the same depth: that one must be over
  program.borders_.end(1, program.look(), program.cost_ns_);
  EXPECT_TRUE(by_region(program.sums(), "looked_at").empty());
}

TEST(MemoryBorders, ArePutOffWhereTheyCannotBePaid) {
  Program program(kMillisecond / 10);
  ASSERT_TRUE(program.borders_.visit(1, 5, program.now_ns_));
  program.borders_.put_off(5, program.now_ns_);
  EXPECT_FALSE(program.borders_.visit(1, 5, program.now_ns_ + kMillisecond - 1));
  EXPECT_TRUE(program.borders_.visit(1, 5, program.now_ns_ + kMillisecond));
}

TEST(MemoryBorders, TellHowEachVisitGrewTheRank) {
  Program program(kMillisecond / 10);
  program.visit(1, kMillisecond, 4 * kMega);
  program.visit(2, kMillisecond, 0);
  const record::Table table = program.table();
  ASSERT_EQ(table.rows(), 4U);
  EXPECT_EQ(table.text(0, "region"), "region 1");
  EXPECT_EQ(table.text(0, "border"), kBeginBorder);
  EXPECT_EQ(table.text(1, "border"), kEndBorder);
  EXPECT_EQ(table.integer(1, "rss_bytes") - table.integer(0, "rss_bytes"), 4 * kMega);
  EXPECT_EQ(table.integer(1, "pss_bytes") - table.integer(0, "pss_bytes"), 2 * kMega);
  EXPECT_EQ(table.integer(1, "uss_bytes") - table.integer(0, "uss_bytes"), 1 * kMega);
  EXPECT_EQ(table.integer(1, "components_application_bytes"), 13 * kMega);
  EXPECT_EQ(table.integer(1, "time_ns") - table.integer(0, "time_ns"), kMillisecond);
  EXPECT_EQ(table.columns().size(), 8U) << "components that have nothing have no column";
  EXPECT_EQ(by_region(program.sums(), "changed_pss_bytes"),
            (std::map<std::string, std::int64_t>{{"region 1", 2 * kMega}, {"region 2", 0}}));
}

// A hundred thousand visits of a millisecond.
TEST(MemoryBorders, AreLookedAtForAPartOfTheTime) {
  Program program(kMillisecond / 2);
  for (int i = 0; i < 100'000; ++i) program.visit(1, kMillisecond, 0);
  EXPECT_LE(program.spent_ns_, (program.now_ns_ - kSecond) / 400 + Borders::kCredit_ns);
  EXPECT_GE(program.spent_ns_, (program.now_ns_ - kSecond) / 800) << "which is used";
}

TEST(MemoryBorders, OfALargeProcessWaitUntilTheyCanBePaid) {
  Program program(kMillisecond);
  program.bytes_ = std::int64_t{8} << 30U;  // before the first look nobody knows what it costs
  program.visit(1, kSecond, 0);
  EXPECT_EQ(program.table().rows(), 0U);
  for (int i = 0; i < 100; ++i) program.visit(1, kSecond, 0);
  EXPECT_GT(program.table().rows(), 0U);
}

TEST(MemoryBorders, OfShortAndLongRegionsHaveTheirShares) {
  Program program(kMillisecond / 2);
  for (int i = 0; i < 8'000; ++i) {
    program.visit(1, 100 * kMillisecond, 0);
    program.visit(2, kMillisecond, 0);
    program.visit(3, kMillisecond / 100, 0);
  }
  const std::map<std::string, std::int64_t> looked_at = by_region(program.sums(), "looked_at");
  ASSERT_EQ(looked_at.size(), 3U);
  for (const auto& [region, times] : looked_at) {
    EXPECT_GE(times, 200) << region;
    for (const auto& other : looked_at) EXPECT_GE(2 * times, other.second) << region << " beside " << other.first;
  }
}

TEST(MemoryBorders, KeepVisitsEvenlyWhereThereAreMany) {
  Program program(1'000);
  for (int i = 0; i < 1'000'000; ++i) program.visit(1, kMillisecond, 4096);
  const record::Table table = program.table();
  EXPECT_LE(table.rows(), 2 * Borders::kMostVisits);
  EXPECT_GE(table.rows(), Borders::kMostVisits);
  EXPECT_EQ(table.integer(0, "visit"), 1);
  std::int64_t least = INT64_MAX, most = 0;
  for (std::size_t row = 2; row < table.rows(); row += 2) {
    const std::int64_t distance = table.integer(row, "visit") - table.integer(row - 2, "visit");
    least = std::min(least, distance);
    most = std::max(most, distance);
  }
  EXPECT_LE(most, least + least / 4) << "of each step one, a little apart as looks are spaced";
  const record::Table sums = program.sums();
  EXPECT_EQ(sums.integer(0, "visits"), 1'000'000);
  EXPECT_EQ(sums.integer(0, "changed_pss_bytes"), sums.integer(0, "looked_at") * 2048);
}

TEST(MemoryBorders, OfManyRegionsKeepThoseThatChangedMost) {
  Program program(1'000);
  std::set<std::string> large;
  for (int i = 1; i <= 900; ++i) {
    const bool is_large = i % 100 == 0;
    program.visit(static_cast<RegionNumber>(i), kMillisecond, is_large ? kMega : 0);
    if (is_large) large.insert("region " + std::to_string(i));
  }
  const std::map<std::string, std::int64_t> kept = by_region(program.table(), "visit");
  for (const std::string& region : large) EXPECT_TRUE(kept.contains(region)) << region;
  EXPECT_EQ(program.sums().rows(), 128U);
  EXPECT_TRUE(large.contains(program.sums().text(0, "region")));
}

TEST(MemoryBorders, OfAVisitThatLastsAndOfTheWholeRunAreToldTogether) {
  Program program(1'000);
  EXPECT_FALSE(program.borders_.tell_of_regions());
  program.borders_.begin(kBorderOfRun, 0, program.look(), 0);
  EXPECT_FALSE(program.borders_.tell_of_regions()) << "which other tables tell";
  program.now_ns_ += kMillisecond;
  program.borders_.note_asked(0, program.look());
  program.now_ns_ += kMillisecond;
  ASSERT_TRUE(program.borders_.visit(1, 4, program.now_ns_));
  program.borders_.begin(1, 4, program.look(), 1'000);
  EXPECT_TRUE(program.borders_.tell_of_regions());
  const record::Table table = program.table();
  ASSERT_EQ(table.rows(), 3U);
  EXPECT_EQ(table.text(0, "region"), kWholeRun);
  EXPECT_EQ(table.text(1, "border"), kAskedBorder);
  EXPECT_EQ(table.text(2, "region"), "region 4");
  EXPECT_EQ(program.sums().rows(), 0U) << "of visits that have ended";
  program.borders_.end(kBorderOfRun, program.look(), 0);
  EXPECT_EQ(program.table().rows(), 4U);
  EXPECT_EQ(program.table().text(1, "border"), kEndBorder) << "a visit's borders stand together";
}

// A level outlives the region in which it was set, and goes by another name then.
TEST(MemoryBorders, BelongToTheRegionThatBegan) {
  Program program(1'000);
  ASSERT_TRUE(program.borders_.visit(kBorderOfLevel, 7, program.now_ns_));
  program.borders_.begin(kBorderOfLevel, 7, program.look(), 1'000);
  program.visit(8, kMillisecond, kMega);
  program.borders_.end(kBorderOfLevel, program.look(), 1'000);
  program.borders_.end(kBorderOfLevel, program.look(), 1'000);  // that nobody began
  EXPECT_EQ(by_region(program.sums(), "looked_at"),
            (std::map<std::string, std::int64_t>{{"region 7", 1}, {"region 8", 1}}));
}

}  // namespace
}  // namespace comity::memory
