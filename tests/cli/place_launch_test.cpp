// SPDX-License-Identifier: BSD-3-Clause
// A plan as launchers read it, and what is said of ranks that are not where the plan wants them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <optional>

#include "base/error.hpp"
#include "cli/place/hosts.hpp"
#include "cli/place/in_place/behind.hpp"
#include "cli/place/in_place/verdict.hpp"
#include "cli/place/launch_files.hpp"
#include "cli/place/progress.hpp"
#include "cli/place/wrapper.hpp"

namespace {

using namespace comity;
using namespace comity::cli;
using place::Mapping;
using place::NodeRun;
using place::Plan;
using place::SlotsOf;

const std::vector<std::string> kHosts{"n1", "n2"};

Plan plan_of(const std::vector<NodeRun>& nodes, const Mapping& mapping, std::uint32_t threads = 1) {
  return {nodes, {}, place::Site(nodes, threads), mapping, {threads}};
}

// Two nodes of two packages with two cores, each of two hardware threads; rank r is at place mapping[r].
Plan two_nodes(const Mapping& mapping, std::uint32_t threads = 1) {
  return plan_of({{2, place::node_shape("pack:2 [numa] core:2 pu:2")}}, mapping, threads);
}

LaunchFiles files_for(const std::string& launcher, const Plan& plan, const std::vector<std::string>& hosts = kHosts) {
  return launch_files(launch_form_named(launcher), plan, hosts, "/to", {"./app", "in put"});
}

const std::string& text_of(const LaunchFiles& launch, const std::string& name) {
  static const std::string none;
  for (const LaunchFile& file : launch.files) {
    if (file.name == name) return file.text;
  }
  return none;
}

TEST(LaunchFiles, RankfileNamesPackageAndCoreOfEachRank) {
  const LaunchFiles launch = files_for("openmpi4", two_nodes({5, 0, 6, 3}));
  EXPECT_EQ(text_of(launch, "rankfile"),
            "rank 0=n2 slot=0:1\nrank 1=n1 slot=0:0\nrank 2=n2 slot=1:0\nrank 3=n1 slot=1:1\n");
  EXPECT_EQ(launch.line, "mpirun -n 4 --rankfile /to/rankfile /to/comity-rank ./app 'in put'");
  const LaunchFiles five = files_for("openmpi5", two_nodes({5, 0, 6}));
  EXPECT_EQ(text_of(five, "hosts"), "n1 slots=1\nn2 slots=2\n");
  EXPECT_EQ(text_of(five, "rankfile"), "rank 0=n2 slot=1\nrank 1=n1 slot=0\nrank 2=n2 slot=2\n");
  EXPECT_EQ(five.line,
            "mpirun -n 3 --hostfile /to/hosts --map-by rankfile:file=/to/rankfile --bind-to core /to/comity-rank ./app "
            "'in put'");
}

TEST(LaunchFiles, RankfileNamesThePackageBeforeEachRangeOfCores) {
  const Plan together = two_nodes({0, 1}, 4);
  EXPECT_EQ(text_of(files_for("openmpi4", together), "rankfile"),
            "rank 0=n1 slot=0:0-1,1:0-1\nrank 1=n2 slot=0:0-1,1:0-1\n");
  const std::vector<NodeRun> holed{{1, place::without_cores(place::node_shape("core:4"), {1})}};
  EXPECT_EQ(text_of(files_for("openmpi4", plan_of(holed, {0}, 3)), "rankfile"), "rank 0=n1 slot=0:0,0:2-3\n");
}

// Open MPI 5.0.11 gives `0:0-1,1:0-1` the cores of the first package, and counts those before a package as if all were alike.
TEST(LaunchFiles, OpenMpi5CountsCoresOverTheWholeNode) {
  EXPECT_EQ(text_of(files_for("openmpi5", two_nodes({0, 1}, 4)), "rankfile"),
            "rank 0=n1 slot=0-3\nrank 1=n2 slot=0-3\n");
  const std::vector<NodeRun> holed{{1, place::without_cores(place::node_shape("pack:2 core:4"), {1, 4})}};
  EXPECT_EQ(text_of(files_for("openmpi5", plan_of(holed, {0}, 6)), "rankfile"), "rank 0=n1 slot=0,2-3,5-7\n");
}

std::string long_name() { return std::string(50, 'n'); }

// Every second of so many cores.
Plan scattered(std::uint32_t cores, std::uint32_t threads) {
  CpuSet missing;
  for (std::uint32_t core = 1; core < cores; core += 2) missing |= CpuSet{core};
  return plan_of({{1, place::without_cores(place::node_shape("core:" + std::to_string(cores)), missing)}}, {0},
                 threads);
}

// Both have room for 63 characters, and cut off the rest; 4 for host and list together.
TEST(LaunchFiles, ListOfCoresThatOpenMpiWouldCutIsBoundByTheWrapper) {
  const Plan longest = scattered(46, 23);
  EXPECT_EQ(text_of(files_for("openmpi5", longest), "rankfile").find("slot=0,2,4"), std::string("rank 0=n1 ").size());
  const LaunchFiles five = files_for("openmpi5", scattered(48, 24));
  EXPECT_EQ(text_of(five, "rankfile"), "rank 0=n1 slot=0\n");
  EXPECT_NE(five.line.find("--bind-to none /to/comity-rank ./app"), std::string::npos) << five.line;
  EXPECT_NE(text_of(five, "comity-rank").find("exec taskset -c"), std::string::npos);
  EXPECT_EQ(text_of(files_for("openmpi4", scattered(8, 4)), "rankfile"), "rank 0=n1 slot=0:0,0:2,0:4,0:6\n");
  const LaunchFiles four = files_for("openmpi4", scattered(8, 4), {long_name()});
  EXPECT_EQ(text_of(four, "rankfile"), "rank 0=" + long_name() + " slot=0:*\n");
  EXPECT_NE(text_of(four, "comity-rank").find("exec taskset -c"), std::string::npos);
}

// It asks one node for its cores, unless told that others have other CPUs behind the same numbers.
TEST(LaunchFiles, OpenMpi5IsToldWhereNodesNumberTheirCpusInOtherWays) {
  const place::NodeShape in_turn = place::node_shape("pack:2 core:2 pu:1(indexes=0,2,1,3)");
  const place::NodeShape in_order = place::node_shape("pack:2 core:2 pu:1");
  const std::string told = "--bind-to core --prtemca prte_hetero_nodes 1 ./app";
  EXPECT_NE(files_for("openmpi5", plan_of({{1, in_order}, {1, in_turn}}, {0, 4})).line.find(told), std::string::npos);
  EXPECT_EQ(files_for("openmpi5", plan_of({{1, in_order}, {1, in_turn}}, {0, 1})).line.find(told), std::string::npos);
  const place::NodeShape more = place::node_shape("pack:2 core:4 pu:1");
  EXPECT_EQ(files_for("openmpi5", plan_of({{1, in_order}, {1, more}}, {0, 4})).line.find(told), std::string::npos);
}

TEST(LaunchFiles, OpenMpi5ReadsNamesOfFilesUpToAColon) {
  EXPECT_THROW((void)launch_files(launch_form_named("openmpi5"), two_nodes({0}), kHosts, "/to:day", {"./app"}), Error);
}

TEST(LaunchFiles, HydraGetsRunsOfRanksAndCpusByTheTurnInARun) {
  const LaunchFiles launch = files_for("mpich", two_nodes({0, 1, 4, 5}));
  EXPECT_EQ(text_of(launch, "hosts"), "n1:2\nn2:2\n");
  EXPECT_EQ(launch.line, "mpirun -n 4 -f /to/hosts -bind-to user:0+1,2+3 /to/comity-rank ./app 'in put'");
  EXPECT_EQ(launch.files.size(), 2U);
}

// Hydra begins its list of CPUs anew at each line of the hosts.
TEST(LaunchFiles, HostThatComesBackToHydraIsBoundByTheWrapper) {
  const LaunchFiles launch = files_for("mpich", two_nodes({0, 4, 5, 1}));
  EXPECT_EQ(text_of(launch, "hosts"), "n1:1\nn2:2\nn1:1\n");
  EXPECT_NE(launch.line.find("-bind-to none /to/comity-rank ./app"), std::string::npos) << launch.line;
}

TEST(LaunchFiles, SlurmGetsAHostARankAndMasksByTheTurnOnANode) {
  const LaunchFiles launch = files_for("slurm", two_nodes({1, 4 + 1, 4, 0}));
  EXPECT_EQ(text_of(launch, "hosts"), "n1\nn2\nn2\nn1\n");
  EXPECT_EQ(launch.line,
            "SLURM_HOSTFILE=/to/hosts srun -n 4 --distribution=arbitrary --cpu-bind=mask_cpu:0xc,0x3 /to/comity-rank "
            "./app 'in put'");
}

// Two threads would start on the one core of a rank: an OpenMP program counts the CPUs that it may run on.
TEST(LaunchFiles, RankOfOneThreadIsToldSoWhereItsCoreHasSeveralCpus) {
  const Plan one = plan_of({{1, place::node_shape("core:2 pu:2")}}, {0, 1});
  const Plan bare = plan_of({{1, place::node_shape("core:2 pu:1")}}, {0, 1});
  for (const char* launcher : {"openmpi4", "openmpi5", "mpich", "slurm", "cray", "aprun", "pals"}) {
    const LaunchFiles launch = files_for(launcher, one);
    EXPECT_NE(launch.line.find(" /to/comity-rank ./app"), std::string::npos) << launch.line;
    const std::string& text = text_of(launch, "comity-rank");
    EXPECT_NE(text.find("\n1) cpus=2-3 threads=1 places='{2,3}' ;;\n"), std::string::npos) << text;
    EXPECT_NE(text.find("OMP_NUM_THREADS=\"$threads\""), std::string::npos) << text;
    EXPECT_EQ(text.find("taskset"), std::string::npos) << text;
    EXPECT_EQ(files_for(launcher, bare).line.find("comity-rank"), std::string::npos) << launcher;
  }
  EXPECT_NE(files_for("mpich", one).line.find("-bind-to user:0+1,2+3 /to/comity-rank ./app"), std::string::npos);
  EXPECT_NE(files_for("mpich", bare).line.find("-bind-to user:0,1 ./app"), std::string::npos);
}

TEST(LaunchFiles, WrapperBindsWhereNodesDiffer) {
  const Plan plan = two_nodes({0, 4 + 3});
  for (const auto& [launcher, unbound] : {std::pair("mpich", "-bind-to none"), std::pair("slurm", "--cpu-bind=none")}) {
    const LaunchFiles launch = files_for(launcher, plan);
    EXPECT_NE(launch.line.find(std::string(unbound) + " /to/comity-rank ./app"), std::string::npos) << launch.line;
    EXPECT_NE(text_of(launch, "comity-rank").find("\n1) cpus=6-7 threads=1 places='{6,7}' ;;\n"), std::string::npos);
    EXPECT_NE(text_of(launch, "comity-rank").find("exec taskset -c"), std::string::npos);
    EXPECT_TRUE(launch.files.back().executable);
  }
}

TEST(LaunchFiles, WrapperNamesAPlaceForEachThreadOfARank) {
  const LaunchFiles launch = files_for("mpich", two_nodes({0, 1, 2, 3}, 2));
  EXPECT_NE(launch.line.find("-bind-to user:0+1+2+3,4+5+6+7 /to/comity-rank ./app"), std::string::npos) << launch.line;
  const std::string& text = text_of(launch, "comity-rank");
  EXPECT_NE(text.find("\n0|2) cpus=0-3 threads=2 places='{0,1},{2,3}' ;;\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("taskset"), std::string::npos);
}

TEST(LaunchFiles, SpreadThreadsHaveCoresOfEachPackage) {
  const std::vector<NodeRun> nodes{{1, place::spread(place::node_shape("pack:2 [numa] core:4"), 4)}};
  const Plan plan = plan_of(nodes, {1, 0}, 4);
  EXPECT_EQ(openmp_places(plan, 1), "{0},{1},{4},{5}");
  EXPECT_EQ(openmp_places(plan, 0), "{2},{3},{6},{7}");
  EXPECT_EQ(plan.place(0), 2U);
  const LaunchFiles launch = files_for("openmpi4", plan);
  EXPECT_EQ(text_of(launch, "rankfile"), "rank 0=n1 slot=0:2-3,1:2-3\nrank 1=n1 slot=0:0-1,1:0-1\n");
}

// Ranks of two and of six threads, each with half of its cores in each package, the halves one after the other.
TEST(LaunchFiles, SpreadRanksMayHaveUnequalNumbersOfThreads) {
  const place::NodeShape shape = place::node_shape("pack:2 [numa] core:4");
  ASSERT_EQ(place::narrowest_spread(shape), 2U);
  const std::vector<NodeRun> nodes{{1, place::spread(shape, 2)}};
  const Plan plan(nodes, {}, place::Site(nodes), {6, 0}, {2, 6});
  EXPECT_EQ(openmp_places(plan, 0), "{3},{7}");
  EXPECT_EQ(openmp_places(plan, 1), "{0},{1},{2},{4},{5},{6}");
  EXPECT_EQ(text_of(files_for("openmpi4", plan), "rankfile"), "rank 0=n1 slot=0:3,1:3\nrank 1=n1 slot=0:0-2,1:0-2\n");
}

// Of five cores each package has one over, which no rank can have; places count it all the same.
TEST(LaunchFiles, PlacesCountCoresThatSpreadRanksLeaveOver) {
  const Plan plan = plan_of({{2, place::spread(place::node_shape("pack:2 core:5"), 4)}}, {3, 0, 2, 1}, 4);
  EXPECT_EQ(plan.place(0), 12U);
  EXPECT_EQ(plan.place(2), 10U);
  EXPECT_EQ(plan.place(3), 2U);
}

TEST(LaunchFiles, RanksMayHaveUnequalNumbersOfThreads) {
  const std::vector<NodeRun> nodes{{1, place::node_shape("pack:2 core:4")}};
  const Plan plan(nodes, {}, place::Site(nodes), {4, 0, 3}, {4, 3, 1});
  const LaunchFiles launch = files_for("openmpi4", plan);
  EXPECT_EQ(text_of(launch, "rankfile"), "rank 0=n1 slot=1:0-3\nrank 1=n1 slot=0:0-2\nrank 2=n1 slot=0:3\n");
  EXPECT_NE(text_of(launch, "comity-rank").find("2) cpus=3 threads=1 places='{3}' ;;"), std::string::npos);
}

TEST(LaunchFiles, RankOrderListsTheRanksOfEachNodeByTheirCores) {
  const Plan plan = two_nodes({5, 1, 0, 4});
  const LaunchFiles launch = files_for("cray", plan, {});
  EXPECT_EQ(text_of(launch, "MPICH_RANK_ORDER"), "2,1,3,0\n");
  EXPECT_EQ(
      launch.line,
      "MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE=/to/MPICH_RANK_ORDER srun -N 2 -n 4 --ntasks-per-node=2 "
      "--distribution=block --cpu-bind=mask_cpu:0x3,0xc /to/comity-rank ./app 'in put'");
  EXPECT_NE(files_for("aprun", plan, {}).line.find("aprun -n 4 -N 2 -d 1 -cc 0-1:2-3 /to/comity-rank ./app"),
            std::string::npos);
  EXPECT_NE(files_for("pals", plan, {}).line.find("mpiexec -n 4 --ppn 2 --cpu-bind list:0-1:2-3 /to/comity-rank ./app"),
            std::string::npos);
  EXPECT_NE(launch.notes.back().find("Untested"), std::string::npos);
}

// The wrapper's process does not know which rank MPI will make of it: the launcher numbers places.
TEST(LaunchFiles, WrapperOfAnOrderedJobGoesByTheLaunchersNumbers) {
  const std::vector<NodeRun> nodes{{1, place::node_shape("core:4")}, {1, place::node_shape("core:2 pu:2")}};
  const LaunchFiles launch = files_for("pals", plan_of(nodes, {4, 5, 1, 0}), {});
  EXPECT_EQ(text_of(launch, "MPICH_RANK_ORDER"), "3,2,0,1\n");
  EXPECT_NE(text_of(launch, "comity-rank").find("\n2) cpus=0-1 "), std::string::npos) << text_of(launch, "comity-rank");
  EXPECT_NE(launch.line.find("--cpu-bind none /to/comity-rank"), std::string::npos);
}

// Launchers that are given no hosts would start the ranks on the first nodes.
TEST(LaunchFiles, AnEmptyNodeBeforeOthersCannotBeSkippedByCountAlone) {
  const Plan plan = two_nodes({4, 5});
  for (const char* launcher : {"cray", "aprun", "pals"}) {
    try {
      (void)files_for(launcher, plan, {});
      ADD_FAILURE() << launcher << " would start on node 0";
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::unsupported);
      EXPECT_NE(std::string(error.what()).find("allocate 1 alone"), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW((void)files_for("cray", plan), Error);  // also where it knows their names, for those are not told
  const LaunchFiles first_node_alone = files_for("cray", two_nodes({0, 1}), {});
  EXPECT_EQ(text_of(first_node_alone, "MPICH_RANK_ORDER"), "0,1\n");
  EXPECT_NE(first_node_alone.line.find("srun -N 1 -n 2 "), std::string::npos) << "not on the nodes behind it too";
}

TEST(LaunchFiles, UnequalNodesCannotBeStartedByCountAlone) {
  const Plan plan = two_nodes({0, 4, 5});
  for (const char* launcher : {"cray", "aprun", "pals"}) EXPECT_THROW((void)files_for(launcher, plan, {}), Error);
  const Plan fewer_at_the_end = two_nodes({4, 0, 1});
  EXPECT_EQ(text_of(files_for("aprun", fewer_at_the_end, {}), "MPICH_RANK_ORDER"), "1,2,0\n");
  EXPECT_THROW((void)files_for("cray", fewer_at_the_end, {}), Error) << "srun would share them evenly";
  EXPECT_THROW((void)launch_form_named("openmpi"), Error);
}

std::string error_of(const std::function<void()>& what) {
  try {
    what();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string refusal(const std::string& launcher, const Plan& plan, const std::vector<std::string>& hosts = {}) {
  return error_of([&] { (void)files_for(launcher, plan, hosts); });
}

// Twelve ranks on four nodes of four cores, three on each, are left with other shares by a mapper that may choose.
TEST(LaunchFiles, RefusalsNameNodesThatWillDo) {
  const std::vector<NodeRun> nodes{{5, place::node_shape("core:4")}};
  Mapping mapping{0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 13};
  EXPECT_NE(refusal("cray", plan_of(nodes, mapping))
                .find("allocate 3 nodes alone, and plan for those, each as full as "
                      "in --hosts 'n[1-3]:4'"),
            std::string::npos)
      << refusal("cray", plan_of(nodes, mapping));
  const std::vector<std::string> hosts{"a", "b", "c", "d", "e"};
  EXPECT_NE(refusal("pals", plan_of(nodes, mapping), hosts).find("--hosts 'a:4,b:4,c:4'"), std::string::npos);
  mapping.push_back(16);
  EXPECT_NE(refusal("cray", plan_of(nodes, mapping)).find("no number of these nodes"), std::string::npos);
  EXPECT_NE(refusal("aprun", plan_of(nodes, mapping)).find("--hosts 'n[1-3]:4,n4:1'"), std::string::npos);
}

// Nodes that are equally full already stay as they are.
TEST(LaunchFiles, RefusalsOfNodesLeftEmptyNameTheOthers) {
  const std::vector<NodeRun> nodes{{3, place::node_shape("core:4")}};
  EXPECT_NE(refusal("cray", plan_of(nodes, {4, 5, 8, 9}))
                .find("allocate 1,2 alone, and plan for those, each as full as in --hosts 'n[1-2]:2'"),
            std::string::npos);
  EXPECT_NE(refusal("cray", plan_of(nodes, {4, 5, 6, 8, 9, 10}), {"a", "b", "c"}).find("--hosts 'b:3,c:3'"),
            std::string::npos);
  EXPECT_NE(refusal("cray", plan_of(nodes, {4, 5, 6, 8})).find("allocate 1 node alone"), std::string::npos);
}

// ---- hosts of the nodes

EnvironmentLookup variable(const std::string& name, const std::string& value) {
  return [=](std::string_view asked) { return asked == name ? std::optional(value) : std::nullopt; };
}

TEST(Hosts, AllocationNamesThemUnlessAListDoes) {
  const auto slurm = variable("SLURM_JOB_NODELIST", "n[1-3]");
  EXPECT_EQ(read_hosts("", slurm).size(), 3U);
  EXPECT_EQ(read_hosts("n3.cluster,n1", slurm).front().name, "n3.cluster");
  EXPECT_EQ(
      error_of([&] { (void)read_hosts("n3,n4", slurm); }),
      "--hosts names n4, which is not in this job's allocation (SLURM_JOB_NODELIST has 3 hosts, the first one n1); "
      "leave --hosts out, or correct it");
  EXPECT_TRUE(read_hosts("", variable("none", "")).empty());
  EXPECT_THROW((void)read_hosts("/absent/hosts", slurm), Error);
}

using Variables = std::map<std::string, std::string, std::less<>>;

// In a job of Slurm on n1 to n3; what --hosts makes of it.
std::vector<place::Host> in_slurm(Variables variables, const std::string& list = "") {
  variables.emplace("SLURM_JOB_NODELIST", "n[1-3]");
  return read_hosts(list, [&](std::string_view asked) {
    const auto at = variables.find(asked);
    return at == variables.end() ? std::nullopt : std::optional(at->second);
  });
}

TEST(Hosts, HaveTheCpusThatSlurmGaveTheJob) {
  const std::string cpus = "4(x2),8";
  EXPECT_EQ(in_slurm({{"SLURM_JOB_CPUS_PER_NODE", cpus}}),
            (std::vector<place::Host>{{"n1", {}, 4}, {"n2", {}, 4}, {"n3", {}, 8}}));
  EXPECT_EQ(in_slurm({{"SLURM_JOB_CPUS_PER_NODE", cpus}}, "n3.site:8,n1"),
            (std::vector<place::Host>{{"n3.site", 8, 8}, {"n1", {}, 4}}));
  EXPECT_EQ(error_of([&] {
              (void)in_slurm({{"SLURM_JOB_CPUS_PER_NODE", cpus}}, "n1:5");
            }),
            "--hosts gives n1 5 slots, but this job has 4 CPUs there (SLURM_JOB_NODELIST); leave the number out, or "
            "ask for more with --ntasks-per-node");
  EXPECT_EQ(error_of([] {
              (void)in_slurm({{"SLURM_JOB_CPUS_PER_NODE", "4(x2)"}});
            }),
            "SLURM_JOB_CPUS_PER_NODE tells of 2 nodes, but SLURM_JOB_NODELIST has 3; correct the one that was changed");
}

// Slurm tells of tasks also where nobody asked for any.
TEST(Hosts, TakeAsManyRanksAsTheTasksThatSlurmWasAskedFor) {
  const Variables counts{{"SLURM_JOB_CPUS_PER_NODE", "8(x3)"}, {"SLURM_TASKS_PER_NODE", "2,3(x2)"}};
  const auto slots = [&](const std::string& more, const std::string& list = "") {
    Variables all = counts;
    if (!more.empty()) all.emplace(more, "8");
    std::vector<std::optional<std::uint32_t>> each;
    for (const place::Host& host : in_slurm(all, list)) each.push_back(host.slots);
    return each;
  };
  using Slots = std::vector<std::optional<std::uint32_t>>;
  EXPECT_EQ(slots("SLURM_NTASKS"), (Slots{2, 3, 3}));
  EXPECT_EQ(slots("SLURM_NTASKS_PER_NODE", "n3,n1:4"), (Slots{3, 4})) << "a list may use CPUs that no task has";
  EXPECT_EQ(slots(""), (Slots{{}, {}, {}}));
  Variables step = counts;
  step["SLURM_NTASKS"] = step["SLURM_TASKS_PER_NODE"] = "1";
  step["SLURM_STEP_ID"] = "0";
  EXPECT_EQ(in_slurm(step).front().slots, std::nullopt) << "tasks of a step are not the job's";
}

TEST(Hosts, CpusOfTheJobLimitTheCoresOfANode) {
  const std::vector<NodeRun> nodes{{2, place::node_shape("pack:2 core:4 pu:2")}};
  const auto cores = [&](std::uint32_t cpus, std::uint32_t threads, ThreadsLie lie = ThreadsLie::together) {
    return with_slots(nodes, {{"a", {}, cpus}, {"b"}}, threads, lie).front().shape.cores;
  };
  EXPECT_EQ(cores(16, 1), 8U) << "a whole node, whose hardware threads count";
  EXPECT_EQ(cores(3, 1), 3U);
  EXPECT_EQ(cores(3, 2), 3U);
  EXPECT_EQ(cores(7, 4, ThreadsLie::spread), 4U) << "one rank";
  EXPECT_EQ(cores(3, 4, ThreadsLie::spread), 0U) << "none, and the other node has room";
  EXPECT_EQ(cores(5, 1, ThreadsLie::spread_unequal), 4U) << "as many of each package";
}

// Of a file with these lines; what --hosts makes of it.
std::vector<place::Host> in_pbs(const std::string& lines, const std::string& list = "") {
  std::string path = ::testing::TempDir() + "comity-nodefile-XXXXXX";
  const int file = ::mkstemp(path.data());
  EXPECT_EQ(::write(file, lines.data(), lines.size()), static_cast<ssize_t>(lines.size()));
  ::close(file);
  try {
    std::vector<place::Host> hosts = read_hosts(list, variable("PBS_NODEFILE", path));
    ::unlink(path.c_str());
    return hosts;
  } catch (const Error&) {
    ::unlink(path.c_str());
    throw;
  }
}

TEST(Hosts, LinesOfPbsAreSlots) {
  const std::vector<place::Host> three{{"n1.site", 3, {}, SlotsOf::job}, {"n2.site", 1, {}, SlotsOf::job}};
  EXPECT_EQ(in_pbs("n1.site\nn1.site\nn2.site\nn1.site\n"), three);
  // One each: as many ranks as a node has room for.
  EXPECT_EQ(in_pbs("n1\nn2\n"), (std::vector<place::Host>{{"n1"}, {"n2"}}));
}

TEST(Hosts, ListHasNoMoreSlotsThanPbsGave) {
  const std::string lines = "n1\nn1\nn1\nn1\nn2\nn2\nn3\n";
  EXPECT_EQ(in_pbs(lines, "n2.site,n1:3"), (std::vector<place::Host>{{"n2.site", 2, {}, SlotsOf::job}, {"n1", 3}}));
  EXPECT_EQ(in_pbs(lines, "n3"), (std::vector<place::Host>{{"n3", 1, {}, SlotsOf::job}}));
  EXPECT_EQ(in_pbs("n1\nn2\n", "n1:8"), (std::vector<place::Host>{{"n1", 8}}));
  EXPECT_EQ(error_of([&] { (void)in_pbs(lines, "n1,n2:3"); }),
            "--hosts gives n2 3 slots, but this job has 2 there (PBS_NODEFILE); leave the number out, or ask for more "
            "with mpiprocs");
  EXPECT_NE(error_of([&] { (void)in_pbs(lines, "n4"); }).find("PBS_NODEFILE has 3 hosts, the first one n1"),
            std::string::npos);
}

// sbatch --overcommit: a mapping has no use for ranks that share a CPU, and nobody wrote a list that would be wrong.
TEST(Hosts, TakeNoMoreRanksThanAnOvercommittedJobHasCpus) {
  const Variables job{
      {"SLURM_JOB_CPUS_PER_NODE", "8(x3)"}, {"SLURM_TASKS_PER_NODE", "16(x2),2"}, {"SLURM_NTASKS", "34"}};
  EXPECT_EQ(in_slurm(job), (std::vector<place::Host>{
                               {"n1", 8, 8, SlotsOf::job}, {"n2", 8, 8, SlotsOf::job}, {"n3", 2, 8, SlotsOf::job}}));
  const std::vector<NodeRun> nodes{{2, place::node_shape("core:2 pu:2")}};
  EXPECT_EQ(with_slots(nodes, in_slurm(job, "n2,n1"), 1).front().shape.cores, 2U);
  EXPECT_EQ(error_of([&] { (void)with_slots(nodes, in_slurm(job, "n2,n1:5"), 1); }),
            "host n1 has 5 slots, but node 1 has 4 hardware threads; correct the list or the description of the node");
  EXPECT_EQ(with_slots(nodes, in_pbs("n1\nn1\nn1\nn1\nn1\nn2\n"), 1).front().shape.cores, 2U);
}

// Two clusters may each have an n1.
TEST(Hosts, OfOneShortNameAreToldApartByTheirWholeNames) {
  const std::string lines = "n1.a\nn1.a\nn1.a\nn1.b\nn2.b\nn2.b\n";
  const std::vector<place::Host> as_they_are{
      {"n1.b", 1, {}, SlotsOf::job}, {"n1.a", 3, {}, SlotsOf::job}, {"n2", 2, {}, SlotsOf::job}};
  EXPECT_EQ(in_pbs(lines, "n1.b,n1.a,n2"), as_they_are);
  EXPECT_NE(error_of([&] { (void)in_pbs(lines, "n1.b:2"); }).find("--hosts gives n1.b 2 slots, but this job has 1"),
            std::string::npos);
  EXPECT_EQ(
      error_of([&] { (void)in_pbs(lines, "n1"); }),
      "--hosts names n1, which may be n1.a or n1.b of this job's allocation (PBS_NODEFILE); write its whole name");
  EXPECT_NE(error_of([&] { (void)in_pbs(lines, "n1.c"); }).find("n1.c, which is not in this job's allocation"),
            std::string::npos);
  // One that is called so, and another.
  EXPECT_EQ(in_pbs("n1\nn1\nn1.b\n", "n1"), (std::vector<place::Host>{{"n1", 2, {}, SlotsOf::job}}));
}

TEST(Hosts, SlotsLimitTheRanksOfANode) {
  const std::vector<NodeRun> nodes{{3, place::node_shape("pack:2 core:2")}};
  const auto fitted = with_slots(nodes, {{"a"}, {"b", 3}, {"c", 4}}, 1);
  ASSERT_EQ(fitted.size(), 3U);
  EXPECT_EQ(fitted[1].shape.cores, 3U);
  EXPECT_EQ(fitted[2].shape.cores, 4U);
  EXPECT_EQ(with_slots(nodes, {{"a", 1}, {"b", 1}, {"c", 1}}, 2).front().nodes, 3U);
  EXPECT_EQ(with_slots(nodes, {{"a", 1}, {"b", 1}, {"c", 1}}, 2).front().shape.cores, 2U);
  EXPECT_EQ(error_of([&] { (void)with_slots(nodes, {{"a"}}, 1); }),
            "the list of hosts has 1, but the nodes are 3; name one host for each node");
  EXPECT_NE(error_of([&] {
              (void)with_slots(nodes, {{"a"}, {"b", 5}, {"c"}}, 1);
            }).find("host b has 5 slots, but node 1 has 4"),
            std::string::npos);
}

// Slots take ranks away, not packages: the rank that stays has cores of both.
TEST(Hosts, SlotsLeaveSpreadRanksTheirPackages) {
  const std::vector<NodeRun> nodes{{2, place::node_shape("pack:2 core:4")}};
  const auto fitted = with_slots(nodes, {{"a", 1}, {"b"}}, 4, ThreadsLie::spread);
  ASSERT_EQ(fitted.size(), 2U);
  const Plan plan = plan_of(fitted, {0, 1, 2}, 4);
  EXPECT_EQ(openmp_places(plan, 0), "{0},{1},{4},{5}");
  EXPECT_EQ(openmp_places(plan, 2), "{2},{3},{6},{7}");
  EXPECT_EQ(plan.place(1), 8U);
  EXPECT_EQ(with_slots(nodes, {{"a", 2}, {"b", 8}}, 4, ThreadsLie::spread).size(), 1U) << "both take two ranks";
  EXPECT_EQ(with_slots({{1, place::node_shape("core:4")}}, {{"a", 1}}, 2, ThreadsLie::spread).front().shape.cores, 2U);
}

// ---- where the program stands

TEST(Behind, TheProgramIsFoundBehindKnownWrappers) {
  const auto found = [](const std::vector<std::string>& words) {
    return words[program_behind_wrappers(words, "--verify")];
  };
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"./app", "-c", "0"},
                                             {"taskset", "-c", "0", "./app", "taskset"},
                                             {"/usr/bin/taskset", "--cpu-list", "0-1", "./app"},
                                             {"taskset", "-ac", "0", "env", "A=1", "nice", "-n", "5", "./app"},
                                             {"taskset", "0x1", "./app"},
                                             {"env", "-u", "A", "-i", "OMP_NUM_THREADS=2", "B=", "./app"},
                                             {"env", "--", "./app"},
                                             {"numactl", "-C", "0", "--membind=0", "--preferred", "1", "-l", "./app"},
                                             {"numactl", "-N0", "./app"},
                                             {"nice", "-5", "./app"},
                                             {"nice", "--adjustment=5", "nohup", "./app"},
                                             {"comity", "run", "--record", "d", "--", "./app", "--"},
                                             {"/to/comity-rank", "taskset", "1", "./app"}}) {
    EXPECT_EQ(found(words), "./app");
  }
  EXPECT_EQ(found({"env"}), "env");
}

TEST(Behind, WhatIsNotSureIsRefused) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"sh", "-c", "exec ./app"},
                                             {"taskset", "-p", "1", "./app"},
                                             {"env", "-S", "./app"},
                                             {"numactl", "--touch", "./app"},
                                             {"taskset", "1", "/bin/bash", "run.sh"},
                                             {"comity", "run", "--record", "d"},
                                             {"perl", "x.pl"},
                                             {"env", "/usr/bin/python3.11", "app.py"},
                                             {"hwloc-bind", "core:0", "./app"}}) {
    EXPECT_NE(error_of([&] { (void)program_behind_wrappers(words, "--verify"); }).find("write {} there"),
              std::string::npos)
        << words.front();
  }
}

