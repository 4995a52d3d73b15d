// SPDX-License-Identifier: BSD-3-Clause
#include "memory/rank/borders.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <string>

#include "memory/rank/written.hpp"

namespace comity::memory {
namespace {

using record::Cell;
using record::ColumnKind;

constexpr std::int64_t kLeastOfColumn_bytes = std::int64_t{64} << 10U;  // of a component that has a column

std::int64_t bytes_in(const BorderLook& look, Component component) {
  return look.components[static_cast<std::size_t>(component)];
}

}  // namespace

// --- when it is looked ---

Borders::OfRegion& Borders::of(RegionNumber region) {
  if (regions_.size() <= region) regions_.resize(region + std::size_t{1});
  return regions_[region];
}

bool Borders::visit(BorderOf whose, RegionNumber region, std::int64_t now_ns) noexcept try {
  drop(whose);
  OfRegion& mine = of(region);
  ++mine.visits;
  return now_ns >= mine.due_ns;
} catch (const std::exception&) {  // no memory for one more region
  return false;
}

void Borders::put_off(RegionNumber region, std::int64_t now_ns) noexcept {
  constexpr std::int64_t kMoment_ns = 1'000'000;
  if (region < regions_.size()) regions_[region].due_ns = now_ns + kMoment_ns;
}

// --- what was seen ---

void Borders::begin(BorderOf whose, RegionNumber region, const BorderLook& look, std::int64_t cost_ns) noexcept try {
  budget_.pay(cost_ns, look.rss);
  OfRegion& mine = of(region);
  if (mine.looked == 0 && whose != kBorderOfRun) ++regions_looked_at_;
  if (whose == kBorderOfRun) ++mine.visits;
  open_.push_back({whose, {region, mine.visits, mine.looked++, look, std::nullopt, false}, cost_ns});
} catch (const std::exception&) {
  return;  // no memory: this visit is not told
}

bool Borders::is_open(BorderOf whose) const noexcept {
  return std::any_of(open_.begin(), open_.end(), [&](const Open& one) { return one.whose == whose; });
}

void Borders::drop(BorderOf whose) noexcept {
  std::erase_if(open_, [&](const Open& one) { return one.whose == whose; });
}

void Borders::end(BorderOf whose, const BorderLook& look, std::int64_t cost_ns) noexcept try {
  budget_.pay(cost_ns, look.rss);
  const auto found = std::find_if(open_.begin(), open_.end(), [&](const Open& one) { return one.whose == whose; });
  if (found == open_.end()) return;
  Visit visit = found->visit;
  const std::int64_t both_ns = found->cost_ns + cost_ns;
  open_.erase(found);
  visit.end = look;
  OfRegion& mine = of(visit.region);
  if (mine.ended++ == 0) mine.first_pss = visit.begin.pss;
  add_look(mine, visit.begin);
  add_look(mine, look);
  mine.changed_pss += look.pss - visit.begin.pss;
  mine.changed_mpi += bytes_in(look, Component::mpi) - bytes_in(visit.begin, Component::mpi);
  mine.changed_application += bytes_in(look, Component::application) - bytes_in(visit.begin, Component::application);
  mine.due_ns = look.time_ns + kPartOfTime * both_ns * std::max<std::int64_t>(1, regions_looked_at_);
  keep(visit);
} catch (const std::exception&) {
  return;
}

void Borders::note_asked(RegionNumber region, const BorderLook& look) noexcept try {
  has_moments_ = true;
  keep({region, of(region).visits, 0, look, std::nullopt, true});
} catch (const std::exception&) {
  return;
}

void Borders::add_look(OfRegion& region, const BorderLook& look) {
  region.most_pss = std::max(region.most_pss, look.pss);
  region.last_rss = look.rss;
  region.last_pss = look.pss;
  region.last_uss = look.uss;
}

// --- what is kept ---

void Borders::keep(const Visit& visit) {
  if (visit.looked % kept_one_of_ != 0) return;
  if (visits_.size() == kMostVisits) thin();
  if (visit.looked % kept_one_of_ == 0) visits_.push_back(visit);
}

// Where that does not help there are many regions, or many moments: those that changed least go, the oldest first.
void Borders::thin() {
  kept_one_of_ *= 2;
  std::erase_if(visits_, [&](const Visit& visit) { return visit.looked % kept_one_of_ != 0; });
  constexpr std::size_t kEnough = kMostVisits - kMostVisits / 4;
  if (visits_.size() <= kEnough) return;
  const auto change = [](const Visit& visit) {
    return visit.end ? std::abs(visit.end->pss - visit.begin.pss) : std::int64_t{0};
  };
  std::stable_sort(visits_.begin(), visits_.end(),
                   [&](const Visit& a, const Visit& b) { return change(a) < change(b); });
  visits_.erase(visits_.begin(), visits_.begin() + static_cast<std::ptrdiff_t>(visits_.size() - kMostVisits / 2));
}

// --- what is written down ---

std::vector<const Borders::Visit*> Borders::visits_by_time() const {
  std::vector<const Visit*> all;
  for (const Visit& visit : visits_) all.push_back(&visit);
  for (const Open& open : open_) all.push_back(&open.visit);
  std::stable_sort(all.begin(), all.end(),
                   [](const Visit* a, const Visit* b) { return a->begin.time_ns < b->begin.time_ns; });
  return all;
}

std::vector<Component> Borders::components_in(const std::vector<const Visit*>& visits,
                                              const Components& components) const {
  std::vector<Component> found;
  for (std::size_t i = 0; i < components.count(); ++i) {
    const auto component = static_cast<Component>(i);
    const bool has_some = std::any_of(visits.begin(), visits.end(), [&](const Visit* visit) {
      return std::max(bytes_in(visit->begin, component), visit->end ? bytes_in(*visit->end, component) : 0) >=
             kLeastOfColumn_bytes;
    });
    if (has_some) found.push_back(component);
  }
  return found;
}

record::Table Borders::table(const Components& components, const RegionSource& regions) const {
  const std::vector<const Visit*> visits = visits_by_time();
  const std::vector<Component> told = components_in(visits, components);
  std::vector<record::ColumnName> columns{{"region", ColumnKind::text},       {"border", ColumnKind::text},
                                          {"visit", ColumnKind::integer},     {"time_ns", ColumnKind::integer},
                                          {"rss_bytes", ColumnKind::integer}, {"pss_bytes", ColumnKind::integer},
                                          {"uss_bytes", ColumnKind::integer}};
  for (const Component component : told) {
    const std::string name(components.name(component));
    columns.push_back({std::string(kBorderColumnBegin).append(name).append(kBorderColumnEnd), ColumnKind::integer});
  }
  record::Table table(kBordersTable, std::move(columns), record::Summarise::no);
  const auto add = [&](const Visit& visit, const char* border, const BorderLook& look) {
    std::vector<Cell> cells{regions.path(visit.region),
                            std::string(border),
                            number(visit.number),
                            look.time_ns,
                            look.rss,
                            look.pss,
                            look.uss};
    for (const Component component : told) cells.emplace_back(bytes_in(look, component));
    table.add_row(cells);
  };
  for (const Visit* const visit : visits) {
    add(*visit, visit->is_moment ? kAskedBorder : kBeginBorder, visit->begin);
    if (visit->end) add(*visit, kEndBorder, *visit->end);
  }
  return table;
}

record::Table Borders::sums_table(const RegionSource& regions) const {
  record::Table table(kRegionSumsTable,
                      {{"region", ColumnKind::text},
                       {"visits", ColumnKind::integer},
                       {"looked_at", ColumnKind::integer},
                       {"first_pss_bytes", ColumnKind::integer},
                       {"most_pss_bytes", ColumnKind::integer},
                       {"last_rss_bytes", ColumnKind::integer},
                       {"last_pss_bytes", ColumnKind::integer},
                       {"last_uss_bytes", ColumnKind::integer},
                       {"changed_pss_bytes", ColumnKind::integer},
                       {"changed_mpi_bytes", ColumnKind::integer},
                       {"changed_application_bytes", ColumnKind::integer}},
                      record::Summarise::no);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    if (regions_[i].ended > 0) rows.push_back(i);
  }
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(regions_[a].changed_pss) > std::abs(regions_[b].changed_pss);
  });
  if (rows.size() > kMostWritten) rows.resize(kMostWritten);
  for (const std::size_t row : rows) {
    const OfRegion& one = regions_[row];
    table.add_row({regions.path(static_cast<RegionNumber>(row)), number(one.visits), number(one.ended), one.first_pss,
                   one.most_pss, one.last_rss, one.last_pss, one.last_uss, one.changed_pss, one.changed_mpi,
                   one.changed_application});
  }
  return table;
}

}  // namespace comity::memory
