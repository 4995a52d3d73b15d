// SPDX-License-Identifier: BSD-3-Clause
#include "place/bounds/flows.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace comity::place {
namespace {

constexpr std::size_t kRounds = 3;
// A rank sends to so many times as many as a part holds: near ones prove most of paths and planes, more of graphs that spread.
constexpr std::array<std::size_t, 2> kReaches{2, 4};
constexpr std::size_t kMostLookedAt = 15'000'000;  // edges, by all rounds of a reach together
constexpr std::int64_t kMostScaled = std::int64_t{1} << 60, kMostScale = std::int64_t{1} << 24;

constexpr std::uint64_t kUsualLength = 256, kLeastLength = 64, kMostLength = 2048;

// Edges that join the same two ranks are one.
struct Pipes {
  std::vector<std::size_t> first;  // of each rank
  std::vector<Rank> to;
  std::vector<std::uint32_t> pipe;  // its number
  std::vector<Weight> capacity;     // by number
};

Pipes pipes_of(const Graph& graph) {
  std::vector<Edge> edges;
  edges.reserve(graph.edges());
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    graph.for_each_edge(rank, [&](Rank other, Weight weight) {
      if (rank < other) edges.push_back({rank, other, weight});
    });
  }
  edges = together(graph.ranks(), std::move(edges));
  Pipes pipes{std::vector<std::size_t>(graph.ranks() + 1, 0), {}, {}, {}};
  for (const Edge& edge : edges) {
    ++pipes.first[edge.a + 1];
    ++pipes.first[edge.b + 1];
    pipes.capacity.push_back(edge.weight);
  }
  for (std::size_t i = 1; i < pipes.first.size(); ++i) pipes.first[i] += pipes.first[i - 1];
  pipes.to.resize(2 * edges.size());
  pipes.pipe.resize(2 * edges.size());
  std::vector<std::size_t> next(pipes.first.begin(), pipes.first.end() - 1);
  for (std::uint32_t number = 0; number < edges.size(); ++number) {
    const Edge& edge = edges[number];
    for (const auto& [from, to] : {std::pair(edge.a, edge.b), std::pair(edge.b, edge.a)}) {
      pipes.to[next[from]] = to;
      pipes.pipe[next[from]++] = number;
    }
  }
  return pipes;
}

std::uint64_t mixed(std::uint64_t number) {  // splitmix64
  number += 0x9E3779B97F4A7C15U;
  number = (number ^ (number >> 30U)) * 0xBF58476D1CE4E5B9U;
  number = (number ^ (number >> 27U)) * 0x94D049BB133111EBU;
  return number ^ (number >> 31U);
}

// A rank that a source reaches, in the order of their distances; the source itself is the first.
struct Reached {
  Rank rank;
  std::uint32_t by;    // the one before it on the way, as a place in this list
  std::uint32_t pipe;  // on which it is reached
};

class Flows {
 public:
  Flows(const Graph& graph, std::size_t most, std::size_t reach)
      : pipes_(pipes_of(graph)),
        most_(most),
        reach_(std::min(graph.ranks(), reach * most + 1)),
        load_(pipes_.capacity.size(), 0),
        distance_(graph.ranks(), kFar),
        sent_(graph.ranks(), 0) {
    const std::size_t looked_at =
        2 * kRounds * reach_ * (2 * load_.size() / std::max<std::size_t>(1, graph.ranks()) + 1);
    step_ = std::max<std::size_t>(1, graph.ranks() * looked_at / kMostLookedAt);
    for (const Weight weight : pipes_.capacity) total_ += weight;
  }

  Weight bound() {
    if (pipes_.capacity.empty()) return 0;
    for (std::size_t round = 0; round < kRounds; ++round) {
      choose_lengths();
      for (Rank source = 0; source < sent_.size(); source += static_cast<Rank>(step_)) lay_load(source, round);
    }
    const std::int64_t scale = std::clamp<std::int64_t>(kMostScaled / total_, 1, kMostScale);
    share_.reserve(load_.size());
    for (std::size_t pipe = 0; pipe < load_.size(); ++pipe) {
      share_.push_back(load_[pipe] == 0 ? 0 : pipes_.capacity[pipe] * scale / load_[pipe]);
    }
    std::int64_t parted = 0;
    for (Rank source = 0; source < sent_.size(); source += static_cast<Rank>(step_)) parted += parted_from(source);
    return (parted + scale - 1) / scale;
  }

 private:
  static constexpr std::uint64_t kFar = std::numeric_limits<std::uint64_t>::max();

  // Of a round: pipes with little room for what already goes there are long.
  void choose_lengths() {
    std::int64_t loads = 0;
    for (const std::int64_t load : load_) loads += load;
    std::vector<std::uint64_t>& length = lengths_.emplace_back();
    length.reserve(load_.size());
    const double mean = loads == 0 ? static_cast<double>(total_) / static_cast<double>(load_.size())
                                   : static_cast<double>(loads) / static_cast<double>(total_);
    for (std::size_t pipe = 0; pipe < load_.size(); ++pipe) {
      const auto capacity = static_cast<double>(pipes_.capacity[pipe]);
      const double crowd = loads == 0 ? mean / capacity : static_cast<double>(load_[pipe]) / capacity / mean;
      const auto more = static_cast<std::uint64_t>(std::min(crowd, 8.0) * static_cast<double>(kUsualLength));
      length.push_back(std::min(kMostLength, kLeastLength + more));
    }
  }

