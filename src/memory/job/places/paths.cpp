// SPDX-License-Identifier: BSD-3-Clause
// Which call paths of a job's ranks had asked for memory, and how much of it was there: for people, and for programs.
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/csv.hpp"
#include "memory/component.hpp"
#include "memory/job/job.hpp"
#include "memory/job/mib.hpp"
#include "memory/job/places/lines.hpp"
#include "memory/job/sum.hpp"

namespace comity::memory {
namespace {

using Json = nlohmann::ordered_json;

// Of all ranks, most first. Comity's own are not what the user looks for.
std::vector<PathFigures> told_paths(const Job& job) {
  const std::string_view ours = kComponentNames[static_cast<std::size_t>(Component::comity)];
  std::map<std::pair<std::string, std::string>, PathFigures> all;
  for (const RankMemory& rank : job.ranks) {
    for (const PathFigures& figures : rank.paths) {
      if (figures.component == ours) continue;
      PathFigures& path = all[{figures.component, figures.path}];
      path.component = figures.component;
      path.path = figures.path;
      add_to(path.most, figures.most);
      add_to(path.last, figures.last);
      add_to(path.asked, figures.asked);
      add_to(path.times, figures.times);
    }
  }
  std::vector<PathFigures> paths;
  for (auto& [key, path] : all) {
    if (path.most >= kLeastShown_bytes) paths.push_back(std::move(path));
  }
  std::stable_sort(paths.begin(), paths.end(),
                   [](const PathFigures& a, const PathFigures& b) { return a.most > b.most; });
  return paths;
}

std::string line_of(const PathFigures& path) {
  std::array<char, 128> figures{};
  std::snprintf(figures.data(), figures.size(), "  %10.2f %9.2f %10.2f %8lld  %-12s ",
                static_cast<double>(path.most) / kMiB, static_cast<double>(path.last) / kMiB,
                static_cast<double>(path.asked) / kMiB, static_cast<long long>(path.times), path.component.c_str());
  return figures.data() + path.path + '\n';
}

}  // namespace

std::string paths_text_of(const Job& job) {
  const std::vector<PathFigures> paths = told_paths(job);
  if (paths.empty()) return {};
  std::string text =
      "  grew by call path [MiB, all ranks, each rank's most of its own moment]\n"
      "     at most    at end   in all    times  component    asked for by, the innermost first\n";
  for (std::size_t i = 0; i < std::min(paths.size(), kMostLines); ++i) text += line_of(paths[i]);
  return text + more_lines(paths.size(), "places", "memory-paths") + '\n';
}

Json paths_json_of(const RankMemory& rank) {
  Json rows = Json::array();
  for (const PathFigures& figures : rank.paths) {
    rows.push_back({{"component", figures.component},
                    {"path", frames_of(figures.path)},
                    {"most_bytes", figures.most},
                    {"last_bytes", figures.last},
                    {"asked_bytes", figures.asked},
                    {"times", figures.times}});
  }
  return rows;
}

std::string path_rows_of(const Job& job) {
  std::string text = "rank,component,most_bytes,last_bytes,asked_bytes,times,path\n";
  for (const RankMemory& rank : job.ranks) {
    for (const PathFigures& figures : rank.paths) {
      text += std::to_string(rank.rank) + ',' + csv_text(figures.component);
      for (const std::int64_t number : {figures.most, figures.last, figures.asked, figures.times}) {
        text += ',' + std::to_string(number);
      }
      text += ',' + csv_text(figures.path) + '\n';
    }
  }
  return text;
}

}  // namespace comity::memory
