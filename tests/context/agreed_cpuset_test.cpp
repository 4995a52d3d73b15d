// SPDX-License-Identifier: BSD-3-Clause
// Ranks on a machine whose masks take more than one word: what rank 0 sees of the cgroup, and each rank's mask, reach all
// ranks word by word. The cgroup is a file, the machine a described one: it runs everywhere.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "context/rank_on_cgroup.hpp"
#include "machine/draft.hpp"
#include "machine/loader.hpp"
#include "node/said.hpp"

namespace comity::context {
namespace {

using testing::all_good;
using testing::FakeCgroup;
using testing::ForkBootstrap;
using testing::RankOnCgroup;
using testing::run_ranks;

constexpr const char* kMachine = "package:2 numa:1 core:96 pu:1";  // 192 PUs: three words

class Rank : public RankOnCgroup {
 public:
  Rank(ForkBootstrap& job, const FakeCgroup& cgroup)
      : RankOnCgroup(job, cgroup, [] { return machine::load_for_node({.synthetic = kMachine}); }) {}
};

// Three NUMA nodes, the first without memory, and which of them the job may use at the create.
machine::Image with_a_node_without_memory(const CpuSet& allowed) {
  const machine::Image image = machine::load_synthetic("package:3 numa:1 core:2 pu:1");
  machine::Draft draft = machine::draft_of(machine::Machine(image));
  draft.objects[static_cast<std::size_t>(ObjectType::numa)].front().bytes = 0;
  draft.allowed_nodes = allowed;
  return machine::pack(draft);
}

// Longer than what lies at least between two looks at memory in calls that are made often.
void outlast_the_last_look() { std::this_thread::sleep_for(std::chrono::microseconds(200)); }

class AgreedCpuset : public ::testing::TestWithParam<int> {
 protected:
  AgreedCpuset() {
    cgroup_.move_to(FakeCgroup::kVersionTwo, "0::/job");
    allow("0-191");
    allow_memory("0-1");
  }
  void allow(const std::string& cpus) const { cgroup_.write("/sys/fs/cgroup/job/cpuset.cpus.effective", cpus); }
  void allow_memory(const std::string& nodes) const {
    cgroup_.write("/sys/fs/cgroup/job/cpuset.mems.effective", nodes);
  }
  // The NUMA nodes that are seen, by their OS numbers.
  static std::string nodes_of(const Context& context) { return machine::nodes_of(context.machine()).to_list(); }
  // On one rank, while the others wait.
  void allow_while_all_wait(ForkBootstrap& job, const std::string& cpus) const {
    (void)job.job_max(0);
    if (job.job_rank() == 0) allow(cpus);
    (void)job.job_max(0);
  }
  void allow_memory_while_all_wait(ForkBootstrap& job, const std::string& nodes) const {
    (void)job.job_max(0);
    if (job.job_rank() == 0) allow_memory(nodes);
    (void)job.job_max(0);
  }

