// SPDX-License-Identifier: BSD-3-Clause
// What ranks of a node share, by segment: who made it, what it costs the node, which ranks map it and what each has of it. A segment is told by its node, device,
// inode and name, whether it is deleted or not. What ranks tell as their other segments is one line of its node: so the sums over lines are
// whole, and a segment that is one of the others somewhere has more than its own line says. Not: pages of files and libraries that processes share (moments).
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "base/csv.hpp"
#include "memory/component.hpp"
#include "memory/job/job.hpp"
#include "memory/job/mib.hpp"
#include "memory/job/nodes.hpp"
#include "memory/job/places/lines.hpp"
#include "memory/job/sum.hpp"

namespace comity::memory {
namespace {

using Json = nlohmann::ordered_json;

static_assert(kComponentNames[static_cast<std::size_t>(Component::shared)] == SegmentFigures::kNobody);

// [bytes] What one rank has of it.
struct MappedBy {
  std::int64_t rank = 0;
  std::int64_t mapped = 0;
  std::int64_t rss = 0;
  std::int64_t pss = 0;
};

struct Shared {
  int node = -1;
  std::string host;
  std::vector<MappedBy> parts;
  SegmentFigures sum;  // mapped: by that rank which maps most of it

  [[nodiscard]] bool has_maker() const { return sum.maker != SegmentFigures::kNobody; }
  [[nodiscard]] std::int64_t ranks() const { return static_cast<std::int64_t>(parts.size()); }
};

void add(Shared& shared, const RankMemory& rank, const SegmentFigures& segment) {
  shared.parts.push_back({rank.rank, segment.mapped, segment.rss, segment.pss});
  if (shared.parts.size() == 1) {
    shared.node = rank.node;
    shared.host = rank.host;
    shared.sum = segment;
    return;
  }
  if (!shared.has_maker()) shared.sum.maker = segment.maker;  // a rank that did not make it may know it by no name
  shared.sum.mapped = std::max(shared.sum.mapped, segment.mapped);
  add_to(shared.sum.rss, segment.rss);
  add_to(shared.sum.pss, segment.pss);
}

// Those that cost their node most first.
std::vector<Shared> segments_in(const Job& job) {
  using Key = std::tuple<NodeKey, std::int64_t, std::int64_t, std::string>;
  std::map<Key, Shared> by_key;
  for (const RankMemory& rank : job.ranks) {
    for (const SegmentFigures& segment : rank.segments) {
      const Key key{node_key_of(rank), segment.device, segment.inode, std::string(without_deleted(segment.name))};
      add(by_key[key], rank, segment);
    }
  }
  std::vector<Shared> segments;
  segments.reserve(by_key.size());
  for (auto& [key, shared] : by_key) segments.push_back(std::move(shared));
  std::stable_sort(segments.begin(), segments.end(),
                   [](const Shared& a, const Shared& b) { return a.sum.pss > b.sum.pss; });
  return segments;
}

std::string line_of(const Shared& shared) {
  std::array<char, 96> figures{};
  std::snprintf(figures.data(), figures.size(), "  %10.2f %9.2f %6lld  ", static_cast<double>(shared.sum.pss) / kMiB,
                static_cast<double>(shared.sum.mapped) / kMiB, static_cast<long long>(shared.ranks()));
  const std::string maker = shared.has_maker() ? shared.sum.maker : "(not known)";
  return figures.data() + maker + std::string(maker.size() < 12 ? 13 - maker.size() : 1, ' ') + shared.sum.name +
         (shared.host.empty() ? "" : " on " + shared.host) + '\n';
}

Json json_of(const std::vector<MappedBy>& parts) {
  Json all = Json::array();
  for (const MappedBy& one : parts) {
    all.push_back({{"rank", one.rank}, {"mapped_bytes", one.mapped}, {"rss_bytes", one.rss}, {"pss_bytes", one.pss}});
  }
  return all;
}

// "0-3 7": as a cell.
std::string ranks_text(const std::vector<MappedBy>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size();) {
    std::size_t last = i;
    while (last + 1 < parts.size() && parts[last + 1].rank == parts[last].rank + 1) ++last;
    text += (i == 0 ? "" : " ") + std::to_string(parts[i].rank);
    if (last > i) text += '-' + std::to_string(parts[last].rank);
    i = last + 1;
  }
  return text;
}

}  // namespace

std::string segments_text_of(const Job& job) {
  std::vector<Shared> segments = segments_in(job);
  std::erase_if(segments, [](const Shared& one) { return one.sum.pss < kLeastShown_bytes; });
  if (segments.empty()) return {};
  std::string text =
      "  segments that processes of a node share, at the last look at all pages [MiB]\n"
      "     on node    mapped  ranks  made by      segment\n";
  for (std::size_t i = 0; i < std::min(segments.size(), kMostLines); ++i) text += line_of(segments[i]);
  return text + more_lines(segments.size(), "segments", "memory-segments") + '\n';
}

Json segments_json_of(const Job& job) {
  Json all = Json::array();
  for (const Shared& one : segments_in(job)) {
    all.push_back({{"node", one.node < 0 ? Json(nullptr) : Json(one.node)},
                   {"host", one.host},
                   {"segment", one.sum.name},
                   {"device", one.sum.device},
                   {"inode", one.sum.inode},
                   {"maker", one.has_maker() ? Json(one.sum.maker) : Json(nullptr)},
                   {"ranks", one.ranks()},
                   {"mapped_bytes", one.sum.mapped},
                   {"rss_bytes", one.sum.rss},
                   {"pss_bytes", one.sum.pss},
                   {"mapped_by", json_of(one.parts)}});
  }
  return all;
}

std::string segment_rows_of(const Job& job) {
  std::string text = "node,host,segment,device,inode,maker,ranks,mapped_bytes,rss_bytes,pss_bytes,mapped_by\n";
  for (const Shared& one : segments_in(job)) {
    text += (one.node < 0 ? std::string() : std::to_string(one.node)) + ',' + csv_text(one.host) + ',' +
            csv_text(one.sum.name) + ',' + std::to_string(one.sum.device) + ',' + std::to_string(one.sum.inode) + ',' +
            (one.has_maker() ? csv_text(one.sum.maker) : std::string());
    for (const std::int64_t figure : {one.ranks(), one.sum.mapped, one.sum.rss, one.sum.pss})
      text += ',' + std::to_string(figure);
    text += ',' + csv_text(ranks_text(one.parts)) + '\n';
  }
  return text;
}

}  // namespace comity::memory
