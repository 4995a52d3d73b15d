// SPDX-License-Identifier: BSD-3-Clause
#include "memory/job/job.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "memory/component.hpp"
#include "memory/job/sum.hpp"
#include "memory/rank/growth.hpp"
#include "memory/rank/stocks.hpp"

namespace comity::memory {
namespace {

bool is_near(std::int64_t a, std::int64_t b) { return std::max(a, b) - std::min(a, b) <= std::max(a, b) / 100; }

}  // namespace

void ComponentFigures::add(const ComponentFigures& more) {
  add_to(peak, more.peak);
  add_to(last, more.last);
  add_to(start, more.start);
  add_to(asked_peak, more.asked_peak);
  add_to(held, more.held);
  add_to(untouched, more.untouched);
}

ComponentFigures RankMemory::of(const std::string& component) const {
  const auto found = components.find(component);
  return found == components.end() ? ComponentFigures{} : found->second;
}

bool is_of_mpi(const std::string& component) {
  static const Components built_in;  // those that come with MPI have names of no user's; it is thousands of bytes
  const std::optional<Component> found = built_in.find(component);
  return found && comes_with_mpi(*found);
}

ComponentFigures RankMemory::with_mpi() const {
  ComponentFigures sum;
  for (const auto& [name, figures] : components) {
    if (is_of_mpi(name)) sum.add(figures);
  }
  return sum;
}

// Reads of several threads at once may take longer than the run.
double DeltaFigures::slow_down() const {
  return cost_ns <= 0 || cost_ns >= elapsed_ns
             ? 1.0
             : static_cast<double>(elapsed_ns) / static_cast<double>(elapsed_ns - cost_ns);
}

std::int64_t TotalFigures::of(const std::string& column) const {
  const auto found = bytes.find(column);
  return found == bytes.end() ? 0 : found->second;
}

bool TotalFigures::tells(std::string_view column) const {
  constexpr std::array<std::string_view, 2> kAtLoad{"rss_bytes", "virtual_bytes"};
  constexpr std::array<std::string_view, 5> kOfMappings{"pss_bytes", "uss_bytes", "shared_bytes", "huge_bytes",
                                                        "residual_bytes"};
  const auto is_one_of = [&](const auto& columns) {
    return std::find(columns.begin(), columns.end(), column) != columns.end();
  };
  if (moment == kMomentNames[static_cast<std::size_t>(Moment::at_load)]) return is_one_of(kAtLoad);
  return of("pss_bytes") > 0 || !is_one_of(kOfMappings);
}

PeakFigures RankMemory::peak(const std::string& component) const {
  const auto found = peaks.find(component);
  return found == peaks.end() ? PeakFigures{} : found->second;
}

PeakFigures RankMemory::seen_peak(const std::string& component) const {
  const bool is_of_all = component == kTotalName;
  const PeakFigures seen = peak(component);
  return is_near(seen.seen, is_of_all ? peak_rss_bytes : of(component).peak) ? seen : PeakFigures{};
}

std::optional<double> RankMemory::after_init_s(std::int64_t time_ns) const {
  if (start_ns == 0 || time_ns == 0) return std::nullopt;
  return 1e-9 * static_cast<double>(time_ns - start_ns);
}

// The mark that was watched is of all that the process ever was, also before it became this program: then it may be higher than what
// this program had.
std::optional<RiseFigures> RankMemory::unseen_peak() const {
  if (!rise || is_near(most_seen_bytes, peak_rss_bytes)) return std::nullopt;
  if (is_near(rise->high_water, peak_rss_bytes)) return rise;
  if (rise->high_water > peak_rss_bytes || rise->last_ns == 0) return std::nullopt;
  return RiseFigures{peak_rss_bytes, rise->last_ns, 0, "", "", "", rise->last_ns};
}

bool Job::has_impossible_samples() const {
  return std::any_of(ranks.begin(), ranks.end(),
                     [](const RankMemory& rank) { return rank.mpi_above_total > 0 || rank.sum_above_total > 0; });
}

std::int64_t RankMemory::last_rss_bytes() const { return totals.empty() ? 0 : totals.back().of("rss_bytes"); }

}  // namespace comity::memory
