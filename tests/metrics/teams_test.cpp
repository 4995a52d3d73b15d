// SPDX-License-Identifier: BSD-3-Clause
// What is added up of parallel regions by their places, from what a runtime tells at given times.
#include "metrics/rank/teams.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace comity::metrics {
namespace {

constexpr std::array<char, 2000> kCode{};  // addresses that nothing else has

// Each thread has its own state for all its life, so each test runs on a thread of its own.
void on_its_own_thread(const std::function<void()>& test) { std::thread(test).join(); }

// What one thread of a team does from its begin on.
using Act = std::function<void()>;

// The region at `code` from 0 to `end_ns`, of as many threads as there are acts; the first one's is the calling thread's.
void region(Teams& teams, const void* code, std::int64_t end_ns, const std::vector<Act>& acts) {
  teams.begin(code, 0);
  teams.has(static_cast<unsigned>(acts.size()));
  (void)teams.member_begins(0, 0);  // first, for what a thread leaves at its end goes to the next one that comes
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < acts.size(); ++i) {
    others.emplace_back([&, i] {
      (void)teams.member_begins(static_cast<unsigned>(i), 0);
      acts[i]();
      Teams::leave();
    });
  }
  acts[0]();
  for (std::thread& one : others) one.join();
  Teams::member_ends(end_ns);
  teams.end(end_ns);
}

struct Told {
  std::uint64_t count, wall_ns, thread_ns, largest_team, measured_ns, working_ns, busiest_ns;
  friend bool operator==(const Told&, const Told&) = default;
};

std::map<const void*, Told> told(const Teams& teams) {
  std::map<const void*, Told> all;
  teams.each([&](const TeamPlace& one) {
    all[one.code] = {one.count.value(),       one.wall_ns.value(),    one.thread_ns.value(), one.largest_team.value(),
                     one.measured_ns.value(), one.working_ns.value(), one.busiest_ns.value()};
  });
  return all;
}

Act waits_at(std::int64_t ns) {
  return [ns] { Teams::member_waits(ns); };
}

TEST(TeamPlaces, HaveTheWorkOfEachThreadUpToTheBarrierThatEndsTheRegion) {
  on_its_own_thread([] {
    Teams teams;
    teams.waits_are_told();
    for (int i = 0; i < 3; ++i) region(teams, &kCode[1], 100, {waits_at(90), waits_at(45)});
    region(teams, &kCode[2], 50, {[] {}});
    const std::map<const void*, Told> all = told(teams);
    EXPECT_EQ(all.size(), 2U);
    EXPECT_EQ(all.at(&kCode[1]), (Told{3, 300, 600, 2, 600, 405, 540}));
    EXPECT_EQ(all.at(&kCode[2]), (Told{1, 50, 50, 1, 50, 50, 50})) << "a thread alone waits for nobody";
  });
}

TEST(TeamPlaces, HaveNoWaitAtBarriersInsideTheRegion) {
  on_its_own_thread([] {
    Teams teams;
    teams.waits_are_told();
    const auto waits_inside = [] {
      Teams::member_waits(20);
      Teams::member_goes_on(60);
      Teams::member_waits(70);
      Teams::member_goes_on(99);
    };
    region(teams, &kCode[1], 100, {waits_inside});
    EXPECT_EQ(told(teams).at(&kCode[1]).working_ns, 31U);
  });
}

TEST(TeamPlaces, CountTasksThatAreDoneInABarrierAsWork) {
  on_its_own_thread([] {
    Teams teams;
    teams.waits_are_told();
    const auto works_in_a_barrier = [] {
      Teams::member_waits(10);
      Teams::member_turns_to_task(20);
      Teams::member_waits(30);          // the task for one that it has made,
      Teams::member_turns_to_task(35);  // which this thread does itself
      Teams::member_turns_back(45);
      Teams::member_goes_on(50);
      Teams::member_turns_back(60);
      Teams::member_goes_on(95);
    };
    region(teams, &kCode[1], 100, {works_in_a_barrier});
    EXPECT_EQ(told(teams).at(&kCode[1]).working_ns, 10U + 10 + 10 + 10 + 5);
  });
}

TEST(TeamPlaces, LoseNoWorkToATaskThatIsDoneWhereItIsMade) {
  on_its_own_thread([] {
    Teams teams;
    teams.waits_are_told();
    const auto does_a_task = [] {
      Teams::member_turns_to_task(20);
      Teams::member_waits(30);
      Teams::member_turns_back(40);  // untied from what it has waited for
      Teams::member_waits(80);
    };
    region(teams, &kCode[1], 100, {does_a_task});
    EXPECT_EQ(told(teams).at(&kCode[1]).working_ns, 70U);
  });
}

TEST(TeamPlaces, HaveNothingOfWhatARuntimeTellsTooLate) {
  on_its_own_thread([] {
    Teams teams;
    teams.waits_are_told();
    region(teams, &kCode[1], 100, {waits_at(100)});
    Teams::member_goes_on(500);
    Teams::member_ends(900);
    region(teams, &kCode[1], 100, {waits_at(100)});
    EXPECT_EQ(told(teams).at(&kCode[1]).working_ns, 200U);
  });
}

TEST(TeamPlaces, TellNoWorkWhereTheRuntimeTellsNoWaits) {
  on_its_own_thread([] {
    Teams teams;
    region(teams, &kCode[1], 100, {waits_at(90), waits_at(45)});
    EXPECT_EQ(told(teams).at(&kCode[1]), (Told{1, 100, 200, 2, 0, 0, 0}));
  });
}

TEST(TeamPlaces, TellNoWorkOfATeamOfWhichAThreadWasNotTold) {
  on_its_own_thread([] {
    Teams teams;
    teams.waits_are_told();
    teams.begin(&kCode[1], 0);
    teams.has(2);
    (void)teams.member_begins(0, 0);
    teams.end(100);
    teams.begin(&kCode[1], 0);
    teams.has(Teams::kWidest + 1);
    (void)teams.member_begins(Teams::kWidest, 0);
    teams.end(100);
    EXPECT_EQ(told(teams).at(&kCode[1]), (Told{2, 200, 200 + 100 * (Teams::kWidest + 1), Teams::kWidest + 1, 0, 0, 0}));
  });
}

TEST(TeamPlaces, HaveNothingOfARegionThatDoesNotCount) {
  on_its_own_thread([] {
    Teams teams;
    teams.begin(&kCode[1], 0);
    teams.drop();
    teams.end(100);
    EXPECT_EQ(told(teams).at(&kCode[1]).count, 0U);
  });
}

TEST(TeamPlaces, AreBoundedAndTheRestIsOne) {
  on_its_own_thread([] {
    Teams teams;
    constexpr std::size_t kWanted = 600;
    for (int round = 0; round < 2; ++round) {
      for (std::size_t i = 1; i <= kWanted; ++i) region(teams, &kCode[i], 1, {[] {}});
    }
    std::uint64_t count = 0, of_others = 0;
    std::set<std::string> names;
    teams.each([&](const TeamPlace& one) {
      count += one.count.value();
      if (one.name == "(others)") of_others = one.count.value();
      names.insert(one.name);
    });
    EXPECT_EQ(count, 2 * kWanted);
    EXPECT_EQ(of_others, 2 * (kWanted - Teams::kMostPlaces));
    EXPECT_EQ(names.size(), Teams::kMostPlaces + 1);
    EXPECT_TRUE(names.begin()->starts_with("(others)") || names.rbegin()->starts_with("test_metrics_teams+0x"));
  });
}

}  // namespace
}  // namespace comity::metrics
