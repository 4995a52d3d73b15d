// SPDX-License-Identifier: BSD-3-Clause
// Ranks on a machine whose masks take more than one word: what rank 0 sees of the cgroup, and each rank's mask, reach all
// ranks word by word. The cgroup is a file, the machine a described one: it runs everywhere.
#include <gtest/gtest.h>

#include <string>

#include "context/context.hpp"
#include "machine/loader.hpp"
#include "machine/restrict.hpp"
#include "node/fork_bootstrap.hpp"
#include "os/fake_cgroup.hpp"

namespace comity::context {
namespace {

using testing::all_good;
using testing::FakeCgroup;
using testing::ForkBootstrap;
using testing::run_ranks;

constexpr std::size_t kPus = 192;  // three words
constexpr const char* kMachine = "package:2 core:96 pu:1";

// What makes a rank's context; nothing of it is shared but the segment and the file.
class Rank {
 public:
  Rank(ForkBootstrap& job, const FakeCgroup& cgroup)
      : node_(node::Node::attach(
            job, {}, [] { return machine::load_for_node({.synthetic = kMachine}); },
            [](std::span<const std::byte>) {
              return node::LocalFacts{CpuSet::first(kPus), kPus};
            })),
        watch_(cgroup.root()),
        context_(node_, node_->make_group(job), 1, stack_, team_sizes_, 1, AfterPhase::spin, &watch_) {
    context_.quiesce(std::nullopt);
  }

  [[nodiscard]] Context& context() { return context_; }

 private:
  std::shared_ptr<node::Node> node_;
  SimulatedBinder binder_{CpuSet::first(kPus)};
  BindingStack stack_{binder_};
  TeamSizes team_sizes_;
  os::CpusetWatch watch_;
  Context context_;
};

class AgreedCpuset : public ::testing::TestWithParam<int> {
 protected:
  AgreedCpuset() {
    cgroup_.move_to(FakeCgroup::kVersionTwo, "0::/job");
    allow("0-191");
  }
  void allow(const std::string& cpus) const { cgroup_.write("/sys/fs/cgroup/job/cpuset.cpus.effective", cpus); }
  // On one rank, while the others wait.
  void allow_while_all_wait(ForkBootstrap& job, const std::string& cpus) const {
    (void)job.job_max(0);
    if (job.job_rank() == 0) allow(cpus);
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

INSTANTIATE_TEST_SUITE_P(Counts, AgreedCpuset, ::testing::Values(1, 2, 4));

}  // namespace
}  // namespace comity::context