  FakeCgroup cgroup_;
};

TEST_P(AgreedCpuset, IsTheSameOnEveryRankInEachOfItsWords) {
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    Rank rank(job, cgroup_);
    Context& context = rank.context();
    EXPECT_EQ(context.machine().allowed().to_list(), "0-191");
    for (const std::string now : {"0-63", "64-127", "0-191", "5,70,130-131", "5,70,130,132", "128-191", "191"}) {
      allow_while_all_wait(job, now);
      context.refresh();
      EXPECT_EQ(context.machine().allowed().to_list(), now);
    }
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(AgreedCpuset, HasTheMemoryNodesOfNowAfterARefreshOnEveryRank) {
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    Rank rank(job, cgroup_);
    Context& context = rank.context();
    EXPECT_EQ(nodes_of(context), "0-1");
    for (const std::string now : {"1", "0", "0-1", "1"}) {
      allow_memory_while_all_wait(job, now);
      context.refresh();
      EXPECT_EQ(nodes_of(context), now);
      EXPECT_EQ(context.machine().allowed().to_list(), "0-191") << "the PUs stay";
      EXPECT_EQ(context.machine().count(ObjectType::numa), now == "0-1" ? 2 : 1);
    }
    EXPECT_EQ(context.machine().cpuset(ObjectType::numa, 0).to_list(), "96-191");
    context.push(ObjectType::numa, 0);
    EXPECT_EQ(context.binding().to_list(), "96-191");
    context.pop();
    EXPECT_THROW(context.push(ObjectType::numa, 1), Error);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(AgreedCpuset, HasTheMemoryNodesOfNowAfterARestAndAtTheEndOfAPhase) {
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    Rank rank(job, cgroup_);
    Context& context = rank.context();
    for (const std::string now : {"1", "0", "0-1", "1"}) {
      const std::string before = nodes_of(context);
      outlast_the_last_look();
      allow_memory_while_all_wait(job, now);
      context.quiesce(std::nullopt);
      EXPECT_EQ(nodes_of(context), now) << "after a rest";
      EXPECT_EQ(context.machine().allowed().to_list(), "0-191") << "the PUs stay";
      outlast_the_last_look();
      allow_memory_while_all_wait(job, before);
      (void)context.enter(ObjectType::machine, 1, 0);
      EXPECT_EQ(nodes_of(context), now) << "who enters waits for nobody, and learns PUs alone";
      context.leave();
      EXPECT_EQ(nodes_of(context), before) << "after a phase";
      allow_memory_while_all_wait(job, now);
      context.refresh();
    }
  });
  EXPECT_TRUE(all_good(ends));
}

// The kernel lists those alone that have memory.
TEST_P(AgreedCpuset, LeavesANodeWithoutMemoryAsItWasAtTheCreate) {
  for (const bool is_allowed : {true, false}) {
    allow("0-5");
    allow_memory("1-2");
    const auto ends = run_ranks(GetParam(), [&](ForkBootstrap& job) {
      const CpuSet allowed = is_allowed ? CpuSet{0, 1, 2} : CpuSet{1, 2};
      RankOnCgroup rank(job, cgroup_, [&] { return with_a_node_without_memory(allowed); });
      Context& context = rank.context();
      EXPECT_EQ(nodes_of(context), is_allowed ? "0-2" : "1-2");
      for (const std::string now : {"2", "1", "1-2"}) {
        allow_memory_while_all_wait(job, now);
        context.refresh();
        CpuSet seen = CpuSet::parse_list(now);
        if (is_allowed) seen.insert(0);
        EXPECT_EQ(nodes_of(context), seen.to_list()) << now;
      }
    });
    EXPECT_TRUE(all_good(ends));
  }
}

TEST_P(AgreedCpuset, OfMemoryNodesIsSeenByASpreadAndByAChangeOfCpus) {
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    Rank rank(job, cgroup_);
    Context& context = rank.context();
    (void)job.job_max(0);
    if (job.job_rank() == 0) allow_memory("1");
    (void)job.job_max(0);
    context.spread(ObjectType::numa);
    EXPECT_EQ(context.binding().to_list(), "96-191") << "the only node that is left";
    context.pop();
    (void)job.job_max(0);
    if (job.job_rank() == 0) {
      allow_memory("0");
      allow("0-99");
    }
    (void)job.job_max(0);
    context.quiesce(std::nullopt);
    EXPECT_EQ(context.machine().allowed().to_list(), "0-99");
    EXPECT_EQ(nodes_of(context), "0");
    EXPECT_EQ(context.machine().cpuset(ObjectType::numa, 0).to_list(), "0-95");
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(AgreedCpuset, OfMemoryNodesCountsFromTheStartAndWithoutOneNothingChanges) {
  allow_memory("1");
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    Rank rank(job, cgroup_);
    Context& context = rank.context();
    EXPECT_EQ(nodes_of(context), "1");
    for (const char* other : {"7", "", "none"}) {
      (void)job.job_max(0);
      if (job.job_rank() == 0) allow_memory(other);
      (void)job.job_max(0);
      context.refresh();
      EXPECT_EQ(nodes_of(context), "1") << other;
    }
  });
  EXPECT_TRUE(all_good(ends));
}

// Each round all move on by one PU, in whichever word that is.
TEST_P(AgreedCpuset, LeavesTheMasksOfAllRanksKnownInEachOfTheirWords) {
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    Rank rank(job, cgroup_);
    Context& context = rank.context();
    for (const int first : {60, 61, 62, 63, 64, 65, 126, 127, 128}) {
      context.push(CpuSet{static_cast<std::size_t>(first + job.job_rank())});
      context.quiesce(std::nullopt);
      for (int other = 0; other < job.job_size(); ++other) {
        EXPECT_EQ(context.peers_in(ObjectType::pu, first + other, View::published), std::vector<int>{other});
      }
    }
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(AgreedCpuset, IsThatOfNowInAPhaseThatBeginsThoughNobodyMeets) {
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    Rank rank(job, cgroup_);
    Context& context = rank.context();
    for (const std::string now : {"0-63", "64-127", "0-191", "5,70,130-131", "191", "0-191"}) {
      context.quiesce(std::nullopt);
      allow_while_all_wait(job, now);
      const bool selected = context.enter(ObjectType::machine, 1, 0);
      EXPECT_EQ(selected, job.job_rank() == 0);
      EXPECT_EQ(context.machine().allowed().to_list(), now);
      EXPECT_EQ(context.peers_in(ObjectType::machine, 0, View::published).size(),
                static_cast<std::size_t>(job.job_size()));
      if (selected) {
        EXPECT_EQ(context.binding().to_list(), now);
      }
      context.leave();
      EXPECT_EQ(context.machine().allowed().to_list(), now);
    }
  });
  EXPECT_TRUE(all_good(ends));
}

