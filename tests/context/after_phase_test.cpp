// SPDX-License-Identifier: BSD-3-Clause
// What becomes of GNU's team when its phase ends, by the threads that the kernel lists. On a simulated machine: the team
// has its four members on any machine.
#include <comity/comity.hpp>

#include <gtest/gtest.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <thread>

namespace {

using comity::Context;
using comity::Resource;
using Threads = std::set<pid_t>;

constexpr std::size_t kCores = 4;

class AfterAPhase : public ::testing::Test {
 protected:
  AfterAPhase() { setenv("HWLOC_SYNTHETIC", "core:4 pu:1", 1); }

  [[nodiscard]] static Context context_with(const char* policy) {
    setenv("COMITY_CONTEXT_TEAM_AFTER_PHASE", policy, 1);
    return Context::local();
  }

  // The members of the team in a phase, without the calling thread.
  [[nodiscard]] static Threads helpers_in_phase(Context& context) {
    Threads members;
    context.phase(Resource::machine, 1, [&] {
#pragma omp parallel
      {
#pragma omp critical
        members.insert(gettid());
      }
    });
    EXPECT_EQ(members.size(), kCores);
    members.erase(gettid());
    return members;
  }

  [[nodiscard]] static Threads listed() {
    Threads threads;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
      threads.insert(std::stoi(task.path().filename().string()));
    }
    return threads;
  }

  [[nodiscard]] static bool any_lives(const Threads& threads) {
    const Threads now = listed();
    return std::any_of(threads.begin(), threads.end(), [&](pid_t one) { return now.contains(one); });
  }
};

TEST_F(AfterAPhase, SpinLeavesTheTeamAliveForTheNextOne) {
  Context context = context_with("spin");
  const Threads first = helpers_in_phase(context);
  const Threads alive = listed();
  EXPECT_TRUE(std::includes(alive.begin(), alive.end(), first.begin(), first.end()));
  EXPECT_EQ(helpers_in_phase(context), first);
}

TEST_F(AfterAPhase, RestEndsTheTeamAndTheNextOneIsAnother) {
  Context context = context_with("rest");
  const Threads first = helpers_in_phase(context);
  for (int look = 0; look < 5'000 && any_lives(first); ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // they end on their own
  }
  EXPECT_FALSE(any_lives(first));
  for (const pid_t member : helpers_in_phase(context)) EXPECT_FALSE(first.contains(member));
}

TEST_F(AfterAPhase, AKeptTeamStaysAliveUnlessTheUserHasTeamsPlaced) {
  Context context = context_with("rest");
  context.set_teams(comity::Teams::keep);
  const Threads first = helpers_in_phase(context);
  EXPECT_EQ(helpers_in_phase(context), first);

  setenv("COMITY_CONTEXT_OPENMP", "place", 1);
  context = Context::local();
  context.set_teams(comity::Teams::keep);
  EXPECT_EQ(helpers_in_phase(context), first);
  for (const pid_t member : helpers_in_phase(context)) EXPECT_FALSE(first.contains(member));
  unsetenv("COMITY_CONTEXT_OPENMP");
}

TEST_F(AfterAPhase, RestIsWhatHappensWhereNothingIsSet) {
  unsetenv("COMITY_CONTEXT_TEAM_AFTER_PHASE");
  Context context = Context::local();
  const Threads first = helpers_in_phase(context);
  for (const pid_t member : helpers_in_phase(context)) EXPECT_FALSE(first.contains(member));
}

// The size of teams is each thread's own: the phase was another's.
TEST_F(AfterAPhase, FreeingOnAnotherThreadLeavesThatThreadsTeams) {
  constexpr int kOurs = 3;
  setenv("COMITY_CONTEXT_TEAM_AFTER_PHASE", "spin", 1);
  comity_context* context = nullptr;
  ASSERT_EQ(comity_context_create_local(&context), COMITY_OK);
  std::int32_t selected = 0;
  ASSERT_EQ(comity_context_enter(context, COMITY_MACHINE, 1, 0, &selected), COMITY_OK);
  int after = 0;
  std::thread([&] {
    omp_set_num_threads(kOurs);
    EXPECT_EQ(comity_context_free(&context), COMITY_OK);
    after = omp_get_max_threads();
  }).join();
  EXPECT_EQ(after, kOurs);
}

}  // namespace
