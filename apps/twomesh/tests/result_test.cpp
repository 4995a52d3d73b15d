// SPDX-License-Identifier: BSD-3-Clause
// What a run is judged by: the checks that it carries, each at its bound and past it, and the comparison of sums.
#include "app/result.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <ostream>
#include <vector>

#include "mesh/checksum.hpp"

namespace twomesh::app {
namespace {

constexpr double kTolerance = 1e-9;
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

using Simulated = coupling::SimulationResult;

// One that passes every check.
Simulated good_run() {
  Simulated run;
  run.totals_before = {2.0, 0.5, -0.5, 8.0};
  run.totals_after = run.totals_before;
  run.heat.true_residual = kTolerance;
  run.heat.checksum = 0x1234;
  run.round_trip_error = 1e-13;
  run.fields_checksum = 0x5678;
  return run;
}

std::vector<checks::CheckResult> judge(const Simulated& run, coupling::Return back = coupling::Return::all) {
  coupling::HeatOptions heat;
  heat.solver.tolerance = kTolerance;
  heat.back = back;
  return checks_of(run, heat);
}

std::vector<std::string> names_of(const std::vector<checks::CheckResult>& all, bool passed) {
  std::vector<std::string> names;
  for (const checks::CheckResult& check : all) {
    if (check.passed == passed) names.push_back(check.name);
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(ChecksOfARun, PassWhereNothingIsWrong) {
  EXPECT_EQ(names_of(judge(good_run()), true), (Names{"conservation", "residual", "remap"}));
  EXPECT_EQ(names_of(judge(good_run(), coupling::Return::energy), true), (Names{"conservation", "residual"}));
}

struct Fault {
  const char* name;
  std::function<void(Simulated&)> plant;
  const char* check;  // that fails, alone
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

class FaultyRun : public ::testing::TestWithParam<Fault> {};

TEST_P(FaultyRun, FailsTheOneCheckThatLooksAtIt) {
  Simulated run = good_run();
  GetParam().plant(run);
  EXPECT_EQ(names_of(judge(run), false), Names{GetParam().check});
}

std::function<void(Simulated&)> moved(l0::Field field, double by) {
  return [=](Simulated& run) { run.totals_after[field] += by; };
}

const std::vector<Fault> kFaults{
    {"MassMoved", moved(l0::kDensity, 3e-12), "conservation"},
    {"MomentumAlongXMoved", moved(l0::kMomentumX, -9e-12), "conservation"},
    {"MomentumAlongYMoved", moved(l0::kMomentumY, 9e-12), "conservation"},
    {"EnergyMoved", moved(l0::kEnergy, -1e-11), "conservation"},
    {"EnergyIsNoNumber", moved(l0::kEnergy, kNotANumber), "conservation"},
    {"ASolveStoppedShort", [](Simulated& run) { run.heat.steps_not_converged = 1; }, "residual"},
    {"TheTrueResidualIsLarger", [](Simulated& run) { run.heat.true_residual = 1.02 * kTolerance; }, "residual"},
    {"TheTrueResidualIsNoNumber", [](Simulated& run) { run.heat.true_residual = kNotANumber; }, "residual"},
    {"FieldsCameBackElsewhere", [](Simulated& run) { run.round_trip_error = 1.1e-12; }, "remap"},
    {"FieldsCameBackAsNoNumbers", [](Simulated& run) { run.round_trip_error = kNotANumber; }, "remap"},
};

INSTANTIATE_TEST_SUITE_P(Faults, FaultyRun, ::testing::ValuesIn(kFaults),
                         [](const auto& fault) { return std::string(fault.param.name); });

nlohmann::ordered_json earlier(const Simulated& run) {
  Result result;
  result.simulated = true;
  result.simulation = run;
  return to_json(result);
}

TEST(Comparison, PassesWhereBothSumsAreEqual) { EXPECT_TRUE(compare(good_run(), earlier(good_run())).passed); }

TEST(Comparison, FailsWhereOneSumDiffersAndSaysWhich) {
  Simulated other_fields = good_run();
  ++other_fields.fields_checksum;
  const checks::CheckResult fields = compare(other_fields, earlier(good_run()));
  EXPECT_FALSE(fields.passed);
  EXPECT_EQ(fields.numbers, (decltype(fields.numbers){{"fields_equal", 0.0}, {"cg_equal", 1.0}}));

  Simulated other_cg = good_run();
  ++other_cg.heat.checksum;
  const checks::CheckResult cg = compare(other_cg, earlier(good_run()));
  EXPECT_FALSE(cg.passed);
  EXPECT_EQ(cg.numbers, (decltype(cg.numbers){{"fields_equal", 1.0}, {"cg_equal", 0.0}}));
}

TEST(EarlierResult, IsReadForItsSumsAndNothingElse) {
  nlohmann::ordered_json whole = earlier(good_run());
  whole["step_phases"]["l0_s"] = std::vector<double>(1000, 0.5);
  whole["checksum"]["more"] = {{"deep", {1, 2}}};
  const auto sums = sums_in(whole.dump());
  ASSERT_TRUE(sums.has_value());
  EXPECT_EQ(*sums, (nlohmann::ordered_json{{"checksum", {{"fields", to_hex(0x5678)}, {"cg", to_hex(0x1234)}}}}));
  EXPECT_TRUE(compare(good_run(), *sums).passed);
}

TEST(EarlierResult, IsNoneWithoutBothSums) {
  for (const char* const text :
       {"", "[]", "{}", "{\"checksum\": 5}", "{\"checksum\": {}}", "{\"checksum\": {\"fields\": \"1\"}}",
        "{\"checksum\": {\"fields\": \"1\", \"cg\": null}}", "{\"checksum\": {\"fields\": [\"1\"], \"cg\": \"1\"}}",
        "{\"a\": {\"checksum\": {\"fields\": \"1\", \"cg\": \"1\"}}}", "[[[[", "{\"checksum\": {\"fields\": \"1\""}) {
    EXPECT_FALSE(sums_in(text).has_value()) << text;
  }
}

TEST(TheLineOfARun, CountsOneAndMore) {
  Result result;
  result.mode = "under";
  result.simulated = true;
  result.ranks = 1;
  result.simulation.heat.team = 1;
  result.simulation.step_times.resize(1);
  EXPECT_NE(one_line(result).find(" 1 rank x 1 thread, 1 step: "), std::string::npos) << one_line(result);
  result.ranks = result.simulation.heat.team = 2;
  result.simulation.step_times.resize(2);
  EXPECT_NE(one_line(result).find(" 2 ranks x 2 threads, 2 steps: "), std::string::npos) << one_line(result);
}

TEST(TheLineOfARun, NamesTheChecksThatFailed) {
  Result result;
  result.mode = "under";
  Simulated run = good_run();
  run.heat.steps_not_converged = 1;
  run.round_trip_error = 1.0;
  result.checks = judge(run);
  EXPECT_FALSE(result.checks_passed());
  EXPECT_NE(one_line(result).find("checks FAILED: residual remap"), std::string::npos) << one_line(result);
  result.checks = judge(good_run());
  EXPECT_TRUE(result.checks_passed());
  EXPECT_NE(one_line(result).find("checks passed"), std::string::npos) << one_line(result);
}

}  // namespace
}  // namespace twomesh::app
