// SPDX-License-Identifier: BSD-3-Clause
// ClockMap: times of one rank on the clock of rank 0, from the offsets that were measured at the rank's begin and end: linear
// between them, for clocks drift, and as they were before and after. Not: who measures.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace comity::record {

class ClockMap {
 public:
  struct Point {
    std::int64_t at_ns;                      // on the rank's clock
    std::int64_t offset_ns;                  // rank 0's clock minus the rank's
    std::optional<std::int64_t> error_ns{};  // how far off it is at the most; none: nobody tells
  };

  ClockMap() = default;  // one clock
  ClockMap(Point begin, Point end) : begin_(begin), end_(end), known_(true) {}
  // From the facts of a rank. With the first measurement only (a killed rank) its offset holds throughout; without any, or
  // where the facts are no numbers, the clocks are taken as one.
  [[nodiscard]] static ClockMap from_facts(const std::map<std::string, std::string>& facts);

  [[nodiscard]] bool is_known() const { return known_; }
  [[nodiscard]] std::int64_t on_rank_0(std::int64_t time_ns) const;
  // How far off that is at the most, between the two measurements and where clocks drift evenly. None: nobody tells.
  [[nodiscard]] std::optional<std::int64_t> error_ns() const {
    if (!begin_.error_ns || !end_.error_ns) return std::nullopt;
    return std::max(*begin_.error_ns, *end_.error_ns);
  }

 private:
  Point begin_{};
  Point end_{};
  bool known_ = false;
};

}  // namespace comity::record
