// SPDX-License-Identifier: BSD-3-Clause
#include "memory/job/timelines.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <string_view>
#include <tuple>
#include <vector>

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

// What had not changed was not written again.
void lengthen(Timeline& timeline, std::int64_t end_ns) {
  sort(timeline);
  if (!timeline.empty()) timeline.back().end_ns = std::max(timeline.back().end_ns, end_ns);
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
  RankTimelines one;
  one.rank = rank;
  for (const auto& [id, series] : content.series) {
    const std::string name(component_of(series.name));
    if (name.empty()) continue;
    Timeline& timeline = name == kTotalName     ? one.total
                         : name == kVirtualName ? one.virtual_size
                                                : one.components[name];
    for (const record::SampleEntry& entry : series.entries) add_entry(timeline, entry, clock);
  }
  sort(one.total);
  if (one.total.empty()) return std::nullopt;
  const std::int64_t end_ns = one.total.back().end_ns;
  lengthen(one.virtual_size, end_ns);
  for (auto& [name, timeline] : one.components) lengthen(timeline, end_ns);
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

namespace {

// The sum of lines as it changes. So far ahead as asked, and never back.
class Sum {
 public:
  void add(const Timeline& timeline) {
    if (timeline.empty()) return;
    lines_.push_back({&timeline, 0, 0});
    changes_.push({timeline.front().begin_ns, Change::value, lines_.size() - 1});
  }

  // To what it is once all that begins by then has begun. The most that it was from there to before `until_ns`.
  double most_between(std::int64_t from_ns, std::int64_t until_ns) {
    while (!changes_.empty() && is_due(changes_.top(), from_ns)) change();
    double most = bytes_;
    while (!changes_.empty() && changes_.top().time_ns < until_ns) {
      const std::int64_t now_ns = changes_.top().time_ns;
      while (!changes_.empty() && is_due(changes_.top(), now_ns)) change();
      most = std::max(most, bytes_);
      while (!changes_.empty() && changes_.top().time_ns == now_ns) change();  // lines that end there
    }
    return most;
  }

 private:
  enum class Change : std::uint8_t { value, end };  // a line has its last value at its end still
  struct Next {
    std::int64_t time_ns;
    Change change;
    std::size_t line;
    bool operator>(const Next& other) const {
      return std::tie(time_ns, change) > std::tie(other.time_ns, other.change);
    }
  };
  struct Line {
    const Timeline* timeline;
    std::size_t next;
    double bytes;
  };

  static bool is_due(const Next& next, std::int64_t time_ns) {
    return next.time_ns < time_ns || (next.time_ns == time_ns && next.change == Change::value);
  }

  void change() {
    const Next next = changes_.top();
    changes_.pop();
    Line& line = lines_[next.line];
    const double bytes = next.change == Change::end ? 0 : (*line.timeline)[line.next++].bytes;
    bytes_ += bytes - line.bytes;
    line.bytes = bytes;
    if (next.change == Change::end) return;
    if (line.next < line.timeline->size()) {
      changes_.push({(*line.timeline)[line.next].begin_ns, Change::value, next.line});
    } else {
      changes_.push({line.timeline->back().end_ns, Change::end, next.line});
    }
  }

  std::vector<Line> lines_;
  std::priority_queue<Next, std::vector<Next>, std::greater<>> changes_;
  double bytes_ = 0;
};

}  // namespace

Timeline sum_of(const Timelines& timelines, const std::string& component, std::size_t steps) {
  Sum sum;
  for (const RankTimelines& rank : timelines.ranks) {
    if (const Timeline* const told = rank.of(component)) sum.add(*told);
  }
  Timeline line;
  const std::int64_t begin = timelines.begin_ns();
  const std::int64_t end = timelines.end_ns();
  for (std::size_t step = 0; step < steps; ++step) {
    const std::int64_t from_ns = steps == 1 ? begin : moment_between(begin, end, step, steps - 1);
    const std::int64_t until_ns = step + 1 < steps ? moment_between(begin, end, step + 1, steps - 1) : from_ns;
    line.push_back({from_ns, from_ns, sum.most_between(from_ns, until_ns)});
  }
  return line;
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
