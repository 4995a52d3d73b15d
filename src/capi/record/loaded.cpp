// SPDX-License-Identifier: BSD-3-Clause
#include "capi/record/loaded.hpp"

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace comity::capi::record {
namespace {

template <typename Values>
std::int64_t count_of(const Values& values) {
  return static_cast<std::int64_t>(values.size());
}

comity_record_sample sample_of(const reading::SampleEntry& one) {
  return {one.first_ns, one.last_ns, one.minimum, one.maximum, one.last, static_cast<std::int64_t>(one.count)};
}

comity_record_span span_of(const reading::SpanEntry& one) {
  return {one.first_ns, one.last_ns, one.shortest_ns, one.longest_ns, one.sum_ns, static_cast<std::int64_t>(one.count)};
}

std::vector<const char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  pointers.reserve(texts.size());
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  return pointers;
}

// The copies, in room of their own; the entries are gone.
template <typename Shown, typename Entry>
std::vector<Shown> shown(reading::Entries<Entry>& entries, Shown (*show)(const Entry&)) {
  const reading::Entries<Entry> read = std::move(entries);
  std::vector<Shown> all;
  all.reserve(read.size());
  for (const Entry& one : read) all.push_back(show(one));
  return all;
}

}  // namespace

comity_record_entry entry_of(const reading::RankEntry& entry) {
  return {static_cast<std::int32_t>(entry.rank), static_cast<std::int32_t>(entry.node),
          static_cast<std::int32_t>(entry.end), entry.opened_ns, entry.opened_wall_ns};
}

Loaded::Loaded(reading::RankBody body) : body_(std::move(body)), clock_(body_.clock()) {
  show_facts();
  show_tables();
  show_series();
  show_spans();
  rank_ = {.entry = entry_of(body_.entry),
           .is_damaged = body_.is_damaged ? 1 : 0,
           .clock_error_ns = clock_.error_ns().value_or(-1),
           .fact_count = count_of(facts_),
           .facts = facts_.data(),
           .table_count = count_of(tables_),
           .tables = tables_.data(),
           .series_count = count_of(series_),
           .series = series_.data(),
           .spans_count = count_of(spans_),
           .spans = spans_.data()};
}

void Loaded::show_facts() {
  for (const auto& [key, value] : body_.content.facts) facts_.push_back({key.c_str(), value.c_str()});
}

Loaded::Columns Loaded::columns_of(const reading::Table& table) {
  Columns all;
  for (std::size_t place = 0; place < table.columns().size(); ++place) {
    const reading::ColumnName& named = table.columns()[place];
    comity_record_column column{named.name.c_str(), static_cast<std::int32_t>(named.kind), nullptr, nullptr, nullptr};
    const reading::Table::Values& values = table.values(place);
    if (const auto* const texts = std::get_if<std::vector<std::string>>(&values))
      column.texts = all.texts.emplace_back(pointers_to(*texts)).data();
    if (const auto* const integers = std::get_if<std::vector<std::int64_t>>(&values))
      column.integers = integers->data();
    if (const auto* const reals = std::get_if<std::vector<double>>(&values)) column.reals = reals->data();
    all.columns.push_back(column);
  }
  return all;
}

void Loaded::show_tables() {
  for (const auto& [name, table] : body_.content.tables) {
    const Columns& columns = columns_.emplace_back(columns_of(table));
    tables_.push_back(
        {name.c_str(), static_cast<std::int64_t>(table.rows()), count_of(columns.columns), columns.columns.data()});
  }
}

void Loaded::show_series() {
  for (auto& [id, series] : body_.content.series) {
    const auto& samples = samples_.emplace_back(shown(series.entries, sample_of));
    series_.push_back({series.name.c_str(), count_of(samples), samples.data()});
  }
}

void Loaded::show_spans() {
  for (auto& [id, spans] : body_.content.spans) {
    const auto& entries = span_entries_.emplace_back(shown(spans.entries, span_of));
    spans_.push_back({spans.lane.c_str(), spans.name.c_str(), count_of(entries), entries.data()});
  }
}

}  // namespace comity::capi::record
