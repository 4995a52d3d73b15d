// SPDX-License-Identifier: BSD-3-Clause
// A cpuset that changes while ranks run in it: a real one, so it needs the right to make a cgroup and two CPUs.
#include <comity/comity.hpp>
#include <comity/split.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <thread>

#include "base/clock.hpp"
#include "capi/cpuset_group.hpp"
#include "capi/fork_callbacks.hpp"
#include "capi/two_cpus.hpp"
#include "node/fork_bootstrap.hpp"
#include "node/said.hpp"
#include "os/cpus/affinity.hpp"

namespace comity {
namespace {

using testing::all_good;
using testing::CpusetGroup;
using testing::ForkBootstrap;
using testing::run_ranks;

void allow(const CpusetGroup& group, const CpuSet& cpus) { EXPECT_TRUE(group.allow(cpus)); }
void enter(const CpusetGroup& group) { EXPECT_TRUE(group.enter()); }

class ChangingCpuset : public testing::OnTwoCpus {
 protected:
  void SetUp() override {
    OnTwoCpus::SetUp();
    if (IsSkipped()) return;
    const std::string name = "comity-test-" + std::to_string(::getpid());
    group_ = CpusetGroup::make(name);
    other_ = CpusetGroup::make(name + "-other");
    if (!group_ || !other_) {
      GTEST_SKIP() << "NOT TESTED: it needs the right to make a cgroup with a cpuset (root, version 1 or 2)";
    }
    allow(*group_, both());
    allow(*other_, second_);
  }

  static std::string list_of(const comity_cpuset& set) {
    std::array<char, 256> text{};
    check(comity_cpuset_string(&set, COMITY_FORM_LIST, text.data(), text.size(), nullptr));
    return text.data();
  }
  static std::string machine_of(const Context& context) { return list_of(context.cpuset(Resource::machine, 0)); }
  // All ranks meet, and `step` happens on one of them in between.
  template <typename Step>
  static void between(ForkBootstrap& job, int rank, Step&& step) {
    (void)job.job_max(0);
    if (job.job_rank() == rank) step();
    (void)job.job_max(0);
  }

  std::unique_ptr<CpusetGroup> group_;
  std::unique_ptr<CpusetGroup> other_;
};

TEST_P(ChangingCpuset, IsSeenByTheNextCollectiveCallOnEveryRank) {
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    enter(*group_);
    Context context(callbacks(job));
    EXPECT_EQ(machine_of(context), both().to_list());
    EXPECT_EQ(context.distribute(Resource::pu, 1).selected_count, std::min(2, job.job_size()));
    between(job, job.job_size() - 1, [&] { allow(*group_, second_); });
    EXPECT_EQ(machine_of(context), both().to_list()) << "not before a collective call";
    context.quiesce();
    EXPECT_EQ(machine_of(context), second_.to_list());
    EXPECT_EQ(context.distribute(Resource::pu, 1).selected_count, 1) << "not that of the former machine";
    EXPECT_EQ(context.count(Resource::pu), 1);
    EXPECT_FALSE(context.is_bound());
    EXPECT_EQ(context.binding_string(), second_.to_list());
    const comity_cpuset forbidden = [&] {
      comity_cpuset set{};
      check(comity_cpuset_parse(first_.to_list().c_str(), &set));
      return set;
    }();
    EXPECT_EQ(comity_context_push_cpuset(context.handle(), &forbidden), COMITY_ERR_RANGE);
    between(job, 0, [&] { allow(*group_, both()); });
    context.quiesce();
    EXPECT_EQ(machine_of(context), both().to_list());
    EXPECT_EQ(context.count(Resource::pu), 2);
    context.push(Resource::pu, 0);
    EXPECT_EQ(context.binding_string(), first_.to_list());
    context.pop();
  });
  EXPECT_TRUE(all_good(ends));
}

