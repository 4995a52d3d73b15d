// SPDX-License-Identifier: BSD-3-Clause
#include "metrics/rank/nesting.hpp"

#include <algorithm>
#include <string>

namespace comity::metrics {

Region Nesting::named(std::size_t depth) const {
  return depth == 0 ? kWholeRun : regions_[std::min(depth, kDeepest) - 1];
}

// Where memory runs out the region is that around it.
void Nesting::enter(Regions& regions, std::string_view name, std::int64_t now_ns) {
  const Region outer = innermost();
  if (depth_ < kDeepest) {
    regions_[depth_] = outer;
    begun_ns_[depth_] = now_ns;
  }
  ++depth_;
  if (depth_ <= kDeepest) regions_[depth_ - 1] = regions.inside(outer, name);
}

bool Nesting::leave(Regions& regions) {
  --depth_;
  if (depth_ >= stands_at_) return false;
  stands_at_ = depth_;
  place_level(regions);
  return has_region_of_level();
}

void Nesting::set_level(Regions& regions, int level) {
  forget_level(regions);
  level_ = level;
  stands_at_ = depth_;
  place_level(regions);
}

// Regions that were begun since it was set lose it from their paths.
void Nesting::forget_level(Regions& regions) {
  if (!has_region_of_level()) return;
  Region was_outer = region_of_level_;
  for (std::size_t i = stands_at_; i < std::min(depth_, kDeepest); ++i) {
    const Region was = regions_[i];
    regions_[i] = was == was_outer ? named(i) : regions.inside(named(i), regions.name(was));
    was_outer = was;
  }
}

void Nesting::place_level(Regions& regions) {
  if (!has_region_of_level()) return;
  region_of_level_ = named(depth_);
  region_of_level_ = regions.inside(named(depth_), "MPI_Pcontrol(" + std::to_string(level_) + ")");
}

}  // namespace comity::metrics
