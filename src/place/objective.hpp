// SPDX-License-Identifier: BSD-3-Clause
// Objective: which of two cuts is better. Not: how to find one (mapper.hpp).
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <vector>

#include "place/cut.hpp"

namespace comity::place {

enum class Aim : std::uint8_t {
  worst,  // the node with most, then the sum; then the same of the next level
  sum,    // the sum, then the node with most; then the same of the next level
  time,  // all levels' worst, each times its cost, added up; then their sums in the same manner; then `worst` at levels of no cost
  hops,  // the links of a torus times what goes over them (torus.hpp); what knows no torus takes it as `sum`
};

inline constexpr Weight kNoLimit = std::numeric_limits<Weight>::max();

struct Objective {
  Aim aim = Aim::worst;
  std::vector<double> costs = {};    // of time: one a level; empty: each level costs a tenth of the one before
  std::vector<Weight> at_most = {};  // one a level: what `worst` may not exceed if it can be helped; empty: no limit

  [[nodiscard]] double cost(std::size_t level) const;
  [[nodiscard]] Weight limit(std::size_t level) const { return level < at_most.size() ? at_most[level] : kNoLimit; }
};

// The same for a site without the outermost so many of these levels.
[[nodiscard]] Objective without_outer(const Objective& objective, std::size_t outer, std::size_t levels);

// What `time` makes small: the worst of each level times its cost, added up.
[[nodiscard]] double time_of(const Objective& objective, const Cut& cut);

// Smaller is better, compared like words: first by what limits are exceeded by, then by the aim.
using Key = std::vector<double>;
[[nodiscard]] Key key_of(const Objective& objective, const Cut& cut);
// Whether what is worse at the first level cannot be made up for inside: time weighs levels against one another, and inner levels may
// have limits.
[[nodiscard]] bool first_level_decides(const Objective& objective, std::size_t levels);
// The same of so many levels from the first one on, together.
[[nodiscard]] bool first_levels_decide(const Objective& objective, std::size_t first, std::size_t levels);
// By the first level alone, for those who know no other yet.
[[nodiscard]] Key key_of(const Objective& objective, const Crossing& nodes);
// Whether a mapping onto a site of so many levels, of which this crosses between nodes, has a larger key than this one, whatever it has inside.
[[nodiscard]] bool is_worse_whatever_inside(const Objective& objective, std::size_t levels, const Crossing& nodes,
                                            const Cut& than);

}  // namespace comity::place
