// SPDX-License-Identifier: BSD-3-Clause
// Prints the spans of a merged record by rank 0's clock, in the order of their begins:
//   record_events FOLDER
//   <rank> <lane> <name> <begin> <end> <begin on the rank's own clock> <how many> <error>      all times in ns
// and the series of each rank:
//   # <rank> <name> <how many samples> <their maximum>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "record/run/run_reader.hpp"

namespace {

using namespace comity::record;

struct Event {
  std::int64_t begin_ns;
  std::string line;
};

void add_events(const RankBody& body, std::vector<Event>& events) {
  const ClockMap clock = body.clock();
  for (const auto& [id, spans] : body.content.spans) {
    for (const SpanEntry& span : spans.entries) {
      const std::int64_t begin_ns = clock.on_rank_0(span.first_ns);
      std::string line = std::to_string(body.entry.rank) + ' ' + spans.lane + ' ' + spans.name;
      for (const std::int64_t number : {begin_ns, clock.on_rank_0(span.last_ns), span.first_ns,
                                        static_cast<std::int64_t>(span.count), clock.error_ns().value_or(0)}) {
        line += ' ' + std::to_string(number);
      }
      events.push_back({begin_ns, std::move(line)});
    }
  }
}

void print_series(const RankBody& body) {
  for (const auto& [id, series] : body.content.series) {
    std::uint64_t count = 0;
    double maximum = 0;
    for (const SampleEntry& entry : series.entries) {
      count += entry.count;
      maximum = std::max(maximum, entry.maximum);
    }
    std::printf("# %u %s %llu %.17g\n", body.entry.rank, series.name.c_str(), static_cast<unsigned long long>(count),
                maximum);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: record_events FOLDER\n", stderr);
    return 2;
  }
  try {
    const RunReader run(argv[1]);
    std::vector<Event> events;
    for (const RankEntry& entry : run.ranks()) add_events(run.rank(entry.rank), events);
    std::stable_sort(events.begin(), events.end(),
                     [](const Event& a, const Event& b) { return a.begin_ns < b.begin_ns; });
    for (const Event& event : events) std::puts(event.line.c_str());
    for (const RankEntry& entry : run.ranks()) print_series(run.rank(entry.rank));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
