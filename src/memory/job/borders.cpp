// SPDX-License-Identifier: BSD-3-Clause
// What ranks had where regions of the program began and ended: for people by region, of the rank that changed most in it; for programs each
// region of each rank, and each look. Not: what changed between looks in general (places/growth).
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/csv.hpp"
#include "memory/job/borders.hpp"
#include "memory/job/figures_in.hpp"
#include "memory/job/job.hpp"
#include "memory/job/mib.hpp"
#include "memory/job/places/lines.hpp"
#include "memory/job/seconds.hpp"
#include "memory/rank/borders.hpp"
#include "memory/rank/growth.hpp"

namespace comity::memory {
namespace {

using Json = nlohmann::ordered_json;

struct RegionLine {
  const RegionMemory* figures = nullptr;
  int rank = 0;
};

// Where there is more than the run as a whole; that which changed most first.
std::vector<RegionLine> region_lines_of(const Job& job) {
  std::map<std::string, RegionLine> by_region;
  for (const RankMemory& rank : job.ranks) {
    for (const RegionMemory& region : rank.regions) {
      RegionLine& line = by_region[region.region];
      if (line.figures == nullptr || std::abs(region.changed_pss) > std::abs(line.figures->changed_pss))
        line = {&region, rank.rank};
    }
  }
  std::vector<RegionLine> lines;
  for (const auto& [region, line] : by_region) {
    if (region != kWholeRun) lines.push_back(line);
  }
  std::stable_sort(lines.begin(), lines.end(), [](const RegionLine& a, const RegionLine& b) {
    return std::abs(a.figures->changed_pss) > std::abs(b.figures->changed_pss);
  });
  return lines;
}

std::string region_text_of(const RegionLine& line) {
  const RegionMemory& of = *line.figures;
  const auto mib = [](std::int64_t bytes) { return static_cast<double>(bytes) / kMiB; };
  std::array<char, 200> text{};
  std::snprintf(text.data(), text.size(), "  %9.2f %9.2f %9.2f %9.2f %+9.2f %+9.2f %+11.2f %9lld %9lld %5d  ",
                mib(of.first_pss), mib(of.most_pss), mib(of.last_pss), mib(of.last_uss), mib(of.changed_pss),
                mib(of.changed_mpi), mib(of.changed_application), static_cast<long long>(of.looked_at),
                static_cast<long long>(of.visits), line.rank);
  return text.data() + of.region + '\n';
}

std::set<std::string> border_components_in(const Job& job) {
  std::set<std::string> all;
  for (const RankMemory& rank : job.ranks) all.insert(rank.border_components.begin(), rank.border_components.end());
  return all;
}

// "" where that rank has no such column.
std::string border_field_of(const RankMemory& rank, const BorderFigures& look, const std::string& component) {
  const auto found = std::find(rank.border_components.begin(), rank.border_components.end(), component);
  if (found == rank.border_components.end()) return {};
  return std::to_string(look.components[static_cast<std::size_t>(found - rank.border_components.begin())]);
}

// Of "components_mpi_bytes" mpi; else "".
std::string border_component(std::string_view column) {
  if (column.size() <= kBorderColumnBegin.size() + kBorderColumnEnd.size() || !column.starts_with(kBorderColumnBegin) ||
      !column.ends_with(kBorderColumnEnd)) {
    return {};
  }
  column.remove_prefix(kBorderColumnBegin.size());
  column.remove_suffix(kBorderColumnEnd.size());
  return std::string(column);
}

}  // namespace

void add_borders(RankMemory& rank, const record::Table& table) {
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < table.columns().size(); ++place) {
    const record::ColumnName& column = table.columns()[place];
    std::string component = border_component(column.name);
    if (column.kind != record::ColumnKind::integer || component.empty()) continue;
    places.push_back(place);
    rank.border_components.push_back(std::move(component));
  }
  for (std::size_t row = 0; row < table.rows(); ++row) {
    BorderFigures look{table.text(row, "region"),          table.text(row, "border"),
                       figure_in(table, row, "visit"),     time_in(table, row, "time_ns"),
                       figure_in(table, row, "rss_bytes"), figure_in(table, row, "pss_bytes"),
                       figure_in(table, row, "uss_bytes"), {}};
    for (const std::size_t place : places) look.components.push_back(figure_at(table, row, place));
    rank.borders.push_back(std::move(look));
  }
}

