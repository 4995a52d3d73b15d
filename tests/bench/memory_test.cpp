// SPDX-License-Identifier: BSD-3-Clause
// A very short run of the whole benchmark: a row for each case, with its goal and its reference. Not: how much.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "os/command.hpp"

namespace {

using nlohmann::json;

TEST(MemoryRun, HasARowForEachCase) {
  const comity::os::CommandEnd end = comity::os::run_command(
      {BENCH_COMMAND, "bench", "memory", "--json", "--mpi", BENCH_MPI, "--time-limit", "0"}, std::chrono::seconds(50));
  ASSERT_EQ(end.exit_code, 0) << end.output;
  const json result = json::parse(end.output.substr(end.output.find("{\n")), nullptr, false);
  std::map<std::string, json> goals;
  std::map<std::string, std::string> references;
  std::map<std::string, int> bytes;
  for (const json& row : result.value("rows", json::array())) {
    goals[row["case"]] = row["goal"];
    references[row["case"]] = row["reference"];
    bytes[row["case"]] = row["extra"].value("bytes", 0);
    if (bytes[row["case"]] == 0) {
      EXPECT_EQ(row["ranks"], row["case"] == "malloc_free" ? 1 : 2);
    }
    EXPECT_TRUE(row["ranks"] == 1 || row["ranks"].get<int>() % 2 == 0);
    EXPECT_GT(row["value"], 0.0);
    EXPECT_GT(row["reference_value"], 0.0);
  }
  constexpr std::size_t kSizes = 12;
  ASSERT_EQ(goals.size(), 6U + kSizes);
  EXPECT_EQ(bytes["message_1B"], 1);
  EXPECT_EQ(bytes["message_64KiB"], 65536);
  EXPECT_EQ(bytes["message_4MiB"], 4 << 20);
  EXPECT_TRUE(goals["message_4MiB"].is_null());
  EXPECT_EQ(goals["malloc_free"]["bound"].get<double>(), 20.0);
  EXPECT_NEAR(goals["message_rate_1B"]["bound"].get<double>(), 1.111, 0.001);
  EXPECT_NEAR(goals["latency_1B"]["bound"].get<double>(), 1.10, 0.001);
  EXPECT_NEAR(goals["bandwidth_1MiB"]["bound"].get<double>(), 1.0101, 0.001);
  EXPECT_NEAR(goals["app"]["bound"].get<double>(), 1.01, 0.001);
  EXPECT_TRUE(goals["message_rate_1B_allocating"].is_null());
  EXPECT_EQ(references["malloc_free"], "glibc's malloc");
  EXPECT_EQ(references["latency_1B"], "bare MPI");
  EXPECT_EQ(references["app"], "without memory");
}

}  // namespace