// ---- the verdict on where they are

ProbedThread thread_of(std::uint32_t rank, const std::string& host, const CpuSet& mask, int memory = 0) {
  return {rank, {host, "10.0.0." + host.substr(1)}, 0, 1, static_cast<std::uint32_t>(*mask.lowest()), mask, {memory}};
}

// As two_nodes({0, 2, 4, 6}) wants them: of each node the first core of each package.
std::vector<ProbedThread> as_planned() {
  return {thread_of(0, "n1", {0, 1}), thread_of(1, "n1", {4}, 1), thread_of(2, "n2", {0, 1}),
          thread_of(3, "n2", {4, 5}, 1)};
}

std::string finding(const std::vector<ProbedThread>& threads, const std::vector<std::string>& hosts = kHosts) {
  const Verdict verdict = verdict_on(two_nodes({0, 2, 4, 6}), hosts, "n1", threads);
  return verdict.findings.empty() ? "" : verdict.findings.front();
}

TEST(Verdict, FindsNothingWhereAllIsAsPlanned) {
  const Verdict verdict = verdict_on(two_nodes({0, 2, 4, 6}), kHosts, "n1", as_planned());
  EXPECT_EQ(verdict.findings, std::vector<std::string>());
  EXPECT_EQ(verdict.ranks, 4U);
  EXPECT_EQ(verdict.hosts, 2U);
  EXPECT_EQ(finding(as_planned(), {}), "");
  EXPECT_EQ(finding(as_planned(), {"10.0.0.1", "n2.cluster"}), "");
}

