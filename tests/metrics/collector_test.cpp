// SPDX-License-Identifier: BSD-3-Clause
// What a collector makes of the calls that it is shown, as the tables of its snapshot.
#include "metrics/rank/collector.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <chrono>
#include <functional>
#include <latch>
#include <map>
#include <thread>

#include "base/clock.hpp"
#include "metrics/snapshot.hpp"
#include "os/cpus/cpu_time.hpp"
#include "os/threads/threads.hpp"
#include "record/format/summary.hpp"

namespace comity::metrics {
namespace {

using interpose::Event;
using interpose::Facts;
using interpose::kEverybody;
using interpose::Kind;
using interpose::kNobody;

constexpr std::array<Facts, 6> kFunctions{{{"MPI_Send", Kind::send, true, 0},
                                           {"MPI_Recv", Kind::receive, true, 1},
                                           {"MPI_Irecv", Kind::receive, false, 2},
                                           {"MPI_Bcast", Kind::collective, true, 3},
                                           {"MPI_Put", Kind::one_sided, false, 4},
                                           {"MPI_Neighbor_alltoall", Kind::collective, true, 5}}};
enum Function : std::size_t { send, recv, irecv, bcast, put, neighbor_alltoall };

Event event(Function function, int to, int from, std::uint64_t sent, std::uint64_t got, std::int64_t begin = 0,
            std::int64_t end = 0) {
  return {&kFunctions[function], begin, end, true, 1, to, from, sent, got};
}

// A thread has one collector for all its life, so each test runs on a thread of its own.
void on_its_own_thread(const std::function<void()>& test) { std::thread(test).join(); }

record::Content shown(const Collector& collector) { return snapshot(collector, kFunctions, {}); }

// [function] a column of the calls' table in one region.
std::map<std::string, std::int64_t> calls(const record::Content& content, const char* column,
                                          const std::string& region = "(run)") {
  const record::Table& table = content.tables.at(kCallsTable);
  std::map<std::string, std::int64_t> found;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.text(row, "region") == region) found[table.text(row, "function")] = table.integer(row, column);
  }
  return found;
}

std::map<std::int64_t, std::int64_t> peers(const record::Content& content, const char* column) {
  const record::Table& table = content.tables.at(kPeersTable);
  std::map<std::int64_t, std::int64_t> found;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.integer(row, column) != 0) found[table.integer(row, "peer")] = table.integer(row, column);
  }
  return found;
}

using Numbers = std::map<std::string, std::int64_t>;
using ByPeer = std::map<std::int64_t, std::int64_t>;

TEST(Collector, AddsUpCallsBytesAndTimes) {
  on_its_own_thread([] {
    Collector collector(Detail::times, kFunctions.size());
    collector.after(event(send, 3, kNobody, 100, 0, 10, 30));
    collector.after(event(send, 4, kNobody, 50, 0, 40, 45));
    collector.after(event(recv, kNobody, 3, 0, 7, 50, 90));
    Event failed = event(send, 3, kNobody, 0, 0, 100, 101);
    failed.succeeded = false;
    collector.after(failed);
    const record::Content content = shown(collector);
    EXPECT_EQ(calls(content, "calls"), (Numbers{{"MPI_Send", 3}, {"MPI_Recv", 1}}));
    EXPECT_EQ(calls(content, "failed"), (Numbers{{"MPI_Send", 1}, {"MPI_Recv", 0}}));
    EXPECT_EQ(calls(content, "time_ns"), (Numbers{{"MPI_Send", 26}, {"MPI_Recv", 40}}));
    EXPECT_EQ(calls(content, "longest_ns"), (Numbers{{"MPI_Send", 20}, {"MPI_Recv", 40}}));
    EXPECT_EQ(calls(content, "sent_bytes"), (Numbers{{"MPI_Send", 150}, {"MPI_Recv", 0}}));
    EXPECT_EQ(calls(content, "received_bytes"), (Numbers{{"MPI_Send", 0}, {"MPI_Recv", 7}}));
  });
}

