// SPDX-License-Identifier: BSD-3-Clause
#include "memory/job/job.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>

#include "memory/component.hpp"
#include "memory/rank/book.hpp"
#include "record/merge/names.hpp"

namespace comity::memory {
namespace {

void add_components(RankMemory& rank, const record::Table& table) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    rank.components[table.text(row, "component")] = {
        table.integer(row, "peak_bytes"),  table.integer(row, "last_bytes"),
        table.integer(row, "start_bytes"), table.integer(row, "asked_peak_bytes"),
        table.integer(row, "held_bytes"),  table.integer_or(row, "untouched_bytes", 0)};
  }
}

void add_totals(RankMemory& rank, const record::Table& table) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    TotalFigures figures{table.text(row, "moment"), {}};
    for (const record::ColumnName& column : table.columns()) {
      if (column.kind == record::ColumnKind::integer) figures.bytes[column.name] = table.integer(row, column.name);
    }
    rank.peak_rss_bytes = std::max(rank.peak_rss_bytes, figures.bytes["peak_rss_bytes"]);
    rank.totals.push_back(std::move(figures));
  }
}

DeltaFigures delta_of(const record::Table& all, const record::Table* calls) {
  DeltaFigures delta{.method = all.text(0, "method"),
                     .peak = all.integer(0, "peak_bytes"),
                     .last = all.integer(0, "last_bytes"),
                     .samples = all.integer(0, "samples"),
                     .impossible = all.integer(0, "impossible_samples"),
                     .cost_ns = all.integer(0, "cost_ns"),
                     .elapsed_ns = all.integer(0, "elapsed_ns"),
                     .by_function = {}};
  for (std::size_t row = 0; calls != nullptr && row < calls->rows(); ++row) {
    delta.by_function[calls->text(row, "function")] = {calls->integer(row, "calls"), calls->integer(row, "grown_bytes"),
                                                       calls->integer(row, "shrunk_bytes"),
                                                       calls->integer(row, "impossible_calls")};
  }
  return delta;
}

// Of one rank: several of its rows may have the same text.
void add_objects(std::map<ObjectPlace, ObjectFigures>& objects, const record::Table& table) {
  std::set<ObjectPlace> live_places;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const ObjectPlace place{table.text(row, "kind"), table.text(row, "function"), table.text(row, "where")};
    ObjectFigures& figures = objects[place];
    const std::int64_t live = table.integer(row, "live");
    figures.live += live;
    figures.made += table.integer(row, "made");
    if (live > 0 && live_places.insert(place).second) ++figures.ranks;
  }
}

void add_growth(RankMemory& rank, const record::Table& table) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    rank.growth.push_back({table.text(row, "function"), table.text(row, "region"), table.text(row, "component"),
                           table.integer(row, "grown_bytes"), table.integer(row, "shrunk_bytes"),
                           table.integer(row, "times"), table.integer(row, "largest_bytes")});
  }
}

void add_held(RankMemory& rank, const record::Table& table) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    rank.held.push_back({table.text(row, "component"), table.text(row, "place"), table.integer(row, "bytes"),
                         table.integer(row, "blocks")});
  }
}

void add_paths(RankMemory& rank, const record::Table& table) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    rank.paths.push_back({table.text(row, "component"), table.text(row, "path"), table.integer(row, "most_bytes"),
                          table.integer(row, "last_bytes"), table.integer(row, "asked_bytes"),
                          table.integer(row, "times")});
  }
}

void add_touches(RankMemory& rank, const record::Table& table) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    rank.touches.push_back({table.text(row, "function"), table.text(row, "owner"), table.text(row, "toucher"),
                            table.integer(row, "bytes"), table.integer(row, "faults")});
  }
}

void add_checks(RankMemory& rank, const record::Table* checks, const record::Table* nearness) {
  if (checks != nullptr && checks->rows() > 0) {
    rank.samples = checks->integer(0, "samples");
    rank.mpi_above_total = checks->integer(0, "mpi_above_total");
    rank.sum_above_total = checks->integer_or(0, "sum_above_total", 0);
  }
  if (nearness == nullptr || nearness->rows() == 0) return;
  rank.cpus = nearness->text(0, "cpus");
  rank.nearness = {static_cast<std::uint64_t>(std::max<std::int64_t>(0, nearness->integer(0, "near_bytes"))),
                   static_cast<std::uint64_t>(std::max<std::int64_t>(0, nearness->integer(0, "far_bytes")))};
}

// The kernel's own mark may be a few pages late.
void add_peaks(RankMemory& rank, const record::Table& table) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::string& component = table.text(row, "component");
    rank.peaks[component] = {table.text(row, "where"), table.text(row, "region"), table.integer(row, "time_ns")};
    if (component != kTotalName) continue;
    rank.most_seen_bytes = table.integer(row, "seen_bytes");
    rank.peak_rss_bytes = std::max(rank.peak_rss_bytes, rank.most_seen_bytes);
  }
}

