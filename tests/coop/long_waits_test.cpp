// SPDX-License-Identifier: BSD-3-Clause
// When a rank tells its node that it waits for long, and that it does so no more.
#include "coop/long_waits.hpp"

#include <gtest/gtest.h>

#include "node/fork_bootstrap.hpp"
#include "node/node_fixture.hpp"

namespace comity::testing {
namespace {

using namespace std::chrono_literals;
using coop::LongWaits;

// Of a rank alone on its node; how often it has told anything is what the node counts.
void alone(const std::function<void(node::Node& node, LongWaits& waits)>& body) {
  const auto ends = run_ranks(1, [&](ForkBootstrap& job) {
    const auto node = attach(job);
    LongWaits waits;
    waits.tell(*node);
    body(*node, waits);
  });
  EXPECT_TRUE(all_good(ends));
}

void have_waited(LongWaits& waits, Nanoseconds time) {
  for (int i = 0; i < 100; ++i) waits.note_end(time);
}

TEST(LongWaits, AreThoseOfFiveMillisecondsAtFirst) {
  alone([](node::Node& node, LongWaits& waits) {
    waits.note_wait(4999us);
    EXPECT_FALSE(node.rests(0));
    waits.note_wait(5ms);
    EXPECT_TRUE(node.rests(0));
    waits.note_wait(50ms);
    EXPECT_EQ(node.rest_changes(), 1U) << "once a wait";
    waits.note_end(60ms);
    EXPECT_FALSE(node.rests(0));
    EXPECT_EQ(node.rest_changes(), 2U);
  });
}

TEST(LongWaits, AreToldOfSoonerWhereWaitsAreLong) {
  alone([](node::Node& node, LongWaits& waits) {
    have_waited(waits, 16ms);
    waits.note_wait(1800us);
    EXPECT_FALSE(node.rests(0));
    waits.note_wait(2ms);
    EXPECT_TRUE(node.rests(0));
    waits.note_end(0ns);  // it has not slept, so it was another thread's look
    EXPECT_TRUE(node.rests(0));
    have_waited(waits, 2ms);
    waits.note_wait(400us);
    EXPECT_FALSE(node.rests(0));
    waits.note_wait(500us);
    EXPECT_TRUE(node.rests(0)) << "never sooner than that";
  });
}

TEST(LongWaits, OfAnHourDoNotCountForever) {
  alone([](node::Node& node, LongWaits& waits) {
    waits.note_end(1h);
    have_waited(waits, 100us);
    waits.note_wait(4999us);
    EXPECT_FALSE(node.rests(0));
  });
}

// A sleep ends when the wait has grown long, and no sooner than it pays.
TEST(LongWaits, EndASleepToTellOfThem) {
  alone([](node::Node& /*node*/, LongWaits& waits) {
    EXPECT_EQ(waits.nap_after(0ns, 10ms), 5ms);
    EXPECT_EQ(waits.nap_after(3ms, 10ms), 2ms);
    EXPECT_EQ(waits.nap_after(4999us, 10ms), 100us);
    EXPECT_EQ(waits.nap_after(0ns, 1ms), 1ms) << "as usual";
    waits.note_wait(5ms);
    EXPECT_EQ(waits.nap_after(5ms, 10ms), 10ms) << "it is told";
  });
}

TEST(LongWaits, ThatAreLongAlreadyAreSleptOverAsUsual) {
  alone([](node::Node& /*node*/, LongWaits& waits) { EXPECT_EQ(waits.nap_after(5ms, 10ms), 10ms); });
}

TEST(LongWaits, OfWhoIsDoneLeaveItsCoresForGood) {
  alone([](node::Node& node, LongWaits& waits) {
    waits.end();
    EXPECT_TRUE(node.rests(0));
    waits.note_wait(5ms);
    waits.end();
    EXPECT_EQ(node.rest_changes(), 1U);
  });
}

TEST(LongWaits, OfWhoTellsNobodyChangeNothing) {
  LongWaits waits;
  waits.note_wait(1s);
  waits.note_end(1s);
  EXPECT_EQ(waits.nap_after(0ns, 10ms), 10ms);
}

}  // namespace
}  // namespace comity::testing
