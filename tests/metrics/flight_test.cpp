// SPDX-License-Identifier: BSD-3-Clause
// What is in flight and when nothing is injected, of calls that are written here by hand.
#include "metrics/rank/flight.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <latch>
#include <thread>
#include <vector>

namespace comity::metrics {
namespace {

using interpose::Event;
using interpose::Facts;
using interpose::Kind;

constexpr Facts kSend{"MPI_Send", Kind::send, true, 0};
constexpr Facts kIsend{"MPI_Isend", Kind::send, false, 1};
constexpr Facts kIrecv{"MPI_Irecv", Kind::receive, false, 2};
constexpr Facts kWaitall{"MPI_Waitall", Kind::completion, true, 3};
constexpr Facts kBarrier{"MPI_Barrier", Kind::collective, true, 4};
constexpr Facts kProbe{"MPI_Probe", Kind::probe, true, 5};

Event call(const Facts& function, std::int64_t begin_ns, std::int64_t end_ns, std::int32_t requests = 0) {
  Event event{};
  event.facts = &function;
  event.begin_ns = begin_ns;
  event.end_ns = end_ns;
  event.succeeded = true;
  event.requests = requests;
  return event;
}

// A thread has one flight for all its life.
void on_its_own_thread(const std::function<void()>& test) { std::thread(test).join(); }

TEST(Flight, OfBlockingCallsIsOne) {
  on_its_own_thread([] {
    Flight flight;
    flight.saw(call(kSend, 10, 20));
    flight.saw(call(kBarrier, 30, 40));
    EXPECT_EQ(flight.figures().most_in_flight, 1);
    EXPECT_EQ(flight.figures().most_at_ns, 20);
  });
}

TEST(Flight, HoldsRequestsUntilTheyAreCompleted) {
  on_its_own_thread([] {
    Flight flight;
    for (int i = 0; i < 5; ++i) flight.saw(call(kIrecv, 10 * i, 10 * i + 5, 1));
    EXPECT_EQ(flight.sample().most_in_flight, 5) << "each while it was made: those before, and itself";
    flight.saw(call(kWaitall, 100, 110, -3));
    EXPECT_EQ(flight.sample().most_in_flight, 6) << "five requests, and who waits for them";
    flight.saw(call(kSend, 120, 130));
    EXPECT_EQ(flight.sample().most_in_flight, 3) << "what was completed has gone";
    flight.saw(call(kWaitall, 140, 150, -2));
    EXPECT_EQ(flight.sample().most_in_flight, 3);
    flight.saw(call(kSend, 160, 170));
    EXPECT_EQ(flight.sample().most_in_flight, 1);
    EXPECT_EQ(flight.figures().most_in_flight, 6);
  });
}

TEST(Flight, OfOtherThreadsCountsRequestsAndWhatOverlaps) {
  on_its_own_thread([] {
    Flight flight;
    flight.saw(call(kIsend, 10, 20, 1));
    std::thread([&] { flight.saw(call(kIrecv, 30, 40, 1)); }).join();
    EXPECT_EQ(flight.sample().most_in_flight, 2);
    flight.saw(call(kWaitall, 50, 60, -2));  // completes what another thread has started
    EXPECT_EQ(flight.sample().most_in_flight, 3);
    std::thread([&] { flight.saw(call(kSend, 70, 90)); }).join();
    EXPECT_EQ(flight.sample().most_in_flight, 1);
    flight.saw(call(kSend, 80, 100));
    EXPECT_EQ(flight.sample().most_in_flight, 2) << "the other thread's call ended in it";
  });
}

TEST(Flight, OfManyThreadsLosesNone) {
  on_its_own_thread([] {
    constexpr int kThreads = 4;
    constexpr int kCalls = 20'000;
    Flight flight;
    flight.saw(call(kSend, 1, 2));
    std::vector<std::thread> threads;
    std::latch together(kThreads);
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        together.arrive_and_wait();
        for (int n = 0; n < kCalls; ++n) flight.saw(call(kIsend, 10, 11, 1));
        for (int n = 0; n < kCalls - 1; ++n) flight.saw(call(kWaitall, 20, 21, -1));
      });
    }
    for (std::thread& thread : threads) thread.join();
    (void)flight.sample();
    flight.saw(call(kSend, 30, 31));
    EXPECT_EQ(flight.sample().most_in_flight, kThreads + 1);
    EXPECT_EQ(flight.figures().injections, kThreads * kCalls + 2);
  });
}

TEST(Gaps, AreBetweenTheEndOfAnInjectionAndTheBeginOfTheNext) {
  on_its_own_thread([] {
    Flight flight;
    flight.saw(call(kProbe, 5, 900));  // none
    flight.saw(call(kSend, 1000, 1010));
    EXPECT_EQ(flight.sample().longest_gap_ns, 0) << "there was no injection before";
    flight.saw(call(kProbe, 1020, 1100));
    flight.saw(call(kIrecv, 1100, 1110, 1));
    flight.saw(call(kIsend, 1210, 1220, 1));
    EXPECT_EQ(flight.sample().longest_gap_ns, 200);
    flight.saw(call(kBarrier, 1250, 1400));
    EXPECT_EQ(flight.sample().longest_gap_ns, 30);
    EXPECT_EQ(flight.figures().longest_gap_ns, 200);
    EXPECT_EQ(flight.figures().gap_end_ns, 1210);
    EXPECT_EQ(flight.figures().injections, 3);
  });
}

TEST(Flight, OfCallsThatDoNotCountFollowsRequestsAlone) {
  on_its_own_thread([] {
    Flight flight;
    flight.saw(call(kIsend, 0, 10, 1));
    flight.follow(call(kIrecv, 20, 30, 1));
    flight.follow(call(kWaitall, 1000, 1010, -1));
    flight.follow(call(kBarrier, 5000, 5010));
    EXPECT_EQ(flight.sample().most_in_flight, 1);
    flight.go_on();
    flight.saw(call(kIsend, 9000, 9010, 1));
    const Flight::Figures figures = flight.figures();
    EXPECT_EQ(figures.injections, 2);
    EXPECT_EQ(figures.most_in_flight, 2) << "one that was started before and is not completed";
    EXPECT_EQ(figures.longest_gap_ns, 0) << "what was in between is not known";
  });
}

TEST(Gaps, OfACallThatFailedGoOn) {
  on_its_own_thread([] {
    Flight flight;
    flight.saw(call(kSend, 10, 20));
    Event failed = call(kSend, 100, 110);
    failed.succeeded = false;
    flight.saw(failed);
    flight.saw(call(kSend, 320, 330));
    EXPECT_EQ(flight.figures().longest_gap_ns, 300);
    EXPECT_EQ(flight.figures().injections, 2);
  });
}

}  // namespace
}  // namespace comity::metrics
