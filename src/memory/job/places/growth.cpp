// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a job grew by, behind which functions and in which regions: for people, and for programs.
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "base/csv.hpp"
#include "memory/job/job.hpp"
#include "memory/job/mib.hpp"
#include "memory/job/places/lines.hpp"
#include "memory/job/sum.hpp"
#include "memory/rank/growth.hpp"
#include "memory/rank/own_ledger.hpp"

namespace comity::memory {
namespace {

using Json = nlohmann::ordered_json;

struct Line {
  std::string where;
  std::map<std::string, std::int64_t> grown;  // by component, of all ranks
  std::int64_t times = 0;
  std::int64_t largest = 0;
  int largest_rank = 0;

  [[nodiscard]] std::int64_t of(const std::string& component) const {
    const auto found = grown.find(component);
    return found == grown.end() ? 0 : found->second;
  }
};

std::string place_of(const GrowthFigures& figures) {
  const bool is_in_none = figures.region == kWholeRun || figures.region == kElsewhere;
  return is_in_none ? figures.function : figures.function + " in " + figures.region;
}

// What grew most first.
std::vector<Line> lines_of(const Job& job) {
  std::map<std::string, Line> by_place;
  for (const RankMemory& rank : job.ranks) {
    for (const GrowthFigures& figures : rank.growth) {
      Line& line = by_place[place_of(figures)];
      line.where = place_of(figures);
      add_to(line.grown[figures.component], figures.grown);
      if (figures.component != kTotalName) continue;
      add_to(line.times, figures.times);
      if (figures.largest > line.largest) line.largest = figures.largest, line.largest_rank = rank.rank;
    }
  }
  std::vector<Line> lines;
  for (auto& [where, line] : by_place) {
    if (line.of(kTotalName) >= kLeastShown_bytes) lines.push_back(std::move(line));
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line& a, const Line& b) { return a.of(kTotalName) > b.of(kTotalName); });
  return lines;
}

std::string text_of(const Line& line) {
  std::array<char, 160> figures{};
  std::snprintf(figures.data(), figures.size(), "  %10.2f %9.2f %11.2f %8lld %9.2f %5d  ",
                static_cast<double>(line.of(kTotalName)) / kMiB, static_cast<double>(line.of("mpi")) / kMiB,
                static_cast<double>(line.of("application")) / kMiB, static_cast<long long>(line.times),
                static_cast<double>(line.largest) / kMiB, line.largest_rank);
  return figures.data() + line.where + '\n';
}

}  // namespace

std::string growth_text_of(const Job& job) {
  const std::vector<Line> lines = lines_of(job);
  if (lines.empty()) return {};
  std::string text =
      "  grew by [MiB, all ranks]                     most at once\n"
      "         all       mpi application    times       MiB  rank  seen behind\n";
  for (std::size_t i = 0; i < std::min(lines.size(), kMostLines); ++i) text += text_of(lines[i]);
  return text + more_lines(lines.size(), "places", "memory-growth") + '\n';
}

Json growth_json_of(const RankMemory& rank) {
  Json rows = Json::array();
  for (const GrowthFigures& figures : rank.growth) {
    rows.push_back({{"function", figures.function},
                    {"region", figures.region},
                    {"component", figures.component},
                    {"grown_bytes", figures.grown},
                    {"shrunk_bytes", figures.shrunk},
                    {"times", figures.times},
                    {"largest_bytes", figures.largest}});
  }
  return rows;
}

std::string growth_rows_of(const Job& job) {
  std::string text = "rank,function,region,component,grown_bytes,shrunk_bytes,times,largest_bytes\n";
  for (const RankMemory& rank : job.ranks) {
    for (const GrowthFigures& figures : rank.growth) {
      text += std::to_string(rank.rank);
      for (const std::string* const word : {&figures.function, &figures.region, &figures.component}) {
        text += ',' + csv_text(*word);
      }
      for (const std::int64_t number : {figures.grown, figures.shrunk, figures.times, figures.largest}) {
        text += ',' + std::to_string(number);
      }
      text += '\n';
    }
  }
  return text;
}

}  // namespace comity::memory
