// SPDX-License-Identifier: BSD-3-Clause
#include "memory/job/older_page.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "memory/job/mib.hpp"
#include "memory/job/places/lines.hpp"
#include "memory/job/spread.hpp"
#include "memory/job/sum.hpp"

namespace comity::memory {
namespace {

using Json = nlohmann::ordered_json;
using FunctionCalls = std::pair<std::string, DeltaFigures::Calls>;

struct OlderFigure {
  const char* key;
  const char* name;
  std::int64_t (*of)(const RankMemory&);
};

constexpr std::array kOlderFigures{
    OlderFigure{"mpi", "MPI's", &delta_peak_of},
    OlderFigure{"total", "all", [](const RankMemory& rank) { return rank.peak_rss_bytes; }}};

const std::string& host_of(const Job& job, int number) {
  return std::find_if(job.ranks.begin(), job.ranks.end(), [&](const RankMemory& one) { return one.rank == number; })
      ->host;
}

// Of all ranks, those first that grew most.
std::vector<FunctionCalls> by_growth(const Job& job) {
  std::map<std::string, DeltaFigures::Calls> sums;
  for (const RankMemory& rank : job.ranks) {
    for (const auto& [function, calls] : rank.delta->by_function) {
      DeltaFigures::Calls& sum = sums[function];
      add_to(sum.calls, calls.calls);
      add_to(sum.grown, calls.grown);
      add_to(sum.shrunk, calls.shrunk);
      add_to(sum.impossible, calls.impossible);
    }
  }
  std::vector<FunctionCalls> all(sums.begin(), sums.end());
  std::stable_sort(all.begin(), all.end(),
                   [](const FunctionCalls& a, const FunctionCalls& b) { return a.second.grown > b.second.grown; });
  return all;
}

std::string figure_line(const Job& job, const OlderFigure& figure) {
  const Spread spread = spread_of(job, figure.of);
  std::array<char, 240> text{};
  std::snprintf(text.data(), text.size(), "  %-22s %9.2f %5d %-12.12s %9.2f %5d %-12.12s %9.2f %8.2f\n", figure.name,
                spread.most / kMiB, spread.most_rank, host_of(job, spread.most_rank).c_str(), spread.least / kMiB,
                spread.least_rank, host_of(job, spread.least_rank).c_str(), spread.mean / kMiB,
                spread.deviation / kMiB);
  return text.data();
}

std::string functions_text(const Job& job) {
  const std::vector<FunctionCalls> all = by_growth(job);
  if (all.empty()) return {};
  std::string text = "  MPI's changed in [MiB, all ranks]  grown    shrunk      calls\n";
  for (std::size_t i = 0; i < std::min(all.size(), kMostLines); ++i) {
    const auto& [function, calls] = all[i];
    std::array<char, 160> line{};
    std::snprintf(line.data(), line.size(), "  %-28.28s %11.2f %9.2f %10lld\n", function.c_str(),
                  static_cast<double>(calls.grown) / kMiB, static_cast<double>(calls.shrunk) / kMiB,
                  static_cast<long long>(calls.calls));
    text += line.data();
  }
  return text;
}

Json spread_json(const Job& job, const OlderFigure& figure) {
  const Spread spread = spread_of(job, figure.of);
  const auto end = [&](double bytes, int rank) {
    return Json{{"bytes", bytes}, {"rank", rank}, {"host", host_of(job, rank)}};
  };
  return {{"most", end(spread.most, spread.most_rank)},
          {"least", end(spread.least, spread.least_rank)},
          {"mean_bytes", spread.mean},
          {"sd_bytes", spread.deviation}};
}

}  // namespace

std::string text_of(const OlderRun& run) {
  if (run.job.ranks.empty()) return {};
  std::string text =
      "memnesia's, of " + std::to_string(run.job.ranks.size()) +
      (run.job.ranks.size() == 1 ? " rank of " : " ranks of ") + run.program +
      ": in shares (PSS), MPI's is what its calls changed all by\n"
      "  at the most [MiB]           most  rank host             least  rank host              mean       sd\n";
  for (const OlderFigure& figure : kOlderFigures) text += figure_line(run.job, figure);
  return text + functions_text(run.job);
}

Json json_of(const OlderRun& run) {
  Json figures = {{"tool", "memnesia"}, {"program", run.program}, {"ranks", run.job.ranks.size()}};
  if (run.job.ranks.empty()) return figures;
  for (const OlderFigure& figure : kOlderFigures) figures[figure.key] = spread_json(run.job, figure);
  Json functions = Json::array();
  for (const auto& [function, calls] : by_growth(run.job))
    functions.push_back({{"function", function},
                         {"calls", calls.calls},
                         {"grown_bytes", calls.grown},
                         {"shrunk_bytes", calls.shrunk},
                         {"impossible_calls", calls.impossible}});
  figures["functions"] = std::move(functions);
  return figures;
}

}  // namespace comity::memory
