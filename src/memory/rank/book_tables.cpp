// SPDX-License-Identifier: BSD-3-Clause
// What a book writes down: its tables and facts. Not: how it comes to know them (book).
#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <utility>

#include "memory/rank/book.hpp"

namespace comity::memory {

using record::ColumnKind;
using record::Table;

Table Book::components_table() const {
  Table table(kComponentsTable, {{"component", ColumnKind::text},
                                 {"peak_bytes", ColumnKind::integer},
                                 {"last_bytes", ColumnKind::integer},
                                 {"start_bytes", ColumnKind::integer},
                                 {"asked_peak_bytes", ColumnKind::integer},
                                 {"held_bytes", ColumnKind::integer},
                                 {"untouched_bytes", ColumnKind::integer}});
  const std::int64_t limit = most_resident_bytes();
  for (std::size_t i = 0; i < components_.count(); ++i) {
    const auto component = static_cast<Component>(i);
    Balance balance = of(component);
    balance.most = std::min(balance.most, limit);
    if (balance.most == 0 && balance.most_asked == 0) continue;
    table.add_row({std::string(components_.name(component)), balance.most, balance.now, balance.at_start,
                   balance.most_asked, balance.held, balance.most_untouched});
  }
  return table;
}

// The kernel knows how high it was, and looks where the program was about then. What is written down is news no more.
Table Book::peaks_table() const {
  const std::lock_guard lock(mutex_);
  peaks_.note_told();
  has_news_.store(false, std::memory_order_relaxed);
  told_total_.store(total_bytes(), std::memory_order_relaxed);
  return peaks_.table(components_, regions_);
}

Table Book::rise_table() const {
  const std::lock_guard lock(mutex_);
  rise_.note_told();
  return rise_.table(regions_, peaks_.untold());
}

Table Book::growth_table() const {
  const std::lock_guard lock(mutex_);
  return growth_.table(components_, regions_);
}

Table Book::checks_table() const {
  Table table(kChecksTable, {{"samples", ColumnKind::integer},
                             {"mpi_above_total", ColumnKind::integer},
                             {"sum_above_total", ColumnKind::integer},
                             {"undecided", ColumnKind::integer},
                             {"unplaced_mappings", ColumnKind::integer},
                             {"unplaced_bytes", ColumnKind::integer}});
  const LedgerHeld unplaced = unplaced_mappings(ledger_);
  table.add_row({compared_.load(std::memory_order_relaxed), above_.load(std::memory_order_relaxed),
                 sum_above_.load(std::memory_order_relaxed), undecided_.load(std::memory_order_relaxed),
                 unplaced.blocks, unplaced.bytes});
  return table;
}

bool Book::has_moved() const noexcept {
  constexpr std::int64_t kLittle_bytes = std::int64_t{1} << 20U;
  constexpr std::int64_t kPart = 64;
  const std::int64_t told = told_total_.load(std::memory_order_relaxed);
  return is_on() && std::abs(total_bytes() - told) > std::max(kLittle_bytes, told / kPart);
}

// A rank that is killed has told what it had at its last look.
record::Content Book::peaks() const {
  note_peaks_until_now();
  record::Content content;
  for (Table& table : std::array{components_table(), stocks_.totals_table(), peaks_table(), rise_table()}) {
    content.tables.emplace(table.name(), std::move(table));
  }
  if (held_.has_news()) held_.add_to(content, components_);
  return content;
}

record::Content Book::content(Looks looks) const {
  note_peaks_until_now();
  record::Content content;
  content.facts[kMethodFact] = ledger_ != nullptr ? kOwnerMethod : kMapsMethod;
  if (start_ns_ != 0) content.facts[kStartFact] = std::to_string(start_ns_);
  if (const std::int64_t off = off_ns(); off > 0) content.facts[kOffFact] = std::to_string(off);
  for (Table& table :
       std::array{components_table(), stocks_.totals_table(), peaks_table(), rise_table(), growth_table(),
                  checks_table(), quick_.table(), stocks_.uses_table(looks), stocks_.segments_table(),
                  stocks_.nearness_table(), stocks_.numa_table(), stocks_.node_table()}) {
    content.tables.emplace(table.name(), std::move(table));
  }
  if (borders_.tell_of_regions()) {
    content.tables.emplace(kRegionSumsTable, borders_.sums_table(regions_));
    if (looks == Looks::all) content.tables.emplace(kBordersTable, borders_.table(components_, regions_));
  }
  if (paths_.are_told()) content.tables.emplace(kPathsTable, paths_.table(components_));
  held_.add_to(content, components_);
  if (delta_ != nullptr) delta_->add_to(content);
  if (objects_ != nullptr) objects_->add_to(content);
  if (touches_ != nullptr) touches_->add_to(content);
  if (variables_ != nullptr) content.tables.emplace(kVariablesTable, variables_->table());
  return content;
}

}  // namespace comity::memory
