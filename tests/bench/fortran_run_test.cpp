// SPDX-License-Identifier: BSD-3-Clause
// A very short run of the whole benchmark: what it prints has the promised shape. Not: how much.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "bench/run.hpp"

namespace {

using nlohmann::json;

TEST(FortranRun, HasARowOfEachCallWithItsGoal) {
  const std::map<std::string, json> rows =
      comity::test::rows_by_case(comity::test::bench_report("fortran", {"--time-limit", "0"}));
  ASSERT_EQ(rows.size(), rows.contains("device") ? 14U : 13U) << "device: where there is a network interface";
  for (const auto& [name, row] : rows) {
    EXPECT_EQ(row["reference"], "the same call in C") << name;
    EXPECT_GT(row["value"], 0.0) << name;
    EXPECT_GT(row["reference_value"], 0.0) << name;
    EXPECT_EQ(row["goal"], (json{{"on", "difference"}, {"op", "<="}, {"bound", 5.0}})) << name;
  }
}

}  // namespace