TEST(Collector, TellsPeersByDirectionAndKind) {
  on_its_own_thread([] {
    Collector collector(Detail::counts, kFunctions.size());
    collector.after(event(send, 3, kNobody, 100, 0));
    collector.after(event(send, 3, kNobody, 0, 0));
    collector.after(event(irecv, kNobody, 5, 0, 0));
    EXPECT_EQ(peers(shown(collector), "receives"), ByPeer{}) << "nothing has come yet";
    collector.moved({&kFunctions[irecv], 1, kNobody, 5, 0, 80});
    collector.moved({&kFunctions[irecv], 1, kNobody, 5, 0, 7, 3});
    collector.after(event(put, 2, kNobody, 9, 0));
    collector.after(event(bcast, kNobody, 0, 0, 1000));
    collector.after(event(bcast, kEverybody, kNobody, 1000, 0));
    const record::Content content = shown(collector);
    EXPECT_EQ(peers(content, "sends"), (ByPeer{{3, 2}}));
    EXPECT_EQ(peers(content, "sent_bytes"), (ByPeer{{3, 100}}));
    EXPECT_EQ(peers(content, "receives"), (ByPeer{{5, 4}})) << "one of 80 bytes and three equal ones of 7";
    EXPECT_EQ(peers(content, "received_bytes"), (ByPeer{{5, 101}}));
    EXPECT_EQ(peers(content, "put_bytes"), (ByPeer{{2, 9}}));
    EXPECT_EQ(calls(content, "received_bytes").at("MPI_Irecv"), 101);
  });
}

TEST(Collector, BooksWhatGoesToNeighboursToThemAndOnceToTheCall) {
  on_its_own_thread([] {
    Collector collector(Detail::counts, kFunctions.size());
    for (int round = 0; round < 2; ++round) {
      collector.shared({&kFunctions[neighbor_alltoall], 1, 3, kNobody, 100, 0});
      collector.shared({&kFunctions[neighbor_alltoall], 1, 4, kNobody, 20, 0});
      collector.shared({&kFunctions[neighbor_alltoall], 1, kNobody, 3, 0, 7});
      collector.after(event(neighbor_alltoall, kEverybody, kEverybody, 120, 7));
    }
    const record::Content content = shown(collector);
    EXPECT_EQ(peers(content, "sends"), (ByPeer{{3, 2}, {4, 2}}));
    EXPECT_EQ(peers(content, "sent_bytes"), (ByPeer{{3, 200}, {4, 40}}));
    EXPECT_EQ(peers(content, "receives"), (ByPeer{{3, 2}}));
    EXPECT_EQ(peers(content, "received_bytes"), (ByPeer{{3, 14}}));
    EXPECT_EQ(calls(content, "sent_bytes").at("MPI_Neighbor_alltoall"), 240);
    EXPECT_EQ(calls(content, "received_bytes").at("MPI_Neighbor_alltoall"), 14);
  });
}

TEST(Collector, KeepsManyPeersApartAndTheRestTogether) {
  on_its_own_thread([] {
    Collector collector(Detail::counts, kFunctions.size());
    constexpr int kPeers = 6000;
    for (int round = 0; round < 2; ++round) {
      for (int peer = 0; peer < kPeers; ++peer) collector.after(event(send, peer, kNobody, 1, 0));
    }
    const ByPeer sends = peers(shown(collector), "sends");
    std::int64_t all = 0;
    for (const auto& [peer, count] : sends) all += count;
    EXPECT_EQ(all, 2 * kPeers) << "none is lost when the table grows";
    EXPECT_EQ(sends.at(0), 2);
    EXPECT_EQ(sends.at(4000), 2);
    EXPECT_GT(sends.at(Peers::kRest), 0);
  });
}