// Each host calls itself so, and all of them were taken for it once.
TEST(Verdict, TakesLocalhostForTheHostThatVerifies) {
  EXPECT_EQ(finding(as_planned(), {"localhost", "n2"}), "");
  EXPECT_EQ(finding(as_planned(), {"localhost", "127.0.0.1"}), "rank 2 runs on n2, planned is 127.0.0.1, which is n1");
  auto threads = as_planned();
  threads[2].host = threads[3].host = {"n1", "10.0.0.1"};
  EXPECT_EQ(finding(threads, {"localhost", "127.0.0.1"}),
            "2 threads share 1 core on n1 (CPUs 0-1): rank 0 thread 0, rank 2 thread 0");
}

// "n1" may be both; they were taken for one host once.
TEST(Verdict, TellsHostsOfTwoDomainsApart) {
  auto threads = as_planned();
  for (ProbedThread& thread : threads) thread.host = {thread.rank < 2 ? "n1.a" : "n1.b"};
  EXPECT_EQ(finding(threads, {"n1.a", "n1.b"}), "");
  EXPECT_EQ(finding(threads, {"n1.b", "n1.a"}), "rank 0 runs on n1.a, planned is n1.b");
  threads[1].host = {"n1.b"};
  EXPECT_EQ(finding(threads, {"n1", "n1.b"}), "rank 1 runs on n1.b, but other ranks of node 0 run on n1.a");
}

