// SPDX-License-Identifier: BSD-3-Clause
#include "metrics/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "metrics/pieces.hpp"

namespace comity::metrics {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostRegions = 12;
constexpr double kAsLong = 0.01;  // of the other one's time: what a run differs from itself

double part_of(double part_s, const RegionFigures& region) {
  return region.wall_sum_s > 0 ? part_s / region.wall_sum_s : 0;
}

std::string used_of(const RegionFigures* region) {
  if (region == nullptr) return "none";
  return line("%.3f s on %.2f processors", region->wall_s, region->useful_cores);
}

std::string ratio_of(double here, double there) { return there > 0 ? line("%.2f", here / there) : "-"; }

// Figure(region) as text; "-" where there is no region.
template <typename Figure>
std::string shown(const RegionFigures* region, Figure&& figure) {
  return region == nullptr ? "-" : figure(*region);
}

template <typename Figure>
std::string both(const RegionPair& pair, int width, Figure&& figure) {
  return line("  %*s %*s", width, shown(pair.here, figure).c_str(), width, shown(pair.there, figure).c_str());
}

std::string region_line(const RegionPair& pair) {
  const auto time = [](const RegionFigures& r) { return line("%.3f", r.wall_s); };
  const auto processors = [](const RegionFigures& r) { return line("%.2f", r.useful_cores); };
  const auto in_mpi = [](const RegionFigures& r) { return line("%.0f %%", 100 * part_of(r.mpi_s, r)); };
  const auto asleep = [](const RegionFigures& r) { return line("%.0f %%", 100 * part_of(r.asleep_s, r)); };
  const bool have_both = pair.here != nullptr && pair.there != nullptr;
  return line("  %-20s", shortened(pair.path, 20).c_str()) + both(pair, 8, time) +
         line(" %6s", have_both ? ratio_of(pair.here->wall_s, pair.there->wall_s).c_str() : "-") +
         both(pair, 6, processors) + both(pair, 6, in_mpi) + both(pair, 6, asleep) + '\n';
}

std::string job_lines(const Job& here, const Job& there) {
  std::string text = "                              here      there   here / there\n";
  text += line("  time s                %10.3f %10.3f %14s\n", here.wall_s, there.wall_s,
               ratio_of(here.wall_s, there.wall_s).c_str());
  text += line("  ranks                 %10zu %10zu\n", here.ranks.size(), there.ranks.size());
  text += line("  processors            %10d %10d\n", here.processors, there.processors);
  text += line("  parallel efficiency   %10.2f %10.2f %14s\n", here.efficiency.parallel, there.efficiency.parallel,
               ratio_of(here.efficiency.parallel, there.efficiency.parallel).c_str());
  return text;
}

Json pair_json(double here, double there) { return {{"here", here}, {"there", there}}; }

Json json(const RegionPair& pair) {
  const auto both_of = [&](auto&& figure) {
    const auto one = [&](const RegionFigures* region) {
      return region == nullptr ? Json(nullptr) : Json(figure(*region));
    };
    return Json{{"here", one(pair.here)}, {"there", one(pair.there)}};
  };
  return {{"region", pair.path},
          {"wall_s", both_of([](const RegionFigures& r) { return r.wall_s; })},
          {"processors", both_of([](const RegionFigures& r) { return r.useful_cores; })},
          {"in_mpi", both_of([](const RegionFigures& r) { return part_of(r.mpi_s, r); })},
          {"asleep", both_of([](const RegionFigures& r) { return part_of(r.asleep_s, r); })}};
}

}  // namespace

Comparison compare(const Job& here, const Job& there) {
  std::map<std::string, RegionPair> pairs;
  for (const RegionFigures& region : here.regions) pairs[region.path].here = &region;
  for (const RegionFigures& region : there.regions) pairs[region.path].there = &region;
  Comparison comparison{&here, &there, {}};
  for (auto& [path, pair] : pairs) {
    pair.path = path;
    comparison.regions.push_back(pair);
  }
  std::stable_sort(comparison.regions.begin(), comparison.regions.end(), [](const RegionPair& a, const RegionPair& b) {
    return std::fabs(a.saved_s()) > std::fabs(b.saved_s());
  });
  return comparison;
}

std::string verdict(const Comparison& comparison) {
  const Job& here = *comparison.here;
  const Job& there = *comparison.there;
  if (!here.timed || !there.timed) return "Calls were counted and not timed in one of them: times cannot be compared.";
  const std::string times = line("%.3f s, the other one %.3f s", here.wall_s, there.wall_s);
  if (std::fabs(here.wall_s - there.wall_s) <= kAsLong * there.wall_s) return "This run took as long: " + times + ".";
  const double saved_s = there.wall_s - here.wall_s;
  const auto most = std::find_if(comparison.regions.begin(), comparison.regions.end(),
                                 [&](const RegionPair& pair) { return pair.saved_s() * saved_s > 0; });
  std::string text = "This run took " + times + ": " + ratio_of(here.wall_s, there.wall_s) + " of its time.";
  if (most == comparison.regions.end()) return text;
  return text + line(" Most of the difference is in %s: ", shortened(most->path, 60).c_str()) + used_of(most->here) +
         " here, " + used_of(most->there) + " there.";
}

std::string text_of(const Comparison& comparison, const std::string& there_name) {
  std::string text = "compared with " + there_name + "\n  " + verdict(comparison) + "\n\n";
  text += job_lines(*comparison.here, *comparison.there);
  text +=
      "\n                               time s              processors       in MPI         asleep\n"
      "  region                   here    there  ratio    here  there    here  there    here  there\n";
  for (std::size_t i = 0; i < std::min(kMostRegions, comparison.regions.size()); ++i) {
    text += region_line(comparison.regions[i]);
  }
  if (comparison.regions.size() > kMostRegions)
    text += line("  and %zu more\n", comparison.regions.size() - kMostRegions);
  return text;
}

Json json_of(const Comparison& comparison) {
  const Job& here = *comparison.here;
  const Job& there = *comparison.there;
  Json regions = Json::array();
  for (const RegionPair& pair : comparison.regions) regions.push_back(json(pair));
  return {{"verdict", verdict(comparison)},
          {"wall_s", pair_json(here.wall_s, there.wall_s)},
          {"parallel_efficiency", pair_json(here.efficiency.parallel, there.efficiency.parallel)},
          {"regions", std::move(regions)}};
}

}  // namespace comity::metrics
