// SPDX-License-Identifier: BSD-3-Clause
// What a line tells of a job's ranks and threads, and what the ranks are given for their waits.
#include "cli/run/coop.hpp"

#include <gtest/gtest.h>

#include <map>

#include "cli/run/words.hpp"

namespace comity::cli::launch {
namespace {

using testing::is_program;
using testing::line;
using testing::words;
using Variables = std::map<std::string, std::string, std::less<>>;

// ./plain has no OpenMP, ./teams has, ./blas has the threads of an OpenBLAS, of ./script nothing is known.
Program file_of(const Part& part) {
  Program program;
  const std::string name = part.program.empty() ? std::string() : part.program.front();
  if (name == "./plain" || name == "./teams" || name == "./blas") program.mpi = "any";
  if (name == "./plain" || name == "./blas") program.openmp = HasOpenMp::no;
  if (name == "./blas") program.openblas = HasOpenBlas::yes;
  if (name == "./teams") program.openmp = HasOpenMp::yes;
  return program;
}

constexpr int kCores = 4;

struct Job {
  Family family = Family::open_mpi;
  std::string version = "Open MPI 4.1.4";
  Variables variables = {};

  // "auto COMITY_COOP_SPREAD=on: why"
  [[nodiscard]] std::string given(const std::string& command, const std::string& wish = "auto") const {
    const IsProgram programs = is_program;
    const LaunchLine taken = take_apart(family, words("launcher " + command), programs);
    std::vector<Program> files;
    for (const Part& part : taken.parts) files.push_back(file_of(part));
    const Environment environment = [this](std::string_view name) {
      const auto found = variables.find(name);
      return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
    const JobShape shape = shape_of(taken, files, version, kCores, environment, programs);
    const CoopPlan plan = plan_coop(wish, shape, kCores, [&](std::string_view name) {
      return value_for(taken, taken.parts.front(), name, environment, programs);
    });
    std::string text = plan.setting;
    for (const Variable& variable : plan.variables) text += ' ' + variable.name + '=' + variable.value;
    return text + ": " + plan.why;
  }
};

const std::string kIdle = " OMP_WAIT_POLICY=passive GOMP_SPINCOUNT=251 KMP_BLOCKTIME=0";
const std::string kSpread = " COMITY_COOP_SPREAD=on";
const std::string kRanksKnow = ": how many threads and cores a rank has is known to it alone";
const std::string kNodesUnknown = ": how many ranks share a node is known to them alone";

Job open_mpi(const Variables& variables = {}) { return {.variables = variables}; }
Job mpich(const Variables& variables = {}) {
  return {.family = Family::hydra, .version = "MPICH 4.0.2", .variables = variables};
}
const Variables kOne{{"OMP_NUM_THREADS", "1"}};
const Variables kTwo{{"OMP_NUM_THREADS", "2"}};

TEST(CoopPlan, IsOffWhereTheThreadsSurelyFit) {
  for (const Job& job : {open_mpi(), mpich(), open_mpi(kTwo)}) {
    EXPECT_EQ(job.given("-n 4 ./plain"), "off: 4 ranks on 4 cores");
  }
  EXPECT_EQ(open_mpi(kOne).given("-n 4 ./teams"), "off: 4 ranks on 4 cores");
  EXPECT_EQ(mpich(kTwo).given("-n 2 ./teams"), "off: 2 ranks x 2 threads on 4 cores");
  EXPECT_EQ(mpich(kOne).given("-n 2 ./script"), "off: 2 ranks on 4 cores");
  EXPECT_EQ(mpich(kTwo).given("-n 1 ./teams : -n 2 ./plain"), "off: 3 ranks with 4 threads on 4 cores");
}

TEST(CoopPlan, CountsNoThreadsBeyondTheLimit) {
  const Variables limited{{"OMP_NUM_THREADS", "4"}, {"OMP_THREAD_LIMIT", "1"}};
  EXPECT_EQ(mpich(limited).given("-n 4 ./teams"), "off: 4 ranks on 4 cores");
  EXPECT_EQ(mpich({{"OMP_THREAD_LIMIT", "2"}}).given("-n 2 ./teams"), "off: 2 ranks x 2 threads on 4 cores");
  EXPECT_EQ(mpich({{"OMP_NUM_THREADS", "2"}, {"OMP_THREAD_LIMIT", "9"}}).given("-n 3 ./teams"),
            "auto" + kIdle + ": 3 ranks x 2 threads on 4 cores");
}

TEST(CoopPlan, GivesIdleThreadsWhatTheyReadWhereThreadsSurelyOutnumberCores) {
  EXPECT_EQ(mpich(kTwo).given("-n 3 ./teams"), "auto" + kIdle + ": 3 ranks x 2 threads on 4 cores");
  EXPECT_EQ(open_mpi(kTwo).given("-n 3 ./teams"), "auto" + kSpread + kIdle + ": 3 ranks x 2 threads on 4 cores");
  EXPECT_EQ(mpich(kTwo).given("-n 3 ./script"), "auto" + kIdle + ": 3 ranks x 2 threads on 4 cores");
  EXPECT_EQ(mpich({{"OMP_NUM_THREADS", "2,4"}}).given("-n 3 ./teams"),
            "auto" + kIdle + ": 3 ranks x 2 threads on 4 cores");
  EXPECT_EQ(mpich(kTwo).given("-n 2 ./teams : -n 2 ./plain"), "auto" + kIdle + ": 4 ranks with 6 threads on 4 cores");
}

TEST(CoopPlan, LeavesIdleThreadsAloneWhereThereAreNone) {
  EXPECT_EQ(mpich().given("-n 8 ./plain"), "auto: 8 ranks on 4 cores");
  EXPECT_EQ(open_mpi(kTwo).given("-n 8 ./plain"), "auto: 8 ranks on 4 cores");
}

// MPICH binds nobody unless told to.
TEST(CoopPlan, CountsTheCoresAsOpenMpDoesWhereNobodyIsBound) {
  EXPECT_EQ(mpich().given("-n 2 ./teams"), "auto" + kIdle + ": 2 ranks x 4 threads on 4 cores");
  EXPECT_EQ(mpich().given("-bind-to core -n 2 ./teams"), "auto" + kRanksKnow);
  EXPECT_EQ(mpich({{"HYDRA_BINDING", "core"}}).given("-n 2 ./teams"), "auto" + kRanksKnow);
  EXPECT_EQ(open_mpi().given("-n 2 ./teams"), "auto" + kSpread + kRanksKnow);
  EXPECT_EQ(mpich({{"OMP_NUM_THREADS", "many"}}).given("-n 2 ./teams"),
            "auto" + kIdle + ": 2 ranks x 4 threads on 4 cores");
}

TEST(CoopPlan, OneRankHasNobodyToWaitFor) {
  EXPECT_EQ(mpich(kTwo).given("./teams"), "off: one rank has nobody to wait for");
  EXPECT_EQ(open_mpi({{"OMP_NUM_THREADS", "8"}}).given("-np 1 ./teams"), "off: one rank has nobody to wait for");
}

TEST(CoopPlan, LeavesToTheRanksWhatTheLineDoesNotTell) {
  EXPECT_EQ(open_mpi().given("./plain"), "auto" + kRanksKnow);
  EXPECT_EQ(open_mpi(kTwo).given("-n 2 ./teams"), "auto" + kSpread + kRanksKnow);  // they may share a core each
  EXPECT_EQ(mpich().given("-n 2 ./script"), "auto" + kRanksKnow);
  EXPECT_EQ(open_mpi().given("--bind-to none -n 2 ./plain"), "auto" + kRanksKnow);
  EXPECT_EQ(open_mpi().given("-mca rmaps_base_mapping_policy core -n 2 ./plain"), "auto" + kRanksKnow);
  EXPECT_EQ(open_mpi().given("-mca btl self,vader -n 2 ./plain"), "off: 2 ranks on 4 cores");
  EXPECT_EQ(open_mpi(kTwo).given("./teams : -n 3 ./teams"),
            "auto" + kSpread + kIdle + ": 4 ranks x 2 threads on 4 cores, or more");
}

TEST(CoopPlan, LeavesToTheRanksWhatHostsDecide) {
  EXPECT_EQ(mpich(kTwo).given("-hosts a,b -n 8 ./teams"), "auto" + kNodesUnknown);
  EXPECT_EQ(open_mpi(kTwo).given("--hostfile f -n 8 ./teams"), "auto" + kSpread + kNodesUnknown);
  EXPECT_EQ(mpich({{"SLURM_JOB_ID", "7"}}).given("-n 2 ./plain"), "auto" + kNodesUnknown);
  EXPECT_EQ((Job{.family = Family::slurm, .version = "Slurm 22.05.8"}.given("-n 2 ./plain")), "auto" + kNodesUnknown);
}

TEST(CoopPlan, IsOffWhereAProgramMayBeNoneOfMpi) {
  EXPECT_EQ(mpich().given("-n 4 ./plain : -n 4 ./script"),
            "off: not all of its programs tell by their files that they use MPI");
  EXPECT_EQ(mpich().given("-n 4 ./plain : -n 4 ./plain"), "auto: 8 ranks on 4 cores");
}

TEST(CoopPlan, DoesWhatTheUserAsks) {
  EXPECT_EQ(mpich(kTwo).given("-n 8 ./teams", "off"), "off: asked for");
  EXPECT_EQ(mpich(kTwo).given("-n 8 ./teams", "on"), "on" + kIdle + ": asked for");
  EXPECT_EQ(mpich(kTwo).given("-n 2 ./teams", "on"), "on: asked for");
  EXPECT_EQ(mpich().given("-n 4 ./plain", "on"), "on: asked for");
}

TEST(CoopPlan, TakesThreadsFromTheLineToo) {
  EXPECT_EQ(open_mpi(kOne).given("-x OMP_NUM_THREADS=3 -n 2 ./teams"),
            "auto" + kSpread + kIdle + ": 2 ranks x 3 threads on 4 cores");
  EXPECT_EQ(open_mpi(kTwo).given("-x OMP_NUM_THREADS -n 3 ./teams"),
            "auto" + kSpread + kIdle + ": 3 ranks x 2 threads on 4 cores");
  EXPECT_EQ(mpich().given("-genv OMP_NUM_THREADS 3 -n 2 ./teams : -env OMP_NUM_THREADS 1 -n 1 ./teams"),
            "auto" + kIdle + ": 3 ranks with 7 threads on 4 cores");
}

// Who tells no number may have an OpenBLAS for a few calls.
TEST(CoopPlan, CountsTheThreadsOfAnOpenBlasThatIsToldHowMany) {
  EXPECT_EQ(mpich(kTwo).given("-n 3 ./blas"), "auto" + kIdle + ": 3 ranks x 2 threads on 4 cores");
  EXPECT_EQ(mpich({{"OPENBLAS_NUM_THREADS", "2"}}).given("-n 3 ./blas"),
            "auto" + kIdle + ": 3 ranks x 2 threads on 4 cores");
  EXPECT_EQ(mpich({{"OPENBLAS_NUM_THREADS", "1"}, {"OMP_NUM_THREADS", "2"}}).given("-n 3 ./blas"),
            "off: 3 ranks on 4 cores");
  EXPECT_EQ(mpich().given("-n 3 ./blas"), "off: 3 ranks on 4 cores");
  EXPECT_EQ(mpich(kTwo).given("-n 3 ./plain"), "off: 3 ranks on 4 cores");
}

TEST(CoopPlan, NeverSetsWhatTheUserHasSet) {
  const auto with = [](const std::string& name, const std::string& value) {
    Variables variables = kTwo;
    variables[name] = value;
    return mpich(variables).given("-n 4 ./teams");
  };
  const std::string why = ": 4 ranks x 2 threads on 4 cores";
  EXPECT_EQ(with("OMP_WAIT_POLICY", "active"), "auto" + why);
  EXPECT_EQ(with("OMP_WAIT_POLICY", "passive"), "auto KMP_BLOCKTIME=0" + why);
  EXPECT_EQ(with("KMP_BLOCKTIME", "10"), "auto GOMP_SPINCOUNT=251" + why);
  EXPECT_EQ(mpich(kTwo).given("-genv OMP_WAIT_POLICY active -n 4 ./teams"), "auto" + why);
  EXPECT_EQ(open_mpi(kTwo).given("-x OMP_WAIT_POLICY=active -n 4 ./teams"), "auto" + kSpread + why);
  EXPECT_EQ(open_mpi({{"OMP_NUM_THREADS", "2"}, {"COMITY_COOP_SPREAD", "off"}}).given("-n 4 ./teams"),
            "auto" + kIdle + why);
}

TEST(CoopPlan, SpreadsOnlyWhereNobodyAskedForABinding) {
  for (const char* binding : {"--bind-to core", "--map-by core", "--cpu-set 0,1", "-rf file", "-bycore",
                              "--mca hwloc_base_binding_policy core"}) {
    const std::string given = open_mpi(kTwo).given(binding + std::string(" -n 8 ./teams"));
    EXPECT_EQ(given.find("SPREAD"), std::string::npos) << binding << " gives " << given;
  }
  // What is between the launcher and MPI may bind: a script, taskset.
  EXPECT_EQ(open_mpi(kTwo).given("-n 8 ./script").find("SPREAD"), std::string::npos);
}

}  // namespace
}  // namespace comity::cli::launch