// All ranks may share the host that one name of the list leaves open: then it is the node that is called so.
TEST(Verdict, TakesAHostForTheNodeThatIsCalledJustSo) {
  auto threads = as_planned();
  for (ProbedThread& thread : threads) thread.host = {"n1.b"};
  const Verdict verdict = verdict_on(two_nodes({0, 2, 4, 6}), {"n1", "n1.b"}, "n9", threads);
  ASSERT_GE(verdict.findings.size(), 2U);
  EXPECT_EQ(verdict.findings[0], "rank 0 runs on n1.b, which is node 1, planned is n1");
  EXPECT_EQ(verdict.findings[1], "rank 1 runs on n1.b, which is node 1, planned is n1");
  for (const ProbedThread& thread : as_planned()) threads[thread.rank].host = {thread.rank < 2 ? "n1.a" : "n1.b"};
  EXPECT_EQ(finding(threads, {"n1", "n1.b"}), "");
}

TEST(Verdict, KnowsHostsByPartsOfTheirDomains) {
  auto threads = as_planned();
  for (ProbedThread& thread : threads) thread.host = {thread.rank < 2 ? "n1.site.example.org" : "n2.site"};
  EXPECT_EQ(finding(threads, {"n1.site", "n2.site.example.org"}), "");
  EXPECT_EQ(finding(threads, {"n1.example.org", "n2"}),
            "rank 0 runs on n1.site.example.org, planned is n1.example.org");
}

