// SPDX-License-Identifier: BSD-3-Clause
// Pushes that place a team by the ids of its threads, so that none is woken.
#include <comity/comity.hpp>

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "context/threads/process.hpp"

namespace {

using comity::Context;
using comity::Resource;
using comity::testing::threads_of_team;
using comity::testing::ThreadsOnTwoCores;

// As far as the shell says: else they may spin without an end.
bool idle_members_sleep() {
  const auto is_unset = [](const char* name) { return std::getenv(name) == nullptr; };
  return is_unset("OMP_WAIT_POLICY") && is_unset("GOMP_SPINCOUNT") && is_unset("KMP_BLOCKTIME") &&
         is_unset("KMP_LIBRARY");
}

// How often it has gone to sleep, once it sleeps; -1: it has ended.
long sleeps_of(pid_t thread) {
  for (;;) {
    std::ifstream status("/proc/self/task/" + std::to_string(thread) + "/status");
    if (!status) return -1;
    bool asleep = false;
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("State:")) asleep = line.find('S', 6) != std::string::npos;
      if (line.starts_with("voluntary_ctxt_switches:") && asleep) return std::stol(line.substr(24));
    }
    std::this_thread::yield();
  }
}

// Whether pushes place the calling thread's team by thread id once its threads are known. A region would wake the members
// each time; one that has not gone to its long sleep yet, or a thread that ends meanwhile, spoils a round or two.
bool pushes_let_members_sleep(Context& context, int team) {
  context.push(Resource::machine, 0);
  const std::vector<pid_t> members = threads_of_team(team);
  context.pop();
  for (int round = 0; round < 10; ++round) {
    const long before = sleeps_of(members.back());
    context.push(Resource::machine, 0);
    context.pop();
    if (sleeps_of(members.back()) == before) return true;
  }
  return false;
}

TEST_F(ThreadsOnTwoCores, APushWakesNoMemberWhileNoThreadIsBornOrEnds) {
  if (!idle_members_sleep()) GTEST_SKIP() << "NOT TESTED: the shell sets how idle OpenMP threads wait";
  Context context = Context::local();
  EXPECT_TRUE(pushes_let_members_sleep(context, team()));
}

// The C library gives the handle (pthread_self) of a thread that has ended to a new one.
TEST_F(ThreadsOnTwoCores, AThreadIsKnownByItselfThoughItHasTheHandleOfAnotherThatPushed) {
  if (!idle_members_sleep()) GTEST_SKIP() << "NOT TESTED: the shell sets how idle OpenMP threads wait";
  Context context = Context::local();
  pthread_t handle{};
  std::thread([&] {
    handle = pthread_self();
    EXPECT_TRUE(pushes_let_members_sleep(context, team()));
  }).join();
  bool met = false;
  std::latch done(1);
  std::vector<std::thread> others;  // alive to the end, so that none is given a handle twice
  for (int attempt = 0; attempt < 16 && !met; ++attempt) {
    std::latch looked(1);
    others.emplace_back([&] {
      if (pthread_equal(pthread_self(), handle) != 0) {
        met = true;
        EXPECT_TRUE(pushes_let_members_sleep(context, team()));
      }
      looked.count_down();
      done.wait();
    });
    looked.wait();
  }
  done.count_down();
  for (std::thread& other : others) other.join();
  if (!met) GTEST_SKIP() << "NOT TESTED: the C library gave the handle to no other thread";
}

}  // namespace
