// SPDX-License-Identifier: BSD-3-Clause
#include "memory/rank/growth.hpp"

#include <algorithm>
#include <exception>
#include <vector>

#include "memory/rank/written.hpp"

namespace comity::memory {
namespace {

using record::ColumnKind;

}  // namespace

// Where there is no room the row is left out: those that came first are those that a run repeats.
void Growth::add(const Key& key, std::int64_t change) {
  auto found = rows_.find(key);
  if (found == rows_.end()) {
    if (rows_.size() >= kMostRows) return;
    found = rows_.emplace(key, Figures{}).first;
  }
  Figures& row = found->second;
  if (change < 0) {
    row.shrunk -= change;
    return;
  }
  row.grown += change;
  ++row.times;
  row.largest = std::max(row.largest, change);
}

void Growth::note(const Standing& now, std::string_view where, RegionNumber region) noexcept {
  try {
    if (now.total != last_.total) add({where, region, kTotal}, now.total - last_.total);
    for (std::size_t i = 0; i < now.components.size(); ++i) {
      const std::int64_t change = now.components[i] - last_.components[i];
      if (change != 0) add({where, region, static_cast<std::uint16_t>(i)}, change);
    }
  } catch (const std::exception&) {  // no memory for one more row
  }
  last_ = now;
}

// What grew most first.
record::Table Growth::table(const Components& components, const RegionSource& regions) const {
  record::Table table(kGrowthTable, {{"function", ColumnKind::text},
                                     {"region", ColumnKind::text},
                                     {"component", ColumnKind::text},
                                     {"grown_bytes", ColumnKind::integer},
                                     {"shrunk_bytes", ColumnKind::integer},
                                     {"times", ColumnKind::integer},
                                     {"largest_bytes", ColumnKind::integer}});
  std::vector<const std::pair<const Key, Figures>*> rows;
  for (const auto& row : rows_) {
    if (row.second.grown >= kLeastWritten_bytes) rows.push_back(&row);
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto* a, const auto* b) { return a->second.grown > b->second.grown; });
  if (rows.size() > kMostWritten) rows.resize(kMostWritten);
  for (const auto* row : rows) {
    const auto& [where, region, component] = row->first;
    const Figures& figures = row->second;
    table.add_row({std::string(where), regions.path(region),
                   component == kTotal ? std::string(kTotalName)
                                       : std::string(components.name(static_cast<Component>(component))),
                   figures.grown, figures.shrunk, figures.times, figures.largest});
  }
  return table;
}

}  // namespace comity::memory
