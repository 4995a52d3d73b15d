// SPDX-License-Identifier: BSD-3-Clause
#include "metrics/job/flight_over_time.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "metrics/snapshot.hpp"

namespace comity::metrics {
namespace {

constexpr double kNs = 1e-9;
constexpr double kMostTold = 1e18;  // a sample may be any number
constexpr std::int64_t kWidest_ns = std::numeric_limits<std::int64_t>::max() / 2;

// Rounded down, also of what was before zero.
std::int64_t index_of(std::int64_t time_ns, std::int64_t step_ns) {
  return time_ns / step_ns - (time_ns % step_ns < 0 ? 1 : 0);
}

void raise_most(FlightStretch& stretch, std::int64_t in_flight, int rank) {
  if (in_flight <= stretch.most_in_flight) return;
  stretch.most_in_flight = in_flight;
  stretch.most_rank = rank;
}

void raise_gap(FlightStretch& stretch, double gap_s, int rank) {
  if (gap_s <= stretch.longest_gap_s) return;
  stretch.longest_gap_s = gap_s;
  stretch.gap_rank = rank;
}

}  // namespace

void FlightOverTime::add(int rank, const record::Content& content) {
  if (content.series.empty()) return;
  const record::ClockMap clock = record::ClockMap::from_facts(content.facts);
  for (const auto& [id, series] : content.series) take(rank, series, clock);
}

void FlightOverTime::take(int rank, const record::Series& series, const record::ClockMap& clock) {
  const bool is_gap = series.name == kGapSeries;
  if (!is_gap && series.name != kInFlightSeries) return;
  for (const record::SampleEntry& entry : series.entries) {
    if (!(entry.maximum >= 0 && entry.maximum <= kMostTold)) continue;
    const std::int64_t width_ns = record::distance_ns(entry.first_ns, entry.last_ns);
    while (step_ns_ < width_ns && step_ns_ <= kWidest_ns) widen();
    FlightStretch& stretch = stretch_at(clock.on_rank_0(entry.last_ns));
    if (is_gap) {
      raise_gap(stretch, kNs * entry.maximum, rank);
    } else {
      raise_most(stretch, static_cast<std::int64_t>(entry.maximum), rank);
    }
  }
}

FlightStretch& FlightOverTime::stretch_at(std::int64_t time_ns) {
  const auto has_room = [&] {
    const std::int64_t index = index_of(time_ns, step_ns_);
    const std::int64_t first = std::min(index, by_index_.begin()->first);
    const std::int64_t last = std::max(index, by_index_.rbegin()->first);
    return last - first < static_cast<std::int64_t>(kMost);
  };
  while (!by_index_.empty() && !has_room()) widen();
  return by_index_[index_of(time_ns, step_ns_)];
}

// Each two neighbours become one.
void FlightOverTime::widen() {
  step_ns_ *= 2;
  std::map<std::int64_t, FlightStretch> wider;
  for (const auto& [index, stretch] : by_index_) {
    FlightStretch& both = wider[index_of(index, 2)];
    raise_most(both, stretch.most_in_flight, stretch.most_rank);
    raise_gap(both, stretch.longest_gap_s, stretch.gap_rank);
  }
  by_index_ = std::move(wider);
}

std::vector<FlightStretch> FlightOverTime::stretches() const {
  std::vector<FlightStretch> all;
  for (const auto& [index, stretch] : by_index_) {
    FlightStretch& one = all.emplace_back(stretch);
    one.begin_s = kNs * static_cast<double>(step_ns_) * static_cast<double>(index - by_index_.begin()->first);
    one.end_s = one.begin_s + kNs * static_cast<double>(step_ns_);
  }
  return all;
}

}  // namespace comity::metrics
