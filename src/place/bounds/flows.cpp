// SPDX-License-Identifier: BSD-3-Clause
#include "place/bounds/flows.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "place/bounds/distance_queue.hpp"
#include "place/division/bisect.hpp"

namespace comity::place {
namespace {

constexpr std::size_t kRounds = 3;
// A rank sends to so many times as many as a part holds: near ones prove most of paths and planes, more of graphs that spread. Of large
// graphs near ones alone.
constexpr std::array<std::size_t, 2> kReaches{2, 4};
constexpr std::size_t kMostLookedAt = 7'500'000;  // edges, by all rounds of a reach together
// A rank with more edges than so many searches reach ranks is no way to others, for each search would look at all of them.
constexpr std::size_t kMostReaches = 8, kFewEdges = 1024;
constexpr std::size_t kFewSend = 16;  // one rank of so many: then more of them prove more than what each sends farther
constexpr std::int64_t kMostScaled = std::int64_t{1} << 60, kMostScale = std::int64_t{1} << 24;

constexpr std::uint32_t kUsualLength = 256, kLeastLength = 64, kMostLength = 2048;

// An edge as one of its ranks sees it.
struct Arc {
  Rank to;
  std::uint32_t pipe;  // its number
};

// Edges that join the same two ranks are one. Ranks have numbers of their own: near ones, which a search meets together, lie together in
// memory.
struct Pipes {
  std::vector<std::size_t> first;  // of each rank
  std::vector<Arc> arcs;
  std::vector<Weight> capacity;  // by number
};

Pipes pipes_of(const Graph& graph) {
  const std::vector<Rank> order = breadth_first(graph);
  std::vector<Rank> number_of(order.size());
  for (Rank number = 0; number < order.size(); ++number) number_of[order[number]] = number;
  std::vector<Edge> edges;
  edges.reserve(graph.edges());
  for (Rank number = 0; number < order.size(); ++number) {
    const auto begin = static_cast<std::ptrdiff_t>(edges.size());
    graph.for_each_edge(order[number], [&](Rank other, Weight weight) {
      if (number < number_of[other]) edges.push_back({number, number_of[other], weight});
    });
    std::sort(edges.begin() + begin, edges.end(), [](const Edge& one, const Edge& other) { return one.b < other.b; });
  }
  edges = together(order.size(), std::move(edges));
  Pipes pipes{std::vector<std::size_t>(graph.ranks() + 1, 0), {}, {}};
  pipes.capacity.reserve(edges.size());
  for (const Edge& edge : edges) {
    ++pipes.first[edge.a + 1];
    ++pipes.first[edge.b + 1];
    pipes.capacity.push_back(edge.weight);
  }
  for (std::size_t i = 1; i < pipes.first.size(); ++i) pipes.first[i] += pipes.first[i - 1];
  pipes.arcs.resize(2 * edges.size());
  std::vector<std::size_t> next(pipes.first.begin(), pipes.first.end() - 1);
  for (std::uint32_t number = 0; number < edges.size(); ++number) {
    const Edge& edge = edges[number];
    pipes.arcs[next[edge.a]++] = {edge.b, number};
    pipes.arcs[next[edge.b]++] = {edge.a, number};
  }
  return pipes;
}

// A rank that a source reaches, in the order of their distances; the source itself is the first.
struct Reached {
  Rank rank;
  std::uint32_t by;    // the one before it on the way, as a place in this list
  std::uint32_t pipe;  // on which it is reached
};

class Flows {
 public:
  Flows(const Pipes& pipes, std::size_t most, std::size_t reach)
      : pipes_(pipes),
        ranks_(pipes.first.size() - 1),
        most_(most),
        reach_(std::min(ranks_, reach * most + 1)),
        load_(pipes.capacity.size(), 0),
        distance_(ranks_, kFar),
        sent_(ranks_, 0) {
    const std::size_t looked_at = kRounds * reach_ * (edges_of_one_reached() + 1);
    step_ = std::max<std::size_t>(1, ranks_ * looked_at / kMostLookedAt);
    for (const Weight weight : pipes.capacity) total_ += weight;
  }

  [[nodiscard]] bool few_send() const { return step_ >= kFewSend; }

