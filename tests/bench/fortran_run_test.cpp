// SPDX-License-Identifier: BSD-3-Clause
// A very short run of the whole benchmark: what it prints has the promised shape. Not: how much.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>

#include "bench/run.hpp"

namespace {

using nlohmann::json;

// What `comity topo` finds, and so does a context.
bool has_network_interface() {
  constexpr std::size_t kMostBytes = std::size_t{8} << 20U;
  const comity::os::CommandEnd end =
      comity::os::run_command({BENCH_COMMAND, "topo", "--json"}, std::chrono::seconds(15), kMostBytes);
  EXPECT_EQ(end.exit_code, 0) << end.output;
  const json devices = json::parse(end.output.substr(end.output.find('{')))["machine"]["devices"];
  return std::ranges::any_of(devices, [](const json& device) { return device["kind"] == "nic"; });
}

TEST(FortranRun, HasARowOfEachCallWithItsGoal) {
  const std::map<std::string, json> rows =
      comity::test::rows_by_case(comity::test::bench_report("fortran", {"--time-limit", "0"}));
  const bool has_device = has_network_interface();
  EXPECT_EQ(rows.contains("device"), has_device) << "where there is a network interface, and only there";
  for (const char* name : {"communicator", "communicator_f08", "create", "hart", "lock", "try_lock", "word", "yield",
                           "spawn", "loop", "task", "record_time", "record_describe", "record_text"}) {
    EXPECT_TRUE(rows.contains(name)) << name;
  }
  ASSERT_EQ(rows.size(), has_device ? 30U : 29U);
  for (const auto& [name, row] : rows) {
    EXPECT_EQ(row["reference"], "the same call in C") << name;
    EXPECT_GT(row["value"], 0.0) << name;
    EXPECT_GT(row["reference_value"], 0.0) << name;
    EXPECT_EQ(row["goal"], (json{{"on", "difference"}, {"op", "<="}, {"bound", 5.0}})) << name;
  }
}

}  // namespace
