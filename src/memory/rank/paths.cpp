// SPDX-License-Identifier: BSD-3-Clause
#include "memory/rank/paths.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "memory/rank/own_ledger.hpp"
#include "memory/rank/written.hpp"

namespace comity::memory {
namespace {

using record::ColumnKind;

struct Numbered {
  std::uint32_t site;
  LedgerSiteSum sum;
};

bool has_more(const LedgerSiteSum& a, const LedgerSiteSum& b) { return a.most_bytes > b.most_bytes; }

// Those without a number of their own too, which stand for the rest of their components.
std::vector<Numbered> those_with_most(const Ledger& ledger) {
  std::vector<Numbered> all;
  const std::uint32_t count = ledger.sites();
  for (std::uint32_t i = 0; i < count; ++i) {
    LedgerSiteSum sum{};
    ledger.site_sum(i, &sum);
    if (sum.most_bytes >= kLeastWritten_bytes) all.push_back({i, sum});
  }
  std::stable_sort(all.begin(), all.end(), [](const Numbered& a, const Numbered& b) { return has_more(a.sum, b.sum); });
  if (all.size() > kMostWritten) all.resize(kMostWritten);
  return all;
}

}  // namespace

const std::string& Paths::text_of(std::uint32_t site) const {
  auto found = texts_.find(site);
  if (found == texts_.end()) {
    const bool has_none = site < kMostComponents;
    found = texts_.emplace(site, has_none ? std::string(kElsewhere) : place_text(*ledger_, site)).first;
  }
  return found->second;
}

// A path that was numbered twice is one: its peaks may have been of one moment.
record::Table Paths::table(const Components& components) const {
  record::Table table(kPathsTable, {{"component", ColumnKind::text},
                                    {"path", ColumnKind::text},
                                    {"most_bytes", ColumnKind::integer},
                                    {"last_bytes", ColumnKind::integer},
                                    {"asked_bytes", ColumnKind::integer},
                                    {"times", ColumnKind::integer}});
  std::map<std::pair<std::uint8_t, std::string>, LedgerSiteSum> paths;
  for (const Numbered& numbered : those_with_most(*ledger_)) {
    LedgerSite place{};
    ledger_->site(numbered.site, &place);
    LedgerSiteSum& sum = paths[{place.component, text_of(numbered.site)}];
    sum.bytes += std::max<std::int64_t>(0, numbered.sum.bytes);
    sum.most_bytes += numbered.sum.most_bytes;
    sum.asked_bytes += numbered.sum.asked_bytes;
    sum.times += numbered.sum.times;
  }
  std::vector<const decltype(paths)::value_type*> rows;
  rows.reserve(paths.size());
  for (const auto& path : paths) rows.push_back(&path);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto* a, const auto* b) { return has_more(a->second, b->second); });
  for (const auto* row : rows) {
    table.add_row({std::string(components.name(static_cast<Component>(row->first.first))), row->first.second,
                   row->second.most_bytes, row->second.bytes, row->second.asked_bytes, row->second.times});
  }
  return table;
}

}  // namespace comity::memory