TEST(Verdict, NamesTheRankOnAnotherHost) {
  auto threads = as_planned();
  threads[2].host = {"n1"};
  EXPECT_EQ(finding(threads), "rank 2 runs on n1, planned is n2");
  EXPECT_NE(finding(threads, {}), "");
  EXPECT_EQ(finding(as_planned(), {"n2", "n1"}), "rank 0 runs on n1, planned is n2");
  for (ProbedThread& thread : threads) thread.host = {"n1"};
  EXPECT_EQ(finding(threads, {}), "rank 2 of node 1 runs on n1, as ranks of node 0 do");
}

TEST(Verdict, NamesTheRankOnOtherCores) {
  auto threads = as_planned();
  threads[1].mask = {4, 5, 6};
  threads[1].cpu = 6;
  EXPECT_EQ(finding(threads), "rank 1 may run on CPUs 4-6 and ran on 6, planned are 4-5");
  threads[1].cpu.reset();
  EXPECT_EQ(finding(threads), "rank 1 may run on CPUs 4-6, planned are 4-5");
}

// A thread that is where it may be tells nothing; one that was not has another mask at times.
TEST(Verdict, NamesTheRankThatRanOutsideOfItsMask) {
  auto threads = as_planned();
  threads[1].cpu = 7;
  EXPECT_EQ(finding(threads),
            "rank 1 ran on CPU 7, planned are 4-5, though it may run on 4 only: something binds it anew meanwhile");
  threads[1].cpu = 5;
  EXPECT_EQ(finding(threads), "");
  threads[1].cpu.reset();
  EXPECT_EQ(finding(threads), "");
}