void add_rise(RankMemory& rank, const record::Table& table) {
  if (table.rows() == 0) return;
  rank.rise = {table.integer(0, "high_water_bytes"), table.integer(0, "after_ns"), table.integer(0, "before_ns"),
               table.text(0, "where"), table.text(0, "region")};
}

// 0 where there is no such fact.
std::int64_t number_in(const record::Content& content, const char* fact) {
  std::int64_t number = 0;
  if (const auto found = content.facts.find(fact); found != content.facts.end())
    (void)std::from_chars(found->second.data(), found->second.data() + found->second.size(), number);
  return number;
}

bool is_near(std::int64_t a, std::int64_t b) { return std::max(a, b) - std::min(a, b) <= std::max(a, b) / 100; }

const record::Table* table_of(const record::Content& content, const char* name) {
  const auto found = content.tables.find(name);
  return found == content.tables.end() ? nullptr : &found->second;
}

}  // namespace

ComponentFigures RankMemory::of(const std::string& component) const {
  const auto found = components.find(component);
  return found == components.end() ? ComponentFigures{} : found->second;
}

ComponentFigures RankMemory::with_mpi() const {
  ComponentFigures sum;
  for (const auto& [name, figures] : components) {
    const std::optional<Component> component = Components().find(name);
    if (!component || !comes_with_mpi(*component)) continue;
    sum.peak += figures.peak;
    sum.last += figures.last;
    sum.start += figures.start;
    sum.asked_peak += figures.asked_peak;
    sum.held += figures.held;
    sum.untouched += figures.untouched;
  }
  return sum;
}

// Reads of several threads at once may take longer than the run.
double DeltaFigures::slow_down() const {
  return cost_ns <= 0 || cost_ns >= elapsed_ns
             ? 1.0
             : static_cast<double>(elapsed_ns) / static_cast<double>(elapsed_ns - cost_ns);
}

std::int64_t TotalFigures::of(const std::string& column) const {
  const auto found = bytes.find(column);
  return found == bytes.end() ? 0 : found->second;
}

PeakFigures RankMemory::peak(const std::string& component) const {
  const auto found = peaks.find(component);
  return found == peaks.end() ? PeakFigures{} : found->second;
}

PeakFigures RankMemory::seen_peak(const std::string& component) const {
  return component == kTotalName && !is_near(most_seen_bytes, peak_rss_bytes) ? PeakFigures{} : peak(component);
}

std::optional<double> RankMemory::after_init_s(std::int64_t time_ns) const {
  if (start_ns == 0 || time_ns == 0) return std::nullopt;
  return 1e-9 * static_cast<double>(time_ns - start_ns);
}

// The mark that was watched is of all that the process ever was, also before it became this program: then it may be higher than what
// this program had.
std::optional<RiseFigures> RankMemory::unseen_peak() const {
  if (!rise || is_near(most_seen_bytes, peak_rss_bytes) || !is_near(rise->high_water, peak_rss_bytes))
    return std::nullopt;
  return rise;
}

std::int64_t RankMemory::last_rss_bytes() const { return totals.empty() ? 0 : totals.back().of("rss_bytes"); }

void Job::add(int number, const record::Content& content) {
  const record::Table* const components = table_of(content, kComponentsTable);
  if (components == nullptr) return;
  RankMemory& rank = ranks.emplace_back();
  rank.rank = number;
  if (const auto host = content.facts.find(record::kHostFact); host != content.facts.end()) rank.host = host->second;
  const auto method = content.facts.find(kMethodFact);
  rank.knows_owners = method != content.facts.end() && method->second == kOwnerMethod;
  rank.off_ns = number_in(content, kOffFact);
  add_components(rank, *components);
  if (const record::Table* const totals = table_of(content, kTotalsTable)) add_totals(rank, *totals);
  if (const record::Table* const made = table_of(content, kObjectsTable)) add_objects(objects, *made);
  add_checks(rank, table_of(content, kChecksTable), table_of(content, kNearnessTable));
  const record::Table* const delta = table_of(content, kDeltaTable);
  if (delta != nullptr && delta->rows() > 0) rank.delta = delta_of(*delta, table_of(content, kDeltaCallsTable));
  if (const record::Table* const growth = table_of(content, kGrowthTable)) add_growth(rank, *growth);
  if (const record::Table* const held = table_of(content, kHeldTable)) add_held(rank, *held);
  if (const record::Table* const paths = table_of(content, kPathsTable)) add_paths(rank, *paths);
  if (const record::Table* const touched = table_of(content, kTouchesTable)) add_touches(rank, *touched);
  const auto touches = content.facts.find(kTouchesFact);
  rank.tells_touches_of_system_calls = touches == content.facts.end() || touches->second == kAllFaults;
  rank.start_ns = number_in(content, kStartFact);
  if (const record::Table* const peaks = table_of(content, kPeaksTable)) add_peaks(rank, *peaks);
  if (const record::Table* const rise = table_of(content, kRiseTable)) add_rise(rank, *rise);
}

}  // namespace comity::memory
