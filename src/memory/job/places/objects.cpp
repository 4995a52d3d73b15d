// SPDX-License-Identifier: BSD-3-Clause
// A job's objects of MPI, for people and for programs.
#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/csv.hpp"
#include "memory/job/job.hpp"
#include "memory/job/places/lines.hpp"
#include "memory/job/sum.hpp"
#include "memory/rank/book.hpp"
#include "memory/rank/mpi_objects.hpp"

namespace comity::memory {
namespace {

using Json = nlohmann::ordered_json;
using Row = std::pair<const ObjectPlace, ObjectFigures>;

// Most first.
std::vector<const Row*> leaks_of(const Job& job) {
  std::vector<const Row*> leaks;
  for (const Row& row : job.objects) {
    if (row.second.live > 0) leaks.push_back(&row);
  }
  std::stable_sort(leaks.begin(), leaks.end(),
                   [](const Row* a, const Row* b) { return a->second.live > b->second.live; });
  return leaks;
}

bool all_have_ended(const Job& job) {
  return std::all_of(job.ranks.begin(), job.ranks.end(), [](const RankMemory& rank) {
    return !rank.totals.empty() && rank.totals.back().moment == kMomentNames[static_cast<std::size_t>(Moment::at_end)];
  });
}

std::string counted(std::int64_t count, const std::string& kind) {
  return std::to_string(count) + ' ' + kind + (count == 1 ? "" : "s");
}

// "4 communicators, 2 groups"
std::string sums_by_kind(const Job& job) {
  std::string text;
  for (const std::string_view kind : kObjectKindNames) {
    std::int64_t live = 0;
    for (const auto& [place, figures] : job.objects) {
      if (place.kind == kind) add_to(live, figures.live);
    }
    if (live > 0) text += (text.empty() ? "" : ", ") + counted(live, std::string(kind));
  }
  return text;
}

std::string line_of(const ObjectPlace& place, const ObjectFigures& figures) {
  std::array<char, 96> numbers{};
  std::snprintf(numbers.data(), numbers.size(), "  %-14s %8lld %8lld %6lld  ", place.kind.c_str(),
                static_cast<long long>(figures.live), static_cast<long long>(figures.made),
                static_cast<long long>(figures.ranks));
  const bool has_both = !place.function.empty() && !place.where.empty();
  return numbers.data() + place.function + (has_both ? " in " : "") + place.where + '\n';
}

// Else it would look as if there were none.
std::string requests_line(const Job& job) {
  const bool all_do =
      std::all_of(job.ranks.begin(), job.ranks.end(), [](const RankMemory& rank) { return rank.follows_requests; });
  if (all_do) return {};
  return "  which requests of MPI never completed is not told, but for persistent ones: nobody followed them, as "
         "--record "
         "and --metrics do\n";
}

}  // namespace

std::string objects_text_of(const Job& job) {
  const std::vector<const Row*> leaks = leaks_of(job);
  if (leaks.empty()) return requests_line(job);
  std::string text = std::string("  MPI objects that nobody had freed ") +
                     (all_have_ended(job) ? "at MPI_Finalize: " : "when ranks last told: ") + sums_by_kind(job) +
                     "\n  kind               live     made  ranks  made by, the innermost first\n";
  for (std::size_t i = 0; i < std::min(leaks.size(), kMostLines); ++i)
    text += line_of(leaks[i]->first, leaks[i]->second);
  return text + more_lines(leaks.size(), "places", "memory-objects") + requests_line(job);
}

Json objects_json_of(const Job& job) {
  Json all = Json::array();
  for (const auto& [place, figures] : job.objects) {
    all.push_back({{"kind", place.kind},
                   {"function", place.function},
                   {"where", frames_of(place.where)},
                   {"live", figures.live},
                   {"made", figures.made},
                   {"ranks", figures.ranks}});
  }
  return all;
}

std::string object_rows_of(const Job& job) {
  std::string text = "kind,function,live,made,ranks,where\n";
  for (const auto& [place, figures] : job.objects) {
    text += csv_text(place.kind) + ',' + csv_text(place.function);
    for (const std::int64_t figure : {figures.live, figures.made, figures.ranks}) text += ',' + std::to_string(figure);
    text += ',' + csv_text(place.where) + '\n';
  }
  return text;
}

}  // namespace comity::memory