TEST(Verdict, NamesRanksThatAreMissingOrTooMany) {
  auto threads = as_planned();
  threads.pop_back();
  EXPECT_EQ(finding(threads), "1 rank of the plan did not run: 3");
  threads = as_planned();
  threads.push_back(thread_of(9, "n1", {7}));
  EXPECT_EQ(finding(threads), "1 rank ran that the plan of 4 does not have: 9");
}

TEST(Verdict, NamesThreadsThatShareACore) {
  auto threads = as_planned();
  threads[1].mask = {0};
  const Verdict verdict = verdict_on(two_nodes({0, 2, 4, 6}), kHosts, "n1", threads);
  EXPECT_EQ(verdict.findings.back(), "2 threads share 1 core on n1 (CPUs 0-1): rank 0 thread 0, rank 1 thread 0");
}

// Each mask has room for those inside it, and four threads have three cores: told as planned once.
TEST(Verdict, NamesThreadsThatHaveTooFewCoresTogether) {
  const Plan plan = plan_of({{1, place::node_shape("core:4")}}, {0}, 4);
  const auto on = [&](const std::vector<CpuSet>& masks) {
    std::vector<ProbedThread> threads;
    for (std::uint32_t i = 0; i < 4; ++i) {
      threads.push_back({0, {"n1"}, i, 4, static_cast<std::uint32_t>(*masks[i].lowest()), masks[i], {0}});
    }
    return verdict_on(plan, {"n1"}, "n1", threads).findings;
  };
  EXPECT_EQ(on({{0, 1}, {1, 2}, {0, 2}, {0, 1}}),
            std::vector<std::string>{"4 threads share 3 cores on n1 (CPUs 0-2): rank 0 thread 0, rank 0 thread 1, "
                                     "rank 0 thread 2, rank 0 thread 3"});
  EXPECT_EQ(on({{0, 1}, {1, 2}, {0, 2}, {1, 3}}), std::vector<std::string>());
  EXPECT_EQ(on({{0, 1, 2, 3}, {0, 1}, {0, 2}, {1, 2}}), std::vector<std::string>()) << "the first one moves on";
}

