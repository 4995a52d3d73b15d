// SPDX-License-Identifier: BSD-3-Clause
// A job's memory, for programs: as JSON and as comma-separated values.
#include <nlohmann/json.hpp>

#include "base/csv.hpp"
#include "memory/job/job.hpp"
#include "memory/job/job_doubts.hpp"
#include "memory/job/last_totals.hpp"
#include "memory/job/nodes.hpp"
#include "memory/job/seconds.hpp"
#include "memory/rank/growth.hpp"

namespace comity::memory {
namespace {

using Json = nlohmann::ordered_json;

// When and where the peak was: nothing of one that no look saw.
Json json(const ComponentFigures& figures, const RankMemory& rank, const std::string& name) {
  const PeakFigures peak = rank.seen_peak(name);
  const auto known = [&](const std::string& text) { return peak.where.empty() ? Json(nullptr) : Json(text); };
  return {{"peak_bytes", figures.peak},
          {"last_bytes", figures.last},
          {"start_bytes", figures.start},
          {"asked_peak_bytes", figures.asked_peak},
          {"held_bytes", figures.held},
          {"untouched_bytes", figures.untouched},
          {"at_s", seconds_json(rank.after_init_s(peak.time_ns))},
          {"function", known(peak.where)},
          {"region", known(peak.region)},
          {"phase", known(peak.phase)}};
}

// The same of a line: empty where it is not known.
std::string moment_fields(const RankMemory& rank, const std::string& name) {
  const PeakFigures peak = rank.seen_peak(name);
  return ',' + seconds_field(rank.after_init_s(peak.time_ns), 3) + ',' + csv_text(peak.where) + ',' +
         csv_text(peak.region) + ',' + csv_text(peak.phase);
}

Json json(const DeltaFigures& delta, const RankMemory& rank) {
  Json functions = Json::object();
  for (const auto& [name, calls] : delta.by_function) {
    functions[name] = {{"calls", calls.calls},
                       {"grown_bytes", calls.grown},
                       {"shrunk_bytes", calls.shrunk},
                       {"impossible_calls", calls.impossible}};
  }
  return {{"method", delta.method},
          {"peak_bytes", delta.peak},
          {"last_bytes", delta.last},
          {"samples", delta.samples},
          {"impossible_samples", delta.impossible},
          {"impossible", impossible_json_of(rank)},
          {"cost_s", 1e-9 * static_cast<double>(delta.cost_ns)},
          {"elapsed_s", 1e-9 * static_cast<double>(delta.elapsed_ns)},
          {"slow_down", delta.slow_down()},
          {"functions", std::move(functions)}};
}

Json json_of_interval(const RankMemory& rank) {
  const std::optional<RiseFigures> rise = rank.unseen_peak();
  if (!rise) return nullptr;
  return {{"after_s", seconds_json(rank.after_init_s(rise->after_ns))},
          {"before_s", seconds_json(rank.after_init_s(rise->before_ns))},
          {"function", rise->where},
          {"region", rise->region},
          {"phase", rise->phase}};
}

Json json(const QuickCountFigures& quick) {
  if (quick.exact_counts == 0) return nullptr;
  return {{"is_approximate", quick.is_approximate}, {"most_below_bytes", quick.most_below},
          {"most_above_bytes", quick.most_above},   {"bound_bytes", quick.bound},
          {"exact_counts", quick.exact_counts},     {"most_exact_bytes", quick.most_exact}};
}

Json json(const RankMemory& rank) {
  const std::optional<std::int64_t> untold = untold_at_peak(rank);
  Json components = Json::object();
  for (const auto& [name, figures] : rank.components) components[name] = json(figures, rank, name);
  Json totals = Json::array();
  for (const TotalFigures& moment : rank.totals) {
    Json one = {{"moment", moment.moment}};
    for (const auto& [name, bytes] : moment.bytes) one[name] = moment.tells(name) ? Json(bytes) : Json(nullptr);
    totals.push_back(std::move(one));
  }
  return {{"rank", rank.rank},
          {"node", rank.node < 0 ? Json(nullptr) : Json(rank.node)},
          {"host", rank.host},
          {"owners_known", rank.knows_owners},
          {"requests_followed", rank.follows_requests},
          {"off_s", 1e-9 * static_cast<double>(rank.off_ns)},
          {"told_until_s", rank.cut_off_ns ? seconds_json(rank.after_init_s(*rank.cut_off_ns)) : Json(nullptr)},
          {"peak_rss_bytes", rank.peak_rss_bytes},
          {"peak_seen_behind", rank.peak(kTotalName).where},
          {"peak_seen_at_ns", rank.peak(kTotalName).time_ns},
          {"peak_seen_bytes", rank.most_seen_bytes},
          {"peak_not_told_bytes", untold ? Json(*untold) : Json(nullptr)},
          {"peak_between", json_of_interval(rank)},
          {"quick_count", json(rank.quick_count)},
          {"components", std::move(components)},
          {"totals", std::move(totals)},
          {"moments", moments_json_of(rank)},
          {"samples", rank.samples},
          {"mpi_above_total_samples", rank.mpi_above_total},
          {"sum_above_total_samples", rank.sum_above_total},
          {"undecided_samples", rank.undecided},
          {"unplaced_mappings", rank.unplaced_mappings},
          {"unplaced_bytes", rank.unplaced_bytes},
          {"in_short", rank.in_short},
          {"near_bytes", rank.nearness.near_bytes},
          {"far_bytes", rank.nearness.far_bytes},
          {"numa", numa_json_of(rank)},
          {"delta", rank.delta ? json(*rank.delta, rank) : Json(nullptr)},
          {"growth", growth_json_of(rank)},
          {"regions", regions_json_of(rank)},
          {"borders", borders_json_of(rank)},
          {"held", held_json_of(rank)},
          {"held_at_s", rank.held_ns == 0 ? Json(nullptr) : seconds_json(rank.after_init_s(rank.held_ns))},
          {"paths", paths_json_of(rank)},
          {"touches", touches_json_of(rank)},
          {"mpi_variables", variables_json_of(rank)}};
}

}  // namespace

Json json_of(const Job& job, const Together& together) {
  Json ranks = Json::array();
  for (const RankMemory& rank : job.ranks) ranks.push_back(json(rank));
  return {{"ranks", std::move(ranks)},         {"nodes", nodes_json_of(job, together)},
          {"job", last_totals_json_of(job)},   {"together", json_of(together)},
          {"segments", segments_json_of(job)}, {"statistics", statistics_json_of(job)},
          {"objects", objects_json_of(job)}};
}

std::string rows_of(const Job& job) {
  std::string text =
      "rank,component,peak_bytes,last_bytes,start_bytes,asked_peak_bytes,held_bytes,untouched_bytes,at_s,function,"
      "region,phase\n";
  for (const RankMemory& rank : job.ranks) {
    for (const auto& [name, figures] : rank.components) {
      text += std::to_string(rank.rank) + ',' + csv_text(name);
      for (const std::int64_t bytes :
           {figures.peak, figures.last, figures.start, figures.asked_peak, figures.held, figures.untouched}) {
        text += ',' + std::to_string(bytes);
      }
      text += moment_fields(rank, name) + '\n';
    }
  }
  return text;
}

}  // namespace comity::memory
