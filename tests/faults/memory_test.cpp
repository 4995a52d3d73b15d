// SPDX-License-Identifier: BSD-3-Clause
// Out of memory at each allocation of a create, one after the other: every rank is told COMITY_ERR_MEMORY, nobody waits
// for the rank that failed, nothing leaks, and the next create works. At those of hwloc the rank may die instead, as one
// that is killed.
//
// ALLOCATION_STEP (allocations, the plan's without it): from one of hwloc's to the next that fails.
#include <comity/comity.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>

#include "capi/fork_callbacks.hpp"
#include "faults/memory.hpp"
#include "faults/survivor.hpp"
#include "node/fork_bootstrap.hpp"
#include "node/meeting_bootstrap.hpp"
#include "node/stand_in.hpp"
#include "told_in_time.hpp"

namespace comity::testing {
namespace {

constexpr int kRanks = 3;
constexpr long kMost = 100'000;     // allocations of a create; more means that the count never ends
constexpr int kExitOfLoader = 127;  // glibc's, of a process for which it has no memory
constexpr const char* kMachine = "package:2 core:2 pu:1";

// Has memory for its own work at all times.
class Job final : public StandIn {
 public:
  using StandIn::StandIn;
  void candidate_gather(const void* mine, void* all, std::size_t bytes) override {
    const MemoryForTheTest memory;
    StandIn::candidate_gather(mine, all, bytes);
  }
  std::int64_t job_max(std::int64_t mine) override {
    const MemoryForTheTest memory;
    return StandIn::job_max(mine);
  }
  std::int64_t job_sum(std::int64_t mine) override {
    const MemoryForTheTest memory;
    return StandIn::job_sum(mine);
  }
};

struct Plan {
  const char* name;
  const char* handover;
  int victim;
  Shortage shortage;
  bool has_context;                // an earlier one lives: the create shares its segment
  const char* machine = kMachine;  // null: the real one
  long step = 1;                   // from one allocation to the next that fails
  Allocations which = Allocations::of_cpp;
};

std::ostream& operator<<(std::ostream& out, const Plan& plan) { return out << plan.name; }

void expect_next_works(const comity_bootstrap& bootstrap) {
  comity_context* context = nullptr;
  ASSERT_EQ(comity_context_create_with(&bootstrap, &context), COMITY_OK) << comity_last_error();
  EXPECT_EQ(comity_context_quiesce(context, nullptr, 0, COMITY_FOREVER), COMITY_OK);
  EXPECT_EQ(comity_context_free(&context), COMITY_OK);
}

// Returns how many of them failed.
long fail_each_allocation(Job& job, const Plan& plan) {
  const comity_bootstrap bootstrap = callbacks(job);
  const bool victim = job.job_rank() == plan.victim;
  for (long nth = 1; nth < kMost; nth += plan.step) {
    comity_context* context = nullptr;
    if (victim) run_out_of_memory(nth, plan.shortage, plan.which);
    const comity_status status = comity_context_create_with(&bootstrap, &context);
    const bool failed = job.job_max(end_shortage() ? 1 : 0) != 0;
    if (!failed) {
      EXPECT_EQ(status, COMITY_OK) << comity_last_error();
      EXPECT_EQ(comity_context_free(&context), COMITY_OK);
      return nth / plan.step;
    }
    EXPECT_STREQ(comity_status_name(status), "COMITY_ERR_MEMORY")
        << "allocation " << nth << ": " << comity_last_error();
    EXPECT_EQ(context, nullptr);
    (void)comity_context_free(&context);
    if (nth % 16 == 0) expect_next_works(bootstrap);
  }
  ADD_FAILURE() << "a create allocates without end";
  return kMost;
}

class OutOfMemory : public ::testing::TestWithParam<Plan> {};

TEST_P(OutOfMemory, AtEachAllocationOfACreateFailsAllRanksAlikeAndLeavesNothing) {
  const Plan& plan = GetParam();
  if (plan.which == Allocations::of_c_too && !can_refuse_c())
    GTEST_SKIP() << "NOT TESTED: the sanitizer's malloc stays";
  const HandOverFolder folder;
  if (plan.machine != nullptr) setenv("HWLOC_SYNTHETIC", plan.machine, 1);
  setenv("COMITY_NODE_HANDOVER", plan.handover, 1);
  setenv("COMITY_NODE_DIRECTORY", folder.path().c_str(), 1);
  const auto ends = run_ranks(kRanks, [&](ForkBootstrap& forked) {
    Job job(forked);
    const comity_bootstrap bootstrap = callbacks(job);
    comity_context* earlier = nullptr;
    if (plan.has_context) {
      ASSERT_EQ(comity_context_create_with(&bootstrap, &earlier), COMITY_OK);
    }
    expect_next_works(bootstrap);  // what is made once in a process is made now
    const std::size_t descriptors = open_descriptors();
    const long allocations = fail_each_allocation(job, plan);
    EXPECT_GT(allocations, 5);
    if (job.job_rank() == 0) std::printf("%s: %ld allocations failed, one by one\n", plan.name, allocations);
    EXPECT_EQ(open_descriptors(), descriptors);
    EXPECT_EQ(comity_context_free(&earlier), COMITY_OK);
    expect_next_works(bootstrap);
    expect_no_leak();
  });
  EXPECT_TRUE(all_good(ends));
  EXPECT_EQ(files_of_ours_in(folder.path()), 0);
}

constexpr Plan with_c(Plan plan) {
  plan.which = Allocations::of_c_too;
  return plan;
}

constexpr Shortage kOne = Shortage::one_allocation;
constexpr Shortage kAll = Shortage::from_then_on;
INSTANTIATE_TEST_SUITE_P(
    Plans, OutOfMemory,
    ::testing::Values(
        Plan{"leader_proc_one", "proc", 0, kOne, false}, Plan{"leader_proc_all", "proc", 0, kAll, false},
        Plan{"leader_socket_one", "socket", 0, kOne, false}, Plan{"leader_file_one", "file", 0, kOne, false},
        Plan{"leader_file_all", "file", 0, kAll, false}, Plan{"leader_auto_all", "auto", 0, kAll, false},
        Plan{"leader_none_one", "none", 0, kOne, false}, Plan{"leader_real_one", "auto", 0, kOne, false, nullptr},
        Plan{"member_real_all", "auto", 2, kAll, false, nullptr},
        Plan{"leader_wide_one", "auto", 0, kOne, false, "package:2 core:36 pu:1", 7},
        Plan{"leader_second_one", "auto", 0, kOne, true}, Plan{"leader_second_all", "auto", 0, kAll, true},
        Plan{"member_proc_one", "proc", 2, kOne, false}, Plan{"member_proc_all", "proc", 2, kAll, false},
        Plan{"member_socket_one", "socket", 2, kOne, false}, Plan{"member_socket_all", "socket", 2, kAll, false},
        Plan{"member_file_one", "file", 2, kOne, false}, Plan{"member_auto_one", "auto", 2, kOne, false},
        Plan{"member_none_all", "none", 2, kAll, false}, Plan{"member_second_one", "auto", 2, kOne, true},
        Plan{"member_second_all", "auto", 2, kAll, true},
        // Those of C too, on ranks that load no topology.
        with_c({"c_member_proc_one", "proc", 2, kOne, false}), with_c({"c_member_proc_all", "proc", 2, kAll, false}),
        with_c({"c_member_socket_one", "socket", 2, kOne, false}),
        with_c({"c_member_file_one", "file", 2, kOne, false}),
        with_c({"c_member_real_all", "auto", 2, kAll, false, nullptr}),
        with_c({"c_leader_second_one", "auto", 0, kOne, true}), with_c({"c_leader_second_all", "auto", 0, kAll, true})),
    [](const auto& one) { return one.param.name; });

// --- Those of C while a leader loads a described topology: hwloc's too, which does not live through all of them. Left out:
// the real machine, of which hwloc goes on without what it could not read, or looks for ever. ---

// What ranks and test share.
struct Scene {
  std::atomic<bool> refused;               // an allocation of the leader was, and it lives
  Meeting survivors;                       // of the leader's death
  std::array<char, 4096> healthy_figures;  // as the leader saw the machine when nothing was refused
};

// All that hwloc was asked for, as the context tells it.
std::string figures_of(const comity_context* context) {
  std::string text;
  for (const comity_type type :
       {COMITY_MACHINE, COMITY_PACKAGE, COMITY_NUMA, COMITY_L3, COMITY_L2, COMITY_L1, COMITY_CORE, COMITY_PU}) {
    std::int32_t count = 0;
    EXPECT_EQ(comity_context_count(context, type, &count), COMITY_OK);
    for (std::int32_t index = 0; index < count; ++index) {
      comity_cpuset set{};
      std::uint64_t bytes = 0;
      comity_memory_kind kind = COMITY_MEMORY_DRAM;
      EXPECT_EQ(comity_context_cpuset(context, type, index, &set), COMITY_OK);
      const bool is_cache = type == COMITY_L3 || type == COMITY_L2 || type == COMITY_L1;
      if (is_cache) {
        EXPECT_EQ(comity_context_cache_bytes(context, type, index, &bytes), COMITY_OK);
      }
      if (type == COMITY_NUMA) {
        EXPECT_EQ(comity_context_memory(context, index, &bytes, &kind), COMITY_OK);
      }
      text += std::string(comity_type_name(type)) + ' ' + std::to_string(set.words[0]) + ' ' + std::to_string(bytes) +
              ' ' + std::to_string(kind) + '\n';
    }
  }
  std::int32_t core_kinds = 0;
  EXPECT_EQ(comity_context_core_kind_count(context, &core_kinds), COMITY_OK);
  return text + "kinds of cores " + std::to_string(core_kinds);
}

void expect_healthy(const comity_context* context, Scene& scene) {
  const std::string figures = figures_of(context);
  ASSERT_LT(figures.size(), scene.healthy_figures.size());
  if (scene.healthy_figures[0] == 0) std::memcpy(scene.healthy_figures.data(), figures.c_str(), figures.size() + 1);
  EXPECT_STREQ(figures.c_str(), scene.healthy_figures.data());
}

// On a rank that lives. Returns whether the leader does.
bool expect_told(comity_status status, const comity_context* context, ForkBootstrap& forked, const Plan& plan,
                 std::int64_t after_ns, Scene& scene) {
  if (status == COMITY_OK) {
    expect_healthy(context, scene);
    return true;
  }
  EXPECT_EQ(context, nullptr);
  if (status == COMITY_ERR_MEMORY) return true;
  const bool is_lost = status == COMITY_ERR_MPI || status == COMITY_ERR_PEER_LOST;
  EXPECT_TRUE(is_lost && forked.job_rank() != plan.victim) << comity_status_name(status) << ": " << comity_last_error();
  EXPECT_LT(after_ns, kTellWithin_ns);
  return !is_lost;
}

void create_first(ForkBootstrap& forked, const Plan& plan, long nth, Scene& scene) {
  Job job(forked);
  const comity_bootstrap bootstrap = callbacks(job);
  comity_context* context = nullptr;
  const ToldInTime in_time;
  if (forked.job_rank() == plan.victim) run_out_of_memory(nth, plan.shortage, plan.which);
  const comity_status status = comity_context_create_with(&bootstrap, &context);
  const bool refused = end_shortage();
  const std::int64_t after_ns = in_time.after_ns(forked.ended_ns(plan.victim));
  if (refused) scene.refused.store(true);
  const bool leader_lives = expect_told(status, context, forked, plan, after_ns, scene);
  EXPECT_EQ(comity_context_free(&context), COMITY_OK);
  if (leader_lives) {
    expect_next_works(bootstrap);
  } else {
    MeetingBootstrap left(scene.survivors, forked.job_rank() - 1, kRanks - 1);
    expect_next_works(callbacks(left));
  }
}

enum class Leader { had_all, was_refused, died };

// A job of its own for each allocation, for after the first create of a process there is less to load.
Leader run_first_create(const Plan& plan, long nth, Scene& scene) {
  scene.refused.store(false);
  const auto ends = run_ranks(kRanks, [&](ForkBootstrap& forked) { create_first(forked, plan, nth, scene); },
                              {.quiet_about = plan.victim});
  const RankEnd& leader = ends[static_cast<std::size_t>(plan.victim)];
  const bool died = leader.signal != 0 || leader.exit_code == kExitOfLoader;
  EXPECT_NE(leader.signal, SIGKILL) << "it hung";
  EXPECT_TRUE(died || leader.exit_code == 0) << leader.exit_code;
  for (std::size_t rank = 0; rank < ends.size(); ++rank) {
    const bool is_leader = static_cast<int>(rank) == plan.victim;
    EXPECT_TRUE(is_leader || ends[rank].exit_code == 0) << "rank " << rank << ": " << ends[rank].exit_code;
  }
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a process stayed behind";
  if (died) return Leader::died;
  return scene.refused.load() ? Leader::was_refused : Leader::had_all;
}

class OutOfMemoryInHwloc : public ::testing::TestWithParam<Plan> {};

TEST_P(OutOfMemoryInHwloc, IsToldOrEndsTheLeaderAndGivesNobodyAnotherMachine) {
  const Plan& plan = GetParam();
  if (!can_refuse_c()) GTEST_SKIP() << "NOT TESTED: the sanitizer's malloc stays";
  const rlimit no_dump{.rlim_cur = 1, .rlim_max = 1};  // by 0 a program that takes dumps would still be called
  ASSERT_EQ(::setrlimit(RLIMIT_CORE, &no_dump), 0);
  setenv("HWLOC_PLUGINS_PATH", "/nonexistent", 1);  // they come by dlopen, where glibc ends who has no memory
  setenv("HWLOC_SYNTHETIC", plan.machine, 1);
  setenv("COMITY_NODE_HANDOVER", plan.handover, 1);
  const SharedMemoryFolder shared_memory;
  const os::Mapping memory = os::Mapping::anonymous(sizeof(Scene));
  auto& scene = *reinterpret_cast<Scene*>(memory.bytes().data());
  ASSERT_EQ(run_first_create(plan, kMost, scene), Leader::had_all);
  const char* const step_text = std::getenv("ALLOCATION_STEP");
  const long step = step_text != nullptr ? std::max(1L, std::atol(step_text)) : plan.step;
  int told = 0;
  int died = 0;
  for (long nth = 1; nth < kMost && !HasFailure(); nth += step) {
    SCOPED_TRACE(::testing::Message() << plan << ", allocation " << nth);
    const Leader leader = run_first_create(plan, nth, scene);
    if (leader == Leader::had_all) break;
    ++(leader == Leader::died ? died : told);
  }
  std::printf("%s: %d allocations failed, one by one: in %d the leader died\n", plan.name, told + died, died);
  EXPECT_GT(told, 5);
  EXPECT_TRUE(shared_memory.gets_rid_of_what_is_new());
}

INSTANTIATE_TEST_SUITE_P(Plans, OutOfMemoryInHwloc,
                         ::testing::Values(with_c({"c_leader_first_one", "auto", 0, kOne, false, kMachine, 7}),
                                           with_c({"c_leader_first_all", "auto", 0, kAll, false, kMachine, 29})),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace comity::testing
