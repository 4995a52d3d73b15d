// SPDX-License-Identifier: BSD-3-Clause
// What a push does to OpenMP teams with more or fewer members than the mask has cores, and to nested ones: the masks that
// the kernel has for the members, in each of a thousand regions. Built once a runtime (GNU, LLVM).
#include <comity/comity.hpp>

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <set>

#include "context/one_cpu.hpp"
#include "context/regions.hpp"

namespace {

using namespace comity::testing;
using comity::Context;
using comity::Resource;

constexpr int kRegions = 1000;

class TeamSizes : public OnOneCpu {
 protected:
  ~TeamSizes() override {
    omp_set_max_active_levels(1);
    omp_set_num_threads(cores_);
  }

  // Fewer than all cores; one where there is no other number.
  [[nodiscard]] std::set<int> fewer() const { return {1, std::max(cores_ / 2, 1), std::max(cores_ - 1, 1)}; }

  [[nodiscard]] static comity_cpuset first_cores(const Context& context, int count) {
    comity_cpuset set{};
    for (int core = 0; core < count; ++core) {
      comity_cpuset one = context.cpuset(Resource::core, core);
      for (int word = 0; word < COMITY_CPUSET_CAPACITY / 64; ++word) set.words[word] |= one.words[word];
    }
    return set;
  }
};

TEST_F(TeamSizes, MoreMembersThanCoresAreAsManyOnEach) {
  Context context = Context::local();
  for (const int team : {2 * cores_, 3 * cores_ + 1}) {
    omp_set_num_threads(team);
    context.push(Resource::machine, 0);
    EXPECT_EQ(regions_not_even(context, kRegions, team), 0) << team << " members";
    context.pop();
    EXPECT_EQ(cpus_of(0), Cpus{before_.front()});
  }
}

TEST_F(TeamSizes, FewerMembersThanCoresHaveACoreEach) {
  Context context = Context::local();
  for (const int team : fewer()) {
    omp_set_num_threads(team);
    context.push(Resource::machine, 0);
    EXPECT_EQ(regions_not_even(context, kRegions, team), 0) << team << " members";
    context.pop();
  }
}

TEST_F(TeamSizes, ATeamForTheWholeMachineIsEvenOnAMaskOfFewerCores) {
  Context context = Context::local();
  omp_set_num_threads(cores_);
  for (const int cores : fewer()) {
    context.push_cpuset(first_cores(context, cores));
    EXPECT_EQ(regions_not_even(context, kRegions, cores_), 0) << cores << " cores";
    context.pop();
  }
}

TEST_F(TeamSizes, NestedTeamsHaveTheSharesOfTheirOuterMembers) {
  Context context = Context::local();
  omp_set_max_active_levels(2);
  for (int outer = 1; outer <= cores_; outer *= 2) {
    omp_set_num_threads(outer);
    context.push(Resource::machine, 0);
    EXPECT_EQ(nested_regions_astray(context, kRegions, outer, cores_ / outer), 0) << outer << " outer members";
    context.pop();
  }
}

// Two active levels on any machine: on two cores the others have one member either outside or inside.
TEST_F(TeamSizes, NestedTeamsOfMoreMembersThanCoresStayWithTheirOuterMembers) {
  Context context = Context::local();
  omp_set_max_active_levels(2);
  omp_set_num_threads(cores_);
  context.push(Resource::machine, 0);
  EXPECT_EQ(nested_regions_outside(context, kRegions, cores_, 2), 0);
  context.pop();
}

}  // namespace
