// SPDX-License-Identifier: BSD-3-Clause
// Clocks of ranks are compared in a simulated time: each message takes as long as the test says, each clock has an offset
// and a pace of its own, and what is measured must hold what is true.
#include "record/clock_alignment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>

#include "made_up_job.hpp"
#include "record/clock_map.hpp"
#include "record/run/run_reader.hpp"
#include "thread_exchange.hpp"

namespace comity::record {
namespace {

struct SimulatedClock {
  std::int64_t offset_ns = 0;
  double drift = 0;  // 1e-6: a microsecond a second too fast
  [[nodiscard]] std::int64_t at(double true_ns) const {
    return offset_ns + static_cast<std::int64_t>(std::llround(true_ns * (1 + drift)));
  }
};

// [ns] how long the n-th message from one rank to another takes.
using Delay = std::function<double(int from, int to, int n)>;

// A rank's true time goes on by what its messages take: each carries the moment of its arrival.
class SimulatedExchange final : public Exchange {
 public:
  SimulatedExchange(Exchange& messages, const Delay& delay, double& true_ns)
      : messages_(messages), delay_(delay), true_ns_(true_ns) {}
  [[nodiscard]] int rank() const override { return messages_.rank(); }
  [[nodiscard]] int size() const override { return messages_.size(); }
  void send(int to, std::span<const std::byte> bytes) override {
    ByteWriter text;
    text.number(true_ns_ + delay_(rank(), to, sent_++));
    text.raw(bytes);
    messages_.send(to, text.bytes());
  }
  [[nodiscard]] Bytes receive(int from) override {
    const Bytes bytes = messages_.receive(from);
    ByteReader text(bytes);
    true_ns_ = std::max(true_ns_, text.number<double>());
    return {bytes.begin() + sizeof(double), bytes.end()};
  }
  [[nodiscard]] int sent() const { return sent_; }

 private:
  Exchange& messages_;
  const Delay& delay_;
  double& true_ns_;
  int sent_ = 0;
};

constexpr double kReading_ns = 25;  // what looking at the clock takes

struct Simulation {
  std::vector<SimulatedClock> clocks;        // of each rank
  std::vector<std::uint32_t> clock_of_rank;  // those with equal ones have equal clocks
  Delay delay;

