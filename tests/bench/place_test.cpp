// SPDX-License-Identifier: BSD-3-Clause
// bench place: its rows are there, and the counts reach their goals. How long a million ranks take decides nothing here.
#include "cli/bench/place.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace {

using namespace comity::cli::bench;

TEST(BenchPlace, ReachesTheKnownFiguresOfEveryCase) {
  const Report report = place({{}, comity::Nanoseconds(0), 0, {}, ""});
  std::set<std::string> names;
  for (const Row& row : report.rows) {
    names.insert(row.name);
    EXPECT_EQ(row.value > 0, row.name != "random") << row.name << ", of which none may be beaten";
    EXPECT_GT(row.reference_value, 0) << row.name;
    if (row.unit != "exchanges") continue;
    EXPECT_EQ(row.verdict, Verdict::met) << row.name;
    EXPECT_LE(row.ratio, 1.0) << row.name;
    EXPECT_LE(row.extra_named("bound"), row.value) << row.name;
  }
  EXPECT_EQ(names, (std::set<std::string>{"5x16_worst", "5x16_sum", "5x16_torus_worst", "5x16_torus_sum", "8x8x8_worst",
                                          "8x8x8_sum", "48x32_worst", "48x32_sum", "graph_64x64_sum", "graph_100000",
                                          "million_ranks", "random"}));
}

}  // namespace
