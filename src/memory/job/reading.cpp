// SPDX-License-Identifier: BSD-3-Clause
// A rank's memory, from the tables and facts of its record. A table that is not there leaves its figures at nothing.
#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <variant>

#include "memory/job/borders.hpp"
#include "memory/job/figures_in.hpp"
#include "memory/job/job.hpp"
#include "memory/job/reading_over_time.hpp"
#include "memory/job/sum.hpp"
#include "memory/rank/book.hpp"
#include "memory/rank/delta.hpp"
#include "memory/rank/shortening.hpp"
#include "record/merge/names.hpp"

namespace comity::memory {
namespace {

using Objects = std::map<ObjectPlace, ObjectFigures>;

constexpr int kMostNodes = 1024;  // NUMA nodes: no kernel numbers more

void add_components(RankMemory& rank, const record::Table& table) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    rank.components[table.text(row, "component")] = {
        figure_in(table, row, "peak_bytes"),  figure_in(table, row, "last_bytes"),
        figure_in(table, row, "start_bytes"), figure_in(table, row, "asked_peak_bytes"),
        figure_in(table, row, "held_bytes"),  figure_in(table, row, "untouched_bytes", 0)};
  }
}

std::vector<TotalFigures> totals_in(const record::Table& table) {
  std::vector<TotalFigures> totals;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    TotalFigures& figures = totals.emplace_back(TotalFigures{table.text(row, "moment"), {}});
    for (std::size_t place = 0; place < table.columns().size(); ++place) {
      const record::ColumnName& column = table.columns()[place];
      if (column.kind == record::ColumnKind::integer) figures.bytes.emplace(column.name, figure_at(table, row, place));
    }
  }
  return totals;
}

void add_totals(RankMemory& rank, const record::Table& table) {
  rank.totals = totals_in(table);
  for (TotalFigures& moment : rank.totals)
    rank.peak_rss_bytes = std::max(rank.peak_rss_bytes, moment.bytes["peak_rss_bytes"]);
}

// Of "node3_bytes" 3; else -1.
int node_of(const std::string& column) {
  constexpr std::size_t kWord = std::string_view("node").size();
  int node = -1;
  if (column.size() > kWord) (void)std::from_chars(column.data() + kWord, column.data() + column.size(), node);
  return node >= 0 && node < kMostNodes && column == node_column(node) ? node : -1;
}

// By node the place of its column.
std::map<int, std::size_t> node_places_in(const record::Table& table) {
  std::map<int, std::size_t> places;
  for (std::size_t place = 0; place < table.columns().size(); ++place) {
    const record::ColumnName& column = table.columns()[place];
    const int node = column.kind == record::ColumnKind::integer ? node_of(column.name) : -1;
    if (node >= 0) places.emplace(node, place);
  }
  return places;
}

void add_uses(RankMemory& rank, const record::Table& table) {
  const std::map<int, std::size_t> node_places = node_places_in(table);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    UseFigures use{table.text(row, "moment"), table.text(row, "component"), {}, {}};
    for (const UseColumn& column : kUseColumns) use.bytes.push_back(figure_in(table, row, column.name, 0));
    for (const auto& [node, place] : node_places) use.nodes[node] = figure_at(table, row, place);
    rank.uses.push_back(std::move(use));
  }
}

void add_numa(RankMemory& rank, const record::Table& table) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::int64_t node = table.integer(row, "node");
    if (node < 0 || node >= kMostNodes) continue;
    rank.numa.push_back({static_cast<int>(node), table.text(row, "cpus"), figure_in(table, row, "threads")});
  }
}

// Devices and inodes are names.
void add_segments(RankMemory& rank, const record::Table& table) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    rank.segments.push_back({table.text(row, "segment"), table.text(row, "maker"), table.integer(row, "device"),
                             table.integer(row, "inode"), figure_in(table, row, "mapped_bytes"),
                             figure_in(table, row, "rss_bytes"), figure_in(table, row, "pss_bytes")});
  }
}

DeltaFigures delta_of(const record::Table& all, const record::Table* calls) {
  DeltaFigures delta{.method = all.text(0, "method"),
                     .peak = figure_in(all, 0, "peak_bytes"),
                     .last = figure_in(all, 0, "last_bytes"),
                     .samples = figure_in(all, 0, "samples"),
                     .impossible = figure_in(all, 0, "impossible_samples"),
                     .cost_ns = time_in(all, 0, "cost_ns"),
                     .elapsed_ns = time_in(all, 0, "elapsed_ns"),
                     .by_function = {},
                     .over_time = {}};
  for (std::size_t row = 0; calls != nullptr && row < calls->rows(); ++row) {
    delta.by_function[calls->text(row, "function")] = {
        figure_in(*calls, row, "calls"), figure_in(*calls, row, "grown_bytes"), figure_in(*calls, row, "shrunk_bytes"),
        figure_in(*calls, row, "impossible_calls")};
  }
  return delta;
}

