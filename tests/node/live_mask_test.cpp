// SPDX-License-Identifier: BSD-3-Clause
// Where another participant is by the kernel's word, and when what it has published stands in for that.
#include <gtest/gtest.h>
#include <unistd.h>

#include "namespaces.hpp"
#include "node_fixture.hpp"
#include "os/cpus/affinity.hpp"

namespace comity {
namespace {

using namespace testing;

const CpuSet kFarAway{2000};  // where nobody is

// On both of two ranks; neither ends before the other one has looked.
void on_two_ranks(const std::function<void(node::Node&, int other)>& look) {
  const auto ends = run_ranks(2, [&](ForkBootstrap& job) {
    const auto node = attach(job);
    look(*node, 1 - node->participant());
    (void)job.job_max(0);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(LiveMask, IsTheKernelsWhereTheMainThreadIsNotWhereItWas) {
  on_two_ranks([](node::Node& node, int other) {
    const CpuSet mine = os::affinity(::getpid());
    node.publish_mask(kFarAway);
    EXPECT_EQ(node.live_mask(node.participant()), mine);
    EXPECT_EQ(node.live_mask(other), mine);
  });
}

TEST(LiveMask, IsThePublishedOneWhereTheMainThreadIsWhereItWas) {
  const CpuSet cpus = os::affinity(::getpid());
  on_two_ranks([&](node::Node& node, int) {
    node.publish_mask(kFarAway, cpus);
    EXPECT_EQ(node.live_mask(node.participant()), kFarAway);
    node.publish_news(kFarAway, kFarAway);
    EXPECT_EQ(node.live_mask(node.participant()), cpus) << "not where it was told to be any more";
  });
}

TEST(LiveMask, IsNoneOfARankThatWasFoundDead) {
  on_two_ranks([](node::Node& node, int other) {
    node.drop_dead(other);
    EXPECT_EQ(node.live_mask(other), std::nullopt);
  });
}

TEST(LiveMask, IsThePublishedOneInAForkChild) {
  on_two_ranks([](node::Node& node, int) {
    node.publish_mask(kFarAway);
    const int me = node.participant();
    EXPECT_TRUE(would_work([&] { return node.live_mask(me) == kFarAway; }));
  });
}

TEST(LiveMask, IsThePublishedOneAcrossPidNamespaces) {
  const auto look = [] {
    const auto ends = run_ranks(2,
                                [](ForkBootstrap& job) {
                                  const auto node = attach(job);
                                  node->publish_mask(kFarAway);
                                  (void)job.job_max(0);
                                  EXPECT_EQ(node->pid(0), node->pid(1));
                                  EXPECT_EQ(node->live_mask(node->participant()), os::affinity(::getpid()));
                                  EXPECT_EQ(node->live_mask(1 - node->participant()), kFarAway);
                                  (void)job.job_max(0);
                                },
                                {.pid_namespace = PidNamespace::own});
    EXPECT_TRUE(all_good(ends));
  };
  if (!run_with(to_unshare(CLONE_NEWPID), look)) GTEST_SKIP() << "NOT TESTED: pid namespaces are not permitted here";
}

}  // namespace
}  // namespace comity
