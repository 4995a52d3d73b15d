// SPDX-License-Identifier: BSD-3-Clause
#include "memory/job/job_doubts.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "memory/job/mib.hpp"
#include "memory/rank/quick_count.hpp"

namespace comity::memory {
namespace {

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

double part_untold(const RankMemory& rank) {
  return static_cast<double>(untold_at_peak(rank).value_or(0)) /
         std::max(1.0, static_cast<double>(rank.peak_rss_bytes));
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

}  // namespace

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
               "  a hundred before had shown how late it was, or it was looked while the rank made no call, or another "
               "thread did\n";
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

// What no look saw nobody knows either: the kernel's mark alone tells of it.
std::optional<std::int64_t> untold_at_peak(const RankMemory& rank) {
  constexpr std::int64_t kParts = 100;  // by less the mark and looks may differ
  if (!rank.peak_untold) return std::nullopt;
  const std::int64_t unseen = std::max<std::int64_t>(0, rank.peak_rss_bytes - rank.most_seen_bytes);
  return *rank.peak_untold + (unseen > rank.most_seen_bytes / kParts ? unseen : 0);
}

bool tells_untold(const Job& job) {
  return std::any_of(job.ranks.begin(), job.ranks.end(),
                     [](const RankMemory& rank) { return rank.peak_untold.has_value(); });
}

// How much of the most that there was components do not come to, where that is most; from a per cent on aloud.
std::string untold_lines(const Job& job) {
  constexpr double kMuch = 0.01;
  if (!tells_untold(job)) return {};
  const auto most = std::max_element(job.ranks.begin(), job.ranks.end(), [](const RankMemory& a, const RankMemory& b) {
    return part_untold(a) < part_untold(b);
  });
  std::array<char, 200> text{};
  std::snprintf(text.data(), text.size(),
                "  not told whose at the peak: %.2f %% of what was resident at the most, on rank %d\n",
                100 * part_untold(*most), most->rank);
  std::string lines = text.data();
  const auto count = std::count_if(job.ranks.begin(), job.ranks.end(),
                                   [](const RankMemory& rank) { return part_untold(rank) > kMuch; });
  if (count == 0) return lines;
  std::snprintf(
      text.data(), text.size(),
      "  WARNING: rank %d: at its peak nobody knows whose %.2f of %.2f MiB were: no block's or mapping's that "
      "was seen, and no look found it",
      most->rank, static_cast<double>(untold_at_peak(*most).value_or(0)) / kMiB,
      static_cast<double>(most->peak_rss_bytes) / kMiB);
  return lines + text.data() + (count > 1 ? ". So it is of " + std::to_string(count) + " ranks." : "") + '\n';
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

}  // namespace comity::memory
