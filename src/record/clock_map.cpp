// SPDX-License-Identifier: BSD-3-Clause
#include "record/clock_map.hpp"

#include <charconv>
#include <optional>

#include "record/merge/names.hpp"

namespace comity::record {
namespace {

using Facts = std::map<std::string, std::string>;

std::optional<std::int64_t> number(const Facts& facts, const char* key) {
  const auto found = facts.find(key);
  if (found == facts.end()) return std::nullopt;
  const std::string& text = found->second;
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<ClockMap::Point> point(const Facts& facts, const char* at, const char* offset, const char* error) {
  const auto at_ns = number(facts, at);
  const auto offset_ns = number(facts, offset);
  if (!at_ns || !offset_ns) return std::nullopt;
  auto error_ns = number(facts, error);
  if (error_ns && *error_ns < 0) error_ns.reset();
  return ClockMap::Point{.at_ns = *at_ns, .offset_ns = *offset_ns, .error_ns = error_ns};
}

// Whatever a damaged record holds, a sum is one.
std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

}  // namespace

ClockMap ClockMap::from_facts(const Facts& facts) {
  const auto begin = point(facts, kOffsetBeginAtFact, kOffsetBeginFact, kOffsetBeginErrorFact);
  const auto end = point(facts, kOffsetEndAtFact, kOffsetEndFact, kOffsetEndErrorFact);
  if (!begin && !end) return {};
  return {begin.value_or(end.value_or(Point{})), end.value_or(begin.value_or(Point{}))};
}

std::int64_t ClockMap::on_rank_0(std::int64_t time_ns) const {
  if (time_ns <= begin_.at_ns || begin_.at_ns >= end_.at_ns) return wrapping_sum(time_ns, begin_.offset_ns);
  if (time_ns >= end_.at_ns) return wrapping_sum(time_ns, end_.offset_ns);
  const double drift_ns = static_cast<double>(end_.offset_ns) - static_cast<double>(begin_.offset_ns);
  const double done = (static_cast<double>(time_ns) - static_cast<double>(begin_.at_ns)) /
                      (static_cast<double>(end_.at_ns) - static_cast<double>(begin_.at_ns));
  constexpr double kMost_ns = 9e18;
  const double more_ns = drift_ns * done;
  if (!(more_ns < kMost_ns && more_ns > -kMost_ns)) return wrapping_sum(time_ns, begin_.offset_ns);
  return wrapping_sum(wrapping_sum(time_ns, begin_.offset_ns), static_cast<std::int64_t>(more_ns));
}

}  // namespace comity::record
