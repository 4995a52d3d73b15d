// SPDX-License-Identifier: BSD-3-Clause
// Who has touched the memory of a job's ranks first, beside who owns it: for people, and for programs.
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/csv.hpp"
#include "memory/job/job.hpp"
#include "memory/job/mib.hpp"
#include "memory/job/places/lines.hpp"
#include "memory/job/sum.hpp"

namespace comity::memory {
namespace {

using Json = nlohmann::ordered_json;

// Of all ranks, most first.
std::vector<TouchFigures> told_touches(const Job& job) {
  std::map<std::tuple<std::string, std::string, std::string>, TouchFigures> all;
  for (const RankMemory& rank : job.ranks) {
    for (const TouchFigures& figures : rank.touches) {
      TouchFigures& sum = all[{figures.function, figures.owner, figures.toucher}];
      const TouchFigures before = sum;
      sum = figures;
      add_to(sum.bytes, before.bytes);
      add_to(sum.faults, before.faults);
    }
  }
  std::vector<TouchFigures> touches;
  for (auto& [key, sum] : all) {
    if (sum.bytes >= kLeastShown_bytes) touches.push_back(std::move(sum));
  }
  std::stable_sort(touches.begin(), touches.end(),
                   [](const TouchFigures& a, const TouchFigures& b) { return a.bytes > b.bytes; });
  return touches;
}

std::string line_of(const TouchFigures& touch) {
  std::array<char, 128> figures{};
  std::snprintf(figures.data(), figures.size(), "  %10.2f  %-12s %-12s ", static_cast<double>(touch.bytes) / kMiB,
                touch.owner.c_str(), touch.toucher.c_str());
  return figures.data() + touch.function + '\n';
}

}  // namespace

std::string touches_text_of(const Job& job) {
  const std::vector<TouchFigures> touches = told_touches(job);
  if (touches.empty()) return {};
  const bool tells_all = std::all_of(job.ranks.begin(), job.ranks.end(),
                                     [](const RankMemory& rank) { return rank.tells_touches_of_system_calls; });
  std::string text = std::string("  touched first, as page faults tell") +
                     (tells_all ? "" : ", but for those inside system calls, which this user may not see") +
                     " [MiB, all ranks]\n"
                     "       bytes  owner        touched by   in\n";
  for (std::size_t i = 0; i < std::min(touches.size(), kMostLines); ++i) text += line_of(touches[i]);
  return text + more_lines(touches.size(), "places", "memory-touches") + '\n';
}

Json touches_json_of(const RankMemory& rank) {
  Json rows = Json::array();
  for (const TouchFigures& figures : rank.touches) {
    rows.push_back({{"function", figures.function},
                    {"owner", figures.owner},
                    {"toucher", figures.toucher},
                    {"bytes", figures.bytes},
                    {"faults", figures.faults}});
  }
  return rows;
}

std::string touch_rows_of(const Job& job) {
  std::string text = "rank,function,owner,toucher,bytes,faults\n";
  for (const RankMemory& rank : job.ranks) {
    for (const TouchFigures& figures : rank.touches) {
      text += std::to_string(rank.rank);
      for (const std::string* const word : {&figures.function, &figures.owner, &figures.toucher}) {
        text += ',' + csv_text(*word);
      }
      text += ',' + std::to_string(figures.bytes) + ',' + std::to_string(figures.faults) + '\n';
    }
  }
  return text;
}

}  // namespace comity::memory