void add_regions(RankMemory& rank, const record::Table& table) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    rank.regions.push_back({table.text(row, "region"), figure_in(table, row, "visits"),
                            figure_in(table, row, "looked_at"), figure_in(table, row, "first_pss_bytes"),
                            figure_in(table, row, "most_pss_bytes"), figure_in(table, row, "last_rss_bytes"),
                            figure_in(table, row, "last_pss_bytes"), figure_in(table, row, "last_uss_bytes"),
                            figure_in(table, row, "changed_pss_bytes"), figure_in(table, row, "changed_mpi_bytes"),
                            figure_in(table, row, "changed_application_bytes")});
  }
}

std::string regions_text_of(const Job& job) {
  const std::vector<RegionLine> lines = region_lines_of(job);
  if (lines.empty()) return {};
  std::string text =
      "  at borders of regions [MiB, of the rank that changed most in each]\n"
      "  PSS first      most      last  last USS   changed       mpi application looked at of visits  rank  region\n";
  for (std::size_t i = 0; i < std::min(lines.size(), kMostLines); ++i) text += region_text_of(lines[i]);
  return text + more_lines(lines.size(), "regions", "memory-regions") + '\n';
}

Json regions_json_of(const RankMemory& rank) {
  Json rows = Json::array();
  for (const RegionMemory& of : rank.regions) {
    rows.push_back({{"region", of.region},
                    {"visits", of.visits},
                    {"looked_at", of.looked_at},
                    {"first_pss_bytes", of.first_pss},
                    {"most_pss_bytes", of.most_pss},
                    {"last_rss_bytes", of.last_rss},
                    {"last_pss_bytes", of.last_pss},
                    {"last_uss_bytes", of.last_uss},
                    {"changed_pss_bytes", of.changed_pss},
                    {"changed_mpi_bytes", of.changed_mpi},
                    {"changed_application_bytes", of.changed_application}});
  }
  return rows;
}

Json borders_json_of(const RankMemory& rank) {
  Json rows = Json::array();
  for (const BorderFigures& look : rank.borders) {
    Json components = Json::object();
    for (std::size_t i = 0; i < rank.border_components.size(); ++i)
      components[rank.border_components[i]] = look.components[i];
    rows.push_back({{"region", look.region},
                    {"border", look.border},
                    {"visit", look.visit},
                    {"at_s", seconds_json(rank.after_init_s(look.time_ns))},
                    {"rss_bytes", look.rss},
                    {"pss_bytes", look.pss},
                    {"uss_bytes", look.uss},
                    {"components", std::move(components)}});
  }
  return rows;
}

std::string region_rows_of(const Job& job) {
  std::string text =
      "rank,region,visits,looked_at,first_pss_bytes,most_pss_bytes,last_rss_bytes,last_pss_bytes,last_uss_bytes,"
      "changed_pss_bytes,changed_mpi_bytes,changed_application_bytes\n";
  for (const RankMemory& rank : job.ranks) {
    for (const RegionMemory& of : rank.regions) {
      text += std::to_string(rank.rank) + ',' + csv_text(of.region);
      for (const std::int64_t number : {of.visits, of.looked_at, of.first_pss, of.most_pss, of.last_rss, of.last_pss,
                                        of.last_uss, of.changed_pss, of.changed_mpi, of.changed_application}) {
        text += ',' + std::to_string(number);
      }
      text += '\n';
    }
  }
  return text;
}

std::string border_rows_of(const Job& job) {
  const std::set<std::string> components = border_components_in(job);
  std::string text = "rank,region,border,visit,at_s,rss_bytes,pss_bytes,uss_bytes";
  for (const std::string& component : components)
    text += ',' + csv_text(std::string(kBorderColumnBegin).append(component).append(kBorderColumnEnd));
  text += '\n';
  for (const RankMemory& rank : job.ranks) {
    for (const BorderFigures& look : rank.borders) {
      text += std::to_string(rank.rank) + ',' + csv_text(look.region) + ',' + csv_text(look.border) + ',' +
              std::to_string(look.visit) + ',' + seconds_field(rank.after_init_s(look.time_ns));
      for (const std::int64_t number : {look.rss, look.pss, look.uss}) text += ',' + std::to_string(number);
      for (const std::string& component : components) text += ',' + border_field_of(rank, look, component);
      text += '\n';
    }
  }
  return text;
}

}  // namespace comity::memory