// Threads that may run on either of two cores can each have one.
TEST(Verdict, LetsThreadsOfARankMoveAmongItsCores) {
  const Plan plan = two_nodes({0, 1}, 2);
  const auto line = [](std::uint32_t rank, std::uint32_t thread, const CpuSet& mask) {
    return ProbedThread{
        rank, {"n1"}, thread, 2, static_cast<std::uint32_t>(*mask.lowest()), mask, {static_cast<int>(rank)}};
  };
  const std::vector<std::string> hosts{"n1", "n2"};
  EXPECT_TRUE(verdict_on(plan, hosts, "n1",
                         {line(0, 0, {0, 1, 2, 3}), line(0, 1, {0, 1, 2, 3}), line(1, 0, {4, 5}), line(1, 1, {6})})
                  .findings.empty());
  const auto swapped =
      verdict_on(plan, hosts, "n1", {line(0, 0, {2}), line(0, 1, {0}), line(1, 0, {4, 5}), line(1, 1, {6})});
  EXPECT_EQ(swapped.findings, std::vector<std::string>{"rank 0 thread 0 is bound to CPUs 2, planned are 0-1"});
  const auto crowded =
      verdict_on(plan, hosts, "n1", {line(0, 0, {0}), line(0, 1, {0, 1}), line(1, 0, {4, 5}), line(1, 1, {6})});
  ASSERT_EQ(crowded.findings.size(), 2U);
  EXPECT_NE(crowded.findings[1].find("2 threads share 1 core on n1"), std::string::npos);
  const auto alone =
      verdict_on(plan, hosts, "n1", {{0, {"n1"}, 0, 1, 0, {0, 1, 2, 3}, {0}}, line(1, 0, {4}), line(1, 1, {6})});
  EXPECT_EQ(alone.findings, std::vector<std::string>{"rank 0 has 1 thread, planned are 2"});
}

