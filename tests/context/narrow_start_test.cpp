// SPDX-License-Identifier: BSD-3-Clause
// When a process is told that its launcher left GNU's runtime too few CPUs to count: where a push has cores for a team that
// the runtime did not count, and only there. What is told is asked of the binder; nothing is printed.
#include <gtest/gtest.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "context/threads/process_binder.hpp"
#include "machine/loader.hpp"
#include "os/cpus/affinity.hpp"
#include "os/threads/openmp.hpp"

namespace comity::context {
namespace {

using Environment = std::map<std::string, std::string, std::less<>>;

class NarrowStart : public ::testing::Test {
 protected:
  void SetUp() override {
    if (allowed_.count() < 2 || machine_.count(machine::ObjectType::core) < 2) {
      GTEST_SKIP() << "NOT TESTED: there is one core only";
    }
  }
  ~NarrowStart() override {
    omp_set_num_threads(members_);
    os::OpenMp::tell_cpus_at_load(0);
    (void)os::set_affinity(0, allowed_);
  }

  // How often a push to the whole machine tells of a narrow start, by a process that starts on `home`; with what else.
  [[nodiscard]] std::vector<Notice> told_from(const CpuSet& home, const Environment& environment = {}) {
    EXPECT_EQ(os::set_affinity(0, home), 0);
    std::vector<Notice> told;
    const auto lookup = [&](std::string_view name) {
      const auto found = environment.find(name);
      return found == environment.end() ? std::nullopt : std::optional(found->second);
    };
    ProcessBinder binder(machine_, TeamPolicy::place, lookup, [&](Notice notice) {
      told.push_back(notice);
      return false;  // as if another rank had told it
    });
    for (int round = 0; round < 2; ++round) (void)binder.restore(binder.move(allowed_, nullptr, TeamPolicy::place));
    return told;
  }

  [[nodiscard]] CpuSet one_cpu() const { return CpuSet{allowed_.lowest().value()}; }
  [[nodiscard]] int cpus() const { return static_cast<int>(allowed_.count()); }

  machine::Image image_ = machine::load({});
  machine::Machine machine_{image_};
  CpuSet allowed_ = machine_.allowed();
  int members_ = omp_get_max_threads();
};

using Told = std::vector<Notice>;

TEST_F(NarrowStart, OnOneCpuIsToldOnce) { EXPECT_EQ(told_from(one_cpu()), Told{Notice::narrow_start}); }

// A team that the user made larger than the machine sleeps at its barriers wherever it was started.
TEST_F(NarrowStart, OnAllCpusIsNone) {
  omp_set_num_threads(2 * cpus());
  EXPECT_EQ(told_from(allowed_), Told{});
}

TEST_F(NarrowStart, IsNoneWhereTheRuntimeHasCountedEnough) {
  os::OpenMp::tell_cpus_at_load(cpus());
  EXPECT_EQ(told_from(one_cpu()), Told{});
}

// The runtime has pinned the thread itself, at load: the launcher may have bound nothing, and unbinding would not help.
TEST_F(NarrowStart, IsNoneWhereAPolicyOfTheRuntimePins) {
  EXPECT_EQ(told_from(one_cpu(), {{"OMP_PROC_BIND", "close"}}), Told{Notice::fighting_policy});
}

TEST_F(NarrowStart, IsToldBesideAPolicyThatGnusRuntimeDoesNotRead) {
  EXPECT_EQ(told_from(one_cpu(), {{"KMP_AFFINITY", "compact"}}), Told{Notice::narrow_start});
}

}  // namespace
}  // namespace comity::context
