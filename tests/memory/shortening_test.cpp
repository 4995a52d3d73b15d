// SPDX-License-Identifier: BSD-3-Clause
// What a small record keeps of tables that grow.
#include "memory/rank/shortening.hpp"

#include <gtest/gtest.h>

#include <string>

namespace comity::memory {
namespace {

using record::ColumnKind;
using record::Table;

std::int64_t sum_of(const Table& table, const char* column) {
  std::int64_t sum = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) sum += table.integer(row, column);
  return sum;
}

TEST(MemoryShortening, LeavesTheRowsWithMostAndSumsUpTheOthers) {
  Table held(kHeldTable, {{"component", ColumnKind::text},
                          {"place", ColumnKind::text},
                          {"bytes", ColumnKind::integer},
                          {"blocks", ColumnKind::integer}});
  for (std::int64_t i = 0; i < 100; ++i) {
    held.add_row({std::string(i % 2 == 0 ? "mpi" : "application"), "place " + std::to_string(i), i, std::int64_t{1}});
  }
  const Table few = shortened(held).value();
  ASSERT_EQ(few.rows(), 8U + 2U);
  EXPECT_EQ(few.text(0, "place"), "place 99");
  EXPECT_EQ(few.text(8, "place"), kElsewhere);
  EXPECT_EQ(few.text(8, "component"), "application");
  EXPECT_EQ(few.integer(9, "blocks"), 50 - 4);
  for (const char* const column : {"bytes", "blocks"}) EXPECT_EQ(sum_of(few, column), sum_of(held, column)) << column;
}

TEST(MemoryShortening, KeepsTheLargestAsOneAndNamesNoFunctionOfObjects) {
  Table growth(kGrowthTable, {{"function", ColumnKind::text},
                              {"component", ColumnKind::text},
                              {"grown_bytes", ColumnKind::integer},
                              {"largest_bytes", ColumnKind::integer}});
  Table objects(kObjectsTable, {{"kind", ColumnKind::text},
                                {"function", ColumnKind::text},
                                {"where", ColumnKind::text},
                                {"live", ColumnKind::integer}});
  for (std::int64_t i = 0; i < 20; ++i) {
    growth.add_row({"f" + std::to_string(i), std::string("mpi"), 100 - i, 100 - i});
    objects.add_row({std::string("group"), std::string("MPI_Comm_group"), "at " + std::to_string(i), i});
  }
  const Table grown = shortened(growth).value();
  EXPECT_EQ(grown.integer(8, "largest_bytes"), 100 - 8);
  const Table made = shortened(objects).value();
  EXPECT_EQ(made.integer(0, "live"), 19) << "those with most, wherever they stood";
  EXPECT_EQ(made.text(8, "function"), "");
  EXPECT_EQ(sum_of(made, "live"), sum_of(objects, "live"));
}

// What a rank had no rows for stood among those with most, and once more as the rest of the same component.
TEST(MemoryShortening, TakesWhatIsSummedUpAlreadyAsTheRest) {
  Table growth(kGrowthTable, {{"function", ColumnKind::text},
                              {"region", ColumnKind::text},
                              {"component", ColumnKind::text},
                              {"grown_bytes", ColumnKind::integer}});
  growth.add_row({std::string(kElsewhere), std::string(kElsewhere), std::string("mpi"), std::int64_t{1000}});
  for (std::int64_t i = 0; i < 20; ++i)
    growth.add_row({"f" + std::to_string(i), std::string("solve"), std::string("mpi"), 100 - i});
  const Table few = shortened(growth).value();
  ASSERT_EQ(few.rows(), 8U + 1U);
  EXPECT_EQ(few.text(0, "function"), "f0");
  EXPECT_EQ(few.text(8, "region"), kElsewhere);
  EXPECT_EQ(sum_of(few, "grown_bytes"), sum_of(growth, "grown_bytes"));
  const Table out = left_out(growth);
  ASSERT_EQ(out.rows(), 3U);
  EXPECT_EQ(out.text(0, "function"), "f0") << "the places with most";
  EXPECT_EQ(out.text(2, "function"), "f2");
}

TEST(MemoryShortening, KeepsTheLastLookAtAllPages) {
  Table uses(kUsesTable, {{"moment", ColumnKind::text}, {"rss_bytes", ColumnKind::integer}});
  for (const char* const moment : {"after MPI_Init", "at the end"}) {
    for (std::int64_t i = 0; i < 3; ++i) uses.add_row({std::string(moment), i});
  }
  const Table last = shortened(uses).value();
  ASSERT_EQ(last.rows(), 3U);
  EXPECT_EQ(last.text(0, "moment"), "at the end");
}

TEST(MemoryShortening, KeepsVisitsOfRegionsThatLieEvenly) {
  Table borders(kBordersTable,
                {{"region", ColumnKind::text}, {"border", ColumnKind::text}, {"visit", ColumnKind::integer}});
  for (std::int64_t i = 1; i <= 15; ++i) {
    borders.add_row({std::string("solve"), std::string(kBeginBorder), i});
    borders.add_row({std::string("solve"), std::string(kEndBorder), i});
  }
  borders.add_row({std::string("write"), std::string(kBeginBorder), std::int64_t{1}});  // it lasts
  const Table few = shortened(borders).value();
  ASSERT_EQ(few.rows(), 15U);
  EXPECT_EQ(few.integer(0, "visit"), 1);
  EXPECT_EQ(few.text(1, "border"), kEndBorder);
  EXPECT_EQ(few.integer(2, "visit"), few.integer(3, "visit"));
  EXPECT_EQ(few.text(14, "region"), "write");
}

}  // namespace
}  // namespace comity::memory
