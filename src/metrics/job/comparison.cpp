// SPDX-License-Identifier: BSD-3-Clause
#include "metrics/job/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "metrics/job/pieces.hpp"

namespace comity::metrics {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kAsLong = 0.01;  // of the other one's time: what a run differs from itself

double part_of(double part_s, const RegionFigures& region) {
  return region.wall_sum_s > 0 ? part_s / region.wall_sum_s : 0;
}

std::string used_of(const RegionFigures* region, const Job& job) {
  if (region == nullptr) return "none";
  return line("%.3f s", region->wall_s) +
         (job.timed ? line(" on %.2f processors", region->useful_cores) : std::string());
}

std::string ratio_of(double here, double there) { return there > 0 ? line("%.2f", here / there) : "-"; }

// A figure of a region; none where there is no such region, or where it needs times that were not taken.
using Figure = std::optional<double> (*)(const RegionFigures& region, const Job& job);

std::optional<double> wall_s(const RegionFigures& region, const Job& /*job*/) { return region.wall_s; }
std::optional<double> processors(const RegionFigures& region, const Job& job) {
  return job.if_timed(region.useful_cores);
}
std::optional<double> in_mpi(const RegionFigures& region, const Job& job) {
  return job.if_timed(part_of(region.mpi_s, region));
}
std::optional<double> asleep(const RegionFigures& region, const Job& job) {
  return job.if_timed(part_of(region.asleep_s, region));
}

std::optional<double> value(Figure figure, const RegionFigures* region, const Job& job) {
  return region == nullptr ? std::nullopt : figure(*region, job);
}

std::string shown(std::optional<double> value, const char* format) { return value ? line(format, *value) : "-"; }

std::string region_line(const RegionPair& pair, const Comparison& jobs) {
  const auto both = [&](int width, const char* format, double unit, Figure figure) {
    const auto one = [&](const RegionFigures* region, const Job& job) {
      const std::optional<double> found = value(figure, region, job);
      return shown(found ? std::optional(unit * *found) : std::nullopt, format);
    };
    return line("  %*s %*s", width, one(pair.here, *jobs.here).c_str(), width, one(pair.there, *jobs.there).c_str());
  };
  const bool have_both = pair.here != nullptr && pair.there != nullptr;
  return line("  %-20s", shortened(pair.path, 20).c_str()) + both(8, "%.3f", 1, wall_s) +
         line(" %6s", have_both ? ratio_of(pair.here->wall_s, pair.there->wall_s).c_str() : "-") +
         both(6, "%.2f", 1, processors) + both(6, "%.0f %%", 100, in_mpi) + both(6, "%.0f %%", 100, asleep) + '\n';
}

std::optional<double> parallel(const Job& job) { return job.if_timed(job.efficiency.parallel); }

std::string job_lines(const Job& here, const Job& there) {
  std::string text = "                              here      there   here / there\n";
  text += line("  time s                %10.3f %10.3f %14s\n", here.wall_s, there.wall_s,
               ratio_of(here.wall_s, there.wall_s).c_str());
  text += line("  ranks                 %10zu %10zu\n", here.ranks.size(), there.ranks.size());
  text += line("  processors            %10d %10d\n", here.processors, there.processors);
  const bool timed = here.timed && there.timed;
  text += line("  parallel efficiency   %10s %10s %14s\n", shown(parallel(here), "%.2f").c_str(),
               shown(parallel(there), "%.2f").c_str(),
               timed ? ratio_of(here.efficiency.parallel, there.efficiency.parallel).c_str() : "-");
  return text;
}

Json json(std::optional<double> value) { return value ? Json(*value) : Json(nullptr); }

Json pair_json(std::optional<double> here, std::optional<double> there) {
  return {{"here", json(here)}, {"there", json(there)}};
}

Json json(const RegionPair& pair, const Comparison& jobs) {
  const auto both = [&](Figure figure) {
    return pair_json(value(figure, pair.here, *jobs.here), value(figure, pair.there, *jobs.there));
  };
  return {{"region", pair.path},
          {"wall_s", both(wall_s)},
          {"processors", both(processors)},
          {"in_mpi", both(in_mpi)},
          {"asleep", both(asleep)}};
}

// Times between borders of regions are known all the same.
std::string not_compared(const Comparison& jobs) {
  if (jobs.here->timed && jobs.there->timed) return {};
  return std::string(" Calls were counted and not timed ") +
         (jobs.here->timed    ? "there"
          : jobs.there->timed ? "here"
                              : "in either run") +
         ": processors, efficiencies and waits are not compared.";
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
  const std::string times = line("%.3f s, the other one %.3f s", here.wall_s, there.wall_s);
  if (std::fabs(here.wall_s - there.wall_s) <= kAsLong * there.wall_s) {
    return "This run took as long: " + times + "." + not_compared(comparison);
  }
  const double saved_s = there.wall_s - here.wall_s;
  const auto most = std::find_if(comparison.regions.begin(), comparison.regions.end(),
                                 [&](const RegionPair& pair) { return pair.saved_s() * saved_s > 0; });
  std::string text = "This run took " + times + ": " + ratio_of(here.wall_s, there.wall_s) + " of its time.";
  if (most != comparison.regions.end()) {
    text += line(" Most of the difference is in %s: ", shortened(most->path, 60).c_str()) + used_of(most->here, here) +
            " here, " + used_of(most->there, there) + " there.";
  }
  return text + not_compared(comparison);
}

std::string text_of(const Comparison& comparison, const std::string& there_name) {
  std::string text = "compared with " + there_name + "\n  " + verdict(comparison) + "\n\n";
  text += job_lines(*comparison.here, *comparison.there);
  text +=
      "\n                               time s              processors       in MPI         asleep\n"
      "  region                   here    there  ratio    here  there    here  there    here  there\n";
  for (std::size_t i = 0; i < std::min(kMostRegions, comparison.regions.size()); ++i) {
    text += region_line(comparison.regions[i], comparison);
  }
  if (comparison.regions.size() > kMostRegions)
    text += line("  and %zu more\n", comparison.regions.size() - kMostRegions);
  return text;
}

Json json_of(const Comparison& comparison) {
  const Job& here = *comparison.here;
  const Job& there = *comparison.there;
  Json regions = Json::array();
  for (const RegionPair& pair : comparison.regions) regions.push_back(json(pair, comparison));
  return {{"verdict", verdict(comparison)},
          {"wall_s", pair_json(here.wall_s, there.wall_s)},
          {"parallel_efficiency", pair_json(parallel(here), parallel(there))},
          {"regions", std::move(regions)}};
}

}  // namespace comity::metrics
