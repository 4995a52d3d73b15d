// SPDX-License-Identifier: BSD-3-Clause
// bench place: its rows are there, and the counts reach their goals. How long a million ranks take decides nothing here.
#include "cli/bench/place.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "cli/bench/subject/random_jobs.hpp"
#include "sanitizer.hpp"

namespace {

using namespace comity::cli::bench;
using Names = std::set<std::string>;

// With figures that are there.
Names names_of(const std::vector<Row>& rows) {
  Names names;
  for (const Row& row : rows) {
    names.insert(row.name);
    EXPECT_EQ(row.value > 0, row.name != "random") << row.name << ", of which none may be beaten";
    EXPECT_GT(row.reference_value, 0) << row.name;
    if (row.unit != "exchanges") continue;
    EXPECT_EQ(row.verdict, Verdict::met) << row.name;
    EXPECT_LE(row.ratio, 1.0) << row.name;
    EXPECT_LE(row.extra_named("bound"), row.value) << row.name;
  }
  return names;
}

std::vector<Row> rows_of(const std::vector<std::string>& cases) {
  return place({{}, comity::Nanoseconds(0), 0, {}, "", "", cases}).rows;
}

TEST(BenchPlace, ReachesTheKnownFiguresOfEveryCase) {
  EXPECT_EQ(names_of(rows_of({"grids"})), (Names{"5x16_worst", "5x16_sum", "5x16_torus_worst", "5x16_torus_sum",
                                                 "8x8x8_worst", "8x8x8_sum", "48x32_worst", "48x32_sum"}));
}

TEST(BenchPlace, ReachesTheKnownFigureOfAGridThatIsGivenAsAGraph) {
  EXPECT_EQ(names_of(rows_of({"graph_64x64_sum"})), Names{"graph_64x64_sum"});
}

TEST(BenchPlace, TellsHowLongAMillionRanksTake) {
  EXPECT_EQ(names_of(rows_of({"million_ranks"})), Names{"million_ranks"});
}

TEST(BenchPlace, TellsHowLongALargeGraphTakes) {
  EXPECT_EQ(names_of(rows_of({"graph_100000"})), Names{"graph_100000"});
}

TEST(BenchPlace, NoRandomJobIsBeaten) {
  const std::vector<Row> rows = rows_of({"random"});
  EXPECT_EQ(names_of(rows), Names{"random"});
  RandomScore found;
  const std::size_t jobs = comity::testing::kHasSanitizer ? 0 : 20;
  for (std::size_t job = rows.front().count; job < jobs; ++job) score(random_job(job), {}, found);
  EXPECT_EQ(found.beaten, 0U);
}

}  // namespace