  Weight bound(const Portions& portions) {
    if (pipes_.capacity.empty()) return 0;
    for (std::size_t round = 0; round < kRounds; ++round) {
      choose_lengths();
      for (Rank source = 0; source < ranks_; source += static_cast<Rank>(step_)) {
        const std::size_t number = round * ranks_ + source, of = kRounds * ranks_;
        if (portions && is_time_to_tell(source / step_, ranks_ / step_)) portions(number, of);
        reach_from(source, round);
        lay_load(ways(ends_.size() - 1));
      }
    }
    const std::int64_t scale = std::clamp<std::int64_t>(kMostScaled / total_, 1, kMostScale);
    share_.reserve(load_.size());
    for (std::size_t pipe = 0; pipe < load_.size(); ++pipe) {
      share_.push_back(load_[pipe] == 0 ? 0 : pipes_.capacity[pipe] * scale / load_[pipe]);
    }
    const std::size_t sources = ends_.size() / kRounds;
    std::int64_t parted = 0;
    for (std::size_t source = 0; source < sources; ++source) parted += parted_from(source, sources);
    return (parted + scale - 1) / scale;
  }

 private:
  static constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max();
  static_assert(kMostLength + kMostLength / 4 < DistanceQueue<Reached>::kBuckets);

  [[nodiscard]] std::size_t edges_of(Rank rank) const { return pipes_.first[rank + 1] - pipes_.first[rank]; }
  [[nodiscard]] bool is_way(Rank rank) const { return edges_of(rank) <= std::max(kFewEdges, kMostReaches * reach_); }

  // As a rule of thumb: those of any rank or, where few ranks have most edges, a part of those of whoever is at the end of one.
  [[nodiscard]] std::size_t edges_of_one_reached() const {
    constexpr std::size_t kPart = 4;
    std::size_t at_ends = 0;
    for (Rank rank = 0; rank < ranks_; ++rank) at_ends += is_way(rank) ? edges_of(rank) * edges_of(rank) : 0;
    const std::size_t arcs = std::max<std::size_t>(1, pipes_.arcs.size());
    return std::max(pipes_.arcs.size() / std::max<std::size_t>(1, ranks_), at_ends / arcs / kPart);
  }

  // Of the next round: pipes with little room for what already goes there are long.
  void choose_lengths() {
    std::int64_t loads = 0;
    for (const std::int64_t load : load_) loads += load;
    std::vector<std::uint32_t> length;
    length.reserve(load_.size());
    const double mean = loads == 0 ? static_cast<double>(total_) / static_cast<double>(load_.size())
                                   : static_cast<double>(loads) / static_cast<double>(total_);
    for (std::size_t pipe = 0; pipe < load_.size(); ++pipe) {
      const auto capacity = static_cast<double>(pipes_.capacity[pipe]);
      const double crowd = loads == 0 ? mean / capacity : static_cast<double>(load_[pipe]) / capacity / mean;
      const auto more = static_cast<std::uint32_t>(std::min(crowd, 8.0) * static_cast<double>(kUsualLength));
      length.push_back(std::min(kMostLength, kLeastLength + more));
    }
    length_.clear();
    length_.reserve(pipes_.arcs.size());
    for (const Arc& arc : pipes_.arcs) length_.push_back(length[arc.pipe]);
  }

  // The ways to the nearest ranks, itself included, behind those that are known. Each pipe is a little longer for some sources, so
  // that not all take the same of two ways.
  void reach_from(Rank source, std::size_t round) {
    const std::uint64_t mark = mixed((std::uint64_t{source} << 2U) | round);
    const std::size_t begin = ways_.size();
    queue_.clear();
    queue_.push(0, {source, 0, 0});
    seen_.assign(1, source);
    distance_[source] = 0;
    while (!queue_.empty() && ways_.size() - begin < reach_) {
      const auto next = queue_.pop();
      if (next.distance > distance_[next.item.rank]) continue;
      const auto own = static_cast<std::uint32_t>(ways_.size() - begin);
      ways_.push_back(next.item);
      if (next.item.rank != source && !is_way(next.item.rank)) continue;
      for (std::size_t i = pipes_.first[next.item.rank]; i < pipes_.first[next.item.rank + 1]; ++i) {
        const auto [other, pipe] = pipes_.arcs[i];
        const std::uint64_t dice = ((mark ^ pipe) * 0x9E3779B97F4A7C15U) >> 32U;
        const auto more = static_cast<std::uint32_t>((dice * (length_[i] / 4 + 1)) >> 32U);
        const std::uint32_t distance = next.distance + length_[i] + more;
        if (distance >= distance_[other]) continue;
        if (distance_[other] == kFar) seen_.push_back(other);
        distance_[other] = distance;
        queue_.push(distance, {other, own, pipe});
      }
    }
    for (const Rank rank : seen_) distance_[rank] = kFar;
    ends_.push_back(ways_.size());
  }

