// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a job had asked for and not given back when they were last asked, by component and by place of code: for people,
// and for programs.
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/csv.hpp"
#include "memory/component.hpp"
#include "memory/job/job.hpp"
#include "memory/job/mib.hpp"
#include "memory/job/places/lines.hpp"
#include "memory/job/sum.hpp"
#include "memory/rank/held.hpp"

namespace comity::memory {
namespace {

using Json = nlohmann::ordered_json;

void sort_by_bytes(std::vector<HeldFigures>& holders) {
  std::stable_sort(holders.begin(), holders.end(),
                   [](const HeldFigures& a, const HeldFigures& b) { return a.bytes > b.bytes; });
}

// Of all ranks, with what of them.
template <typename KeyOf>
std::vector<HeldFigures> holders_of(const Job& job, KeyOf&& key_of) {
  std::map<std::pair<std::string, std::string>, HeldFigures> all;
  for (const RankMemory& rank : job.ranks) {
    for (const HeldFigures& figures : rank.held) {
      const std::string place = key_of(figures);
      HeldFigures& holder = all[{figures.component, place}];
      holder.component = figures.component;
      holder.place = place;
      add_to(holder.bytes, figures.bytes);
      add_to(holder.blocks, figures.blocks);
    }
  }
  std::vector<HeldFigures> holders;
  for (auto& [key, holder] : all) {
    if (holder.bytes >= kLeastShown_bytes) holders.push_back(std::move(holder));
  }
  sort_by_bytes(holders);
  return holders;
}

// Comity's own is not what the user looks for.
std::vector<HeldFigures> told_places(const Job& job) {
  std::vector<HeldFigures> holders = holders_of(job, [](const HeldFigures& figures) { return figures.place; });
  const std::string_view ours = kComponentNames[static_cast<std::size_t>(Component::comity)];
  std::erase_if(holders, [&](const HeldFigures& each) { return each.place == kElsewhere || each.component == ours; });
  return holders;
}

std::string components_line(const Job& job) {
  std::string text;
  for (const HeldFigures& holder : holders_of(job, [](const HeldFigures&) { return std::string(); })) {
    std::array<char, 48> bytes{};
    std::snprintf(bytes.data(), bytes.size(), " %.2f", static_cast<double>(holder.bytes) / kMiB);
    text += (text.empty() ? "" : ", ") + holder.component + bytes.data();
  }
  return text;
}

// Of ranks that were killed, of which that is older than what each component holds.
std::string cut_off_line(const Job& job) {
  std::size_t ranks = 0;
  std::optional<double> earliest_s;
  for (const RankMemory& rank : job.ranks) {
    const std::optional<double> at_s = rank.after_init_s(rank.held_ns);
    if (!rank.cut_off_ns || rank.held.empty() || !at_s) continue;
    ++ranks;
    earliest_s = std::min(earliest_s.value_or(*at_s), *at_s);
  }
  if (ranks == 0) return {};
  std::array<char, 128> text{};
  std::snprintf(text.data(), text.size(), "  of %zu that told no end as of %.3f s after MPI_Init, the earliest\n",
                ranks, *earliest_s);
  return text.data();
}

}  // namespace

std::string held_text_of(const Job& job) {
  const std::string components = components_line(job);
  if (components.empty()) return {};
  std::string text = "  asked for and not given back when ranks were last asked [MiB, all ranks]: " + components +
                     '\n' + cut_off_line(job) + "         MiB   blocks  component    asked for at\n";
  const std::vector<HeldFigures> places = told_places(job);
  for (std::size_t i = 0; i < std::min(places.size(), kMostLines); ++i) {
    std::array<char, 96> figures{};
    std::snprintf(figures.data(), figures.size(), "  %10.2f %8lld  %-12s ", static_cast<double>(places[i].bytes) / kMiB,
                  static_cast<long long>(places[i].blocks), places[i].component.c_str());
    text += figures.data() + places[i].place + '\n';
  }
  return text + more_lines(places.size(), "places", "memory-held") + '\n';
}

Json held_json_of(const RankMemory& rank) {
  Json rows = Json::array();
  for (const HeldFigures& figures : rank.held) {
    rows.push_back({{"component", figures.component},
                    {"place", figures.place},
                    {"bytes", figures.bytes},
                    {"blocks", figures.blocks}});
  }
  return rows;
}

std::string held_rows_of(const Job& job) {
  std::string text = "rank,component,place,bytes,blocks\n";
  for (const RankMemory& rank : job.ranks) {
    for (const HeldFigures& figures : rank.held) {
      text += std::to_string(rank.rank) + ',' + csv_text(figures.component) + ',' + csv_text(figures.place) + ',' +
              std::to_string(figures.bytes) + ',' + std::to_string(figures.blocks) + '\n';
    }
  }
  return text;
}

}  // namespace comity::memory
