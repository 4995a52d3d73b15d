// SPDX-License-Identifier: BSD-3-Clause
// A job's memory, for people.
#include <algorithm>
#include <array>
#include <cstdio>
#include <set>

#include "memory/component.hpp"
#include "memory/job/job.hpp"
#include "memory/job/mib.hpp"
#include "memory/job/nodes.hpp"
#include "memory/job/places/lines.hpp"
#include "memory/job/spread.hpp"
#include "memory/rank/delta.hpp"
#include "memory/rank/growth.hpp"
#include "memory/rank/quick_count.hpp"

namespace comity::memory {
namespace {

constexpr const char* kMpiAndMore = "MPI and what it brings";

template <typename Peak, typename Last>
std::string line_of(const Job& job, const std::string& name, Peak&& peak, Last&& last) {
  const Spread most = spread_of(job, peak);
  const Spread end = spread_of(job, last);
  std::array<char, 200> text{};
  std::snprintf(text.data(), text.size(), "  %-24s %9.2f %5d %9.2f %5d %9.2f %8.2f %10.2f\n", name.c_str(),
                most.most / kMiB, most.most_rank, most.least / kMiB, most.least_rank, most.mean / kMiB,
                most.deviation / kMiB, end.mean * static_cast<double>(job.ranks.size()) / kMiB);
  return text.data();
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

double part_of_residual(const TotalFigures& moment) {
  return std::abs(static_cast<double>(moment.of("residual_bytes"))) / static_cast<double>(moment.of("pss_bytes"));
}

// How much of what all mappings have components do not come to, where that is most.
std::string residual_line(const Job& job) {
  const RankMemory* where = nullptr;
  const TotalFigures* most = nullptr;
  for (const RankMemory& rank : job.ranks) {
    for (const TotalFigures& moment : rank.totals) {
      if (moment.of("pss_bytes") <= 0) continue;
      if (most != nullptr && part_of_residual(*most) >= part_of_residual(moment)) continue;
      where = &rank;
      most = &moment;
    }
  }
  if (most == nullptr) return {};
  std::array<char, 200> text{};
  std::snprintf(text.data(), text.size(),
                "  not attributed of what all mappings have (PSS): %.2f %% at the most, on rank %d, %s\n",
                100 * part_of_residual(*most), where->rank, most->moment.c_str());
  return text.data();
}

// A per cent of what is resident and more.
std::string residual_lines(const Job& job) {
  std::string lines = residual_line(job);
  for (const RankMemory& rank : job.ranks) {
    for (const TotalFigures& moment : rank.totals) {
      const std::int64_t pss = moment.of("pss_bytes");
      const std::int64_t residual = moment.of("residual_bytes");
      if (std::abs(residual) * 100 <= pss) continue;
      lines += "  WARNING: rank " + std::to_string(rank.rank) + ", " + moment.moment + ": " +
               std::to_string(residual / 1024) + " KiB of " + std::to_string(pss / 1024) +
               " are not attributed: the process changed while it was looked at\n";
    }
  }
  return lines;
}

bool tells_untold(const Job& job) {
  return std::any_of(job.ranks.begin(), job.ranks.end(),
                     [](const RankMemory& rank) { return rank.peak_untold.has_value(); });
}

double part_untold(const RankMemory& rank) {
  return static_cast<double>(rank.peak_untold.value_or(0)) / std::max(1.0, static_cast<double>(rank.most_seen_bytes));
}

// How much of the most that a look saw components do not come to, where that is most; and each rank of which it is a per cent and more.
std::string untold_lines(const Job& job) {
  const auto most = std::max_element(job.ranks.begin(), job.ranks.end(), [](const RankMemory& a, const RankMemory& b) {
    return part_untold(a) < part_untold(b);
  });
  if (!tells_untold(job)) return {};
  std::array<char, 200> text{};
  std::snprintf(text.data(), text.size(),
                "  not told whose at the peak: %.2f %% of what was resident at the most, on rank %d\n",
                100 * part_untold(*most), most->rank);
  std::string lines = text.data();
  for (const RankMemory& rank : job.ranks) {
    if (part_untold(rank) <= 0.01) continue;
    std::snprintf(
        text.data(), text.size(),
        "  WARNING: rank %d: at its peak nobody knows whose %.2f of %.2f MiB were: no block's or mapping's that was "
        "seen, and no look found it\n",
        rank.rank, static_cast<double>(*rank.peak_untold) / kMiB, static_cast<double>(rank.most_seen_bytes) / kMiB);
    lines += text.data();
  }
  return lines;
}

// Some kernels count what is resident on each CPU and add up late: statm and status are then off by up to a batch a CPU, smaps is not.
// By how much it was off of a rank, at the most.
std::int64_t quick_count_off(const RankMemory& rank) {
  std::int64_t farthest = rank.quick_count.is_approximate ? rank.quick_count.most_off() : 0;
  for (const TotalFigures& moment : rank.totals) {
    const std::int64_t exact = moment.of("uss_bytes") + moment.of("shared_bytes");
    const std::int64_t off = std::abs(moment.of("rss_bytes") - exact);
    if (exact != 0 && is_off(off, exact)) farthest = std::max(farthest, off);
  }
  return farthest;
}

// What came of exact counts; of a record that has none, what that means.
std::string what_is_exact(const RankMemory& rank) {
  const QuickCountFigures& quick = rank.quick_count;
  if (!quick.is_approximate) {
    return "totals between looks at all pages, and peaks of\n  all that is resident, are no more exact than that\n";
  }
  std::array<char, 300> text{};
  std::snprintf(text.data(), text.size(),
                "between exact counts it is put right by the last one;\n  %s%.1f MiB, as %lld exact counts saw at the "
                "most%s\n",
                rank.peak_rss_bytes == quick.most_exact ? "the rank's peak is " : "there was more than ",
                static_cast<double>(quick.most_exact) / kMiB, static_cast<long long>(quick.exact_counts),
                rank.peak_rss_bytes == quick.most_exact ? "" : ", between two of them: its peak is off by as much");
  return text.data();
}

// Of the rank that is farthest off.
std::string approximate_lines(const Job& job) {
  std::int64_t farthest = 0;
  const RankMemory* which = nullptr;
  for (const RankMemory& rank : job.ranks) {
    const std::int64_t off = quick_count_off(rank);
    if (off <= farthest) continue;
    farthest = off;
    which = &rank;
  }
  if (which == nullptr) return {};
  return "  WARNING: rank " + std::to_string(which->rank) +
         ": this kernel's quick count of resident memory is off by " + std::to_string(farthest / 1024) +
         " KiB of what smaps tells: " + what_is_exact(*which);
}

std::string error_lines(const Job& job) {
  std::string lines;
  for (const RankMemory& rank : job.ranks) {
    if (rank.sum_above_total > 0) {
      lines += "  ERROR: rank " + std::to_string(rank.rank) + ": at " + std::to_string(rank.sum_above_total) + " of " +
               std::to_string(rank.samples) +
               " samples all components together would have more than there was: please report it with this page\n";
    }
    if (rank.undecided > 0) {
      lines += "  WARNING: rank " + std::to_string(rank.rank) + ": at " + std::to_string(rank.undecided) + " of " +
               std::to_string(rank.samples) +
               " samples components have more than the kernel's quick count has, and nobody asked for an exact one:\n" +
               "  that was done a hundred times before, and showed how late it was\n";
    }
    if (rank.mpi_above_total == 0) continue;
    lines += "  ERROR: rank " + std::to_string(rank.rank) + ": at " + std::to_string(rank.mpi_above_total) + " of " +
             std::to_string(rank.samples) +
             " samples MPI would have more than there was: its figures are wrong; please report it with this page\n";
  }
  return lines;
}

// Of the rank with most of them.
std::string unplaced_line(const Job& job) {
  const auto most = std::max_element(job.ranks.begin(), job.ranks.end(), [](const RankMemory& a, const RankMemory& b) {
    return a.unplaced_mappings < b.unplaced_mappings;
  });
  if (most->unplaced_mappings == 0) return {};
  std::array<char, 240> text{};
  std::snprintf(text.data(), text.size(),
                "  WARNING: rank %d: %lld mappings, %.2f MiB over the run, found no place in the table: they are "
                "anonymous or shared here,\n  and whoever asked for them has less than he should\n",
                most->rank, static_cast<long long>(most->unplaced_mappings),
                static_cast<double>(most->unplaced_bytes) / kMiB);
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
      "%.3g s of %.3g s: the run took %.3g times as long\n",
      delta.method == kDeltaPssMethod ? " (shares, without Comity's libraries)" : "",
      static_cast<double>(delta.peak) / kMiB, most->rank, static_cast<double>(delta.last) / kMiB,
      static_cast<long long>(delta.impossible), static_cast<long long>(delta.samples),
      1e-9 * static_cast<double>(delta.cost_ns), 1e-9 * static_cast<double>(delta.elapsed_ns), delta.slow_down());
  return text.data();
}

}  // namespace

std::string page_of(const Job& job, const Together& together) {
  if (job.ranks.empty()) return {};
  return text_of(job) + nodes_text_of(job, together) + least_available_text_of(job) + text_of(together) +
         statistics_text_of(job) + baselines_text_of(job) + moments_text_of(job) + numa_text_of(job) +
         segments_text_of(job) + growth_text_of(job) + regions_text_of(job) + paths_text_of(job) +
         touches_text_of(job) + variables_text_of(job) + held_text_of(job);
}

std::string text_of(const Job& job) {
  if (job.ranks.empty()) return {};
  std::string text = verdict(job) + error_lines(job) + unplaced_line(job) + method_line(job) + off_line(job) +
                     residual_lines(job) + untold_lines(job) + approximate_lines(job) + far_lines(job);
  text += "  the most that each had [MiB]      most  rank     least  rank      mean       sd    end, sum\n";
  for (const std::string& name : names_by_peak(job)) {
    text += line_of(
        job, name, [&](const RankMemory& rank) { return rank.of(name).peak; },
        [&](const RankMemory& rank) { return rank.of(name).last; });
  }
  text += line_of(
      job, kMpiAndMore, [](const RankMemory& rank) { return rank.with_mpi().peak; },
      [](const RankMemory& rank) { return rank.with_mpi().last; });
  if (tells_untold(job)) {
    text += line_of(
        job, "not told, at the peak", [](const RankMemory& rank) { return rank.peak_untold.value_or(0); },
        [](const RankMemory&) { return std::int64_t{0}; });
  }
  text += line_of(
      job, "total, resident", [](const RankMemory& rank) { return rank.peak_rss_bytes; },
      [](const RankMemory& rank) { return rank.last_rss_bytes(); });
  return text + untouched_lines(job) + short_line(job) + delta_lines(job) + objects_text_of(job) + '\n';
}

}  // namespace comity::memory
