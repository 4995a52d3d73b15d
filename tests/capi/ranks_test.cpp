// SPDX-License-Identifier: BSD-3-Clause
// Contexts of several ranks without MPI: forked ranks on simulated machines, through the C interface.
#include <comity/comity.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "capi/fork_callbacks.hpp"
#include "node/fork_bootstrap.hpp"
#include "sanitizer.hpp"
#include "told_in_time.hpp"

namespace comity {
namespace {

using testing::all_good;
using testing::ForkBootstrap;
using testing::run_ranks;

// The paper's AMD 6136 node: 2 sockets, 2 NUMA domains each, 4 cores each.
constexpr const char* kSixteenCores = "package:2 numa:2 core:4 pu:1";

class Ranks : public ::testing::TestWithParam<int> {
 protected:
  Ranks() {
    setenv("HWLOC_SYNTHETIC", kSixteenCores, 1);
    setenv("COMITY_NODE_SLICE_MS", "50", 1);
  }
};
class RanksWithPeers : public Ranks {};

TEST_P(Ranks, ExampleOneSelectsOneLeaderANumaNodeAndWidensIt) {
  const auto ends = run_ranks(GetParam(), [](ForkBootstrap& job) {
    Context context(callbacks(job));
    EXPECT_EQ(context.size(), job.job_size());
    EXPECT_EQ(context.rank(), job.job_rank());
    EXPECT_EQ(context.node_count(), 1);
    context.spread(Resource::core);
    EXPECT_EQ(context.binding_string(), std::to_string(job.job_rank()));
    const Distribution mine = context.distribute(Resource::numa, 1);
    EXPECT_EQ(mine.selected, job.job_rank() % 4 == 0);
    EXPECT_EQ(mine.leader, job.job_rank() / 4 * 4);
    EXPECT_EQ(mine.share, job.job_rank() % 4);
    const bool ran = context.phase(Resource::numa, 1, [&] {
      const int numa = job.job_rank() / 4;
      EXPECT_EQ(context.binding_string(), std::to_string(4 * numa) + "-" + std::to_string(4 * numa + 3));
      EXPECT_EQ(context.width().cores, 4);
    });
    EXPECT_EQ(ran, mine.selected);
    EXPECT_EQ(context.binding_string(), std::to_string(job.job_rank()));
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(Ranks, PublishedMasksAreThoseOfTheLastCollectiveCall) {
  const auto ends = run_ranks(GetParam(), [](ForkBootstrap& job) {
    Context context(callbacks(job));
    EXPECT_EQ(static_cast<int>(context.peers_in(Resource::core, 15).size()), job.job_size()) << "all are unbound";
    context.push(Resource::core, job.job_rank());
    EXPECT_EQ(static_cast<int>(context.peers_in(Resource::core, 15).size()), job.job_size()) << "nothing published yet";
    context.quiesce();
    EXPECT_EQ(context.peers_in(Resource::core, 0), (std::vector<std::int32_t>{0}));
    EXPECT_EQ(context.peers_in(Resource::core, 0, View::live), (std::vector<std::int32_t>{0}));
    context.quiesce();
    context.pop();
  });
  EXPECT_TRUE(all_good(ends));
}

constexpr int kRounds = testing::kHasSanitizer ? 200 : 1000;

TEST_P(Ranks, DistributionIsTheSameOnAllRanksInAThousandRounds) {
  const auto ends = run_ranks(GetParam(), [](ForkBootstrap& job) {
    Context context(callbacks(job));
    for (int round = 0; round < kRounds; ++round) {
      context.push(Resource::core, (job.job_rank() * 7 + round * 3) % 16);
      context.quiesce();
      const Distribution mine = context.distribute(Resource::package, 1 + round % 3);
      // The sum over ranks of "I am selected" must be what each of them was told; ranks run on at their own pace.
      if (round % 100 == 0) {
        EXPECT_EQ(job.job_sum(mine.selected ? 1 : 0), mine.selected_count);
      }
      context.pop();
    }
  });
  EXPECT_TRUE(all_good(ends));
}

// The graded approach (000_... VII): one library is wide on three of the four cores of a NUMA node, while another one's
// ranks go on working on the fourth.
std::string list_of(int first, int last) {
  return first == last ? std::to_string(first) : std::to_string(first) + "-" + std::to_string(last);
}

TEST_P(Ranks, AWidthBelowTheObjectLeavesItsOtherCoresToRanksThatGoOn) {
  const auto ends = run_ranks(GetParam(), [](ForkBootstrap& job) {
    Context wide(callbacks(job));
    Context busy(callbacks(job));
    wide.spread(Resource::core);
    const int rank = job.job_rank();
    const bool goes_on = rank % 4 == 3;
    const std::optional<Group> workers = busy.split(goes_on ? 0 : -1);
    for (int round = 0; round < 20; ++round) {
      std::int32_t selected = 0;
      ASSERT_EQ(comity_context_enter(wide.handle(), COMITY_NUMA, 1, 3, &selected), COMITY_OK);
      EXPECT_EQ(selected != 0, rank % 4 == 0);
      if (selected != 0) {
        const int free_core = job.job_size() == 2 ? 1 : rank + 3;  // of the rank that goes on, or of the last that does
        const std::vector<int> others = wide.peers_in(Resource::core, free_core, View::live);
        EXPECT_EQ(wide.binding_string(), job.job_size() == 2 ? "0,2-3" : list_of(rank, rank + 2));
        EXPECT_EQ(others, job.job_size() > free_core ? std::vector{free_core} : std::vector<int>());
      }
      if (goes_on) {
        const BindingGuard bound = busy.bound(Resource::core, rank);
        EXPECT_EQ(busy.binding_string(), std::to_string(rank));
        busy.quiesce(*workers);  // meets its own kind while the others rest or are wide
      }
      ASSERT_EQ(comity_context_leave(wide.handle()), COMITY_OK);
    }
    EXPECT_EQ(wide.binding_string(), std::to_string(rank));
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(Ranks, SplitGroupsRestApart) {
  const auto ends = run_ranks(GetParam(), [](ForkBootstrap& job) {
    Context context(callbacks(job));
    const std::optional<Group> half = context.split(job.job_rank() % 2);
    ASSERT_TRUE(half);
    EXPECT_EQ(half->rank(), job.job_rank() / 2);
    EXPECT_EQ(half->size(), (job.job_size() + (job.job_rank() % 2 == 0 ? 1 : 0)) / 2);
    for (int round = 0; round < 100; ++round) context.quiesce(*half);
    EXPECT_FALSE(context.split(-1));
    context.quiesce();
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(RanksWithPeers, ATimeoutLeavesTheWaitAsItWas) {
  const auto ends = run_ranks(GetParam(), [](ForkBootstrap& job) {
    Context context(callbacks(job));
    if (job.job_rank() == 0) {
      EXPECT_EQ(comity_context_quiesce(context.handle(), nullptr, 0, 1'000'000), COMITY_ERR_TIMEOUT);
      EXPECT_EQ(comity_context_quiesce(context.handle(), nullptr, 0, 0), COMITY_ERR_TIMEOUT);
    }
    (void)job.job_sum(0);  // nobody else comes before rank 0 has given up
    context.quiesce();
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(Ranks, SeveralContextsShareTheSegmentAndNest) {
  const auto ends = run_ranks(GetParam(), [](ForkBootstrap& job) {
    Context library_a(callbacks(job));
    Context library_b(callbacks(job));
    library_a.push(Resource::numa, 1);
    library_b.push(Resource::core, 9);
    EXPECT_EQ(library_a.binding_string(), "9");
    EXPECT_EQ(comity_context_pop(library_a.handle()), COMITY_ERR_ORDER);
    library_b.pop();
    EXPECT_EQ(library_b.binding_string(), "4-7");
    library_a.pop();
    EXPECT_EQ(library_a.binding_string(), "0-15");
    library_a.quiesce();
    library_b.quiesce();
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(Ranks, AFailureOfOneRankFailsAllWithTheSameCode) {
  const auto ends = run_ranks(GetParam(), [](ForkBootstrap& job) {
    if (job.job_rank() == job.job_size() - 1) setenv("COMITY_NODE_SLICE_MS", "7", 1);
    const comity_bootstrap bootstrap = callbacks(job);
    comity_context* context = nullptr;
    EXPECT_EQ(comity_context_create_with(&bootstrap, &context), COMITY_ERR_OPTION);
    EXPECT_EQ(context, nullptr);
    unsetenv("COMITY_NODE_SLICE_MS");
    EXPECT_EQ(comity_context_create_with(&bootstrap, &context), COMITY_OK) << "the next create works";
    EXPECT_EQ(comity_context_free(&context), COMITY_OK);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(Ranks, ANullPointerOnOneRankFailsAll) {
  const auto ends = run_ranks(GetParam(), [](ForkBootstrap& job) {
    const comity_bootstrap bootstrap = callbacks(job);
    comity_context* context = nullptr;
    comity_context** out = job.job_rank() == 0 ? nullptr : &context;
    EXPECT_EQ(comity_context_create_with(&bootstrap, out), COMITY_ERR_ARGUMENT);
    EXPECT_EQ(context, nullptr);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(Ranks, WrongNumbersOfOneRankFailAll) {
  const auto ends = run_ranks(GetParam(), [](ForkBootstrap& job) {
    comity_bootstrap bootstrap = callbacks(job);
    if (job.job_rank() == job.job_size() - 1) bootstrap.candidate_rank = job.job_size();
    comity_context* context = nullptr;
    EXPECT_EQ(comity_context_create_with(&bootstrap, &context), COMITY_ERR_ARGUMENT);
    EXPECT_EQ(context, nullptr);
    const comity_bootstrap right = callbacks(job);
    EXPECT_EQ(comity_context_create_with(&right, &context), COMITY_OK) << "the next create works";
    EXPECT_EQ(comity_context_free(&context), COMITY_OK);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(RanksWithPeers, ADeadPeerIsToldByNameAndTheNextContextWorks) {
  const auto ends = run_ranks(GetParam(), [](ForkBootstrap& job) {
    const int victim = job.job_size() - 1;
    Context context(callbacks(job));
    context.spread(Resource::core);
    if (job.job_rank() == victim) {
      raise(SIGKILL);
    }
    const testing::ToldInTime told;
    EXPECT_EQ(comity_context_quiesce(context.handle(), nullptr, 0, COMITY_FOREVER), COMITY_ERR_PEER_LOST);
    EXPECT_LT(told.after_ns(job.ended_ns(victim)), testing::kTellWithin_ns);
    EXPECT_NE(std::string(comity_last_error()).find("rank " + std::to_string(victim)), std::string::npos)
        << comity_last_error();
    context.pop();
    Context alone = Context::local();
    EXPECT_EQ(alone.size(), 1);
    alone.quiesce();
  });
  for (std::size_t rank = 0; rank + 1 < ends.size(); ++rank) EXPECT_EQ(ends[rank].exit_code, 0) << "rank " << rank;
}

TEST_P(RanksWithPeers, LeaveTellsOfADeathAndStillRestoresTheBinding) {
  const auto ends = run_ranks(GetParam(), [](ForkBootstrap& job) {
    Context context(callbacks(job));
    std::int32_t selected = 0;
    ASSERT_EQ(comity_context_enter(context.handle(), COMITY_MACHINE, 1, 0, &selected), COMITY_OK);
    if (job.job_rank() == job.job_size() - 1) raise(SIGKILL);
    EXPECT_EQ(comity_context_leave(context.handle()), COMITY_ERR_PEER_LOST);
    EXPECT_EQ(context.depth(), 0);
    EXPECT_EQ(context.binding_string(), "0-15");
  });
  for (std::size_t rank = 0; rank + 1 < ends.size(); ++rank) EXPECT_EQ(ends[rank].exit_code, 0) << "rank " << rank;
}

// Neither the phase's own entry, nor that of the caller below it.
TEST_P(Ranks, APhasesBodyPopsWhatItPushedAndNoMore) {
  const auto ends = run_ranks(GetParam(), [](ForkBootstrap& job) {
    Context context(callbacks(job));
    context.spread(Resource::core);
    const std::string before = context.binding_string();
    const auto pop_too_much = [&] {
      const std::string in_phase = context.binding_string();
      context.push(Resource::core, 15);
      context.pop();
      for (int time = 0; time < 2; ++time) EXPECT_EQ(comity_context_pop(context.handle()), COMITY_ERR_ORDER);
      EXPECT_EQ(context.binding_string(), in_phase);
    };
    context.phase(Resource::numa, 1, [&] {
      pop_too_much();
      EXPECT_EQ(context.depth(), 2);
    });
    bool told = false;
    const bool ran = job.job_rank() % 4 == 0;
    try {
      context.phase(Resource::numa, 1, [&] { context.pop(); });
    } catch (const std::exception& error) {
      told = std::string(error.what()).find("comity_context_leave") != std::string::npos;
    }
    EXPECT_EQ(told, ran);
    EXPECT_EQ(context.depth(), 1);
    EXPECT_EQ(context.binding_string(), before);
    context.pop();
    EXPECT_EQ(context.binding_string(), "0-15");
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(Ranks, RanksThatShareAnObjectDivideItsCores) {
  const auto ends = run_ranks(GetParam(), [](ForkBootstrap& job) {
    Context context(callbacks(job));
    const int cores = 16 / job.job_size();
    const int first = job.job_rank() * cores;
    const bool ran = context.phase(Resource::machine, job.job_size(), [&] {
      EXPECT_EQ(context.binding_string(), list_of(first, first + cores - 1));
      EXPECT_EQ(context.width().cores, cores);
    });
    EXPECT_TRUE(ran);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(Ranks, AWidthIsThatOfEachRankWhereTwoShareAnObject) {
  const auto ends = run_ranks(GetParam(), [](ForkBootstrap& job) {
    Context context(callbacks(job));
    context.spread(Resource::core);
    const int numa = job.job_rank() / 4;
    const int place = job.job_rank() % 4;
    const bool alone = job.job_size() == 1;
    const int first = 4 * numa + 2 * place;
    const bool narrow = context.phase(
        Resource::numa, 2, [&] { EXPECT_EQ(context.binding_string(), std::to_string(4 * numa + place)); }, 1);
    const bool wide = context.phase(
        Resource::numa, 2, [&] { EXPECT_EQ(context.binding_string(), list_of(first, first + (alone ? 2 : 1))); }, 3);
    EXPECT_EQ(narrow, place < 2);
    EXPECT_EQ(wide, place < 2);
  });
  EXPECT_TRUE(all_good(ends));
}

INSTANTIATE_TEST_SUITE_P(Counts, Ranks, ::testing::Values(1, 2, 4, 8, 16), ::testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Counts, RanksWithPeers, ::testing::Values(2, 4, 8, 16), ::testing::PrintToStringParamName());

// Cores that ranks do not divide evenly: a core more for some, or one for several.
class Uneven : public ::testing::Test {
 protected:
  static void expect_divided(const char* machine, const std::vector<std::string>& bindings) {
    setenv("HWLOC_SYNTHETIC", machine, 1);
    const auto ranks = static_cast<int>(bindings.size());
    const auto ends = run_ranks(ranks, [&](ForkBootstrap& job) {
      Context context(callbacks(job));
      const bool ran = context.phase(Resource::numa, job.job_size(), [&] {
        EXPECT_EQ(context.binding_string(), bindings[static_cast<std::size_t>(job.job_rank())]);
      });
      EXPECT_TRUE(ran);
    });
    EXPECT_TRUE(all_good(ends));
  }
};

TEST_F(Uneven, RanksGetCoresThatDifferByOne) {
  expect_divided("numa:1 core:8 pu:1", {"0-1", "2-4", "5-7"});
  expect_divided("numa:1 core:5 pu:2", {"0-3", "4-9"});
}

TEST_F(Uneven, RanksBeyondTheCoresShareThem) { expect_divided("numa:1 core:2 pu:1", {"0", "0", "1"}); }

// Segments of pairs inside a bigger job come and go with their contexts.
TEST(Descriptors, AreGivenBackWhenNoContextIsOnASegmentAnyMore) {
  setenv("HWLOC_SYNTHETIC", kSixteenCores, 1);
  const auto open_files = [] {
    int count = 0;
    for (int file = 0; file < 1024; ++file) count += fcntl(file, F_GETFD) >= 0 ? 1 : 0;
    return count;
  };
  const auto ends = run_ranks(2, [&](ForkBootstrap& job) {
    const Context first = Context::local();  // keeps the process's wiring alive
    int before = 0;
    for (int round = 0; round < 20; ++round) {
      { const Context pair(callbacks(job)); }
      if (round == 0) before = open_files();
    }
    EXPECT_EQ(open_files(), before);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(Hosts, RanksOfTwoHostsMakeTwoNodes) {
  setenv("HWLOC_SYNTHETIC", kSixteenCores, 1);
  testing::RunOptions options;
  options.host = {0, 1, 0, 1};
  const auto ends = run_ranks(
      4,
      [](ForkBootstrap& job) {
        Context context(callbacks(job));
        EXPECT_EQ(context.node_count(), 2);
        EXPECT_EQ(context.size(), 2);
        EXPECT_EQ(context.rank(), job.job_rank() / 2);
        context.quiesce();
      },
      options);
  EXPECT_TRUE(all_good(ends));
}

TEST(Hosts, ANodeWithoutRoomFailsTheCreateOnAllNodes) {
  setenv("HWLOC_SYNTHETIC", kSixteenCores, 1);
  testing::RunOptions options;
  options.host = {0, 1};
  const auto ends = run_ranks(
      2,
      [](ForkBootstrap& job) {
        Context first(callbacks(job));
        std::vector<Group> fillers;
        while (job.job_rank() == 0) {
          comity_group* group = nullptr;
          if (comity_group_split(first.handle(), 0, &group) != COMITY_OK) break;
          fillers.emplace_back(group);
        }
        const comity_bootstrap bootstrap = callbacks(job);
        comity_context* second = nullptr;
        EXPECT_EQ(comity_context_create_with(&bootstrap, &second), COMITY_ERR_MEMORY);
        fillers.clear();
        EXPECT_EQ(comity_context_create_with(&bootstrap, &second), COMITY_OK);
        EXPECT_EQ(comity_context_free(&second), COMITY_OK);
      },
      options);
  EXPECT_TRUE(all_good(ends));
}

TEST(Hosts, WithoutHandOverEveryRankIsANode) {
  setenv("HWLOC_SYNTHETIC", kSixteenCores, 1);
  setenv("COMITY_NODE_HANDOVER", "none", 1);
  const auto ends = run_ranks(3, [](ForkBootstrap& job) {
    Context context(callbacks(job));
    EXPECT_EQ(context.node_count(), 3);
    EXPECT_EQ(context.size(), 1);
    context.quiesce();
    Context again(callbacks(job));
    EXPECT_EQ(again.node_count(), 3);
  });
  unsetenv("COMITY_NODE_HANDOVER");
  EXPECT_TRUE(all_good(ends));
}

TEST(Simulated, MasksOfAMachineOfManyPusArePublishedWhole) {
  setenv("HWLOC_SYNTHETIC", "package:2 core:96 pu:2", 1);
  const auto ends = run_ranks(8, [](ForkBootstrap& job) {
    Context context(callbacks(job));
    for (int round = 0; round < 20; ++round) {
      const int core = (job.job_rank() * 24 + round * 7) % 192;
      context.push(Resource::core, core);
      context.quiesce();
      for (int rank = 0; rank < job.job_size(); ++rank) {
        const std::vector<std::int32_t> there = context.peers_in(Resource::core, (rank * 24 + round * 7) % 192);
        EXPECT_EQ(there, std::vector<std::int32_t>{rank}) << "round " << round;
      }
      context.quiesce();
      context.pop();
    }
  });
  EXPECT_TRUE(all_good(ends));
}

// A domain of CPUs with two memories, ordinary and fast, is two NUMA nodes and one place to run.
struct SharedPlaces {
  const char* machine;
  std::vector<std::string> spread;    // the binding of each rank, spread over the NUMA nodes
  std::vector<std::string> in_phase;  // in a phase of one rank a NUMA node; "": it rests
  std::vector<std::string> of_two;    // in a phase of two
};
const std::vector<SharedPlaces> kSharedPlaces{
    {"knl-7250",
     {"0-271", "0-271", "0-271", "0-271"},
     {"0-271", "", "", ""},
     {"0-33,68-101,136-169,204-237", "34-67,102-135,170-203,238-271", "", ""}},
    {"two-memories", {"0-3", "4-7", "0-3", "4-7"}, {"0-3", "", "4-7", ""}, {"0-1", "2-3", "4-5", "6-7"}},
    {"many-memories", {"0-1", "0-1", "0-1", "0-1"}, {"0-1", "", "", ""}, {"0", "1", "", ""}},
    {"memory-only", {"0-1", "0-1", "0-1", "0-1"}, {"0-1", "", "", ""}, {"0", "1", "", ""}},
};

TEST(MemoryWithoutCpus, IsNoPlaceToPush) {
  unsetenv("HWLOC_SYNTHETIC");
  setenv("HWLOC_XMLFILE", COMITY_TEST_DATA "/machines/memory-only.xml", 1);
  const Context context = Context::local();
  comity_context* const handle = context.handle();
  EXPECT_EQ(comity_context_push(handle, COMITY_NUMA, 1), COMITY_ERR_RANGE);
  EXPECT_NE(std::string(comity_last_error()).find("numa 1 has no CPUs"), std::string::npos) << comity_last_error();
  unsetenv("HWLOC_XMLFILE");
}

class MemoriesOfOneDomain : public ::testing::TestWithParam<SharedPlaces> {};

TEST_P(MemoriesOfOneDomain, AreOnePlaceToRun) {
  const SharedPlaces& expected = GetParam();
  unsetenv("HWLOC_SYNTHETIC");
  setenv("HWLOC_XMLFILE", (std::string(COMITY_TEST_DATA "/machines/") + expected.machine + ".xml").c_str(), 1);
  const auto ends = run_ranks(4, [&](ForkBootstrap& job) {
    const auto rank = static_cast<std::size_t>(job.job_rank());
    Context context(callbacks(job));
    context.spread(Resource::core);
    const auto in_phase = [&](int per) {
      std::string binding;
      context.phase(Resource::numa, per, [&] { binding = context.binding_string(); });
      return binding;
    };
    EXPECT_EQ(in_phase(1), expected.in_phase[rank]);
    EXPECT_EQ(in_phase(2), expected.of_two[rank]);
    context.pop();
    context.spread(Resource::numa);
    EXPECT_EQ(context.binding_string(), expected.spread[rank]);
  });
  unsetenv("HWLOC_XMLFILE");
  EXPECT_TRUE(all_good(ends));
}

INSTANTIATE_TEST_SUITE_P(Machines, MemoriesOfOneDomain, ::testing::ValuesIn(kSharedPlaces), [](const auto& shared) {
  std::string name = shared.param.machine;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Simulated, TheStartingBindingIsASettingAndChecked) {
  setenv("HWLOC_SYNTHETIC", kSixteenCores, 1);
  setenv("COMITY_MACHINE_BINDING", "4-7", 1);
  EXPECT_EQ(Context::local().binding_string(), "4-7");
  setenv("COMITY_MACHINE_BINDING", "15-16", 1);
  comity_context* context = nullptr;
  EXPECT_EQ(comity_context_create_local(&context), COMITY_ERR_OPTION);
  setenv("COMITY_MACHINE_BINDING", "abc", 1);
  EXPECT_EQ(comity_context_create_local(&context), COMITY_ERR_OPTION);
  EXPECT_NE(std::string(comity_last_error()).find("COMITY_MACHINE_BINDING=abc"), std::string::npos);
  unsetenv("COMITY_MACHINE_BINDING");
}

}  // namespace
}  // namespace comity
