// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/uneven/inside.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

namespace comity::place {
namespace {

constexpr std::size_t kMostAlike = 4'096;  // ranks of a piece: larger ones are few, and each another one
constexpr std::size_t kMostKnownBytes = std::size_t{64}
                                        << 20U;  // of what is known of pieces: where they are unlike it helps nobody

// Appends numbers as they lie in memory.
template <typename Number>
void write(std::string& text, Number number) {
  text.append(std::string_view(reinterpret_cast<const char*>(&number), sizeof number));
}

// Equal for pieces that are packed alike: all that a packing goes by. How many of each there are comes first.
std::string looks_of(const PackingTask& task) {
  std::string looks;
  looks.reserve(sizeof(std::size_t) * (8 + task.items.size() + 3 * task.graph.edges()));
  write(looks, task.spare);
  write(looks, task.most_steps);
  write(looks, task.rooms.size());
  for (const std::uint32_t room : task.rooms) write(looks, room);
  write(looks, task.items.size());
  for (const Rank item : task.items) {
    write(looks, task.width[item]);
    write(looks, task.graph.edges_of(item));
    task.graph.for_each_edge(item, [&](Rank other, Weight weight) {
      write(looks, other);
      write(looks, weight);
    });
  }
  return looks;
}

std::uint32_t widest_of(const std::vector<Place>& borders) {
  std::uint32_t widest = 0;
  for (std::size_t i = 0; i + 1 < borders.size(); ++i) widest = std::max(widest, borders[i + 1] - borders[i]);
  return widest;
}

}  // namespace

Mapping UnevenInside::of_nodes(const std::vector<Domain>& node_of, Spare spare, Hundredths& bar) {
  Mapping mapping(job_.graph.ranks(), kNoPlace);
  std::vector<std::vector<Rank>> ranks(job_.nodes().domains());
  for (Rank rank = 0; rank < node_of.size(); ++rank) ranks[node_of[rank]].push_back(rank);
  const std::vector<Place>& first = job_.nodes().first;
  for (std::size_t node = 0; node < ranks.size(); ++node) {
    fill(job_.outer_levels(), first[node], first[node + 1], ranks[node], spare, mapping);
    bar.add(1);
  }
  return mapping;
}

// Ranks that no domain of a level has room for come first, one behind the other; the others are packed into what is
// left of the domains.
void UnevenInside::fill(std::size_t level, Place from, Place to, const std::vector<Rank>& ranks, Spare spare,
                        Mapping& mapping) {
  if (level == job_.cores.levels().size()) {
    for (const Rank rank : ranks) from = set(rank, from, mapping);
    return;
  }
  const std::vector<Place> borders = borders_of(level, from, to);
  std::vector<Rank> narrow;
  Place begin = from;
  const std::uint32_t widest = widest_of(borders);
  for (const Rank rank : ranks) {
    if (job_.threads[rank] > widest) {
      begin = set(rank, begin, mapping);
    } else {
      narrow.push_back(rank);
    }
  }
  std::vector<std::uint32_t> rooms;
  for (std::size_t domain = 0; domain + 1 < borders.size(); ++domain) {
    rooms.push_back(borders[domain + 1] - std::clamp(begin, borders[domain], borders[domain + 1]));
  }
  const auto all = packed_among(narrow, rooms, spare);
  if (!all) {
    fill(level + 1, begin, to, narrow, spare, mapping);
    return;
  }
  for (std::size_t domain = 0; domain < rooms.size(); ++domain) {
    fill(level + 1, borders[domain + 1] - rooms[domain], borders[domain + 1], (*all)[domain], spare, mapping);
  }
}

std::optional<std::vector<std::vector<Rank>>> UnevenInside::packed_among(const std::vector<Rank>& ranks,
                                                                         const std::vector<std::uint32_t>& rooms,
                                                                         Spare spare, std::size_t most_steps,
                                                                         const Portions* portions) {
  const Graph own = subgraphs_.of(ranks);
  std::vector<Rank> items(ranks.size());
  std::iota(items.begin(), items.end(), Rank{0});
  std::vector<std::uint32_t> widths;
  widths.reserve(ranks.size());
  for (const Rank rank : ranks) widths.push_back(job_.threads[rank]);
  const Packed domain_of = packed_once({own, items, widths, rooms, spare, effort(), nullptr, most_steps, portions});
  if (!domain_of) return std::nullopt;
  std::vector<std::vector<Rank>> all(rooms.size());
  for (const Rank item : items) all[(*domain_of)[item]].push_back(ranks[item]);
  return all;
}

// As packed(), whose answer is always the same to the same question.
UnevenInside::Packed UnevenInside::packed_once(const PackingTask& task) {
  if (task.items.size() > kMostAlike) return packed(task).bin_of;
  std::string looks = looks_of(task);
  const auto known = known_.find(looks);
  if (known != known_.end()) return known->second;
  Packed answer = packed(task).bin_of;
  const std::size_t bytes = looks.size() + (answer ? answer->size() * sizeof(Domain) : 0);
  if (known_bytes_ + bytes > kMostKnownBytes) return answer;
  known_bytes_ += bytes;
  known_.emplace(std::move(looks), answer);
  return answer;
}

std::vector<Place> UnevenInside::borders_of(std::size_t level, Place from, Place to) const {
  std::vector<Place> borders{from};
  const std::vector<Place>& first = job_.cores.levels()[level].first;
  for (auto at = std::upper_bound(first.begin(), first.end(), from); at != first.end() && *at < to; ++at) {
    borders.push_back(*at);
  }
  if (to > from) borders.push_back(to);
  return borders;
}

// Of one search, of which there is at least one a node.
std::size_t UnevenInside::effort() const {
  constexpr std::size_t kLeast = 2'000;
  return std::max(kLeast, kUsualPackingEffort / job_.nodes().domains());
}

Place UnevenInside::set(Rank rank, Place place, Mapping& mapping) const {
  mapping[rank] = place;
  return place + job_.threads[rank];
}

}  // namespace comity::place
