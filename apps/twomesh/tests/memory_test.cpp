// SPDX-License-Identifier: BSD-3-Clause
#include "app/memory.hpp"

#include <gtest/gtest.h>

namespace twomesh::app {
namespace {

Config with_cells(std::array<int, 2> l0, std::array<int, 2> l1) {
  Config config;
  config.l0_cells = l0;
  config.l1_cells = l1;
  return config;
}

std::string complaint(const Config& config, double available) {
  try {
    require_memory(config, "run.toml", available);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no complaint";
}

TEST(Memory, IsTwelveFieldsACellInL0AndSixteenInL1) {
  EXPECT_EQ(least_bytes(with_cells({10, 20}, {5, 6})), 8.0 * (12 * 200 + 16 * 30));
}

TEST(Memory, CountsCellsThatNoWholeNumberHolds) {
  EXPECT_EQ(least_bytes(with_cells({1'000'000, 1'000'000}, {4, 4})), 96e12 + 8.0 * 16 * 16);
}

TEST(Memory, IsEnoughWhereTheFieldsJustFit) {
  const Config config = with_cells({16, 16}, {16, 16});
  EXPECT_EQ(complaint(config, least_bytes(config)), "no complaint");
  EXPECT_NE(complaint(config, least_bytes(config) - 1), "no complaint");
}

TEST(Memory, IsNamedWithTheCellsWhereItIsTooLittle) {
  EXPECT_EQ(
      complaint(with_cells({1'000'000, 1'000'000}, {144, 144}), 20.5e9),
      "run.toml: l0.cells [1000000, 1000000] and l1.cells [144, 144] need 96 TB for their fields alone, the nodes "
      "of this job have 20.5 GB; choose coarser meshes or more nodes");
}

}  // namespace
}  // namespace twomesh::app
