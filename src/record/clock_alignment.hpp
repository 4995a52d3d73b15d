// SPDX-License-Identifier: BSD-3-Clause
// How far a rank's clock is from rank 0's, measured by round trips of messages: of several the shortest counts, because half
// of it bounds the error. One rank of each clock measures, against one nearer to rank 0 in a binary tree, so that the time it
// takes grows with the logarithm of their number. Not: how readers use it (clock_map), nor which ranks share a clock.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "record/merge/exchange.hpp"

namespace comity::record {

struct ClockReading {
  std::int64_t at_ns = 0;      // on this rank's clock
  std::int64_t offset_ns = 0;  // rank 0's clock minus this rank's
  std::int64_t error_ns =
      0;  // the true offset is no further away than this, but for the clocks' drift during the measurement
};

// Collective; all at about the same time, for who comes late lets others wait. `clock_of_rank`: of all ranks, the same on all;
// equal numbers are one clock, and no number is larger than the ranks are many. `now`: this rank's clock.
[[nodiscard]] ClockReading read_clock(Exchange& exchange, const std::vector<std::uint32_t>& clock_of_rank,
                                      const std::function<std::int64_t()>& now);

enum class ClockMoment : std::uint8_t { begin, end };  // of the run

// As readers expect it.
[[nodiscard]] std::map<std::string, std::string> clock_facts(ClockMoment moment, const ClockReading& reading);

}  // namespace comity::record