// Rank 0 is in the midst of a phase when the cpuset changes; the others come to its beginning later.
TEST_P(AgreedCpuset, OfTheFirstOneThatEntersCountsForAllInThatPhase) {
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    Rank rank(job, cgroup_);
    Context& context = rank.context();
    const auto enter = [&] { (void)context.enter(ObjectType::machine, 1, 0); };
    for (const std::string now : {"64-127", "0-191"}) {
      const std::string before = context.machine().allowed().to_list();
      if (job.job_rank() == 0) enter();
      allow_while_all_wait(job, now);
      if (job.job_rank() != 0) enter();
      EXPECT_EQ(context.machine().allowed().to_list(), before) << "as rank 0 saw it, who is at work";
      enter();  // a phase in the phase
      EXPECT_EQ(context.machine().allowed().to_list(), now);
      context.leave();
      context.leave();
      EXPECT_EQ(context.machine().allowed().to_list(), now);
    }
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(AgreedCpuset, IsThatOfNowInAGroupThatMeets) {
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    Rank rank(job, cgroup_);
    Context& context = rank.context();
    const bool mine = job.job_rank() > 0 || job.job_size() == 1;  // a group without rank 0, where there are others
    const auto group = context.split(mine ? 1 : 0);
    std::string before = "0-191";
    for (const std::string now : {"0-63", "64-127", "5,70,130-131", "0-191"}) {
      allow_while_all_wait(job, now);
      if (mine) context.quiesce(*group, std::nullopt);
      EXPECT_EQ(context.machine().allowed().to_list(), mine ? now : before);
      (void)context.enter(ObjectType::machine, 1, 0);
      EXPECT_EQ(context.machine().allowed().to_list(), now);
      context.leave();
      before = now;
    }
  });
  EXPECT_TRUE(all_good(ends));
}

// A rank whose cgroup is another one than rank 0's has nothing to say of it.
TEST_P(AgreedCpuset, IsThatOfRankZerosCgroup) {
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    const FakeCgroup own;
    own.move_to(FakeCgroup::kVersionTwo, "0::/job");
    own.write("/sys/fs/cgroup/job/cpuset.cpus.effective", "7");
    Rank rank(job, job.job_rank() == 0 ? cgroup_ : own);
    Context& context = rank.context();
    if (job.job_rank() != 0) (void)context.enter(ObjectType::machine, 1, 0);
    (void)job.job_max(0);
    if (job.job_rank() == 0) (void)context.enter(ObjectType::machine, 1, 0);
    EXPECT_EQ(context.machine().allowed().to_list(), "0-191");
    context.leave();
    EXPECT_EQ(context.machine().allowed().to_list(), "0-191");
  });
  EXPECT_TRUE(all_good(ends));
}

// Rank 0's list is "0-191"; the others are in a cgroup each, which has one list at the create and another at a refresh.
TEST_P(AgreedCpuset, IsToldOnceANodeWhereARanksOwnCgroupHasAnother) {
  struct Case {
    const char* at_create;
    const char* at_refresh;
    int told;
  };
  for (const Case& one : {Case{"0-191", "0-191", 0}, {"7", "8", 1}, {"0-191", "64-191", 1}}) {
    const std::string said = testing::said_during([&] {
      const auto ends = run_ranks(GetParam(), [&](ForkBootstrap& job) {
        const FakeCgroup own;
        own.move_to(FakeCgroup::kVersionTwo, "0::/job");
        own.write("/sys/fs/cgroup/job/cpuset.cpus.effective", one.at_create);
        Rank rank(job, job.job_rank() == 0 ? cgroup_ : own);
        own.write("/sys/fs/cgroup/job/cpuset.cpus.effective", one.at_refresh);
        rank.context().refresh();
        EXPECT_EQ(rank.context().machine().allowed().to_list(), "0-191");
      });
      EXPECT_TRUE(all_good(ends));
    });
    EXPECT_EQ(testing::times("that of rank 0 of the node CPUs 0-191", said), GetParam() > 1 ? one.told : 0) << said;
  }
}

INSTANTIATE_TEST_SUITE_P(Counts, AgreedCpuset, ::testing::Values(1, 2, 4));

}  // namespace
}  // namespace comity::context
