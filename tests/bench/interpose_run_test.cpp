// SPDX-License-Identifier: BSD-3-Clause
// A very short run of the whole benchmark: what it prints has the promised shape, and a closer look costs more than none.
// Not: how much.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "bench/run.hpp"

namespace {

using nlohmann::json;

json run_json() { return comity::test::bench_report("interpose", {"--time-limit", "0"}, "COMITY_NODE_SPIN_US=0"); }

const json& result() {
  static const json first = run_json();
  return first;
}

std::map<std::string, json> rows(const json& run = result()) { return comity::test::rows_by_case(run); }

TEST(InterposeRun, HasARowForEachWayOfWatching) {
  ASSERT_EQ(rows().size(), 6U);
  for (const auto& [name, row] : rows()) {
    EXPECT_EQ(row["mpi"], comity::test::bench_mpi());
    EXPECT_EQ(row["unit"], "ns");
    EXPECT_GT(row["reference_value"], 0.0) << name;
  }
}

TEST(InterposeRun, NamesSettingsThatAreNotTheDefaults) {
  ASSERT_TRUE(result().contains("machine"));
  EXPECT_EQ(result()["machine"]["settings"], json::array({"COMITY_NODE_SPIN_US=0"}));
}

TEST(InterposeRun, HasAGoalWhereNobodyLooksAtTheFunction) {
  for (const auto& [name, row] : rows()) {
    if (name == "nobody" || name == "others" || name == "others_marked") {
      EXPECT_EQ(row["goal"], (json{{"on", "value"}, {"op", "<="}, {"bound", 2.0}}));
    } else {
      EXPECT_TRUE(row["goal"].is_null()) << name;
    }
  }
}

// A look at the arguments cannot be free: a watched call that costs nothing is not watched. The least of each over some runs:
// others may have the core in one.
TEST(InterposeRun, SeesThatTrafficCostsMoreThanNobody) {
  double traffic = std::numeric_limits<double>::infinity(), nobody = traffic;
  for (int runs = 0; runs < 5 && traffic >= nobody; ++runs) {
    std::map<std::string, json> found = runs == 0 ? rows() : rows(run_json());
    ASSERT_EQ(found.size(), 6U);
    traffic = std::min(traffic, found["traffic"]["value"].get<double>());
    nobody = std::min(nobody, found["nobody"]["value"].get<double>());
  }
  EXPECT_GT(traffic, nobody);
}

}  // namespace
