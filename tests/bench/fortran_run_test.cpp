// SPDX-License-Identifier: BSD-3-Clause
// A very short run of the whole benchmark: what it prints has the promised shape. Not: how much.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "bench/mpi.hpp"
#include "os/process/command.hpp"

namespace {

using nlohmann::json;

TEST(FortranRun, HasARowOfEachCallWithItsGoal) {
  const comity::os::CommandEnd end = comity::os::run_command(
      {BENCH_COMMAND, "bench", "fortran", "--json", "--mpi", comity::test::bench_mpi(), "--time-limit", "0"},
      std::chrono::seconds(50));
  ASSERT_EQ(end.exit_code, 0) << end.output;
  const std::size_t start = end.output.find("{\n");
  ASSERT_NE(start, std::string::npos) << end.output;
  std::map<std::string, json> rows;
  const json report = json::parse(end.output.substr(start));
  for (const json& row : report["rows"]) rows[row["case"]] = row;
  ASSERT_EQ(rows.size(), 12U);
  for (const auto& [name, row] : rows) {
    EXPECT_EQ(row["reference"], "the same call in C") << name;
    EXPECT_GT(row["value"], 0.0) << name;
    EXPECT_GT(row["reference_value"], 0.0) << name;
    EXPECT_EQ(row["goal"], (json{{"on", "difference"}, {"op", "<="}, {"bound", 5.0}})) << name;
  }
}

}  // namespace
