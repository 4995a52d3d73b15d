// SPDX-License-Identifier: BSD-3-Clause
#include "memory/rank/growth.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

namespace comity::memory {
namespace {

constexpr std::int64_t kMega = 1 << 20;

Standing standing(std::int64_t total, std::int64_t mpi, std::int64_t application) {
  Standing now;
  now.total = total;
  now.components[static_cast<std::size_t>(Component::mpi)] = mpi;
  now.components[static_cast<std::size_t>(Component::application)] = application;
  return now;
}

using Row = std::tuple<std::string, std::string, std::string, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

std::vector<Row> rows_of(const Growth& growth) {
  RegionSource regions;
  regions.path = [](RegionNumber region) { return "region " + std::to_string(region); };
  const record::Table table = growth.table(Components(), regions);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    rows.emplace_back(table.text(i, "function"), table.text(i, "region"), table.text(i, "component"),
                      table.integer(i, "grown_bytes"), table.integer(i, "shrunk_bytes"), table.integer(i, "times"),
                      table.integer(i, "largest_bytes"));
  }
  return rows;
}

TEST(MemoryGrowth, BelongsToTheCallBehindWhichItIsSeenAndToItsRegion) {
  Growth growth;
  growth.skip_to(standing(10 * kMega, 1 * kMega, 0));
  growth.note(standing(15 * kMega, 1 * kMega, 5 * kMega), "MPI_Recv", 3);
  growth.note(standing(13 * kMega, 1 * kMega, 3 * kMega), "MPI_Recv", 3);
  growth.note(standing(14 * kMega, 1 * kMega, 4 * kMega), "MPI_Recv", 3);
  growth.note(standing(14 * kMega, 1 * kMega, 4 * kMega), "MPI_Barrier", 3);
  growth.note(standing(17 * kMega, 4 * kMega, 4 * kMega), "MPI_Comm_dup", 0);
  EXPECT_EQ(rows_of(growth),
            (std::vector<Row>{{"MPI_Recv", "region 3", "application", 6 * kMega, 2 * kMega, 2, 5 * kMega},
                              {"MPI_Recv", "region 3", "total", 6 * kMega, 2 * kMega, 2, 5 * kMega},
                              {"MPI_Comm_dup", "region 0", "mpi", 3 * kMega, 0, 1, 3 * kMega},
                              {"MPI_Comm_dup", "region 0", "total", 3 * kMega, 0, 1, 3 * kMega}}));
}

// A rank that did not run between a call and the next look has grown in the call, as far as MPI's own memory goes.
TEST(MemoryGrowth, OfMpiBetweenCallsIsOfTheCallBefore) {
  Growth growth;
  growth.skip_to(standing(10 * kMega, 1 * kMega, 0));
  growth.note(standing(17 * kMega, 3 * kMega, 5 * kMega), kBetweenCalls, 0, "MPI_Type_dup");
  growth.note(standing(18 * kMega, 4 * kMega, 5 * kMega), kBetweenCalls, 0);
  EXPECT_EQ(rows_of(growth),
            (std::vector<Row>{{"(between calls)", "region 0", "total", 6 * kMega, 0, 2, 5 * kMega},
                              {"(between calls)", "region 0", "application", 5 * kMega, 0, 1, 5 * kMega},
                              {"MPI_Type_dup", "region 0", "mpi", 2 * kMega, 0, 1, 2 * kMega},
                              {"MPI_Type_dup", "region 0", "total", 2 * kMega, 0, 1, 2 * kMega},
                              {"(between calls)", "region 0", "mpi", 1 * kMega, 0, 1, 1 * kMega}}));
}

// Of thousands of regions those that came late had no row, whatever they grew by.
TEST(MemoryGrowth, HasARowForWhatGrowsMuchWheneverItComes) {
  constexpr RegionNumber kRegions = 5000;
  Growth growth;
  Standing now;
  growth.skip_to(now);
  for (RegionNumber region = 1; region <= kRegions; ++region) {
    now.total += 20'000;
    now.components[static_cast<std::size_t>(Component::application)] += 10'000;
    growth.note(now, "MPI_Barrier", region);
  }
  now.total += 80 * kMega;
  now.components[static_cast<std::size_t>(Component::application)] += 80 * kMega;
  growth.note(now, "MPI_Recv", kRegions + 1);
  const std::vector<Row> rows = rows_of(growth);
  const auto has = [&](const Row& row) { return std::find(rows.begin(), rows.end(), row) != rows.end(); };
  EXPECT_TRUE(has({"MPI_Recv", "region 5001", "total", 80 * kMega, 0, 1, 80 * kMega}));
  EXPECT_TRUE(has({"MPI_Recv", "region 5001", "application", 80 * kMega, 0, 1, 80 * kMega}));
  // The others are told together: with those that have rows, and what the table leaves out of these, they are all.
  const auto elsewhere = [&](const std::string& component) {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) {
      return std::get<0>(row) == "(elsewhere)" && std::get<1>(row) == "(elsewhere)" && std::get<2>(row) == component;
    });
    return found == rows.end() ? std::pair<std::int64_t, std::int64_t>{}
                               : std::pair{std::get<3>(*found), std::get<5>(*found)};
  };
  EXPECT_GT(elsewhere("total").second, kRegions - 1024);
  EXPECT_EQ(elsewhere("total").first, 20'000 * elsewhere("total").second);
  EXPECT_EQ(elsewhere("application").first, 10'000 * elsewhere("application").second);
}

TEST(MemoryGrowth, LeavesOutWhatIsSkipped) {
  Growth growth;
  growth.skip_to(standing(10 * kMega, 0, 0));
  growth.note(standing(11 * kMega, 0, 1 * kMega), "MPI_Recv", 0);
  growth.skip_to(standing(70 * kMega, 0, 60 * kMega));
  growth.note(standing(71 * kMega, 0, 61 * kMega), "MPI_Recv", 0);
  EXPECT_EQ(rows_of(growth), (std::vector<Row>{{"MPI_Recv", "region 0", "application", 2 * kMega, 0, 2, 1 * kMega},
                                               {"MPI_Recv", "region 0", "total", 2 * kMega, 0, 2, 1 * kMega}}));
}

// A program that makes names of numbers has many; those with most are written.
TEST(MemoryGrowth, WritesTheRowsThatGrewMost) {
  Growth growth;
  std::int64_t total = 0;
  for (std::int64_t i = 1; i <= 6000; ++i) {
    total += i * 4096;
    growth.note(standing(total, 0, 0), "MPI_Recv", static_cast<RegionNumber>(i));
  }
  const std::vector<Row> rows = rows_of(growth);
  ASSERT_EQ(rows.size(), 128U);
  EXPECT_EQ(std::get<0>(rows.front()), "(elsewhere)") << "those that there is no room for, together";
  EXPECT_EQ(std::get<1>(rows.front()), "(elsewhere)") << "and of no region";
  EXPECT_EQ(std::get<1>(rows[1]), "region 6000");
  EXPECT_EQ(std::get<3>(rows[1]), 6000 * 4096);
  EXPECT_EQ(std::get<3>(rows.back()), (6000 - 126) * 4096);
}

}  // namespace
}  // namespace comity::memory