// Of one rank: several of its rows may have the same text.
Objects objects_in(const record::Table& table) {
  Objects objects;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    ObjectFigures& figures = objects[{table.text(row, "kind"), table.text(row, "function"), table.text(row, "where")}];
    const std::int64_t live = figure_in(table, row, "live");
    add_to(figures.live, live);
    add_to(figures.made, figure_in(table, row, "made"));
    if (live > 0) figures.ranks = 1;
  }
  return objects;
}

void add_growth(RankMemory& rank, const record::Table& table) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    rank.growth.push_back({table.text(row, "function"), table.text(row, "region"), table.text(row, "component"),
                           figure_in(table, row, "grown_bytes"), figure_in(table, row, "shrunk_bytes"),
                           figure_in(table, row, "times"), figure_in(table, row, "largest_bytes")});
  }
}

void add_held(RankMemory& rank, const record::Table& table) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    rank.held.push_back({table.text(row, "component"), table.text(row, "place"), figure_in(table, row, "bytes"),
                         figure_in(table, row, "blocks")});
  }
}

void add_paths(RankMemory& rank, const record::Table& table) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    rank.paths.push_back({table.text(row, "component"), table.text(row, "path"), figure_in(table, row, "most_bytes"),
                          figure_in(table, row, "last_bytes"), figure_in(table, row, "asked_bytes"),
                          figure_in(table, row, "times")});
  }
}

void add_touches(RankMemory& rank, const record::Table& table) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    rank.touches.push_back({table.text(row, "function"), table.text(row, "owner"), table.text(row, "toucher"),
                            figure_in(table, row, "bytes"), figure_in(table, row, "faults")});
  }
}

void add_variables(RankMemory& rank, const record::Table& table) {
  std::vector<VariableFigures>& all = rank.variables.emplace();
  for (std::size_t row = 0; row < table.rows(); ++row) {
    all.push_back({table.text(row, "moment"), table.text(row, "variable"), table.text(row, "description"),
                   figure_in(table, row, "value")});
  }
}

void add_checks(RankMemory& rank, const record::Table* checks, const record::Table* nearness) {
  if (checks != nullptr && checks->rows() > 0) {
    rank.samples = figure_in(*checks, 0, "samples");
    rank.mpi_above_total = figure_in(*checks, 0, "mpi_above_total");
    rank.sum_above_total = figure_in(*checks, 0, "sum_above_total", 0);
    rank.undecided = figure_in(*checks, 0, "undecided", 0);
    rank.unplaced_mappings = figure_in(*checks, 0, "unplaced_mappings", 0);
    rank.unplaced_bytes = figure_in(*checks, 0, "unplaced_bytes", 0);
  }
  if (nearness == nullptr || nearness->rows() == 0) return;
  rank.cpus = nearness->text(0, "cpus");
  rank.nearness = {static_cast<std::uint64_t>(std::max<std::int64_t>(0, figure_in(*nearness, 0, "near_bytes"))),
                   static_cast<std::uint64_t>(std::max<std::int64_t>(0, figure_in(*nearness, 0, "far_bytes")))};
}

// The kernel's own mark may be a few pages late.
void add_peaks(RankMemory& rank, const record::Table& table) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::string& component = table.text(row, "component");
    rank.peaks[component] = {table.text(row, "where"), table.text(row, "region"), time_in(table, row, "time_ns"),
                             text_in(table, row, "phase"), figure_in(table, row, "seen_bytes")};
    if (component != kTotalName) continue;
    rank.most_seen_bytes = rank.peaks[component].seen;
    rank.peak_rss_bytes = std::max(rank.peak_rss_bytes, rank.most_seen_bytes);
  }
}

// After the peaks.
void add_quick_count(RankMemory& rank, const record::Table& table) {
  if (table.rows() == 0) return;
  rank.quick_count = {figure_in(table, 0, "is_approximate") != 0, figure_in(table, 0, "most_below_bytes"),
                      figure_in(table, 0, "most_above_bytes"),    figure_in(table, 0, "bound_bytes"),
                      figure_in(table, 0, "exact_counts"),        figure_in(table, 0, "most_exact_bytes")};
  const QuickCountFigures& quick = rank.quick_count;
  if (quick.is_approximate) rank.peak_rss_bytes = settled_peak(rank.peak_rss_bytes, quick.most_exact, quick.most_off());
}

void add_rise(RankMemory& rank, const record::Table& table) {
  if (table.rows() == 0) return;
  rank.rise = {figure_in(table, 0, "high_water_bytes"),
               time_in(table, 0, "after_ns"),
               time_in(table, 0, "before_ns"),
               table.text(0, "where"),
               table.text(0, "region"),
               text_in(table, 0, "phase"),
               bounded(table.integer_or(0, "last_ns", 0), kMostTime_ns)};
  if (has_column(table, "untold_bytes")) rank.peak_untold = figure_in(table, 0, "untold_bytes");
}