TEST(Collector, TellsRegionsByTheirPaths) {
  on_its_own_thread([] {
    Collector collector(Detail::counts, kFunctions.size());
    collector.begin(Level::single, Level::single);
    collector.after(event(send, 1, kNobody, 1, 0));
    collector.region_begin("step");
    collector.after(event(send, 1, kNobody, 10, 0));
    collector.region_begin("solve");
    collector.after(event(send, 1, kNobody, 100, 0));
    collector.region_end();
    collector.after(event(send, 1, kNobody, 1000, 0));
    collector.region_end();
    collector.region_begin("step");
    collector.region_end();
    collector.region_end();  // one too many changes nothing
    collector.after(event(send, 1, kNobody, 10'000, 0));
    collector.end();
    const record::Content content = shown(collector);
    EXPECT_EQ(calls(content, "sent_bytes"), (Numbers{{"MPI_Send", 10'001}}));
    EXPECT_EQ(calls(content, "sent_bytes", "step"), (Numbers{{"MPI_Send", 1010}}));
    EXPECT_EQ(calls(content, "sent_bytes", "step/solve"), (Numbers{{"MPI_Send", 100}}));
    const record::Table& regions = content.tables.at(kRegionsTable);
    Numbers visits;
    for (std::size_t row = 0; row < regions.rows(); ++row)
      visits[regions.text(row, "region")] = regions.integer(row, "visits");
    EXPECT_EQ(visits, (Numbers{{"(run)", 1}, {"step", 2}, {"step/solve", 1}}));
  });
}

// [region] calls of MPI_Send.
Numbers sends_by_region(const Collector& collector) {
  const record::Content content = shown(collector);
  const record::Table& table = content.tables.at(kCallsTable);
  Numbers found;
  for (std::size_t row = 0; row < table.rows(); ++row) found[table.text(row, "region")] = table.integer(row, "calls");
  return found;
}

void send_once(Collector& collector) { collector.after(event(send, 1, kNobody, 1, 0)); }

TEST(PcontrolLevels, AreRegionsAmongTheProgramsOwn) {
  on_its_own_thread([] {
    Collector collector(Detail::counts, kFunctions.size());
    collector.begin(Level::single, Level::single);
    collector.region_begin("step");
    collector.set_level(3);
    send_once(collector);
    collector.region_begin("solve");
    send_once(collector);
    collector.region_end();
    send_once(collector);
    collector.set_level(1);
    send_once(collector);
    collector.region_end();
    send_once(collector);
    collector.end();
    EXPECT_EQ(sends_by_region(collector),
              (Numbers{{"(run)", 1}, {"step", 1}, {"step/MPI_Pcontrol(3)", 2}, {"step/MPI_Pcontrol(3)/solve", 1}}));
    const record::Content content = shown(collector);
    const record::Table& regions = content.tables.at(kRegionsTable);
    for (std::size_t row = 0; row < regions.rows(); ++row)
      EXPECT_EQ(regions.integer(row, "visits"), 1) << regions.text(row, "region");
  });
}

TEST(PcontrolLevels, OutliveTheRegionInWhichTheyWereSet) {
  on_its_own_thread([] {
    Collector collector(Detail::counts, kFunctions.size());
    collector.begin(Level::single, Level::single);
    collector.region_begin("step");
    collector.region_begin("inner");
    collector.set_level(4);
    collector.region_end();
    send_once(collector);
    collector.region_end();
    send_once(collector);
    collector.region_begin("next");
    send_once(collector);
    collector.set_level(5);  // replaces 4, and stands inside of what was begun since
    send_once(collector);
    collector.region_end();
    send_once(collector);
    collector.set_level(2);  // as 1
    send_once(collector);
    EXPECT_EQ(sends_by_region(collector), (Numbers{{"(run)", 1},
                                                   {"step/MPI_Pcontrol(4)", 1},
                                                   {"MPI_Pcontrol(4)", 1},
                                                   {"MPI_Pcontrol(4)/next", 1},
                                                   {"next/MPI_Pcontrol(5)", 1},
                                                   {"MPI_Pcontrol(5)", 1}}));
  });
}

TEST(PcontrolLevels, LoseNoRegionWhereTheyEndInsideOfOne) {
  on_its_own_thread([] {
    Collector collector(Detail::counts, kFunctions.size());
    collector.set_level(-7);
    collector.region_begin("a");
    collector.region_begin("b");
    send_once(collector);
    collector.set_level(1);
    send_once(collector);
    collector.region_end();
    send_once(collector);
    for (int i = 0; i < 100; ++i) collector.region_begin("deep");
    collector.set_level(3);
    send_once(collector);
    for (int i = 0; i < 100; ++i) collector.region_end();
    collector.set_level(1);
    collector.region_end();
    send_once(collector);
    const Numbers sends = sends_by_region(collector);
    EXPECT_EQ(sends.at("MPI_Pcontrol(-7)/a/b"), 1);
    EXPECT_EQ(sends.at("a/b"), 1);
    EXPECT_EQ(sends.at("a"), 1);
    EXPECT_EQ(sends.at("(run)"), 1);
    EXPECT_EQ(sends.size(), 5U) << "and the one that is too deep";
  });
}

TEST(PcontrolLevels, OfZeroLeaveCallsMessagesAndTimeOut) {
  on_its_own_thread([] {
    Collector collector(Detail::times, kFunctions.size());
    const auto whole_begin = std::chrono::steady_clock::now();
    collector.begin(Level::single, Level::single);
    send_once(collector);
    collector.set_level(0);
    collector.set_level(0);
    const auto begin = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const auto slept = std::chrono::steady_clock::now() - begin;
    collector.region_begin("unseen");
    collector.after(event(send, 7, kNobody, 1, 0, 100, 200));
    EXPECT_EQ(collector.flight().figures().injections, 0);
    collector.moved({&kFunctions[irecv], 1, kNobody, 5, 0, 80});
    collector.region_begin("seen");
    collector.set_level(1);
    send_once(collector);
    collector.end();
    EXPECT_EQ(sends_by_region(collector), (Numbers{{"(run)", 1}, {"unseen/seen", 1}}));
    const record::Content content = shown(collector);
    EXPECT_EQ(peers(content, "sends"), (ByPeer{{1, 2}}));
    EXPECT_EQ(peers(content, "received_bytes"), ByPeer{});
    const auto paused = std::chrono::nanoseconds(std::stoll(content.facts.at("metrics.paused_ns")));
    EXPECT_GE(paused, slept);
    std::int64_t wall = 0;
    const record::Table& regions = content.tables.at(kRegionsTable);
    for (std::size_t row = 0; row < regions.rows(); ++row) wall += regions.integer(row, "wall_ns");
    const auto whole = std::chrono::steady_clock::now() - whole_begin;
    EXPECT_LE(std::chrono::nanoseconds(wall) + paused, whole) << "nothing counts in both";
    EXPECT_EQ(content.facts.at("threads.calling"), "1") << "the book of what is unseen is no thread's";
  });
}

constexpr const void* kCode = &kFunctions[1];  // of this program

TEST(Teams, AreThoseOfTheMainThreadWhileItIsMeasured) {
  on_its_own_thread([] {
    Collector collector(Detail::counts, kFunctions.size());
    (void)collector.team_begin(kCode, 10);
    collector.team_end(20);
    collector.begin(Level::single, Level::single);
    EXPECT_TRUE(collector.team_begin(kCode, 100));
    collector.team_has(3);
    collector.region_begin("inside");  // of a parallel region: what passes there is in it too
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    collector.region_end();
    collector.team_end(170);
    std::thread([&] {
      EXPECT_FALSE(collector.team_begin(kCode, 200));
      collector.team_has(9);
      collector.team_end(300);
    }).join();
    collector.set_level(0);
    EXPECT_FALSE(collector.team_begin(kCode, 300));
    collector.team_has(9);
    collector.team_end(400);
    collector.set_level(1);
    EXPECT_TRUE(collector.team_begin(kCode, 500));
    collector.set_level(0);
    collector.team_end(600);
    collector.set_level(1);
    collector.end();
    (void)collector.team_begin(kCode, 700);
    collector.team_end(800);
    collector.openmp_tells(Collector::Waits::told);
    const record::Content content = shown(collector);
    const record::Table& teams = content.tables.at(kOpenMpTable);
    ASSERT_EQ(teams.rows(), 2U);
    EXPECT_EQ(teams.text(0, "region"), "(run)");
    EXPECT_EQ(teams.integer(0, "teams"), 2);
    EXPECT_EQ(teams.integer(0, "largest_team"), 3);
    EXPECT_EQ(teams.text(1, "region"), "inside");
    EXPECT_EQ(teams.integer(1, "teams"), 0) << "none has begun there";
    EXPECT_EQ(teams.integer(1, "team_thread_ns"), 3 * teams.integer(1, "team_ns"));
    const record::Table& regions = content.tables.at(kRegionsTable);
    for (std::size_t row = 0; row < 2; ++row) EXPECT_LE(teams.integer(row, "team_ns"), regions.integer(row, "wall_ns"));
    EXPECT_GE(teams.integer(1, "team_ns"), 2'000'000);
    const record::Table& places = content.tables.at(kTeamPlacesTable);
    ASSERT_EQ(places.rows(), 1U);
    EXPECT_TRUE(places.text(0, "place").starts_with("test_metrics_collector+0x")) << places.text(0, "place");
    EXPECT_EQ(places.integer(0, "count"), 1);
    EXPECT_EQ(places.integer(0, "wall_ns"), 70);
    EXPECT_EQ(places.integer(0, "thread_ns"), 210);
  });
}

TEST(Collector, BoundsRegionsByNumberAndDepth) {
  on_its_own_thread([] {
    Collector collector(Detail::counts, kFunctions.size());
    for (int i = 0; i < 3000; ++i) {
      collector.region_begin("step" + std::to_string(i));
      collector.after(event(send, 1, kNobody, 1, 0));
      collector.region_end();
    }
    for (int i = 0; i < 200; ++i) collector.region_begin("deep");
    for (int i = 0; i < 200; ++i) collector.region_end();
    collector.after(event(send, 1, kNobody, 1, 0));
    const record::Content content = shown(collector);
    EXPECT_LE(collector.regions().count(), Regions::kMost + 1);
    EXPECT_EQ(calls(content, "calls", "step7").at("MPI_Send"), 1);
    EXPECT_GE(calls(content, "calls", "(others)").at("MPI_Send"), 2000);
    EXPECT_EQ(calls(content, "calls").at("MPI_Send"), 1) << "outside all of them again";
  });
}

TEST(Collector, TakesTimeAndProcessorTimeByRegion) {
  on_its_own_thread([] {
    Collector collector(Detail::times, kFunctions.size());
    collector.begin(Level::single, Level::single);
    constexpr std::int64_t spun = 5'000'000;
    const std::int64_t begin_ns = os::thread_cpu_ns();
    while (os::thread_cpu_ns() - begin_ns < spun) {
    }
    const std::int64_t before_ns = os::thread_cpu_ns();
    collector.region_begin("sleep");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    collector.region_end();
    const std::int64_t slept_at_most = os::thread_cpu_ns() - before_ns;
    collector.end();
    const record::Content content = shown(collector);
    const record::Table& regions = content.tables.at(kRegionsTable);
    ASSERT_EQ(regions.rows(), 2U);
    ASSERT_EQ(regions.text(1, "region"), "sleep");
    EXPECT_GE(regions.integer(1, "wall_ns"), 20'000'000);
    EXPECT_LE(regions.integer(1, "main_cpu_ns"), slept_at_most) << "asleep is not on a processor";
    EXPECT_GE(regions.integer(0, "main_cpu_ns") + regions.integer(1, "main_cpu_ns"), spun) << "that is";
    EXPECT_GE(regions.integer(0, "cpu_ns") + regions.integer(1, "cpu_ns"), spun);
  });
}

// Its own region is another one, and its call ends while the main thread is in "second".
TEST(Collector, TellsWhatOtherThreadsSpinInMpiInTheMainThreadsRegion) {
  on_its_own_thread([] {
    constexpr std::int64_t kSpun_ns = 20'000'000;
    Collector collector(Detail::times, kFunctions.size());
    collector.begin(Level::multiple, Level::multiple);
    collector.region_begin("second");
    std::int64_t outside_ns = 0;
    std::thread([&] {
      const std::int64_t begin = now_ns();
      std::int64_t inside_ns = 0;
      collector.region_begin("its own");
      for (int i = 0; i < 2; ++i) {  // of the first call, as it is short, nothing is known
        const std::int64_t call_ns = now_ns();
        const std::int64_t cpu_ns = os::thread_cpu_ns();
        while (i == 1 && os::thread_cpu_ns() - cpu_ns < kSpun_ns) {
        }
        const std::int64_t end_ns = now_ns() + (i == 0 ? 200'000 : 0);
        collector.after(event(recv, kNobody, 1, 0, 1, call_ns, end_ns));
        if (i == 1) inside_ns = end_ns - call_ns;
      }
      outside_ns = now_ns() - begin - inside_ns;
    }).join();
    collector.region_end();
    collector.end();
    const record::Content content = shown(collector);
    const record::Table& regions = content.tables.at(kRegionsTable);
    Numbers inside;
    for (std::size_t row = 0; row < regions.rows(); ++row)
      inside[regions.text(row, "region")] = regions.integer(row, "others_mpi_cpu_ns");
    EXPECT_EQ(inside.at("(run)"), 0);
    EXPECT_GE(inside.at("second"), kSpun_ns - outside_ns);
  });
}

TEST(Collector, TellsTheTimeOfARegionThatGoesOn) {
  on_its_own_thread([] {
    Collector collector(Detail::times, kFunctions.size());
    collector.begin(Level::single, Level::single);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    collector.catch_up();
    EXPECT_GE(shown(collector).tables.at(kRegionsTable).integer(0, "wall_ns"), 5'000'000);
    EXPECT_EQ(shown(collector).tables.at(kRegionsTable).integer(0, "visits"), 1);
  });
}

TEST(Snapshot, HasARanksPartOfItsNodeWhichSummariesAddUp) {
  on_its_own_thread([] {
    Collector collector(Detail::times, kFunctions.size());
    collector.begin(Level::single, Level::single);
    collector.region_begin("a");
    collector.region_end();
    collector.end();
    const record::Content content =
        snapshot(collector, kFunctions, {.node = 3, .host = "h", .binding = {}, .node_cpus = {}});
    const record::Table& nodes = content.tables.at(kNodesTable);
    ASSERT_EQ(nodes.rows(), 1U);
    const record::Table& regions = content.tables.at(kRegionsTable);
    const std::int64_t wall = regions.integer(0, "wall_ns") + regions.integer(1, "wall_ns");
    EXPECT_EQ(nodes.integer(0, "wall_ns"), wall);
    record::Summary node(0, content);
    node.merge(record::Summary(1, content));
    const record::AnySpread& sum = node.table(kNodesTable).at({"3"}, "wall_ns");
    EXPECT_EQ(std::get<record::Spread<std::int64_t>>(sum).sum, 2 * wall);
  });
}

TEST(Snapshot, HasNoPartOfItsNodeWithoutTimes) {
  on_its_own_thread([] {
    Collector collector(Detail::counts, kFunctions.size());
    collector.begin(Level::single, Level::single);
    collector.end();
    EXPECT_FALSE(shown(collector).tables.contains(kNodesTable)) << "its useful time would hold that in MPI";
    EXPECT_TRUE(holds_snapshot(shown(collector)));
  });
}

std::string needed(const Collector& collector) { return shown(collector).facts.at("threads.needed"); }
std::string verdict_of(const Collector& collector) { return shown(collector).facts.at("threads.verdict"); }

TEST(ThreadLevel, OfOneCallingThreadIsFunneled) {
  on_its_own_thread([] {
    Collector collector(Detail::times, kFunctions.size());
    collector.begin(Level::multiple, Level::multiple);
    collector.after(event(send, 1, kNobody, 1, 0, 10, 20));
    EXPECT_EQ(needed(collector), "MPI_THREAD_FUNNELED");
    EXPECT_NE(verdict_of(collector).find("MPI_THREAD_FUNNELED would do"), std::string::npos);
  });
}

// It was told that such a program does as MPI_THREAD_SINGLE demands, which is that it has no other thread.
TEST(ThreadLevel, OfOneCallingThreadSaysWhatSingleDemandsBeside) {
  on_its_own_thread([] {
    Collector collector(Detail::times, kFunctions.size());
    collector.begin(Level::single, Level::single);
    collector.after(event(send, 1, kNobody, 1, 0, 10, 20));
    EXPECT_EQ(verdict_of(collector),
              "only the main thread calls MPI: MPI_THREAD_SINGLE is right if the program has no other threads, else "
              "MPI_THREAD_FUNNELED is needed");
  });
}

// It was MPI_THREAD_MULTIPLE, which "is needed" said of programs that keep to MPI_THREAD_SERIALIZED.
TEST(ThreadLevel, WithoutTimesIsSerializedAtLeast) {
  for (const Level provided : {Level::multiple, Level::serialized}) {
    on_its_own_thread([&] {
      Collector collector(Detail::counts, kFunctions.size());
      collector.begin(provided, provided);
      std::thread([&] { collector.after(event(send, 1, kNobody, 1, 0)); }).join();
      EXPECT_EQ(needed(collector), "MPI_THREAD_SERIALIZED");
      const std::string told = verdict_of(collector);
      EXPECT_NE(told.find("whether at once is not told without their times"), std::string::npos) << told;
      EXPECT_TRUE(told.ends_with("MPI_THREAD_SERIALIZED at least is needed")) << told;
    });
  }
}

TEST(ThreadLevel, ThatIsBrokenIsSaidWithoutTimesToo) {
  for (const Level provided : {Level::single, Level::funneled}) {
    ::testing::internal::CaptureStderr();
    on_its_own_thread([&] {
      Collector collector(Detail::counts, kFunctions.size());
      collector.begin(provided, provided);
      collector.after(event(recv, kNobody, 1, 0, 1));
      std::thread([&] { collector.after(event(send, 1, kNobody, 1, 0)); }).join();
      EXPECT_TRUE(verdict_of(collector).ends_with(" at least is needed, and " + std::string(name_of(provided)) +
                                                  " is provided"))
          << verdict_of(collector);
    });
    const std::string errors = ::testing::internal::GetCapturedStderr();
    EXPECT_NE(errors.find("MPI_Send is called on thread"), std::string::npos) << errors;
    EXPECT_NE(errors.find("MPI provides only " + std::string(name_of(provided))), std::string::npos) << errors;
  }
}

TEST(ThreadLevel, OfCallsByTurnsIsSerializedAndOfCallsAtOnceMultiple) {
  on_its_own_thread([] {
    Collector collector(Detail::times, kFunctions.size());
    collector.begin(Level::multiple, Level::multiple);
    collector.after(event(send, 1, kNobody, 1, 0, 1'000'000, 2'000'000));
    std::thread([&] { collector.after(event(send, 1, kNobody, 1, 0, 2'001'000, 3'000'000)); }).join();
    EXPECT_EQ(needed(collector), "MPI_THREAD_SERIALIZED");
    EXPECT_NE(verdict_of(collector).find("no two calls were seen to overlap by more than 2 us"), std::string::npos)
        << "what was not seen is not said";
    std::thread([&] { collector.after(event(recv, kNobody, 1, 0, 1, 2'500'000, 4'000'000)); }).join();
    EXPECT_EQ(needed(collector), "MPI_THREAD_MULTIPLE");
    EXPECT_EQ(shown(collector).facts.at("threads.calling"), "3");
  });
}

TEST(ThreadLevel, NamesThreadsThatCallBesideTheMainOne) {
  on_its_own_thread([] {
    Collector collector(Detail::times, kFunctions.size());
    collector.begin(Level::multiple, Level::multiple);
    std::string thread;
    for (int i = 0; i < 6; ++i) {
      std::thread([&] {
        if (i == 0) {
          ::pthread_setname_np(::pthread_self(), "caf\xe9");
          thread = std::to_string(os::this_thread()) + " (caf?)";
        }
        for (int call = 0; call < 3; ++call) collector.after(event(send, 1, kNobody, 1, 0, 10, 20));
      }).join();
    }
    EXPECT_NE(verdict_of(collector).find(thread), std::string::npos) << verdict_of(collector);
    EXPECT_NE(verdict_of(collector).find(" and 2 more call MPI"), std::string::npos) << verdict_of(collector);
  });
}

std::size_t found_in(const std::string& text, const std::string& words) {
  std::size_t found = 0;
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++found;
  return found;
}

// It was one thread's lines alone, and MPI_THREAD_SERIALIZED for a program whose page said MULTIPLE.
TEST(ThreadLevel, EachThreadThatBreaksTheProvidedOneIsNamedOnce) {
  ::testing::internal::CaptureStderr();
  std::array<std::string, 2> names;
  on_its_own_thread([&] {
    Collector collector(Detail::times, kFunctions.size());
    collector.begin(Level::funneled, Level::funneled);
    std::latch both(2);
    const auto call = [&](std::size_t i) {
      names.at(i) = "on thread " + std::to_string(os::this_thread()) + ',';
      for (int n = 0; n < 5; ++n)
        collector.after(event(send, 1, kNobody, 1, 0, 1'000'000 * n, 1'000'000 * n + 900'000));
      both.arrive_and_wait();  // alive together, so of two numbers
    };
    std::thread other(call, 0);
    call(1);
    other.join();
  });
  const std::string errors = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(found_in(errors, names[0]), 1U) << errors;
  EXPECT_EQ(found_in(errors, names[1]), 0U) << "MPI's main thread breaks nothing: " << errors;
}

TEST(ThreadLevel, OfThreadsAtOnceIsAdvisedAsTheVerdictSays) {
  ::testing::internal::CaptureStderr();
  on_its_own_thread([&] {
    Collector collector(Detail::times, kFunctions.size());
    collector.begin(Level::funneled, Level::funneled);
    collector.after(event(send, 1, kNobody, 1, 0, 1'000'000, 2'000'000));
    std::thread([&] { collector.after(event(recv, kNobody, 1, 0, 1, 1'500'000, 3'000'000)); }).join();
    EXPECT_EQ(needed(collector), "MPI_THREAD_MULTIPLE");
  });
  const std::string errors = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(errors.find("ask MPI_Init_thread for MPI_THREAD_MULTIPLE"), std::string::npos) << errors;
}

// 20,000 threads one after the other once took 318 MB, and made each later call walk through all their books.
TEST(Threads, ThatEndLeaveTheirBooksToTheNextOnes) {
  on_its_own_thread([] {
    Collector collector(Detail::times, kFunctions.size());
    collector.begin(Level::multiple, Level::multiple);
    collector.after(event(send, 1, kNobody, 1, 0, 10, 20));
    constexpr int kThreads = 300;
    for (int i = 0; i < kThreads; ++i) {
      std::thread([&] {
        collector.after(event(send, 1, kNobody, 1, 0, 10, 20));
        collector.region_begin("left open");
        collector.set_level(0);
        collector.after(event(send, 1, kNobody, 1, 0, 10, 20));
      }).join();
    }
    EXPECT_EQ(collector.books().count(), 2U);
    EXPECT_EQ(collector.flight().lanes(), 2U);
    EXPECT_EQ(sends_by_region(collector), (Numbers{{"(run)", kThreads + 1}})) << "each begins in no region, and seen";
    const record::Content content = shown(collector);
    EXPECT_EQ(peers(content, "sends"), (ByPeer{{1, kThreads + 1}}));
    EXPECT_EQ(content.facts.at("threads.calling"), std::to_string(kThreads + 1));
    EXPECT_EQ(collector.flight().figures().injections, kThreads + 1) << "what is paused injects nothing that counts";
  });
}

std::string errors_of(Level provided, std::int64_t begin_ns) {
  ::testing::internal::CaptureStderr();
  on_its_own_thread([&] {
    Collector collector(Detail::times, kFunctions.size());
    collector.begin(provided, provided);
    collector.after(event(send, 1, kNobody, 1, 0, 1'000'000, 2'000'000));
    std::thread([&] { collector.after(event(recv, kNobody, 1, 0, 1, begin_ns, 3'000'000)); }).join();
  });
  return ::testing::internal::GetCapturedStderr();
}

TEST(ThreadLevel, WhatBreaksTheProvidedOneIsToldWithThreadAndCall) {
  EXPECT_NE(errors_of(Level::funneled, 2'500'000).find("MPI_Recv is called on thread"), std::string::npos);
  EXPECT_NE(errors_of(Level::serialized, 1'500'000).find("is inside MPI"), std::string::npos);
  EXPECT_EQ(errors_of(Level::serialized, 2'500'000), "");
  EXPECT_EQ(errors_of(Level::multiple, 1'500'000), "");
}

// Sums are read while threads add to them.
TEST(Collector, MayBeLookedAtWhileThreadsCall) {
  Collector collector(Detail::times, kFunctions.size());
  std::array<std::thread, 4> threads;
  constexpr int kCalls = 20'000;
  for (std::thread& thread : threads) {
    thread = std::thread([&] {
      for (int i = 0; i < kCalls; ++i) {
        if (i % 1000 == 0) collector.region_begin("part" + std::to_string(i / 1000));
        collector.after(event(send, i % 300, kNobody, 8, 0, i, i + 1));
      }
    });
  }
  for (int i = 0; i < 20; ++i) (void)shown(collector);
  for (std::thread& thread : threads) thread.join();
  std::int64_t all = 0;
  for (const auto& [peer, sends] : peers(shown(collector), "sends")) all += sends;
  EXPECT_EQ(all, std::int64_t{4} * kCalls);
}

}  // namespace
}  // namespace comity::metrics