  [[nodiscard]] std::span<const Reached> ways(std::size_t search) const {
    const std::size_t begin = search == 0 ? 0 : ends_[search - 1];
    return std::span(ways_).subspan(begin, ends_[search] - begin);
  }

  // One unit to each that is reached.
  void lay_load(std::span<const Reached> reached) {
    amounts_.assign(reached.size(), 1);
    for (std::size_t i = reached.size(); i-- > 1;) {
      load_[reached[i].pipe] += amounts_[i];
      amounts_[reached[i].by] += amounts_[i];
    }
  }

  // Each unit is made so small that no pipe of its way holds more than its weight. Of what a rank sends, at most the largest
  // amounts stay in its part.
  std::int64_t parted_from(std::size_t source, std::size_t sources) {
    targets_.clear();
    for (std::size_t round = 0; round < kRounds; ++round) {
      const std::span<const Reached> reached = ways(round * sources + source);
      amounts_.assign(reached.size(), std::numeric_limits<std::int64_t>::max());
      for (std::size_t i = 1; i < reached.size(); ++i) {
        amounts_[i] = std::min(amounts_[reached[i].by], share_[reached[i].pipe]);
        if (sent_[reached[i].rank] == 0 && amounts_[i] > 0) targets_.push_back(reached[i].rank);
        sent_[reached[i].rank] += amounts_[i];
      }
    }
    amounts_.clear();
    for (const Rank target : targets_) amounts_.push_back(std::exchange(sent_[target], 0));
    const std::size_t beside = std::min(most_ - 1, amounts_.size());
    std::nth_element(amounts_.begin(), amounts_.begin() + static_cast<std::ptrdiff_t>(beside), amounts_.end(),
                     std::greater<>());
    std::int64_t parted = 0;
    for (std::size_t i = beside; i < amounts_.size(); ++i) parted += amounts_[i];
    return parted;
  }

  const Pipes& pipes_;
  std::size_t ranks_, most_, reach_;
  std::size_t step_ = 1;  // from a source to the next: not all ranks of large graphs send
  Weight total_ = 0;
  std::vector<std::uint32_t> length_;    // of each arc, in this round
  std::vector<Reached> ways_;            // of all searches, one behind the other
  std::vector<std::size_t> ends_;        // of each search: all sources of a round, then those of the next
  std::vector<std::int64_t> load_;       // units on each pipe, of all rounds
  std::vector<std::int64_t> share_;      // what a unit may be on each pipe, scaled
  std::vector<std::uint32_t> distance_;  // of each rank; far ones are kFar between searches
  std::vector<std::int64_t> sent_;       // to each rank by the source; 0 between sources
  std::vector<std::int64_t> amounts_;    // of the search or the source at hand
  DistanceQueue<Reached> queue_;
  std::vector<Rank> seen_, targets_;
};

}  // namespace

Weight least_by_flows(const Graph& graph, std::size_t most, const Portions& portions) {
  Weight least = 0;
  if (most >= graph.ranks()) return least;
  const Pipes pipes = pipes_of(graph);
  std::size_t done = 0;
  const Portions of_all = [&](std::size_t number, std::size_t of) {
    portions(done * of + number, kReaches.size() * of);
  };
  for (const std::size_t reach : kReaches) {
    Flows flows(pipes, most, reach);
    least = std::max(least, flows.bound(portions ? of_all : Portions{}));
    if (flows.few_send()) break;
    ++done;
  }
  return least;
}

}  // namespace comity::place
