// SPDX-License-Identifier: BSD-3-Clause
// A very short run of the whole benchmark: a row for each case, with its goal and its reference. Not: how much.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "bench/run.hpp"

namespace {

using nlohmann::json;

TEST(MetricsRun, HasARowForEachCase) {
  const json result = comity::test::bench_report("metrics", {"--time-limit", "0"});
  std::map<std::string, json> goals;
  for (const json& row : result.value("rows", json::array())) {
    goals[row["case"]] = row["goal"];
    EXPECT_EQ(row["ranks"], 2);
    EXPECT_EQ(row["reference"], row["case"].get<std::string>().starts_with("app") ? "without metrics" : "bare MPI");
    EXPECT_EQ(row["threads"], row["case"] == "app_hybrid" ? 2 : 1);
    EXPECT_GT(row["value"], 0.0);
    EXPECT_GT(row["reference_value"], 0.0);
  }
  ASSERT_EQ(goals.size(), 6U);
  EXPECT_NEAR(goals["message_rate_8B_counts"]["bound"].get<double>(), 1.111, 0.001);
  EXPECT_NEAR(goals["message_rate_8B_timed"]["bound"].get<double>(), 1.333, 0.001);
  EXPECT_NEAR(goals["latency_8B"]["bound"].get<double>(), 1.15, 0.001);
  for (const char* app : {"app", "app_hybrid"}) EXPECT_NEAR(goals[app]["bound"].get<double>(), 1.01, 0.001) << app;
  EXPECT_TRUE(goals["allreduce_8B"].is_null());
}

}  // namespace