// Not only by its end: the phase itself is as wide as it may be now.
TEST_P(ChangingCpuset, IsSeenByAPhaseThatBegins) {
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    enter(*group_);
    Context context(callbacks(job));
    for (const CpuSet& now : {second_, both(), first_, second_, both()}) {
      context.quiesce();
      between(job, job.job_size() - 1, [&] { allow(*group_, now); });
      std::int32_t selected = 0;
      ASSERT_EQ(comity_context_enter(context.handle(), COMITY_PU, 1, 0, &selected), COMITY_OK) << comity_last_error();
      EXPECT_EQ(machine_of(context), now.to_list());
      EXPECT_EQ(job.job_sum(selected), std::min<std::int64_t>(static_cast<std::int64_t>(now.count()), job.job_size()));
      if (selected != 0) {
        EXPECT_TRUE(now.encloses(os::affinity(::getpid()))) << now.to_list();
        EXPECT_EQ(os::affinity(::getpid()).count(), 1U);
      }
      EXPECT_EQ(comity_context_leave(context.handle()), COMITY_OK) << comity_last_error();
      (void)context.phase(Resource::machine, 1, [&] { EXPECT_EQ(context.binding_string(), now.to_list()); });
    }
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(ChangingCpuset, IsSeenByAGroupsQuiesceInThatGroup) {
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    enter(*group_);
    Context context(callbacks(job));
    const auto group = context.split(job.job_rank() % 2);
    for (const CpuSet& now : {second_, both(), first_, second_, both()}) {
      between(job, job.job_size() - 1, [&] { allow(*group_, now); });
      if (job.job_rank() % 2 == 0) context.quiesce(*group);
      EXPECT_EQ(machine_of(context) == now.to_list(), job.job_rank() % 2 == 0) << now.to_list();
      context.quiesce();
      EXPECT_EQ(machine_of(context), now.to_list());
    }
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(ChangingCpuset, IsSeenWithoutAPauseBetweenCalls) {
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    enter(*group_);
    Context context(callbacks(job));
    for (int round = 0; round < 50; ++round) {
      const CpuSet now = round % 2 == 0 ? second_ : both();
      context.quiesce();
      between(job, round % job.job_size(), [&] { allow(*group_, now); });
      context.quiesce();
      ASSERT_EQ(machine_of(context), now.to_list()) << round;
    }
  });
  EXPECT_TRUE(all_good(ends));
}

// By one write to a file that is open, which takes the least time, with nothing else between the two calls. A kernel that
// does it faster than Comity looks is waited for.
TEST_P(ChangingCpuset, IsSeenHoweverSoonAfterACallItIsMade) {
  constexpr std::int64_t kLookEvery_ns = 3'500;
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    enter(*group_);
    Context context(callbacks(job));
    const os::Descriptor file = group_->open_cpus();
    const std::array lists{second_.to_list() + "\n", both().to_list() + "\n"};
    int missed = 0;
    for (std::size_t round = 0; round < 500; ++round) {
      const std::string& list = lists[round % lists.size()];
      context.quiesce();
      const std::int64_t returned_ns = now_ns();
      if (job.job_rank() == 0) {
        ASSERT_EQ(::pwrite(file.number(), list.data(), list.size(), 0), static_cast<ssize_t>(list.size()));
        while (now_ns() < returned_ns + kLookEvery_ns) {
        }
      }
      context.quiesce();
      missed += machine_of(context) + "\n" == list ? 0 : 1;
    }
    EXPECT_EQ(missed, 0);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(ChangingCpuset, IsSeenByASpreadBeforeItPlacesTheRanks) {
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    enter(*group_);
    Context context(callbacks(job));
    for (const CpuSet& now : {second_, both(), first_, second_, both()}) {
      context.quiesce();
      between(job, job.job_size() - 1, [&] { allow(*group_, now); });
      ASSERT_NO_THROW(context.spread(Resource::pu));
      EXPECT_EQ(machine_of(context), now.to_list());
      const CpuSet mine = now == both() ? (job.job_rank() % 2 == 0 ? first_ : second_) : now;
      EXPECT_EQ(context.binding_string(), mine.to_list());
      EXPECT_EQ(os::affinity(::getpid()), mine);
      EXPECT_EQ(context.depth(), 1);
      context.pop();
    }
  });
  EXPECT_TRUE(all_good(ends));
}

// The other ranks have chosen and wait when the last one's place is taken away, and the kernel refuses its push.
TEST_P(ChangingCpuset, ThatShrinksInTheMidstOfASpreadMakesAllRanksChooseAgain) {
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    enter(*group_);
    Context context(callbacks(job));
    const bool last = job.job_rank() == job.job_size() - 1;
    const CpuSet left = job.job_size() == 1 ? second_ : first_;
    (void)job.job_max(0);
    if (last) {
      ::usleep(20000);
      allow(*group_, left);
    }
    ASSERT_NO_THROW(context.spread(Resource::pu));
    EXPECT_EQ(machine_of(context), left.to_list());
    EXPECT_EQ(context.binding_string(), left.to_list());
    EXPECT_EQ(os::affinity(::getpid()), left);
    EXPECT_EQ(context.depth(), 1);
    context.pop();
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(ChangingCpuset, IsSeenByTheChoiceOfPusAndByASplit) {
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    enter(*group_);
    Context context(callbacks(job));
    const auto expect_seen = [&](const CpuSet& now, const auto& call) {
      context.quiesce();
      between(job, job.job_size() - 1, [&] { allow(*group_, now); });
      call();
      EXPECT_EQ(machine_of(context), now.to_list());
    };
    const auto show_all = [&] { context.set_smt(Smt::all); };
    const auto split = [&] { EXPECT_EQ(context.split(0)->size(), job.job_size()); };
    const auto split_into_none = [&] { EXPECT_FALSE(context.split(-1)); };
    expect_seen(second_, show_all);
    expect_seen(both(), show_all);
    expect_seen(first_, [&] { context.set_smt(Smt::one); });
    expect_seen(second_, split);
    show_all();
    expect_seen(both(), split);
    expect_seen(first_, split_into_none);
    expect_seen(second_, [&] {
      EXPECT_EQ(comity::split(context, Resource::pu, 1, Assignment::packed).size(), job.job_size());
      context.pop();
    });
  });
  EXPECT_TRUE(all_good(ends));
}

