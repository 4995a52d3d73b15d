// SPDX-License-Identifier: BSD-3-Clause
// Very short runs of the benchmark, a few launches each: every case has its value, its reference and its goal. Not: how much.
#include "cli/bench/coop.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "bench/run.hpp"
#include "cli/bench/subject/scratch_folder.hpp"

namespace {

using nlohmann::json;

// Threads that sleep at their barriers, for spinning ones take milliseconds at each on a crowded machine.
std::map<std::string, json> rows_of(const std::string& cases) {
  return comity::test::rows_by_case(comity::test::bench_report(
      "coop", {"--time-limit", "0", "--kernel-seconds", "0.001", "--cases", cases}, "OMP_WAIT_POLICY=passive"));
}

// With its value, its reference, and the goal that the benchmark names.
void expect_whole(const json& row, const std::string& reference, int ranks, int threads) {
  EXPECT_EQ(row["mpi"], comity::test::bench_mpi());
  EXPECT_EQ(row["reference"], reference);
  EXPECT_EQ(row["ranks"], ranks);
  EXPECT_EQ(row["threads"], threads);
  EXPECT_GT(row["value"], 0.0) << row;
  EXPECT_GT(row["reference_value"], 0.0) << row;
  const auto goal = comity::cli::bench::coop_goal(row["case"].get<std::string>());
  ASSERT_TRUE(goal) << row;
  EXPECT_EQ(row["goal"]["bound"].get<double>(), goal->bound);
  EXPECT_EQ(row["extra"]["verdict"], "undecided") << "one round decides nothing: " << row;
}

TEST(CoopRun, ComputesWhileOthersWait) {
  const auto rows = rows_of("quiesce_barrier,quiesce_recv,quiesce_wait,quiesce_allreduce");
  ASSERT_EQ(rows.size(), 4U);
  for (const auto& [name, row] : rows) {
    const int cores = row["ranks"];
    EXPECT_GE(cores, 2);
    expect_whole(row, "the computing rank alone", cores, cores);
    EXPECT_TRUE(row["extra"].contains("waiter_cpu_percent")) << row;
  }
}

TEST(CoopRun, SendsMessagesOnOwnCores) {
  const auto rows = rows_of("latency_8B,bandwidth_1MiB,rate_8B,allreduce_8B,barrier");
  ASSERT_EQ(rows.size(), 5U);
  for (const auto& [name, row] : rows) expect_whole(row, "bare MPI", 2, 1);
  for (const char* name : {"allreduce_8B", "barrier"}) EXPECT_EQ(rows.at(name)["goal"]["on"], "difference") << name;
}

TEST(CoopRun, CountsWhatLongWaitsBurn) {
  const auto rows = rows_of("idle_cpu");
  ASSERT_EQ(rows.size(), 1U);
  expect_whole(rows.at("idle_cpu"), "bare MPI", 2, 1);
  for (const char* const call : {"barrier_percent", "recv_percent", "wait_percent", "allreduce_percent"}) {
    EXPECT_GT(rows.at("idle_cpu")["extra"].value(call, 0.0), 0.0) << call;
  }
}

TEST(CoopRun, SendsMessagesOnOneCore) {
  const auto rows = rows_of("oversubscribed_latency");
  ASSERT_EQ(rows.size(), 1U);
  expect_whole(rows.at("oversubscribed_latency"), "a futex ping-pong of two processes", 2, 1);
}

TEST(CoopRun, StepsAStencilOnFewerCoresThanRanks) {
  const auto rows = rows_of("oversubscribed_stencil");
  ASSERT_EQ(rows.size(), 1U);
  expect_whole(rows.at("oversubscribed_stencil"), "two ranks, bare MPI", 4, 1);
}

TEST(CoopRun, StepsAStencilOnFourRanksACore) {
  const auto rows = rows_of("crowded_8");
  ASSERT_EQ(rows.size(), 1U);
  expect_whole(rows.at("crowded_8"), "two ranks, bare MPI", 8, 1);
}

TEST(CoopRun, StepsAHybridStencil) {
  const auto rows = rows_of("hybrid_2x2");
  ASSERT_EQ(rows.size(), 1U);
  expect_whole(rows.at("hybrid_2x2"), "1x2 or 2x1, bare MPI, the better", 2, 2);
}

TEST(CoopRun, RunsTheHybridMiniApp) {
  const auto rows = rows_of("hybrid_2x2_twomesh,crowded_8_twomesh");
  ASSERT_EQ(rows.size(), 2U);
  expect_whole(rows.at("hybrid_2x2_twomesh"), "1x2 or 2x1, bare MPI, the better", 2, 2);
  expect_whole(rows.at("crowded_8_twomesh"), "two ranks, bare MPI", 8, 1);
}

// Programs of the names that distributions have, first on the PATH: scripts, or links.
class StandIns {
 public:
  void add(const std::string& name, const std::string& script) const {
    const std::string path = folder_.path() + "/" + name;
    std::ofstream(path) << "#!/bin/sh\n" << script;
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  void link(const std::string& name, const std::filesystem::path& program) const {
    std::filesystem::create_symlink(program, folder_.path() + "/" + name);
  }
  [[nodiscard]] std::string alone() const { return "PATH=" + folder_.path(); }
  [[nodiscard]] std::string before_all() const { return alone() + ":" + std::getenv("PATH"); }

 private:
  const comity::cli::bench::ScratchFolder folder_;
};

std::vector<std::string> once(const std::string& cases) { return {"--time-limit", "0", "--cases", cases}; }

TEST(CoopRun, RunsPackagedProgramsByTheirNames) {
  const StandIns programs;
  programs.add("cp2k.psmp", "test -s water.inp && echo 'ENERGY| Total FORCE_EVAL: -1.5'\n");
  programs.add("gmx_mpi",
               "if test $1 = grompp; then test -s water.gro && cp water.top water.tpr\n"
               "else test -s water.tpr && echo 'Coul. recip. 2' > water.log; fi\n");
  programs.add("lmp", "test $OMP_NUM_THREADS = 1 && echo 'energy at the end 3'\n");
  const auto rows = comity::test::rows_by_case(comity::test::bench_report(
      "coop", once("hybrid_2x2_cp2k,hybrid_2x2_gromacs,crowded_8_lammps"), programs.before_all()));
  ASSERT_EQ(rows.size(), 3U);
  expect_whole(rows.at("hybrid_2x2_cp2k"), "1x2 or 2x1, bare MPI, the better", 2, 2);
  expect_whole(rows.at("hybrid_2x2_gromacs"), "1x2 or 2x1, bare MPI, the better", 2, 2);
  expect_whole(rows.at("crowded_8_lammps"), "two ranks, bare MPI", 8, 1);
}

TEST(CoopRun, TakesNoFigureOfAPackagedProgramThatDidOtherWork) {
  const StandIns programs;
  programs.add("cp2k.psmp", "echo ENERGY\\| Total FORCE_EVAL: $OMP_NUM_THREADS\n");
  const comity::os::CommandEnd end = comity::test::run_bench("coop", once("hybrid_2x2_cp2k"), programs.before_all());
  EXPECT_NE(end.exit_code, 0);
  EXPECT_NE(end.output.find("they did not do the same work"), std::string::npos) << end.output;
}

// A program that is not there, and one that is, for another MPI.
TEST(CoopRun, SaysOfAPackagedProgramWhatIsMissing) {
  const bool is_open_mpi = comity::test::bench_mpi() == "openmpi";
  const std::filesystem::path folder = std::filesystem::path(BENCH_COMMAND).parent_path();
  const std::filesystem::path of_other = folder / (is_open_mpi ? "bench-coop-mpich" : "bench-coop-openmpi");
  const StandIns programs;
  if (std::filesystem::exists(of_other)) programs.link("lmp", of_other);
  const auto rows = comity::test::rows_by_case(comity::test::bench_report("coop", once("packaged"), programs.alone()));
  EXPECT_GT(rows.size(), 6U);
  for (const auto& [name, row] : rows) EXPECT_EQ(row["extra"]["verdict"], "absent") << name;
  const auto why = rows.at("hybrid_2x2_cp2k")["extra"]["why_absent"].get<std::string>();
  EXPECT_EQ(why, "cp2k.psmp is not on the PATH (Debian's package cp2k)");
  if (!std::filesystem::exists(of_other)) GTEST_SKIP() << "NOT TESTED: there is no program of another MPI";
  const auto whose = rows.at("crowded_8_lammps")["extra"]["why_absent"].get<std::string>();
  EXPECT_NE(whose.find(is_open_mpi ? "is built for MPICH" : "is built for Open MPI"), std::string::npos) << whose;
}

TEST(CoopRun, SendsMessagesBetweenHosts) {
  const auto rows = rows_of("remote_latency");
  ASSERT_EQ(rows.size(), 1U);
  const json& row = rows.at("remote_latency");
  if (row["extra"]["verdict"] == "absent") {
    const auto why = row["extra"]["why_absent"].get<std::string>();
    EXPECT_FALSE(why.empty());
    EXPECT_TRUE(row["value"].is_null());
    GTEST_SKIP() << "NOT TESTED: " << why;
  }
  expect_whole(row, "bare MPI", 2, 1);
  EXPECT_EQ(row["extra"]["nodes"], 2);
}

TEST(CoopRun, WaitsForAMessageOfAnotherHost) {
  const auto rows = rows_of("remote_wait_cpu,remote_wait_late");
  ASSERT_EQ(rows.size(), 2U);
  for (const auto& [name, row] : rows) {
    if (row["extra"]["verdict"] == "absent") GTEST_SKIP() << "NOT TESTED: " << row["extra"]["why_absent"];
    expect_whole(row, "bare MPI", 2, 1);
    EXPECT_EQ(row["goal"]["on"], "value");
  }
}

TEST(CoopRun, WaitsOnEachOfFourRanksForAMessageOfAnotherHost) {
  const auto rows = rows_of("remote_wait_cpu_4,remote_wait_late_4");
  ASSERT_EQ(rows.size(), 2U);
  for (const auto& [name, row] : rows) {
    if (row["extra"]["verdict"] == "absent") GTEST_SKIP() << "NOT TESTED: " << row["extra"]["why_absent"];
    expect_whole(row, "bare MPI", 8, 1);
    EXPECT_EQ(row["extra"]["nodes"], 2) << name;
  }
}

}  // namespace
