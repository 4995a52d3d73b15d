// SPDX-License-Identifier: BSD-3-Clause
// A very short run of the whole benchmark: what it prints has the promised shape. Not: what the timings are.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "bench/run.hpp"

namespace {

using nlohmann::json;

const std::vector<std::string> kShort{"--time-limit", "1", "--kernel-seconds", "0.02"};

json run_json() { return comity::test::bench_report("quiesce", kShort, "OMP_DYNAMIC=false"); }

const json& result() {
  static const json first = run_json();
  return first;
}

std::set<std::string> keys_of(const json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

class QuiesceRun : public testing::Test {
 protected:
  void SetUp() override {
    if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "NOT TESTED: one core only, nobody could wait";
    ASSERT_TRUE(result().contains("rows")) << result();
  }
};

TEST_F(QuiesceRun, PrintsOneObjectWithThePromisedFields) {
  EXPECT_EQ(keys_of(result()), (std::set<std::string>{"bench", "machine", "rows"}));
  EXPECT_EQ(result()["bench"], "quiesce");
  ASSERT_EQ(result()["rows"].size(), 3U);
  for (const json& row : result()["rows"]) {
    EXPECT_EQ(keys_of(row), (std::set<std::string>{"case", "mpi", "ranks", "threads", "value", "unit", "sd", "ci95",
                                                   "n", "reference", "reference_value", "ratio", "goal", "extra"}));
    EXPECT_EQ(row["ci95"].size(), 2U);
  }
}

TEST_F(QuiesceRun, HasARankAndAThreadForEveryCore) {
  for (const json& row : result()["rows"]) {
    EXPECT_EQ(row["ranks"], result()["machine"]["cores"]);
    EXPECT_EQ(row["threads"], result()["machine"]["cores"]);
  }
}

TEST_F(QuiesceRun, FailsWhereOpenMpGivesFewerThreadsThanThereAreCores) {
  const comity::os::CommandEnd end = comity::test::run_bench("quiesce", kShort, "OMP_THREAD_LIMIT=1");
  EXPECT_EQ(end.exit_code, 1) << end.output;
  const std::string cores = result()["machine"]["cores"].dump();
  EXPECT_NE(end.output.find("OpenMP gave the computing rank 1 of the " + cores + " threads"), std::string::npos)
      << end.output;
  EXPECT_NE(end.output.find("unset OMP_THREAD_LIMIT and OMP_DYNAMIC"), std::string::npos) << end.output;
}

TEST_F(QuiesceRun, HasOneGoalAndItIsComitys) {
  for (const json& row : result()["rows"]) {
    if (row["case"] == "comity") {
      EXPECT_EQ(row["goal"], (json{{"on", "ratio"}, {"op", "<="}, {"bound", 1.02}}));
    } else {
      EXPECT_TRUE(row["goal"].is_null()) << row;
    }
  }
}

TEST_F(QuiesceRun, CallsNothingDecidedThatHasTooFewPairs) {
  for (const json& row : result()["rows"]) {
    EXPECT_GE(row["n"], 1);
    if (row["n"] < 8) {
      EXPECT_EQ(row["extra"]["verdict"], "undecided") << row;
    }
  }
}

double waiter_cpu_percent(const json& run, const char* name) {
  for (const json& row : run["rows"]) {
    if (row["case"] == name) return row["extra"]["waiter_cpu_percent"];
  }
  return -1;
}

// In one of some runs: on a crowded machine a short one may show anything.
TEST_F(QuiesceRun, RestingInComityBurnsLessThanSpinningInABarrier) {
  double comity = 0.0, barrier = 0.0;
  for (int runs = 0; runs < 5 && comity >= barrier; ++runs) {
    const json run = runs == 0 ? result() : run_json();
    comity = waiter_cpu_percent(run, "comity");
    barrier = waiter_cpu_percent(run, "mpi_barrier_world");
    ASSERT_GE(comity, 0) << run;
  }
  EXPECT_LT(comity, barrier);
}

}  // namespace