// [ns] 0 where there is no such fact.
std::int64_t time_of(const record::Content& content, const char* fact) {
  std::int64_t number = 0;
  if (const auto found = content.facts.find(fact); found != content.facts.end())
    (void)std::from_chars(found->second.data(), found->second.data() + found->second.size(), number);
  return bounded(number, kMostTime_ns);
}

const record::Table* table_of(const record::Content& content, const char* name) {
  const auto found = content.tables.find(name);
  return found == content.tables.end() ? nullptr : &found->second;
}

int node_in(const record::Content& content) {
  const auto found = content.facts.find(record::kNodeFact);
  if (found == content.facts.end()) return -1;
  int node = -1;
  (void)std::from_chars(found->second.data(), found->second.data() + found->second.size(), node);
  return std::max(-1, node);
}

std::vector<std::string> words_in(const record::Content& content, const char* fact) {
  std::vector<std::string> words;
  const auto found = content.facts.find(fact);
  if (found == content.facts.end()) return words;
  std::istringstream text(found->second);
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

RankMemory rank_in(int number, const record::Table& components, const record::Content& content) {
  RankMemory rank;
  rank.rank = number;
  if (const auto host = content.facts.find(record::kHostFact); host != content.facts.end()) rank.host = host->second;
  rank.node = node_in(content);
  const auto method = content.facts.find(kMethodFact);
  rank.knows_owners = method != content.facts.end() && method->second == kOwnerMethod;
  const auto requests = content.facts.find(kRequestsFact);
  rank.follows_requests = requests == content.facts.end() || requests->second != kPassedBy;
  rank.off_ns = time_of(content, kOffFact);
  rank.in_short = words_in(content, kShortFact);
  add_components(rank, components);
  if (const record::Table* const totals = table_of(content, kTotalsTable)) add_totals(rank, *totals);
  if (const record::Table* const node = table_of(content, kNodeTable)) rank.node_totals = totals_in(*node);
  if (const record::Table* const uses = table_of(content, kUsesTable)) add_uses(rank, *uses);
  if (const record::Table* const numa = table_of(content, kNumaTable)) add_numa(rank, *numa);
  if (const record::Table* const segments = table_of(content, kSegmentsTable)) add_segments(rank, *segments);
  add_checks(rank, table_of(content, kChecksTable), table_of(content, kNearnessTable));
  const record::Table* const delta = table_of(content, kDeltaTable);
  if (delta != nullptr && delta->rows() > 0) {
    rank.delta = delta_of(*delta, table_of(content, kDeltaCallsTable));
    rank.delta->over_time = delta_over_time(content);
  }
  if (const record::Table* const growth = table_of(content, kGrowthTable)) add_growth(rank, *growth);
  if (const record::Table* const regions = table_of(content, kRegionSumsTable)) add_regions(rank, *regions);
  if (const record::Table* const borders = table_of(content, kBordersTable)) add_borders(rank, *borders);
  if (const record::Table* const held = table_of(content, kHeldTable)) add_held(rank, *held);
  rank.held_ns = time_of(content, kHeldFact);
  if (const record::Table* const paths = table_of(content, kPathsTable)) add_paths(rank, *paths);
  if (const record::Table* const touched = table_of(content, kTouchesTable)) add_touches(rank, *touched);
  if (const record::Table* const variables = table_of(content, kVariablesTable)) add_variables(rank, *variables);
  const auto touches = content.facts.find(kTouchesFact);
  rank.tells_touches_of_system_calls = touches == content.facts.end() || touches->second == kAllFaults;
  rank.start_ns = time_of(content, kStartFact);
  if (const record::Table* const peaks = table_of(content, kPeaksTable)) add_peaks(rank, *peaks);
  if (const record::Table* const rise = table_of(content, kRiseTable)) add_rise(rank, *rise);
  if (const record::Table* const quick = table_of(content, kQuickCountTable)) add_quick_count(rank, *quick);
  note_cut_off(rank, content);
  return rank;
}

}  // namespace

// Where it throws, the job is as it was.
void Job::add(int number, const record::Content& content) {
  const record::Table* const components = table_of(content, kComponentsTable);
  if (components == nullptr) return;
  RankMemory rank = rank_in(number, *components, content);
  if (const record::Table* const made = table_of(content, kObjectsTable)) {
    for (const auto& [place, figures] : objects_in(*made)) {
      ObjectFigures& all = objects[place];
      add_to(all.live, figures.live);
      add_to(all.made, figures.made);
      all.ranks += figures.ranks;
    }
  }
  ranks.push_back(std::move(rank));
}

}  // namespace comity::memory