  struct Outcome {
    std::vector<ClockReading> readings;
    std::vector<double> true_ns;  // when each rank was done
    std::vector<int> sent;        // messages
  };
  [[nodiscard]] Outcome run(double start_ns) const {
    Outcome outcome;
    outcome.readings.resize(clocks.size());
    outcome.true_ns.assign(clocks.size(), start_ns);
    outcome.sent.resize(clocks.size());
    EXPECT_TRUE(testing::run_exchange(static_cast<int>(clocks.size()), [&](testing::ThreadExchange& messages) {
      const auto rank = static_cast<std::size_t>(messages.rank());
      double& true_ns = outcome.true_ns[rank];
      SimulatedExchange exchange(messages, delay, true_ns);
      outcome.readings[rank] = read_clock(exchange, clock_of_rank, [&] {
        true_ns += kReading_ns;
        return clocks[rank].at(true_ns);
      });
      outcome.sent[rank] = exchange.sent();
    })) << "a message was not received";
    return outcome;
  }
  // What must be added to a rank's clock when it says so.
  [[nodiscard]] double true_offset_ns(std::size_t rank, std::int64_t at_ns) const {
    const double true_ns = static_cast<double>(at_ns - clocks[rank].offset_ns) / (1 + clocks[rank].drift);
    return static_cast<double>(clocks[0].at(true_ns) - at_ns);
  }
};

double noise(int from, int to, int n) {
  std::uint64_t mixed = static_cast<std::uint64_t>(from) * 7919 + static_cast<std::uint64_t>(to) * 104729 +
                        static_cast<std::uint64_t>(n) * 1299709;
  mixed ^= mixed >> 7U;
  mixed *= 0x9E3779B97F4A7C15U;
  return static_cast<double>(mixed >> 40U) / static_cast<double>(1U << 24U);
}

// Ranks of two a clock, hours apart, of which none keeps the pace; ways there take three times as long as ways back, and one
// message in four is late by up to a millisecond.
Simulation unlike_hosts(std::size_t clocks) {
  Simulation job;
  for (std::size_t i = 0; i < clocks; ++i) {
    const auto number = static_cast<double>(i);
    const SimulatedClock clock{static_cast<std::int64_t>(i * 3'600'000'000'000) - 7'200'000'000'000,
                               20e-6 * std::sin(number)};
    for (int twice = 0; twice < 2; ++twice) {
      job.clocks.push_back(clock);
      job.clock_of_rank.push_back(static_cast<std::uint32_t>(i));
    }
  }
  job.delay = [](int from, int to, int n) {
    const double late = noise(from, to, n) < 0.25 ? 1e6 * noise(to, from, n) : 0;
    return (to > from ? 6'000.0 : 2'000.0) + 500 * noise(from, to, n + 1) + late;
  };
  return job;
}

constexpr double kRounding_ns = 2;
constexpr double kDrifting_ns = 1'000;  // 40e-6 of the 25 ms that a measurement takes at the most here

TEST(ClockAlignment, FindsEveryClockWithinTheErrorThatItTells) {
  for (const std::size_t clocks : {1U, 2U, 3U, 5U, 8U, 24U}) {
    const Simulation job = unlike_hosts(clocks);
    const auto outcome = job.run(5e9);
    for (std::size_t rank = 0; rank < job.clocks.size(); ++rank) {
      const ClockReading& reading = outcome.readings[rank];
      const double off_ns = static_cast<double>(reading.offset_ns) - job.true_offset_ns(rank, reading.at_ns);
      EXPECT_LE(std::abs(off_ns), static_cast<double>(reading.error_ns) + kRounding_ns + kDrifting_ns)
          << "rank " << rank << " of " << clocks << " clocks";
      // Half a round trip without a late message a step, of which the tree has at most five.
      EXPECT_LE(reading.error_ns, 5 * 4'800) << "rank " << rank << " of " << clocks << " clocks";
    }
  }
}

TEST(ClockAlignment, TellsWhatAnUnevenWayHides) {
  Simulation job = unlike_hosts(2);
  job.delay = [](int from, int to, int) { return to > from ? 50'000.0 : 1'000.0; };
  const ClockReading reading = job.run(0).readings[3];
  const double off_ns = std::abs(static_cast<double>(reading.offset_ns) - job.true_offset_ns(3, reading.at_ns));
  EXPECT_GT(off_ns, 20'000) << "a round trip cannot see this";
  EXPECT_LE(off_ns, static_cast<double>(reading.error_ns) + kRounding_ns + kDrifting_ns);
}

TEST(ClockAlignment, RanksOfOneClockHaveOneReading) {
  const Simulation job = unlike_hosts(4);
  const auto outcome = job.run(0);
  for (std::size_t rank = 0; rank < job.clocks.size(); rank += 2) {
    EXPECT_EQ(outcome.readings[rank].at_ns, outcome.readings[rank + 1].at_ns);
    EXPECT_EQ(outcome.readings[rank].offset_ns, outcome.readings[rank + 1].offset_ns);
    EXPECT_EQ(outcome.sent[rank + 1], 0);
  }
  EXPECT_EQ(outcome.readings[0].offset_ns, 0);
  EXPECT_EQ(outcome.readings[0].error_ns, 0);
}

TEST(ClockAlignment, TakesLongerByTheLogarithmOfTheClocksAlone) {
  std::vector<double> took_ns;
  for (const std::size_t clocks : {4U, 16U, 64U}) {
    Simulation job = unlike_hosts(clocks);
    job.delay = [](int, int, int) { return 1'000.0; };
    const auto outcome = job.run(0);
    took_ns.push_back(*std::max_element(outcome.true_ns.begin(), outcome.true_ns.end()));
    EXPECT_LE(*std::max_element(outcome.sent.begin(), outcome.sent.end()), 20 * std::bit_width(clocks));
  }
  // Two doublings each: a serial walk would take four times as long.
  EXPECT_LT(took_ns[1] / took_ns[0], 2.5);
  EXPECT_LT(took_ns[2] / took_ns[1], 2.0);
}

// Events of a run of 100 s, which each rank in turn writes down by its own clock, as a reader finds them in the merged record.
TEST(ClockAlignment, EventsOfTheMergedRecordStandInTrueOrder) {
  constexpr std::size_t kRanks = 6;
  constexpr double kEvery_ns = 40'000;  // more than twice the error, so that the order can be told
  constexpr int kEvents = 600;
  const testing::TemporaryFolder folder;
  const testing::MadeUpJob job(kRanks, 3, {folder.path()});
  const Simulation hosts = unlike_hosts(3);
  const auto begin = hosts.run(1e9);
  const auto end = hosts.run(101e9);
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    const auto writer = job.writer(rank);
    for (const auto& [key, value] : clock_facts(ClockMoment::begin, begin.readings[rank])) writer->set_fact(key, value);
    for (const auto& [key, value] : clock_facts(ClockMoment::end, end.readings[rank])) writer->set_fact(key, value);
    const SeriesRef events = writer->series("event");
    for (int event = static_cast<int>(rank); event < kEvents; event += kRanks) {
      writer->sample(events, hosts.clocks[rank].at(50e9 + kEvery_ns * event), event);
    }
    writer->close();
  }
  ASSERT_TRUE(testing::run_exchange(kRanks, [&](testing::ThreadExchange& exchange) {
    (void)merge(exchange, job.plan(static_cast<std::uint32_t>(exchange.rank())));
  }));

  const RunReader run(folder.path());
  std::vector<std::pair<std::int64_t, int>> aligned;
  std::vector<std::pair<std::int64_t, int>> as_they_stand;
  for (const RankEntry& entry : run.ranks()) {
    const RankBody body = run.rank(entry.rank);
    EXPECT_TRUE(body.clock().is_known());
    const std::optional<std::int64_t> error_ns = body.clock().error_ns();
    ASSERT_TRUE(error_ns.has_value());
    EXPECT_LT(2 * static_cast<double>(*error_ns), kEvery_ns);
    for (const SampleEntry& event : body.content.series.at(0).entries) {
      aligned.emplace_back(body.clock().on_rank_0(event.first_ns), static_cast<int>(event.last));
      as_they_stand.emplace_back(event.first_ns, static_cast<int>(event.last));
    }
  }
  std::sort(aligned.begin(), aligned.end());
  std::sort(as_they_stand.begin(), as_they_stand.end());
  const auto by_event = [](const auto& a, const auto& b) { return a.second < b.second; };
  ASSERT_EQ(aligned.size(), kEvents);
  EXPECT_TRUE(std::is_sorted(aligned.begin(), aligned.end(), by_event));
  EXPECT_FALSE(std::is_sorted(as_they_stand.begin(), as_they_stand.end(), by_event)) << "the test would see nothing";
}

}  // namespace
}  // namespace comity::record
