// SPDX-License-Identifier: BSD-3-Clause
// Very short runs that are the whole benchmark together: a row for each case, with its goal and its reference. Not: how much.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "bench/run.hpp"

namespace {

using nlohmann::json;

std::map<std::string, json> rows_of(const std::string& cases) {
  std::map<std::string, json> rows =
      comity::test::rows_by_case(comity::test::bench_report("memory", {"--time-limit", "0", "--cases", cases}));
  for (const auto& [name, row] : rows) {
    EXPECT_GT(row["value"], 0.0);
    EXPECT_GT(row["reference_value"], 0.0);
  }
  return rows;
}

TEST(MemoryRun, HasRowsOfBlocksAndMessages) {
  std::map<std::string, json> rows = rows_of("malloc_free,mmap_munmap,messages");
  ASSERT_EQ(rows.size(), 9U);
  EXPECT_EQ(rows["malloc_free"]["ranks"], 1);
  EXPECT_EQ(rows["malloc_free"]["goal"]["bound"].get<double>(), 20.0);
  EXPECT_EQ(rows["malloc_free"]["reference"], "glibc's malloc");
  EXPECT_EQ(rows["malloc_free_large"]["ranks"], 1);
  EXPECT_EQ(rows["malloc_free_large"]["reference"], "glibc's malloc");
  EXPECT_TRUE(rows["malloc_free_large"]["goal"].is_null());
  EXPECT_EQ(rows["mmap_munmap"]["ranks"], 1);
  EXPECT_EQ(rows["mmap_munmap"]["reference"], "glibc's mmap and munmap");
  EXPECT_TRUE(rows["mmap_munmap"]["goal"].is_null());
  EXPECT_EQ(rows["latency_1B"]["ranks"], 2);
  EXPECT_EQ(rows["latency_1B"]["reference"], "bare MPI");
  EXPECT_NEAR(rows["message_rate_1B"]["goal"]["bound"].get<double>(), 1.111, 0.001);
  EXPECT_NEAR(rows["latency_1B"]["goal"]["bound"].get<double>(), 1.10, 0.001);
  EXPECT_NEAR(rows["bandwidth_1MiB"]["goal"]["bound"].get<double>(), 1.0101, 0.001);
  EXPECT_TRUE(rows["message_rate_1B_allocating"]["goal"].is_null());
  for (const std::string name : {"message_rate_1B", "latency_1B"}) {
    EXPECT_EQ(rows[name + "_recorded"]["reference"], "bare MPI");
    EXPECT_EQ(rows[name + "_recorded"]["goal"], rows[name]["goal"]);
  }
}

// A rank has eight bytes more for each block, beside the tables.
TEST(MemoryRun, TellsWhatTheToolHoldsItself) {
  std::map<std::string, json> rows = rows_of("own_memory");
  ASSERT_EQ(rows.size(), 5U);
  const auto more_kb = [&](const char* name) {
    return rows[name]["value"].get<double>() - rows[name]["reference_value"].get<double>();
  };
  EXPECT_EQ(rows["own_memory"]["unit"], "KB");
  EXPECT_EQ(rows["own_memory"]["goal"]["on"], "difference");
  EXPECT_EQ(rows["own_memory_million"]["extra"]["blocks"], 1e6);
  EXPECT_GT(more_kb("own_memory"), 0.0);
  EXPECT_LT(more_kb("own_memory"), 4096.0);
  EXPECT_EQ(rows["own_memory_recorded"]["goal"]["bound"], 8192.0);
  EXPECT_GT(more_kb("own_memory_recorded"), more_kb("own_memory")) << "what keeping a record takes";
  EXPECT_LT(more_kb("own_memory_recorded"), 8192.0);
  EXPECT_EQ(rows["own_memory_high_water"]["unit"], "KB");
  EXPECT_EQ(rows["own_memory_high_water"]["goal"]["on"], "difference");
  EXPECT_EQ(rows["own_memory_high_water"]["goal"]["bound"], 8192.0);
  EXPECT_EQ(rows["own_memory_high_water"]["reference"], "bare MPI");
  EXPECT_GT(more_kb("own_memory_high_water"), more_kb("own_memory_recorded")) << "pages of libraries too";
  EXPECT_EQ(rows["own_memory_high_water_end"]["goal"]["bound"], 8192.0);
  EXPECT_GE(rows["own_memory_high_water_end"]["value"], rows["own_memory_high_water"]["value"])
      << "of the same launch, later";
  const double bytes_a_block = 1024 * (more_kb("own_memory_million") - more_kb("own_memory")) / 1e6;
  EXPECT_GT(bytes_a_block, 7.0);
  EXPECT_LT(bytes_a_block, 9.0);
}

TEST(MemoryRun, HasRowsOfARankThatIsLookedAtWhileItComputes) {
  std::map<std::string, json> rows = rows_of("computing");
  ASSERT_EQ(rows.size(), 4U);
  for (const char* const name : {"computing_recorded", "computing_watched"}) {
    EXPECT_EQ(rows[name]["unit"], "us");
    EXPECT_EQ(rows[name]["reference"], "bare MPI");
    EXPECT_NEAR(rows[name]["goal"]["bound"].get<double>(), 1.01, 0.001);
  }
  for (const char* const name : {"computing_cpu_recorded", "computing_cpu_watched"})
    EXPECT_TRUE(rows[name]["goal"].is_null());
}

TEST(MemoryRun, HasARowForEachSizeOfMessages) {
  constexpr std::size_t kSizes = 12;
  std::map<std::string, json> rows = rows_of("sizes");
  ASSERT_EQ(rows.size(), kSizes);
  EXPECT_EQ(rows["message_1B"]["extra"]["bytes"], 1);
  EXPECT_EQ(rows["message_64KiB"]["extra"]["bytes"], 65536);
  EXPECT_EQ(rows["message_4MiB"]["extra"]["bytes"], 4 << 20);
  for (const auto& [name, row] : rows) {
    EXPECT_EQ(row["ranks"].get<int>() % 2, 0);
    EXPECT_EQ(row["reference"], "bare MPI");
    EXPECT_TRUE(row["goal"].is_null());
  }
}

TEST(MemoryRun, HasARowForEachWayOfTheMiniApp) {
  std::map<std::string, json> rows = rows_of("app");
  ASSERT_EQ(rows.size(), 2U);
  for (const char* name : {"app", "app_hybrid"}) {
    EXPECT_NEAR(rows[name]["goal"]["bound"].get<double>(), 1.01, 0.001) << name;
    EXPECT_EQ(rows[name]["reference"], "without memory") << name;
  }
}

}  // namespace
