// SPDX-License-Identifier: BSD-3-Clause
// Where and when which rank had most and least of what, and what all was before the run: for people, and for programs.
#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "base/csv.hpp"
#include "memory/job/job.hpp"
#include "memory/job/mib.hpp"
#include "memory/job/places/lines.hpp"
#include "memory/job/seconds.hpp"
#include "memory/job/spread.hpp"
#include "memory/rank/growth.hpp"
#include "memory/rank/stocks.hpp"

namespace comity::memory {
namespace {

using Json = nlohmann::ordered_json;

std::int64_t peak_of(const RankMemory& rank, const std::string& name) {
  return name == kTotalName ? rank.peak_rss_bytes : rank.of(name).peak;
}

struct Statistic {
  std::string name;
  Spread spread;
  const RankMemory* most = nullptr;
  const RankMemory* least = nullptr;
};

const RankMemory* rank_of(const Job& job, int number) {
  return &*std::find_if(job.ranks.begin(), job.ranks.end(),
                        [&](const RankMemory& rank) { return rank.rank == number; });
}

Statistic statistic_of(const Job& job, const std::string& name) {
  const Spread spread = spread_of(job, [&](const RankMemory& rank) { return peak_of(rank, name); });
  return {name, spread, rank_of(job, spread.most_rank), rank_of(job, spread.least_rank)};
}

// By name, and all that is resident as the last one.
std::vector<Statistic> statistics_of(const Job& job) {
  std::set<std::string> names;
  for (const RankMemory& rank : job.ranks) {
    for (const auto& [name, figures] : rank.components) names.insert(name);
  }
  std::vector<Statistic> all;
  all.reserve(names.size() + 1);
  for (const std::string& name : names) all.push_back(statistic_of(job, name));
  if (!job.ranks.empty()) all.push_back(statistic_of(job, kTotalName));
  return all;
}

std::string place_of(const PeakFigures& peak) {
  if (peak.where.empty()) return "(not seen)";
  const bool has_region = peak.region != kWholeRun && !peak.region.empty();
  return peak.where + (has_region ? " in " + peak.region : "") + (peak.phase.empty() ? "" : ", " + peak.phase);
}

// A peak, and what is known of its moment: a time after MPI_Init, or the two looks that it lies between, or neither.
struct Told {
  std::int64_t bytes = 0;
  std::optional<double> at_s;
  std::optional<double> after_s, before_s;  // only where no look saw it
  PeakFigures where;                        // of the look that saw it, else of the second one
  bool is_between = false;
};

Told told_of(const RankMemory& rank, const std::string& name) {
  if (const std::optional<RiseFigures> rise = rank.unseen_peak(); rise && name == kTotalName) {
    return {peak_of(rank, name),
            std::nullopt,
            rank.after_init_s(rise->after_ns),
            rank.after_init_s(rise->before_ns),
            {rise->where, rise->region, 0, rise->phase},
            true};
  }
  const PeakFigures seen = rank.seen_peak(name);
  return {peak_of(rank, name), rank.after_init_s(seen.time_ns), std::nullopt, std::nullopt, seen, false};
}

// As exactly as looks tell it.
std::string seconds_text(const std::optional<double>& time_s, const char* unknown) {
  return seconds_field(time_s, 3, unknown);
}

// "MPI_Recv in solve", "(between two looks, 0.012 and 0.340; the second behind MPI_Barrier in solve)"
std::string where_text(const Told& told) {
  if (!told.is_between) return place_of(told.where);
  if (told.where.where.empty()) return "(behind the last look, " + seconds_text(told.after_s, "its start") + ")";
  return "(between two looks, " + seconds_text(told.after_s, "its start") + " and " +
         seconds_text(told.before_s, "its start") + "; the second behind " + place_of(told.where) + ")";
}

std::string line_of(const std::string& name, const char* which, const RankMemory& rank) {
  const Told told = told_of(rank, name);
  std::array<char, 200> text{};
  std::snprintf(text.data(), text.size(), "  %-16s %-5s %9.2f %5d  %-16s %10s  ", name.c_str(), which,
                static_cast<double>(told.bytes) / kMiB, rank.rank, rank.host.c_str(),
                seconds_text(told.at_s, "-").c_str());
  return text.data() + where_text(told) + '\n';
}

// What matters: a hundredth of all, and MPI's own always.
std::vector<Statistic> shown_of(const Job& job) {
  std::vector<Statistic> shown;
  const double all = spread_of(job, [](const RankMemory& rank) { return rank.peak_rss_bytes; }).most;
  for (Statistic& each : statistics_of(job)) {
    if (each.name == "mpi" || each.spread.most * 100 >= std::max(all, 1.0)) shown.push_back(std::move(each));
  }
  std::stable_sort(shown.begin(), shown.end(),
                   [](const Statistic& a, const Statistic& b) { return a.spread.most > b.spread.most; });
  return shown;
}

Json json_of(const RankMemory& rank, const std::string& name) {
  const Told told = told_of(rank, name);
  return {{"bytes", told.bytes},
          {"rank", rank.rank},
          {"host", rank.host},
          {"at_s", seconds_json(told.at_s)},
          {"function", told.where.where},
          {"region", told.where.region},
          {"after_s", seconds_json(told.after_s)},
          {"before_s", seconds_json(told.before_s)},
          {"phase", told.where.phase}};
}

std::string fields_of(const RankMemory& rank, const std::string& name) {
  const Told told = told_of(rank, name);
  return ',' + std::to_string(told.bytes) + ',' + std::to_string(rank.rank) + ',' + csv_text(rank.host) + ',' +
         seconds_text(told.at_s, "") + ',' + csv_text(told.where.where) + ',' + csv_text(told.where.region) + ',' +
         seconds_text(told.after_s, "") + ',' + seconds_text(told.before_s, "") + ',' + csv_text(told.where.phase);
}

std::int64_t resident_at(const RankMemory& rank, std::string_view moment) {
  for (const TotalFigures& total : rank.totals) {
    if (total.moment == moment) return total.of("rss_bytes");
  }
  return 0;
}

std::string baseline_line(const Job& job, std::string_view moment) {
  const Spread spread = spread_of(job, [&](const RankMemory& rank) { return resident_at(rank, moment); });
  if (spread.most == 0) return {};
  std::array<char, 200> text{};
  std::snprintf(text.data(), text.size(), "  %-24s %9.2f %5d %9.2f %5d %9.2f %8.2f\n", std::string(moment).c_str(),
                spread.most / kMiB, spread.most_rank, spread.least / kMiB, spread.least_rank, spread.mean / kMiB,
                spread.deviation / kMiB);
  return text.data();
}

}  // namespace

std::string baselines_text_of(const Job& job) {
  std::string lines;
  for (const Moment moment : {Moment::at_load, Moment::before_init, Moment::after_init})
    lines += baseline_line(job, kMomentNames[static_cast<std::size_t>(moment)]);
  if (lines.empty()) return {};
  return "  all resident, before [MiB]       most  rank     least  rank      mean       sd\n" + lines + '\n';
}

std::string statistics_text_of(const Job& job) {
  const std::vector<Statistic> shown = shown_of(job);
  if (shown.empty()) return {};
  std::string text = "  at its peak                  MiB  rank  host             s after Init  seen behind\n";
  for (const Statistic& each : shown) {
    text += line_of(each.name, "most", *each.most);
    if (job.ranks.size() > 1) text += line_of(each.name, "least", *each.least);
  }
  return text + '\n';
}

Json statistics_json_of(const Job& job) {
  Json all = Json::object();
  for (const Statistic& each : statistics_of(job)) {
    all[each.name] = {{"most", json_of(*each.most, each.name)},
                      {"least", json_of(*each.least, each.name)},
                      {"mean_bytes", each.spread.mean},
                      {"sd_bytes", each.spread.deviation}};
  }
  return all;
}

std::string statistics_rows_of(const Job& job) {
  std::string text = "component";
  for (const std::string which : {"most", "least"}) {
    for (const char* column :
         {"_bytes", "_rank", "_host", "_at_s", "_function", "_region", "_after_s", "_before_s", "_phase"})
      text += ',' + which + column;
  }
  text += ",mean_bytes,sd_bytes\n";
  for (const Statistic& each : statistics_of(job)) {
    std::array<char, 64> figures{};
    std::snprintf(figures.data(), figures.size(), ",%.0f,%.0f\n", each.spread.mean, each.spread.deviation);
    text += csv_text(each.name) + fields_of(*each.most, each.name) + fields_of(*each.least, each.name) + figures.data();
  }
  return text;
}

}  // namespace comity::memory
