// SPDX-License-Identifier: BSD-3-Clause
#include "memory/job/reading_over_time.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "memory/job/figures_in.hpp"
#include "memory/rank/book.hpp"
#include "memory/rank/delta.hpp"
#include "record/merge/names.hpp"

namespace comity::memory {
namespace {

const record::Series* series_of(const record::Content& content, std::string_view name) {
  for (const auto& [id, series] : content.series) {
    if (series.name == name) return &series;
  }
  return nullptr;
}

// The most of another series while an entry lasts; 0 where it tells nothing of then.
double most_during(const record::Series* series, const record::SampleEntry& entry) {
  if (series == nullptr) return 0;
  double most = 0;
  auto at = std::partition_point(series->entries.begin(), series->entries.end(),
                                 [&](const record::SampleEntry& one) { return one.last_ns < entry.first_ns; });
  for (; at != series->entries.end() && at->first_ns <= entry.last_ns; ++at) most = std::max(most, at->maximum);
  return most;
}

std::int64_t figure_of(double number) {
  constexpr auto kMost = static_cast<double>(kMostFigure);
  return std::isnan(number) ? 0 : static_cast<std::int64_t>(std::clamp(number, -kMost, kMost));
}

}  // namespace

std::vector<DeltaStretch> delta_over_time(const record::Content& content) {
  std::vector<DeltaStretch> all;
  const record::Series* const mpi = series_of(content, kDeltaMpiSeries);
  if (mpi == nullptr) return all;
  const record::Series* const total = series_of(content, kDeltaTotalSeries);
  const record::Series* const marks = series_of(content, kDeltaMarkSeries);
  for (const record::SampleEntry& entry : mpi->entries) {
    all.push_back({bounded(entry.first_ns, kMostTime_ns), bounded(entry.last_ns, kMostTime_ns),
                   figure_of(entry.minimum), figure_of(entry.maximum), figure_of(most_during(total, entry)),
                   most_during(marks, entry) > 0});
  }
  return all;
}

// A rank that was killed told no end, but samples up to its last look. The most of these is its peak too: tables are written a little later.
void note_cut_off(RankMemory& rank, const record::Content& content) {
  if (content.ended_ns || content.facts.contains(record::kEndFact)) return;
  const record::Series* const total = series_of(content, kTotalSeries);
  if (total == nullptr) return;
  for (const record::SampleEntry& entry : total->entries) {
    const std::int64_t last_ns = bounded(entry.last_ns, kMostTime_ns);
    if (!rank.cut_off_ns || last_ns > *rank.cut_off_ns) rank.cut_off_ns = last_ns;
    rank.peak_rss_bytes = std::max(rank.peak_rss_bytes, figure_of(entry.maximum));
  }
}

}  // namespace comity::memory
