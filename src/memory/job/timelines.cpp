// SPDX-License-Identifier: BSD-3-Clause
#include "memory/job/timelines.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

#include "memory/rank/growth.hpp"
#include "memory/rank/series.hpp"

namespace comity::memory {
namespace {

constexpr double kMost_bytes = 1e18;

bool is_somebodys(double bytes) {
  return bytes >= 0 && bytes <= kMost_bytes;
}  // a number, and no more than there can be

// What was there last in a merged stretch stays until the next one, and its most does not.
void add_entry(Timeline& timeline, const record::SampleEntry& entry, const record::ClockMap& clock) {
  if (!is_somebodys(entry.maximum)) return;
  const std::int64_t begin = clock.on_rank_0(entry.first_ns);
  const std::int64_t end = std::max(begin, clock.on_rank_0(entry.last_ns));
  timeline.push_back({begin, end, entry.maximum});
  if (end > begin && is_somebodys(entry.last) && entry.last < entry.maximum) timeline.push_back({end, end, entry.last});
}

void sort(Timeline& timeline) {
  std::stable_sort(timeline.begin(), timeline.end(),
                   [](const Stretch& a, const Stretch& b) { return a.begin_ns < b.begin_ns; });
}

// "" where it is no series of a component, nor of all.
std::string_view component_of(std::string_view series) {
  if (series.size() <= kSeriesBegin.size() + kSeriesEnd.size() || !series.starts_with(kSeriesBegin) ||
      !series.ends_with(kSeriesEnd)) {
    return {};
  }
  series.remove_prefix(kSeriesBegin.size());
  series.remove_suffix(kSeriesEnd.size());
  return series;
}

}  // namespace

// Of a clock that is months old a double does not tell one nanosecond from the next: the distance is shared out, not the times.
std::int64_t moment_between(std::int64_t begin_ns, std::int64_t end_ns, std::size_t step, std::size_t steps) {
  if (step >= steps) return end_ns;
  const std::int64_t all_ns = record::distance_ns(begin_ns, end_ns);
  const double part_ns = static_cast<double>(all_ns) / static_cast<double>(steps) * static_cast<double>(step);
  return part_ns >= static_cast<double>(all_ns) ? end_ns : begin_ns + static_cast<std::int64_t>(part_ns);
}

// Not a static Timeline for none: the preloaded library has this part in it, and leaves nothing to run when a process ends.
const Timeline* RankTimelines::of(const std::string& component) const {
  if (component == kTotalName) return &total;
  const auto found = components.find(component);
  return found == components.end() ? nullptr : &found->second;
}

std::optional<RankTimelines> timelines_of(int rank, const record::Content& content, const record::ClockMap& clock) {
  RankTimelines one{rank, {}, {}};
  for (const auto& [id, series] : content.series) {
    const std::string name(component_of(series.name));
    if (name.empty()) continue;
    Timeline& timeline = name == kTotalName ? one.total : one.components[name];
    for (const record::SampleEntry& entry : series.entries) add_entry(timeline, entry, clock);
  }
  sort(one.total);
  if (one.total.empty()) return std::nullopt;
  for (auto& [name, timeline] : one.components) {
    sort(timeline);
    // What had not changed was not written again.
    if (!timeline.empty()) timeline.back().end_ns = std::max(timeline.back().end_ns, one.total.back().end_ns);
  }
  return one;
}

double bytes_at(const Timeline& timeline, std::int64_t time_ns) {
  if (timeline.empty() || time_ns > timeline.back().end_ns) return 0;
  const auto next = std::partition_point(timeline.begin(), timeline.end(),
                                         [&](const Stretch& each) { return each.begin_ns <= time_ns; });
  return next == timeline.begin() ? 0 : std::prev(next)->bytes;
}

std::int64_t Timelines::begin_ns() const {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  for (const RankTimelines& rank : ranks) begin = std::min(begin, rank.total.front().begin_ns);
  return ranks.empty() ? 0 : begin;
}

std::int64_t Timelines::end_ns() const {
  std::int64_t end = std::numeric_limits<std::int64_t>::min();
  for (const RankTimelines& rank : ranks) end = std::max(end, rank.total.back().end_ns);
  return ranks.empty() ? 0 : end;
}

Timeline sum_of(const Timelines& timelines, const std::string& component, std::size_t moments) {
  Timeline sum;
  const std::int64_t begin = timelines.begin_ns();
  const std::int64_t end = timelines.end_ns();
  for (std::size_t moment = 0; moment < moments; ++moment) {
    const std::int64_t time_ns = moments == 1 ? begin : moment_between(begin, end, moment, moments - 1);
    double bytes = 0;
    for (const RankTimelines& rank : timelines.ranks) {
      if (const Timeline* const told = rank.of(component)) bytes += bytes_at(*told, time_ns);
    }
    sum.push_back({time_ns, time_ns, bytes});
  }
  return sum;
}

Timeline shortened(const Timeline& timeline, std::int64_t begin_ns, std::int64_t end_ns, std::size_t steps) {
  if (timeline.size() <= steps) return timeline;
  Timeline kept;
  std::size_t at = 0;
  for (std::size_t step = 0; step < steps; ++step) {
    const std::int64_t until = step + 1 == steps ? std::numeric_limits<std::int64_t>::max()
                                                 : moment_between(begin_ns, end_ns, step + 1, steps);
    if (at >= timeline.size() || timeline[at].begin_ns > until) continue;
    Stretch most = timeline[at];
    for (; at < timeline.size() && timeline[at].begin_ns <= until; ++at) {
      most.end_ns = std::max(most.end_ns, timeline[at].end_ns);
      most.bytes = std::max(most.bytes, timeline[at].bytes);
    }
    kept.push_back(most);
  }
  return kept;
}

}  // namespace comity::memory
