// SPDX-License-Identifier: BSD-3-Clause
#include "app/config.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace twomesh::app {
namespace {

std::string complaint(const std::string& text) {
  try {
    (void)parse_config(text, "run.toml");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no complaint";
}

TEST(Config, TakesWhatTheFileSays) {
  const Config config = parse_config("[run]\nsteps = 7\n[l0]\ncells = [32, 48]\n[l1]\nconductivity = 1\n", "run.toml");
  EXPECT_EQ(config.steps, 7);
  EXPECT_EQ(config.l0_cells[1], 48);
  EXPECT_EQ(config.conductivity, 1.0);
}

TEST(Config, NamesLineAndNearestKey) {
  EXPECT_EQ(complaint("[l1]\nstrip_row = 4\n"), "run.toml:2: l1.strip_row is not a key; did you mean l1.strip_rows?");
}

TEST(Config, FindsTheSectionOfAKeyThatStandsInNone) {
  EXPECT_EQ(complaint("steps = 4\n"), "run.toml:1: steps is not a key; did you mean run.steps?");
}

TEST(Config, RefusesAnUnknownSectionEvenIfEmpty) {
  EXPECT_EQ(complaint("[remaps]\n"), "run.toml:1: remaps is not a section; did you mean remap?");
}

TEST(Config, RefusesWrongTypesAndRanges) {
  EXPECT_EQ(complaint("[run]\nsteps = \"ten\"\n"), "run.toml:2: run.steps must be a whole number");
  EXPECT_EQ(complaint("[run]\nsteps = 1.5\n"), "run.toml:2: run.steps must be a whole number");
  EXPECT_EQ(complaint("[run]\nsteps = 0\n"), "run.toml:2: run.steps is 0, must be 1 .. 1000000");
  EXPECT_EQ(complaint("[l0]\ncells = 96\n"), "run.toml:2: l0.cells must be two whole numbers, as [96, 96]");
  EXPECT_EQ(complaint("[l1]\nhash_iterates = 1\n"), "run.toml:2: l1.hash_iterates must be true or false");
  EXPECT_EQ(complaint("[l1]\nmixing = true\n"), "run.toml:2: l1.mixing must be a number");
  EXPECT_EQ(complaint("[l1]\nmixing = nan\n"), "run.toml:2: l1.mixing must be 0 .. 1e6");
  EXPECT_EQ(complaint("[remap]\nback = \"al\"\n"),
            "run.toml:2: remap.back is \"al\", must be one of all, energy; did you mean all?");
}

TEST(Config, RefusesBlocksThatDoNotFillTheMesh) {
  EXPECT_NE(complaint("[l0]\ncells = [96, 90]\n").find("90 is no multiple of l0.block 16"), std::string::npos);
}

TEST(Config, RefusesAnUnstableCourantNumber) {
  const std::string range = "run.toml:2: l0.courant must be 1e-6 .. 0.5, where the scheme is stable";
  for (const char* given : {"0.9", "0", "-0.1", "nan", "inf"}) {
    EXPECT_EQ(complaint(std::string("[l0]\ncourant = ") + given + "\n"), range) << given;
  }
}

TEST(Config, RefusesAToleranceThatNoSolveReaches) {
  const std::string range =
      "run.toml:2: l1.tolerance must be 1e-14 .. 0.1: a solve seldom comes below that for rounding";
  for (const char* given : {"0", "1e-15", "1", "nan"}) {
    EXPECT_EQ(complaint(std::string("[l1]\ntolerance = ") + given + "\n"), range) << given;
  }
}

TEST(Config, TakesGasStepsThatFewRanksTake) {
  const Config config = parse_config("[l0]\nsubsteps = 3\n[layout]\nnarrow_substeps = 3\nnarrow_per = 4\n", "run.toml");
  EXPECT_EQ(config.narrow_substeps, 3);
  EXPECT_EQ(config.narrow_per, 4);
}

TEST(Config, RefusesMoreGasStepsOnFewRanksThanThereAre) {
  EXPECT_NE(complaint("[layout]\nnarrow_substeps = 2\n")
                .find("layout.narrow_substeps 2 are more than l0.substeps 1; they are the last of those"),
            std::string::npos);
  EXPECT_EQ(complaint("[layout]\nnarrow_per = 0\n"), "run.toml:2: layout.narrow_per is 0, must be 1 .. 1000000");
}

TEST(Config, NamesTheLineThatIsNotToml) { EXPECT_EQ(complaint("[run]\nsteps =\n").substr(0, 11), "run.toml:2:"); }

TEST(Config, ShowsItsDefaultsInTheExampleFile) {
  std::ifstream file(std::string(TWOMESH_FOLDER) + "/twomesh.toml");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  ASSERT_FALSE(text.empty());
  EXPECT_EQ(parse_config(text, "twomesh.toml"), Config{});
}

TEST(Config, OfTheDemoMovesEveryFieldEachStep) {
  std::ifstream file(std::string(TWOMESH_FOLDER) + "/demo.toml");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  ASSERT_FALSE(text.empty());
  EXPECT_EQ(parse_config(text, "demo.toml").back, "all");
}

}  // namespace
}  // namespace twomesh::app