  // A little longer or shorter for each source, so that not all take the same of two ways.
  [[nodiscard]] std::uint64_t length(std::size_t round, Rank source, std::uint32_t pipe) const {
    const std::uint64_t length = lengths_[round][pipe];
    return length + mixed((std::uint64_t{source} << 32U) ^ (std::uint64_t{pipe} << 2U) ^ round) % (length / 4 + 1);
  }

  // The nearest ranks, itself included.
  const std::vector<Reached>& reached_from(Rank source, std::size_t round) {
    reached_.clear();
    heap_.clear();
    heap_.push_back({0, source, 0, 0});
    seen_.assign(1, source);
    distance_[source] = 0;
    while (!heap_.empty() && reached_.size() < reach_) {
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
      const Waiting next = heap_.back();
      heap_.pop_back();
      if (next.distance > distance_[next.rank]) continue;
      const auto own = static_cast<std::uint32_t>(reached_.size());
      reached_.push_back({next.rank, next.by, next.pipe});
      for (std::size_t i = pipes_.first[next.rank]; i < pipes_.first[next.rank + 1]; ++i) {
        const Rank other = pipes_.to[i];
        const std::uint64_t distance = next.distance + length(round, source, pipes_.pipe[i]);
        if (distance >= distance_[other]) continue;
        if (distance_[other] == kFar) seen_.push_back(other);
        distance_[other] = distance;
        heap_.push_back({distance, other, own, pipes_.pipe[i]});
        std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
      }
    }
    for (const Rank rank : seen_) distance_[rank] = kFar;
    return reached_;
  }

  // One unit to each that is reached.
  void lay_load(Rank source, std::size_t round) {
    const std::vector<Reached>& reached = reached_from(source, round);
    std::vector<std::int64_t> behind(reached.size(), 1);
    for (std::size_t i = reached.size(); i-- > 1;) {
      load_[reached[i].pipe] += behind[i];
      behind[reached[i].by] += behind[i];
    }
  }

  // Each unit is made so small that no pipe of its way holds more than its weight. Of what a rank sends, at most the largest
  // amounts stay in its part.
  std::int64_t parted_from(Rank source) {
    targets_.clear();
    for (std::size_t round = 0; round < kRounds; ++round) {
      const std::vector<Reached>& reached = reached_from(source, round);
      std::vector<std::int64_t> arrives(reached.size(), std::numeric_limits<std::int64_t>::max());
      for (std::size_t i = 1; i < reached.size(); ++i) {
        arrives[i] = std::min(arrives[reached[i].by], share_[reached[i].pipe]);
        if (sent_[reached[i].rank] == 0 && arrives[i] > 0) targets_.push_back(reached[i].rank);
        sent_[reached[i].rank] += arrives[i];
      }
    }
    std::vector<std::int64_t> amounts;
    amounts.reserve(targets_.size());
    for (const Rank target : targets_) amounts.push_back(std::exchange(sent_[target], 0));
    const std::size_t beside = std::min(most_ - 1, amounts.size());
    std::nth_element(amounts.begin(), amounts.begin() + static_cast<std::ptrdiff_t>(beside), amounts.end(),
                     std::greater<>());
    std::int64_t parted = 0;
    for (std::size_t i = beside; i < amounts.size(); ++i) parted += amounts[i];
    return parted;
  }

  struct Waiting {
    std::uint64_t distance;
    Rank rank;
    std::uint32_t by, pipe;
    bool operator>(const Waiting& other) const {
      return distance != other.distance ? distance > other.distance : rank > other.rank;
    }
  };

  Pipes pipes_;
  std::size_t most_, reach_;
  std::size_t step_ = 1;  // from a source to the next: not all ranks of large graphs send
  Weight total_ = 0;
  std::vector<std::vector<std::uint64_t>> lengths_;  // of each round
  std::vector<std::int64_t> load_;                   // units on each pipe, of all rounds
  std::vector<std::int64_t> share_;                  // what a unit may be on each pipe, scaled
  std::vector<std::uint64_t> distance_;              // of each rank; far ones are kFar between searches
  std::vector<std::int64_t> sent_;                   // to each rank by the source; 0 between sources
  std::vector<Reached> reached_;
  std::vector<Waiting> heap_;
  std::vector<Rank> seen_, targets_;
};

}  // namespace

Weight least_by_flows(const Graph& graph, std::size_t most) {
  Weight least = 0;
  if (most >= graph.ranks()) return least;
  for (const std::size_t reach : kReaches) least = std::max(least, Flows(graph, most, reach).bound());
  return least;
}

}  // namespace comity::place
