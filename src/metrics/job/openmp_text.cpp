// SPDX-License-Identifier: BSD-3-Clause
#include "metrics/job/openmp_text.hpp"

#include <algorithm>

#include "metrics/job/pieces.hpp"

namespace comity::metrics {
namespace {

std::string regions_text(const Job& job) {
  if (job.openmp == OpenMp::absent) return {};
  if (job.openmp == OpenMp::silent) {
    return "\n  OpenMP: the runtime tells of no parallel regions (GNU's cannot), so they are not told here.\n";
  }
  std::string text = "\n  in OpenMP                    regions  inside s  outside s  largest team  mean team\n";
  for (std::size_t i = 0; i < std::min(kMostRegions, job.regions.size()); ++i) {
    const TeamFigures& teams = job.regions[i].teams;
    text += line("  %-27s %8s %9.3f  %9.3f  %12d  %9.2f\n", shortened(job.regions[i].path, 27).c_str(),
                 count(static_cast<double>(teams.teams)).c_str(), teams.inside_s, teams.outside_s, teams.largest_team,
                 teams.mean_team());
  }
  return text;
}

// Longest first.
std::string places_text(const Job& job) {
  if (job.openmp_regions.empty()) return {};
  std::string text =
      "\n  region of OpenMP                          count   time s  mean team  parallel eff.  load balance  "
      "fork-join\n";
  for (std::size_t i = 0; i < std::min(kMostRegions, job.openmp_regions.size()); ++i) {
    const TeamPlaceFigures& one = job.openmp_regions[i];
    text += line("  %-40s %6s %8.3f  %9.2f  %13s  %12s  %9s\n", shortened(one.place, 40).c_str(),
                 count(static_cast<double>(one.count)).c_str(), one.wall_s, one.mean_team(),
                 ratio(one.parallel()).c_str(), ratio(one.load_balance()).c_str(), ratio(one.fork_join()).c_str());
  }
  if (job.openmp_regions.size() > kMostRegions) {
    text += line("  and %zu more\n", job.openmp_regions.size() - kMostRegions);
  }
  return text;
}

}  // namespace

std::string openmp_text_of(const Job& job) { return regions_text(job) + places_text(job); }

}  // namespace comity::metrics
