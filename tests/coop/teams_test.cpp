// SPDX-License-Identifier: BSD-3-Clause
// Whose wish a rank's binding is, and that a rank is spread with the threads that have its mask, and no others.
#include "coop/decision/teams.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "coop/environment.hpp"
#include "os/cpus/affinity.hpp"
#include "os/threads/threads.hpp"

// As an OpenBLAS tells it.
extern "C" __attribute__((visibility("default"))) int openblas_get_num_threads() { return 3; }

namespace comity::testing {
namespace {

TEST(Facts, CountTheThreadsOfAnOpenBlasWhereTheUserToldTheirNumber) {
  for (const char* name : {"OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS"}) {
    EXPECT_EQ(coop::facts_of_this_rank(environment({{name, "3"}}), false).threads, 3U) << name;
  }
  EXPECT_EQ(coop::facts_of_this_rank(environment({}), false).threads, 1U);
}

TEST(Binding, IsALaunchersDefaultWhereItBoundAndNobodyAsked) {
  EXPECT_TRUE(coop::is_bound_by_default(environment({{"OMPI_MCA_orte_bound_at_launch", "1"}})));
  EXPECT_FALSE(coop::is_bound_by_default(environment({})));
  EXPECT_FALSE(coop::is_bound_by_default(environment({{"OMPI_MCA_orte_bound_at_launch", "0"}})));
}

TEST(Binding, IsTheUsersWhereAVariableSaysSo) {
  for (const char* name :
       {"OMPI_MCA_hwloc_base_binding_policy", "OMPI_MCA_hwloc_base_cpu_set", "OMPI_MCA_hwloc_base_cpu_list",
        "OMPI_MCA_orte_rankfile", "OMPI_MCA_rmaps_base_mapping_policy", "OMP_PLACES", "OMP_PROC_BIND",
        "GOMP_CPU_AFFINITY", "KMP_AFFINITY"}) {
    EXPECT_FALSE(coop::is_bound_by_default(environment({{"OMPI_MCA_orte_bound_at_launch", "1"}, {name, "core"}})))
        << name;
  }
}

TEST(Facts, ReachNoFurtherThanTheMaskWhereThatIsAWish) {
  const coop::RankFacts facts = coop::facts_of_this_rank(environment({}), false);
  EXPECT_EQ(facts.mask, os::affinity(0));
  EXPECT_EQ(facts.reach, facts.mask);
  EXPECT_EQ(facts.threads, 1U);  // this test has no OpenMP
  EXPECT_EQ(facts.has_spinning_team, 0U);
}

// A thread with a mask of its own, until it is told to go on.
class OtherThread {
 public:
  explicit OtherThread(const CpuSet& mask)
      : thread_([this, mask] {
          EXPECT_EQ(os::set_affinity(0, mask), 0);
          id_ = os::this_thread();
          id_.notify_one();
          is_over_.wait(false);
        }) {
    id_.wait(0);
  }
  ~OtherThread() {
    is_over_ = true;
    is_over_.notify_one();
    thread_.join();
  }
  OtherThread(const OtherThread&) = delete;
  OtherThread& operator=(const OtherThread&) = delete;

  [[nodiscard]] CpuSet mask() const { return os::affinity(id_); }
  [[nodiscard]] pid_t id() const { return id_; }

 private:
  std::atomic<pid_t> id_{0};
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

TEST(Spread, ReachesTheThreadsWithTheRanksMaskAlone) {
  const CpuSet all = os::affinity(0);
  if (all.count() < 2) GTEST_SKIP() << "this process may use one CPU only";
  const CpuSet one{*all.lowest()};
  const CpuSet other{*all.highest()};
  const OtherThread of_the_team(one);
  const OtherThread bound_elsewhere(other);
  ASSERT_EQ(os::set_affinity(0, one), 0);
  EXPECT_EQ(coop::move_threads({.mask = one, .reach = all, .threads = 2}, all),
            std::vector<pid_t>{bound_elsewhere.id()});
  EXPECT_EQ(os::affinity(0), all);
  EXPECT_EQ(of_the_team.mask(), all);
  EXPECT_EQ(bound_elsewhere.mask(), other);
}

}  // namespace
}  // namespace comity::testing
