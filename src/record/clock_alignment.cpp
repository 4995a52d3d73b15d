// SPDX-License-Identifier: BSD-3-Clause
#include "record/clock_alignment.hpp"

#include <algorithm>

#include "record/merge/names.hpp"
#include "record/merge/tree.hpp"

namespace comity::record {
namespace {

constexpr int kRounds = 16;  // the first ones open connections, and any may meet a rank that has no processor

using Clock = std::function<std::int64_t()>;

void write(ByteWriter& into, const ClockReading& reading) {
  into.number(reading.at_ns);
  into.number(reading.offset_ns);
  into.number(reading.error_ns);
}

ClockReading read(ByteReader& from) {
  ClockReading reading;
  reading.at_ns = from.number<std::int64_t>();
  reading.offset_ns = from.number<std::int64_t>();
  reading.error_ns = from.number<std::int64_t>();
  return reading;
}

// Pings are empty, so that they take no longer than they must; the times of their answers follow together.
void answer(Exchange& exchange, int child, const ClockReading& mine, const Clock& now) {
  ByteWriter times;
  write(times, mine);
  for (int round = 0; round < kRounds; ++round) {
    (void)exchange.receive(child);
    times.number(now());
    exchange.send(child, {});
  }
  exchange.send(child, times.bytes());
}

struct Ping {
  std::int64_t sent_ns = 0;
  std::int64_t back_ns = 0;
  [[nodiscard]] std::int64_t took_ns() const { return back_ns - sent_ns; }
};

// The answer was given somewhere between the ping and its return, so the middle is off by half of that at the most.
ClockReading ask(Exchange& exchange, int parent, const Clock& now) {
  std::vector<Ping> pings;
  for (int round = 0; round < kRounds; ++round) {
    Ping ping{.sent_ns = now()};
    exchange.send(parent, {});
    (void)exchange.receive(parent);
    ping.back_ns = now();
    pings.push_back(ping);
  }
  const Bytes told = exchange.receive(parent);
  ByteReader times(told);
  const ClockReading theirs = read(times);
  const auto best = std::min_element(pings.begin(), pings.end(),
                                     [](const Ping& a, const Ping& b) { return a.took_ns() < b.took_ns(); });
  std::int64_t parent_ns = 0;
  for (auto ping = pings.begin(); ping <= best; ++ping) parent_ns = times.number<std::int64_t>();
  ClockReading mine;
  mine.at_ns = best->sent_ns + best->took_ns() / 2;
  mine.offset_ns = parent_ns - mine.at_ns + theirs.offset_ns;
  mine.error_ns = (best->took_ns() + 1) / 2 + theirs.error_ns;
  return mine;
}

}  // namespace

ClockReading read_clock(Exchange& exchange, const std::vector<std::uint32_t>& clock_of_rank, const Clock& now) {
  const MergeWays ways = ways_of(exchange.rank(), clock_of_rank);
  if (!ways.leads(exchange.rank())) {
    const Bytes told = exchange.receive(ways.leader);
    ByteReader text(told);
    return read(text);
  }
  const ClockReading mine = ways.parent >= 0 ? ask(exchange, ways.parent, now) : ClockReading{.at_ns = now()};
  // Who has most below it first.
  std::for_each(ways.children.rbegin(), ways.children.rend(), [&](int child) { answer(exchange, child, mine, now); });
  ByteWriter text;
  write(text, mine);
  for (const int rank : ways.node_ranks) exchange.send(rank, text.bytes());
  return mine;
}

std::map<std::string, std::string> clock_facts(ClockMoment moment, const ClockReading& reading) {
  const bool begins = moment == ClockMoment::begin;
  return {{begins ? kOffsetBeginAtFact : kOffsetEndAtFact, std::to_string(reading.at_ns)},
          {begins ? kOffsetBeginFact : kOffsetEndFact, std::to_string(reading.offset_ns)},
          {begins ? kOffsetBeginErrorFact : kOffsetEndErrorFact, std::to_string(reading.error_ns)}};
}

}  // namespace comity::record
