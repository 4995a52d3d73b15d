// SPDX-License-Identifier: BSD-3-Clause
// Nesting: the regions that a thread is in, and the level of MPI_Pcontrol that is in force, which stands among them as
// a region of its own: inside those that were begun before it was set, around those begun after. It outlives the region
// in which it was set, and then stands where that stood.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "metrics/rank/regions.hpp"

namespace comity::metrics {

// MPI's: 0 collects nothing, 1 is where a run begins, 2 is the same and brings all up to date; others are the
// program's.
inline constexpr int kPaused = 0;
inline constexpr int kNormal = 1;
inline constexpr int kFlush = 2;

// Of one thread, and as it begins all zeroes but for the level. All but the questions throw std::bad_alloc; what is
// where then stays right, but for names of paths.
class Nesting {
 public:
  static constexpr std::size_t kDeepest = 64;  // further regions belong to the one that is so deep

  void enter(Regions& regions, std::string_view name, std::int64_t now_ns);
  // True: the level came out with it. Not in none.
  bool leave(Regions& regions);
  void set_level(Regions& regions, int level);

  [[nodiscard]] bool in_none() const { return depth_ == 0; }
  [[nodiscard]] bool paused() const { return level_ == kPaused; }
  [[nodiscard]] bool has_region_of_level() const { return level_ != kPaused && level_ != kNormal && level_ != kFlush; }
  // Regions that were begun and not ended; of a level none. Those deeper than kDeepest are not among them.
  struct Open {
    Region region;
    std::int64_t begin_ns;
  };
  [[nodiscard]] std::size_t depth() const { return depth_; }
  [[nodiscard]] Open open(std::size_t depth) const { return {named(depth), begun_ns_[depth - 1]}; }  // 1 to kDeepest
  [[nodiscard]] Region innermost() const { return stands_inside() ? region_of_level_ : named(depth_); }

 private:
  [[nodiscard]] bool stands_inside() const { return has_region_of_level() && stands_at_ == depth_; }
  // The region with that many around and in it.
  [[nodiscard]] Region named(std::size_t depth) const;
  void forget_level(Regions& regions);
  void place_level(Regions& regions);

  std::size_t depth_ = 0;
  std::size_t stands_at_ = 0;  // how many regions are around the level
  int level_ = kNormal;
  Region region_of_level_ = kWholeRun;
  Region regions_[kDeepest] = {};  // with the level in the paths of those inside it
  std::int64_t begun_ns_[kDeepest] = {};
};

}  // namespace comity::metrics
