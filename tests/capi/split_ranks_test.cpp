// SPDX-License-Identifier: BSD-3-Clause
// Splits among forked ranks on a simulated machine: level by level and back, by each assignment, and what all are told alike.
#include <comity/split.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "capi/fork_callbacks.hpp"
#include "capi/two_cpus.hpp"
#include "node/fork_bootstrap.hpp"

namespace comity {
namespace {

using testing::all_good;
using testing::ForkBootstrap;
using testing::run_ranks;

// Masks of more than one word: 2 packages x 2 NUMA nodes x 24 cores x 1 PU.
constexpr const char* kManyCores = "package:2 numa:2 core:24 pu:1";
constexpr int kCores = 96;

std::string list_of(int first, int count) {
  return count == 1 ? std::to_string(first) : std::to_string(first) + "-" + std::to_string(first + count - 1);
}

int packed(int member, int members, int pieces) { return members > pieces ? member * pieces / members : member; }
int spread(int member, int members, int pieces) {
  return members > pieces ? member % pieces : member * pieces / members;
}

class Split : public ::testing::TestWithParam<int> {
 protected:
  Split() {
    setenv("HWLOC_SYNTHETIC", kManyCores, 1);
    setenv("COMITY_NODE_SLICE_MS", "50", 1);
  }
};

TEST_P(Split, OfASplitNestsAndPopsGoBackLevelByLevel) {
  const auto ends = run_ranks(GetParam(), [](ForkBootstrap& job) {
    Context context(callbacks(job));
    const int package = packed(job.job_rank(), job.job_size(), 2);
    const Group sharers = split(context, Resource::package, 0, Assignment::packed);
    EXPECT_EQ(context.binding_string(), list_of(48 * package, 48));
    for (const int peer : context.peers_in(Resource::package, package)) {
      EXPECT_EQ(packed(peer, job.job_size(), 2), package) << "what was published";
    }
    EXPECT_EQ(static_cast<int>(context.peers_in(Resource::package, package).size()), sharers.size());

    const int third = spread(sharers.rank(), sharers.size(), 3);
    const Group few = split(context, Resource::core, 3, Assignment::spread, &sharers);
    const int first = 48 * package + 16 * third;
    EXPECT_EQ(context.binding_string(), list_of(first, 16));

    const int core = packed(few.rank(), few.size(), 16);
    const Group fewer = split(context, Resource::core, 16, Assignment::packed, &few);
    EXPECT_EQ(context.binding_string(), std::to_string(first + core));
    EXPECT_EQ(context.depth(), 3);
    context.quiesce(fewer);
    context.quiesce(sharers);

    context.pop();
    EXPECT_EQ(context.binding_string(), list_of(first, 16));
    context.pop();
    EXPECT_EQ(context.binding_string(), list_of(48 * package, 48));
    context.pop();
    EXPECT_EQ(context.binding_string(), list_of(0, kCores));
    context.quiesce();
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(Split, CloseLeavesRanksWhereTheyAreAndPackedPutsThemInOrder) {
  const auto ends = run_ranks(GetParam(), [](ForkBootstrap& job) {
    Context context(callbacks(job));
    context.push(Resource::core, kCores - 1 - job.job_rank());
    const Group alone = split(context, Resource::core, 0, Assignment::close);
    EXPECT_EQ(context.binding_string(), std::to_string(kCores - 1 - job.job_rank()));
    EXPECT_EQ(alone.size(), 1);
    const Group in_order = split(context, Resource::core, 0, Assignment::packed);
    EXPECT_EQ(context.binding_string(), std::to_string(kCores - job.job_size() + job.job_rank()));
    const Group together = split(context, Resource::core, 1, Assignment::close);
    EXPECT_EQ(context.binding_string(), list_of(kCores - job.job_size(), job.job_size()));
    EXPECT_EQ(together.size(), job.job_size());
  });
  EXPECT_TRUE(all_good(ends));
}

// All ranks get the code, nobody is bound, and the next split works.
void expect_refusal(Context& context, comity_type type, int pieces, comity_assignment how, comity_status status,
                    const std::string& words) {
  comity_group* group = nullptr;
  EXPECT_EQ(comity_context_split(context.handle(), type, pieces, how, nullptr, &group), status) << comity_last_error();
  EXPECT_NE(std::string(comity_last_error()).find(words), std::string::npos) << comity_last_error();
  EXPECT_EQ(group, nullptr);
  EXPECT_EQ(context.depth(), 0);
  EXPECT_EQ(context.binding_string(), list_of(0, kCores));
}

TEST_P(Split, ThatCannotBeMadeIsToldToAllAndChangesNothing) {
  const auto ends = run_ranks(GetParam(), [](ForkBootstrap& job) {
    Context context(callbacks(job));
    expect_refusal(context, COMITY_CORE, kCores + 1, COMITY_ASSIGN_PACKED, COMITY_ERR_RANGE, "ask for fewer pieces");
    expect_refusal(context, COMITY_CORE, -2, COMITY_ASSIGN_PACKED, COMITY_ERR_RANGE, "-2 pieces");
    expect_refusal(context, COMITY_L3, 1, COMITY_ASSIGN_CLOSE, COMITY_ERR_NOT_FOUND, "l3");
    (void)split(context, Resource::core, 1, Assignment::packed);
  });
  EXPECT_TRUE(all_good(ends));
}

class SplitOfPeers : public Split {};

TEST_P(SplitOfPeers, ThatRanksAskForDifferentlyIsToldToAll) {
  const auto ends = run_ranks(GetParam(), [](ForkBootstrap& job) {
    Context context(callbacks(job));
    const bool other = job.job_rank() == job.job_size() - 1;
    const std::string words = "rank 0 and rank " + std::to_string(job.job_size() - 1) + " ask for different splits";
    const auto refused = [&](comity_type type, int pieces, comity_assignment how) {
      expect_refusal(context, type, pieces, how, COMITY_ERR_ARGUMENT, words);
    };
    refused(COMITY_CORE, other ? 3 : 2, COMITY_ASSIGN_PACKED);
    refused(other ? COMITY_NUMA : COMITY_CORE, 2, COMITY_ASSIGN_PACKED);
    refused(COMITY_CORE, 2, other ? COMITY_ASSIGN_CLOSE : COMITY_ASSIGN_SPREAD);
    refused(COMITY_CORE, 2, other ? static_cast<comity_assignment>(3) : COMITY_ASSIGN_SPREAD);
    (void)split(context, Resource::core, 2, Assignment::packed);
  });
  EXPECT_TRUE(all_good(ends));
}

// A group of some ranks splits what these have, and the others know nothing of it.
TEST_P(SplitOfPeers, AmongAGroupLeavesTheOtherRanksAlone) {
  const auto ends = run_ranks(GetParam(), [](ForkBootstrap& job) {
    Context context(callbacks(job));
    context.spread(Resource::core);
    const std::optional<Group> some = context.split(job.job_rank() % 2 == 0 ? 0 : -1);
    if (some) {
      const Group all = split(context, Resource::core, 1, Assignment::packed, &*some);
      EXPECT_EQ(all.size(), some->size());
      EXPECT_EQ(context.width().cores, some->size());
      for (int rank = 0; rank < job.job_size(); ++rank)
        EXPECT_EQ(context.intersects(Resource::core, rank), rank % 2 == 0);
    } else {
      EXPECT_EQ(context.binding_string(), std::to_string(job.job_rank()));
    }
    context.quiesce();
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(SplitOfPeers, FromWhichARankDiesChangesNothing) {
  const auto ends = run_ranks(GetParam(), [](ForkBootstrap& job) {
    Context context(callbacks(job));
    const std::optional<Group> all = context.split(0);
    if (job.job_rank() == job.job_size() - 1) raise(SIGKILL);
    for (comity_group* among : {all->handle(), static_cast<comity_group*>(nullptr)}) {
      comity_group* group = nullptr;
      const auto status = comity_context_split(context.handle(), COMITY_CORE, 1, COMITY_ASSIGN_PACKED, among, &group);
      EXPECT_EQ(status, COMITY_ERR_PEER_LOST) << comity_last_error();
      EXPECT_EQ(context.depth(), 0);
    }
    EXPECT_EQ(context.binding_string(), list_of(0, kCores));
  });
  for (std::size_t rank = 0; rank + 1 < ends.size(); ++rank) EXPECT_EQ(ends[rank].exit_code, 0) << "rank " << rank;
}

TEST_P(Split, ThatFindsNoRoomForItsGroupsIsUndone) {
  const auto ends = run_ranks(GetParam(), [](ForkBootstrap& job) {
    Context context(callbacks(job));
    std::vector<Group> groups;
    comity_status status = COMITY_OK;
    while (status == COMITY_OK) {
      comity_group* group = nullptr;
      status = comity_context_split(context.handle(), COMITY_CORE, 1, COMITY_ASSIGN_PACKED, nullptr, &group);
      if (status == COMITY_OK) groups.emplace_back(group);
    }
    EXPECT_EQ(status, COMITY_ERR_MEMORY) << comity_last_error();
    EXPECT_EQ(context.depth(), static_cast<int>(groups.size()));
    groups.clear();
    (void)job.job_sum(0);  // all have freed theirs
    (void)split(context, Resource::core, 1, Assignment::packed);
  });
  EXPECT_TRUE(all_good(ends));
}

INSTANTIATE_TEST_SUITE_P(Counts, Split, ::testing::Values(1, 2, 4, 8, 16), ::testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Counts, SplitOfPeers, ::testing::Values(2, 4, 8, 16), ::testing::PrintToStringParamName());

class SplitOnTwoCpus : public testing::OnTwoCpus {};

TEST_P(SplitOnTwoCpus, MovesRanksAsTheKernelHasIt) {
  const auto ends = run_ranks(GetParam(), [&](ForkBootstrap& job) {
    Context context(callbacks(job));
    const CpuSet before = os::affinity(::getpid());
    comity_cpuset pair{};
    ASSERT_EQ(comity_cpuset_parse(both().to_list().c_str(), &pair), COMITY_OK);
    context.push_cpuset(pair);
    const Group half = split(context, Resource::pu, 2, Assignment::spread);
    EXPECT_EQ(os::affinity(::getpid()).to_list(), (job.job_rank() % 2 == 0 ? first_ : second_).to_list());
    EXPECT_EQ(half.size(), job.job_size() / 2);
    context.pop();
    EXPECT_EQ(os::affinity(::getpid()).to_list(), both().to_list());
    context.pop();
    EXPECT_EQ(os::affinity(::getpid()).to_list(), before.to_list());
  });
  EXPECT_TRUE(all_good(ends));
}

INSTANTIATE_TEST_SUITE_P(Counts, SplitOnTwoCpus, ::testing::Values(2, 4), ::testing::PrintToStringParamName());

TEST(Shares, AreThoseOfTheThreadsOfARank) {
  setenv("HWLOC_XMLFILE", COMITY_TEST_DATA "/machines/e5-2670.xml", 1);
  {
    Context context = Context::local();
    context.push(Resource::package, 1);
    const std::vector<comity_cpuset> mine = shares(context, Pieces{Resource::core}, Assignment::spread, 4);
    std::string lists;
    for (const comity_cpuset& share : mine)
      lists += cpuset_string(context, Resource::pu, Numbering::physical, &share) + " ";
    EXPECT_EQ(lists, "1 5 9 13 ");
    EXPECT_EQ(cpuset_string(context, Resource::core, Numbering::logical), "8-15");
    const comity_cpuset whole = cpuset_parse(context, Resource::core, Numbering::logical, "0-1");
    const std::vector<comity_cpuset> close = shares(context, Pieces{Resource::core, 0, &whole}, {mine[0], whole});
    EXPECT_EQ(cpuset_string(context, Resource::pu, Numbering::physical, &close[1]), "0") << "the place is on both";
    EXPECT_THROW((void)shares(context, Pieces{Resource::core}, Assignment::packed, -1), Failure);
    EXPECT_THROW((void)cpuset_parse(context, Resource::pu, Numbering::physical, "16"), Failure);
  }
  unsetenv("HWLOC_XMLFILE");
}

}  // namespace
}  // namespace comity