// Devices are read at the first question, so that one from a described machine can stand beside this one's real CPUs.
TEST_P(ChangingCpuset, IsSeenInThePusNearADevice) {
  const CpuSet near = CpuSet::first(16);  // GPU 0 of the described machine
  if (!near.encloses(both())) GTEST_SKIP() << "NOT TESTED: it needs two of the CPUs 0 to 15";
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    enter(*group_);
    Context context(callbacks(job));
    setenv("HWLOC_XMLFILE", COMITY_TEST_DATA "/machines/gpu-node.xml", 1);
    const auto pus_near_the_gpu = [&] { return list_of(context.device(DeviceKind::gpu, 0).cpuset); };
    EXPECT_EQ(pus_near_the_gpu(), both().to_list());
    for (const CpuSet& now : {second_, both(), first_, second_}) {
      between(job, job.job_size() - 1, [&] { allow(*group_, now); });
      context.quiesce();
      EXPECT_EQ(pus_near_the_gpu(), now.to_list());
      EXPECT_EQ(context.device_count(DeviceKind::gpu), 4);
    }
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(ChangingCpuset, ThatGrowsBeyondWhatTheContextStartedWithIsSeenAfterARefresh) {
  allow(*group_, first_);
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    enter(*group_);
    Context context(callbacks(job));
    EXPECT_EQ(machine_of(context), first_.to_list());
    between(job, 0, [&] { allow(*group_, both()); });
    context.refresh();
    EXPECT_EQ(machine_of(context), both().to_list());
    context.push(Resource::pu, 1);
    EXPECT_EQ(context.binding_string(), second_.to_list());
    EXPECT_EQ(context.width().cores, 1);
    context.pop();
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(ChangingCpuset, AMoveIntoAnotherGroupIsSeenAfterARefresh) {
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    enter(*group_);
    Context context(callbacks(job));
    enter(*other_);
    (void)job.job_max(0);
    context.quiesce();
    EXPECT_EQ(machine_of(context), both().to_list());
    context.refresh();
    EXPECT_EQ(machine_of(context), second_.to_list());
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(ChangingCpuset, IsToldOnceWhereALaterRanksOwnGroupHasAnother) {
  const std::string said = testing::said_during([this] {
    const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
      enter(job.job_rank() == 0 ? *group_ : *other_);
      Context context(callbacks(job));
      EXPECT_EQ(machine_of(context), both().to_list());
      (void)job.job_max(0);
    });
    EXPECT_TRUE(all_good(ends));
  });
  EXPECT_EQ(testing::times("this rank's cgroup allows CPUs " + second_.to_list(), said), GetParam() > 1 ? 1 : 0)
      << said;
}

TEST_P(ChangingCpuset, ASecondContextStartsWithWhatIsAllowedNow) {
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    enter(*group_);
    Context first(callbacks(job));
    between(job, 0, [&] { allow(*group_, second_); });
    Context second(callbacks(job));
    EXPECT_EQ(machine_of(second), second_.to_list());
    first.refresh();
    EXPECT_EQ(machine_of(first), second_.to_list());
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(ChangingCpuset, QueriesOfAnotherThreadGoOnThroughManyChanges) {
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    enter(*group_);
    Context context(callbacks(job));
    std::atomic<bool> done{false};
    std::thread asker([&] {
      while (!done.load()) {
        const int pus = context.count(Resource::pu);
        EXPECT_TRUE(pus == 1 || pus == 2);
        EXPECT_NO_THROW((void)context.peers_in(Resource::machine, 0));
      }
    });
    for (int round = 0; round < 50; ++round) {
      const CpuSet now = round % 2 == 0 ? second_ : both();
      between(job, round % job.job_size(), [&] { allow(*group_, now); });
      context.quiesce();
      EXPECT_EQ(machine_of(context), now.to_list()) << round;
    }
    done.store(true);
    asker.join();
  });
  EXPECT_TRUE(all_good(ends));
}

INSTANTIATE_TEST_SUITE_P(Counts, ChangingCpuset, ::testing::Values(1, 2, 4));

}  // namespace
}  // namespace comity