TEST(Verdict, NamesTheRankWhoseMemoryIsElsewhere) {
  auto threads = as_planned();
  threads[0].memory = {1};
  EXPECT_EQ(finding(threads),
            "memory of rank 0 is at NUMA node 1, next to its cores is 0; look for numactl or a memory "
            "binding of the launcher");
  threads[0].memory.clear();
  EXPECT_EQ(finding(threads), "");
  threads[0].memory = {0, 1};  // in turn: a page of its own was near by chance
  EXPECT_NE(finding(threads).find("memory of rank 0 is at NUMA node 0, 1, next to its cores is 0;"), std::string::npos);
}

TEST(ProbeLines, AreReadBackWhateverStandsBeforeThem) {
  const ProbedThread thread{7, {"n1", "10.0.0.1"}, 1, 2, 5, {4, 5}, {}};
  const std::string line = probe_line(thread);
  const auto read = read_probe_lines("[1,0]<stdout>: " + line + "noise\n" + line);
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read.front(), thread);
  const ProbedThread nowhere{7, {"n1"}, 0, 1, std::nullopt, {4, 5}, {1}};
  const ProbedThread around{7, {"n1"}, 0, 1, 4, {4, 5}, {0, 2}};
  EXPECT_EQ(read_probe_lines(probe_line(around)), std::vector<ProbedThread>{around});
  EXPECT_EQ(read_probe_lines(probe_line(nowhere)), std::vector<ProbedThread>{nowhere});
  std::string torn = line;
  torn[20] ^= 1;
  EXPECT_TRUE(read_probe_lines(torn).empty());
  EXPECT_EQ(read_probe_lines(checked_probe_line("7 n1 0 1 - 4-5 1")), std::vector<ProbedThread>{nowhere});
  for (const char* memory : {"2147483648", "-1", "x", "", "0,-1", "0,x"}) {
    EXPECT_TRUE(read_probe_lines(checked_probe_line(std::string("7 n1 0 1 - 4-5 ") + memory)).empty()) << memory;
  }
  EXPECT_TRUE(read_probe_lines(line.substr(0, line.size() / 2)).empty());
}

TEST(Progress, BarIsThereWhereThereAreSteps) {
  EXPECT_EQ(progress_line("walking", 1, 1, 2'500'000'000), "place: walking, 2 s");
  EXPECT_EQ(progress_line("walking", 5, 20, 0), "place: walking [=====               ] 5 of 20, 0 s");
  EXPECT_EQ(progress_line("walking", 20, 20, 61'000'000'000), "place: walking [====================] 20 of 20, 61 s");
}

}  // namespace
