// SPDX-License-Identifier: BSD-3-Clause
// Where another participant is by the kernel's word, when what it has published stands in for that, and that this is said.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "namespaces.hpp"
#include "node_fixture.hpp"
#include "os/cpus/affinity.hpp"
#include "os/threads/threads.hpp"

namespace comity {
namespace {

using namespace testing;
using node::Sighting;
using node::WordOf;

const CpuSet kFarAway{2000};  // where nobody is

Sighting by_kernel(const CpuSet& mask) { return {mask, WordOf::kernel}; }
Sighting by_itself(const CpuSet& mask) { return {mask, WordOf::participant}; }

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
    EXPECT_EQ(node.look_at(node.participant()), by_kernel(mine));
    EXPECT_EQ(node.look_at(other), by_kernel(mine));
  });
}

TEST(LiveMask, IsThePublishedOneWhereTheMainThreadIsWhereItWas) {
  const CpuSet cpus = os::affinity(::getpid());
  on_two_ranks([&](node::Node& node, int) {
    node.publish({kFarAway, cpus});
    EXPECT_EQ(node.look_at(node.participant()), by_kernel(kFarAway));
    node.publish_news({kFarAway, kFarAway});
    EXPECT_EQ(node.look_at(node.participant()), by_kernel(cpus)) << "not where it was told to be any more";
  });
}

// A thread that stays until this ends, on these CPUs.
class Worker {
 public:
  explicit Worker(const CpuSet& mask) {
    thread_ = std::thread([this] {
      id_.store(os::this_thread());
      id_.notify_one();
      ends_.wait(false);
    });
    id_.wait(0);
    EXPECT_EQ(os::set_affinity(id_, mask), 0);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    ends_.store(true);
    ends_.notify_one();
    thread_.join();
  }
  [[nodiscard]] pid_t id() const { return id_; }

 private:
  std::atomic<pid_t> id_ = 0;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

// What each of two ranks, whose main thread is on the first CPU and a worker on another, sees of the other one, which has told
// what `tell` tells.
using Tell = std::function<void(node::Node&, const CpuSet& first, const Worker&)>;
using Expected = std::function<Sighting(const CpuSet& first, const CpuSet& second)>;

void expect_of_threads(const Tell& tell, const Expected& expected) {
  const CpuSet cpus = os::affinity(::getpid());
  if (cpus.count() < 2) GTEST_SKIP() << "NOT TESTED: takes two CPUs";
  const CpuSet first{*cpus.lowest()};
  const CpuSet second{*(cpus - first).lowest()};
  const auto ends = run_ranks(2, [&](ForkBootstrap& job) {
    const auto node = attach(job);
    EXPECT_EQ(os::set_affinity(::getpid(), first), 0);
    const Worker worker(second);
    tell(*node, first, worker);
    (void)job.job_max(0);
    EXPECT_EQ(node->look_at_threads(1 - node->participant()), expected(first, second));
    (void)job.job_max(0);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(LiveMaskOfThreads, IsTheUnionOfAllThreadsWhateverWasTold) {
  expect_of_threads(
      [](node::Node& node, const CpuSet& first, const Worker&) {
        node.publish_helpers({});
        node.publish({kFarAway, first});
      },
      [](const CpuSet& first, const CpuSet& second) { return by_kernel(first | second); });
}

TEST(LiveMaskOfThreads, LeavesMpisOwnOut) {
  expect_of_threads(
      [](node::Node& node, const CpuSet&, const Worker& worker) { node.publish_helpers(std::array{worker.id()}); },
      [](const CpuSet& first, const CpuSet&) { return by_kernel(first); });
}

TEST(LiveMaskOfThreads, HasThePushWhileTheMainThreadIsWhereThatPutIt) {
  expect_of_threads(
      [](node::Node& node, const CpuSet& first, const Worker&) {
        node.publish_helpers({});
        node.publish({kFarAway, first, true});
      },
      [](const CpuSet& first, const CpuSet& second) { return by_kernel(first | second | kFarAway); });
  expect_of_threads(
      [](node::Node& node, const CpuSet&, const Worker&) {
        node.publish_helpers({});
        node.publish({kFarAway, kFarAway, true});
      },
      [](const CpuSet& first, const CpuSet& second) { return by_kernel(first | second); });
}

TEST(LiveMaskOfThreads, IsTheMainThreadsWhereMpisOwnAreNotKnown) {
  expect_of_threads(
      [](node::Node& node, const CpuSet&, const Worker& worker) {
        node.publish_helpers(std::vector<pid_t>(node::PublishedHelpers::kMost + 1, worker.id()));
      },
      [](const CpuSet& first, const CpuSet&) { return by_itself(first); });
}

TEST(LiveMask, IsNoneOfARankThatWasFoundDead) {
  on_two_ranks([](node::Node& node, int other) {
    node.drop_dead(other);
    EXPECT_EQ(node.look_at(other), std::nullopt);
    EXPECT_EQ(node.look_at_threads(other), std::nullopt);
  });
}

TEST(LiveMask, IsThePublishedOneInAForkChild) {
  on_two_ranks([](node::Node& node, int) {
    node.publish_mask(kFarAway);
    const int me = node.participant();
    EXPECT_TRUE(would_work([&] { return node.look_at(me) == by_itself(kFarAway); }));
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
                                  EXPECT_EQ(node->look_at(node->participant()), by_kernel(os::affinity(::getpid())));
                                  EXPECT_EQ(node->look_at(1 - node->participant()), by_itself(kFarAway));
                                  (void)job.job_max(0);
                                },
                                {.pid_namespace = PidNamespace::own});
    EXPECT_TRUE(all_good(ends));
  };
  if (!run_with(to_unshare(CLONE_NEWPID), look)) GTEST_SKIP() << "NOT TESTED: pid namespaces are not permitted here";
}

}  // namespace
}  // namespace comity
