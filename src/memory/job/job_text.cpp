// SPDX-License-Identifier: BSD-3-Clause
// A job's memory, for people.
#include <algorithm>
#include <array>
#include <cstdio>
#include <set>

#include "memory/component.hpp"
#include "memory/job/job.hpp"
#include "memory/job/job_doubts.hpp"
#include "memory/job/last_totals.hpp"
#include "memory/job/mib.hpp"
#include "memory/job/nodes.hpp"
#include "memory/job/places/lines.hpp"
#include "memory/job/spread.hpp"
#include "memory/rank/delta.hpp"
#include "memory/rank/growth.hpp"

namespace comity::memory {
namespace {

constexpr const char* kMpiAndMore = "MPI and what it brings";

std::string most_of(const std::string& name, const Spread& most) {
  std::array<char, 200> text{};
  std::snprintf(text.data(), text.size(), "  %-24s %9.2f %5d %9.2f %5d %9.2f %8.2f", name.c_str(), most.most / kMiB,
                most.most_rank, most.least / kMiB, most.least_rank, most.mean / kMiB, most.deviation / kMiB);
  return text.data();
}

template <typename Peak, typename Last>
std::string line_of(const Job& job, const std::string& name, Peak&& peak, Last&& last) {
  std::array<char, 48> end{};
  std::snprintf(end.data(), end.size(), " %10.2f\n",
                spread_of(job, last).mean * static_cast<double>(job.ranks.size()) / kMiB);
  return most_of(name, spread_of(job, peak)) + end.data();
}

// At the end nobody tells of it.
std::string untold_row(const Job& job) {
  if (!tells_untold(job)) return {};
  return most_of("not told, at the peak", spread_of(job, [](const RankMemory& rank) { return untold_at_peak(rank); })) +
         '\n';
}

// Most first.
std::vector<std::string> names_by_peak(const Job& job) {
  std::map<std::string, std::int64_t> most;
  for (const RankMemory& rank : job.ranks) {
    for (const auto& [name, figures] : rank.components) most[name] = std::max(most[name], figures.peak);
  }
  std::vector<std::string> names;
  for (const auto& [name, bytes] : most) {
    if (bytes >= kLeastShown_bytes) names.push_back(name);
  }
  std::stable_sort(names.begin(), names.end(),
                   [&](const std::string& a, const std::string& b) { return most[a] > most[b]; });
  return names;
}

const RankMemory& rank_with_most(const Job& job) {
  return *std::max_element(job.ranks.begin(), job.ranks.end(), [](const RankMemory& a, const RankMemory& b) {
    return a.peak_rss_bytes < b.peak_rss_bytes;
  });
}

std::string where_text(const std::string& where) {
  if (where.empty()) return "";
  return where == kBetweenCalls ? ", seen between calls" : ", seen behind " + where;
}

std::string where_text(const RiseFigures& rise) {
  return rise.before_ns == 0 ? ", behind the last look" : ", between two looks";
}

std::string verdict(const Job& job) {
  const RankMemory& most = rank_with_most(job);
  const std::optional<RiseFigures> rise = most.unseen_peak();
  std::array<char, 300> text{};
  std::snprintf(text.data(), text.size(),
                "memory: rank %d had most, %.1f MiB%s%s%s; MPI's own was %.1f MiB there at the most, the application's "
                "%.1f MiB\n",
                most.rank, static_cast<double>(most.peak_rss_bytes) / kMiB, most.host.empty() ? "" : " on ",
                most.host.c_str(), (rise ? where_text(*rise) : where_text(most.seen_peak(kTotalName).where)).c_str(),
                static_cast<double>(most.of("mpi").peak) / kMiB,
                static_cast<double>(most.of("application").peak) / kMiB);
  return text.data();
}

// Of the rank with most of it: small blocks that count nowhere, because all that is resident leaves no room for them.
std::string untouched_lines(const Job& job) {
  std::map<std::string, std::pair<std::int64_t, int>> most;
  for (const RankMemory& rank : job.ranks) {
    for (const auto& [name, figures] : rank.components) {
      if (figures.untouched > most[name].first) most[name] = {figures.untouched, rank.rank};
    }
  }
  std::string lines;
  for (const auto& [name, figures] : most) {
    const auto& [bytes, rank] = figures;
    if (bytes < std::int64_t{1} << 20U) continue;
    std::array<char, 160> text{};
    std::snprintf(text.data(), text.size(),
                  "  %s, rank %d: up to %.2f MiB in small blocks were not resident, by what all leaves room for\n",
                  name.c_str(), rank, static_cast<double>(bytes) / kMiB);
    lines += text.data();
  }
  return lines;
}

// What a record had no room for but in short.
std::string short_line(const Job& job) {
  std::set<std::string> tables;
  std::size_t ranks = 0;
  for (const RankMemory& rank : job.ranks) {
    tables.insert(rank.in_short.begin(), rank.in_short.end());
    if (!rank.in_short.empty()) ++ranks;
  }
  if (ranks == 0) return {};
  std::string names;
  for (const std::string& name : tables) names.append(names.empty() ? "" : ", ").append(name);
  return "  told in short or left out, for want of room, on " + std::to_string(ranks) + " ranks: " + names +
         ". A record with more room tells all: comity run --record DIR --record-budget KB\n";
}

// Of the rank with the largest part far away, for where one binding is wrong all are as a rule.
std::string far_lines(const Job& job) {
  const auto part = [](const RankMemory& rank) {
    const auto far = static_cast<double>(rank.nearness.far_bytes);
    return far / std::max(1.0, far + static_cast<double>(rank.nearness.near_bytes));
  };
  const auto most = std::max_element(job.ranks.begin(), job.ranks.end(),
                                     [&](const RankMemory& a, const RankMemory& b) { return part(a) < part(b); });
  const auto count = std::count_if(job.ranks.begin(), job.ranks.end(),
                                   [](const RankMemory& rank) { return rank.nearness.is_mostly_far(); });
  if (count == 0) return {};
  const std::string others = count > 1 ? " So it is of " + std::to_string(count) + " ranks." : "";
  return "  WARNING: " + far_warning("rank " + std::to_string(most->rank), most->nearness, most->cpus) + others + '\n';
}

std::string method_line(const Job& job) {
  const bool all_know =
      std::all_of(job.ranks.begin(), job.ranks.end(), [](const auto& rank) { return rank.knows_owners; });
  if (all_know) return {};
  return "  who asked for memory is not known, for libcomity_memory.so was not preloaded: blocks count as heap\n";
}

// Of the rank where that was longest.
std::string off_line(const Job& job) {
  const RankMemory& longest = *std::max_element(
      job.ranks.begin(), job.ranks.end(), [](const RankMemory& a, const RankMemory& b) { return a.off_ns < b.off_ns; });
  if (longest.off_ns == 0) return {};
  std::array<char, 200> text{};
  std::snprintf(text.data(), text.size(),
                "  nothing was recorded for %.3g s on rank %d (MPI_Pcontrol(0), `comity memory off`): what came and "
                "went then is not told\n",
                1e-9 * static_cast<double>(longest.off_ns), longest.rank);
  return text.data();
}

// Of a job that was killed as a whole, thousands: then their number counts.
std::string cut_off_lines(const Job& job) {
  constexpr std::size_t kMostNamed = 4;
  std::string lines;
  std::size_t found = 0;
  for (const RankMemory& rank : job.ranks) {
    if (!rank.cut_off_ns || ++found > kMostNamed) continue;
    std::array<char, 200> text{};
    std::snprintf(text.data(), text.size(),
                  "  rank %d told no end: what it had is as of its last look, %.3f s after MPI_Init; what came behind "
                  "that nobody knows\n",
                  rank.rank, rank.after_init_s(*rank.cut_off_ns).value_or(0));
    lines += text.data();
  }
  if (found > kMostNamed) lines += "  nor did " + std::to_string(found - kMostNamed) + " more ranks\n";
  return lines;
}

// Of the rank that would have most by that rule.
std::string delta_lines(const Job& job) {
  const RankMemory* most = nullptr;
  for (const RankMemory& rank : job.ranks) {
    if (rank.delta && (most == nullptr || rank.delta->peak > most->delta->peak)) most = &rank;
  }
  if (most == nullptr) return {};
  const DeltaFigures& delta = *most->delta;
  std::array<char, 500> text{};
  std::snprintf(
      text.data(), text.size(),
      "  by the rule that what changes during calls of MPI is MPI's%s: %.2f MiB at the most on rank %d,\n  %.2f "
      "MiB at the end; %lld of its %lld samples cannot be (more than there was, or less than nothing);\n  looking took "
      "%.3g s of %.3g s: the run took at least %.3g times as long, and more where ranks wait for each other's looks\n",
      delta.method == kDeltaPssMethod ? " (shares, without Comity's libraries)" : "",
      static_cast<double>(delta.peak) / kMiB, most->rank, static_cast<double>(delta.last) / kMiB,
      static_cast<long long>(delta.impossible), static_cast<long long>(delta.samples),
      1e-9 * static_cast<double>(delta.cost_ns), 1e-9 * static_cast<double>(delta.elapsed_ns), delta.slow_down());
  return text.data() + first_impossible_text_of(*most);
}

}  // namespace

std::string page_of(const Job& job, const Together& together) {
  if (job.ranks.empty()) return {};
  return text_of(job) + nodes_text_of(job, together) + last_totals_text_of(job) + least_available_text_of(job) +
         text_of(together) + statistics_text_of(job) + baselines_text_of(job) + moments_text_of(job) +
         numa_text_of(job) + segments_text_of(job) + growth_text_of(job) + regions_text_of(job) + paths_text_of(job) +
         touches_text_of(job) + variables_text_of(job) + held_text_of(job);
}

std::string text_of(const Job& job) {
  if (job.ranks.empty()) return {};
  std::string text = verdict(job) + error_lines(job) + unplaced_line(job) + method_line(job) + off_line(job) +
                     cut_off_lines(job) + residual_lines(job) + untold_lines(job) + approximate_lines(job) +
                     far_lines(job);
  text += "  the most that each had [MiB]      most  rank     least  rank      mean       sd    end, sum\n";
  for (const std::string& name : names_by_peak(job)) {
    text += line_of(
        job, name, [&](const RankMemory& rank) { return rank.of(name).peak; },
        [&](const RankMemory& rank) { return rank.of(name).last; });
  }
  text += line_of(
      job, kMpiAndMore, [](const RankMemory& rank) { return rank.with_mpi().peak; },
      [](const RankMemory& rank) { return rank.with_mpi().last; });
  text += untold_row(job);
  text += line_of(
      job, "total, resident", [](const RankMemory& rank) { return rank.peak_rss_bytes; },
      [](const RankMemory& rank) { return rank.last_rss_bytes(); });
  return text + untouched_lines(job) + short_line(job) + delta_lines(job) + objects_text_of(job) + '\n';
}

}  // namespace comity::memory
