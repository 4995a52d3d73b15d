// SPDX-License-Identifier: BSD-3-Clause
// FlightOverTime: what ranks had in flight and how long they were silent in each stretch of a run, from the samples of their records,
// taken rank by rank. Not: the figures of the whole run (job_sums). Invariant: there are never more than kMost stretches, however long the
// run; they get wider instead, and never narrower than the widest sample, so that a sample counts in one of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "metrics/job/job.hpp"
#include "record/clock_map.hpp"
#include "record/format/content.hpp"

namespace comity::metrics {

class FlightOverTime {
 public:
  static constexpr std::size_t kMost = 200;

  // Of the next rank; nothing where its samples were not read, or it has none.
  void add(int rank, const record::Content& content);
  // Those in which a rank has told something, by time.
  [[nodiscard]] std::vector<FlightStretch> stretches() const;

 private:
  void take(int rank, const record::Series& series, const record::ClockMap& clock);
  [[nodiscard]] FlightStretch& stretch_at(std::int64_t time_ns);
  void widen();

  std::int64_t step_ns_ = 100'000'000;              // as often as ranks sample
  std::map<std::int64_t, FlightStretch> by_index_;  // of the stretch from index * step_ns_ on, on the clock of rank 0
};

}  // namespace comity::metrics
