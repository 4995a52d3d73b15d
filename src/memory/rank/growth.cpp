// SPDX-License-Identifier: BSD-3-Clause
#include "memory/rank/growth.hpp"

#include <algorithm>
#include <exception>
#include <vector>

#include "memory/rank/own_ledger.hpp"
#include "memory/rank/written.hpp"

namespace comity::memory {
namespace {

using record::ColumnKind;

// MPI asks for memory in its calls, whatever the program does between them.
bool grows_in_calls(Component component) {
  return component == Component::mpi || component == Component::pmix || component == Component::fabric;
}

}  // namespace

Growth::Figures& Growth::Figures::operator+=(const Figures& other) {
  grown += other.grown;
  shrunk += other.shrunk;
  times += other.times;
  largest = std::max(largest, other.largest);
  return *this;
}

void Growth::add(const Key& key, std::int64_t change) {
  auto found = rows_.find(key);
  if (found == rows_.end()) {
    if (rows_.size() >= kMostRows) fold();
    found = rows_.emplace(key, Figures{}).first;
  }
  found->second += change < 0 ? Figures{0, -change, 0, 0} : Figures{change, 0, 1, change};
}

// The half of the rows that grew least. Beside those of (elsewhere) no more are left than that.
void Growth::fold() {
  const auto is_folded = [](const Key& key) { return std::get<0>(key) == kElsewhere; };
  std::vector<std::map<Key, Figures>::iterator> rows;
  for (auto row = rows_.begin(); row != rows_.end(); ++row) {
    if (!is_folded(row->first)) rows.push_back(row);
  }
  const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(rows.size() / 2);
  std::nth_element(rows.begin(), middle, rows.end(),
                   [](const auto& a, const auto& b) { return a->second.grown < b->second.grown; });
  for (auto row = rows.begin(); row != middle; ++row) {
    rows_[{kElsewhere, RegionNumber{0}, std::get<2>((*row)->first)}] += (*row)->second;
    rows_.erase(*row);
  }
}

void Growth::note(const Standing& now, std::string_view where, RegionNumber region, std::string_view passed) noexcept {
  try {
    std::int64_t of_passed = 0;
    for (std::size_t i = 0; i < now.components.size(); ++i) {
      const std::int64_t change = now.components[i] - last_.components[i];
      if (change == 0) continue;
      const bool is_of_passed = !passed.empty() && grows_in_calls(static_cast<Component>(i));
      if (is_of_passed) of_passed += change;
      add({is_of_passed ? passed : where, region, static_cast<std::uint16_t>(i)}, change);
    }
    const std::int64_t change = now.total - last_.total;
    of_passed = std::clamp(change, std::min<std::int64_t>(0, of_passed), std::max<std::int64_t>(0, of_passed));
    if (of_passed != 0) add({passed, region, kTotal}, of_passed);
    if (change != of_passed) add({where, region, kTotal}, change - of_passed);
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
    table.add_row({std::string(where), where == kElsewhere ? std::string(kElsewhere) : regions.path(region),
                   component == kTotal ? std::string(kTotalName)
                                       : std::string(components.name(static_cast<Component>(component))),
                   figures.grown, figures.shrunk, figures.times, figures.largest});
  }
  return table;
}

}  // namespace comity::memory
