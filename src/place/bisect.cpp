// SPDX-License-Identifier: BSD-3-Clause
#include "place/bisect.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <queue>

#include "place/subgraph.hpp"

namespace comity::place {
namespace {

constexpr int kPasses = 6;
constexpr std::size_t kSeeds = 4;

// Breadth first from `root` among those not yet seen; appends to `order`.
void visit_from(const Graph& graph, Rank root, std::vector<bool>& seen, std::vector<Rank>& order) {
  std::size_t next = order.size();
  seen[root] = true;
  order.push_back(root);
  for (; next < order.size(); ++next) {
    graph.for_each_edge(order[next], [&](Rank other, Weight) {
      if (seen[other]) return;
      seen[other] = true;
      order.push_back(other);
    });
  }
}

// Gains of all ranks that may still move from one side, best first. Entries that have become stale are dropped when met.
class Queue {
 public:
  void push(Rank rank, Weight gain) { heap_.push({gain, order_--, rank}); }
  // The best one for which `valid` holds with its gain; kNone where there is none.
  template <typename Valid>
  Rank pop(Valid&& valid) {
    while (!heap_.empty()) {
      const Entry best = heap_.top();
      heap_.pop();
      if (valid(best.rank, best.gain)) return best.rank;
    }
    return kNone;
  }
  static constexpr Rank kNone = ~Rank{0};

 private:
  struct Entry {
    Weight gain;
    std::int64_t order;  // among equals the one that came first
    Rank rank;

    bool operator<(const Entry& other) const { return gain != other.gain ? gain < other.gain : order < other.order; }
  };
  std::priority_queue<Entry> heap_;
  std::int64_t order_ = 0;
};

// Two sides of a graph, with exact sizes.
class Halves {
 public:
  Halves(const Graph& graph, std::size_t left) : graph_(graph), left_(left) {}

  void grow_from(Rank seed) {
    const std::size_t ranks = graph_.ranks();
    side_.assign(ranks, 1);
    gain_.resize(ranks);
    for (Rank rank = 0; rank < ranks; ++rank) gain_[rank] = -graph_.degree_weight(rank);
    Queue queue;
    Rank spare = 0;  // where a new connected piece starts
    queue.push(seed, gain_[seed]);
    for (std::size_t taken = 0; taken < left_; ++taken) {
      Rank rank = queue.pop([&](Rank one, Weight gain) { return side_[one] == 1 && gain_[one] == gain; });
      if (rank == Queue::kNone) {
        while (side_[spare] == 0) ++spare;
        rank = spare;
      }
      side_[rank] = 0;
      graph_.for_each_edge(rank, [&](Rank other, Weight weight) {
        gain_[other] += 2 * weight;
        if (side_[other] == 1) queue.push(other, gain_[other]);
      });
    }
    cut_ = measured();
  }

  void refine() {
    for (int pass = 0; pass < kPasses; ++pass) {
      if (!improve()) return;
    }
  }

  [[nodiscard]] Weight cut() const { return cut_; }
  [[nodiscard]] const std::vector<std::uint8_t>& side() const { return side_; }

 private:
  [[nodiscard]] Weight measured() const {
    Weight cut = 0;
    for (Rank rank = 0; rank < side_.size(); ++rank) {
      graph_.for_each_edge(rank, [&](Rank other, Weight weight) { cut += side_[other] == side_[rank] ? 0 : weight; });
    }
    return cut / 2;
  }

  // What the cut falls by if the rank changes sides.
  void find_gains() {
    for (Rank rank = 0; rank < side_.size(); ++rank) {
      gain_[rank] = 0;
      graph_.for_each_edge(
          rank, [&](Rank other, Weight weight) { gain_[rank] += side_[other] == side_[rank] ? -weight : weight; });
    }
  }

  void move(Rank rank, std::array<Queue, 2>& queues, const std::vector<bool>& locked) {
    cut_ -= gain_[rank];
    side_[rank] ^= 1U;
    gain_[rank] = -gain_[rank];
    graph_.for_each_edge(rank, [&](Rank other, Weight weight) {
      gain_[other] += side_[other] == side_[rank] ? -2 * weight : 2 * weight;
      if (!locked[other]) queues[side_[other]].push(other, gain_[other]);
    });
  }

  // One pass: pairs change sides, each rank once; what came after the best moment is taken back.
  bool improve() {
    find_gains();
    std::array<Queue, 2> queues;
    for (Rank rank = 0; rank < side_.size(); ++rank) queues[side_[rank]].push(rank, gain_[rank]);
    std::vector<bool> locked(side_.size(), false);
    std::vector<Rank> moved;
    const Weight before = cut_;
    Weight best = cut_;
    std::size_t best_moves = 0;
    const std::size_t patience = 50 + side_.size() / 10;
    while (moved.size() < best_moves + 2 * patience) {
      std::array<Rank, 2> pair{};
      for (std::uint8_t from = 0; from < 2; ++from) {
        pair[from] = queues[from].pop(
            [&](Rank one, Weight gain) { return !locked[one] && side_[one] == from && gain_[one] == gain; });
        if (pair[from] == Queue::kNone) break;
        locked[pair[from]] = true;
        move(pair[from], queues, locked);
        moved.push_back(pair[from]);
      }
      if (pair[0] == Queue::kNone || pair[1] == Queue::kNone) break;
      if (cut_ < best) {
        best = cut_;
        best_moves = moved.size();
      }
    }
    for (std::size_t i = moved.size(); i-- > best_moves;) side_[moved[i]] ^= 1U;
    cut_ = best;
    return best < before;
  }

  const Graph& graph_;
  std::size_t left_;
  std::vector<std::uint8_t> side_;
  std::vector<Weight> gain_;
  Weight cut_ = 0;
};

std::vector<Rank> seeds_of(const Graph& graph) {
  const std::vector<Rank> order = breadth_first(graph);
  std::vector<Rank> seeds{order.front(), order.back(), Rank{0}, order[order.size() / 2]};
  if (graph.ranks() > 20'000) seeds.resize(1);  // there a try costs more than it brings
  return seeds;
}

std::vector<std::uint8_t> halved(const Graph& graph, std::size_t left) {
  std::vector<std::uint8_t> best;
  Weight best_cut = 0;
  for (const Rank seed : seeds_of(graph)) {
    Halves halves(graph, left);
    halves.grow_from(seed);
    halves.refine();
    if (!best.empty() && halves.cut() >= best_cut) continue;
    best = halves.side();
    best_cut = halves.cut();
  }
  return best;
}

void divide(const Graph& graph, std::span<const std::size_t> sizes, std::span<const Rank> names, Domain first_part,
            std::vector<Domain>& part) {
  if (sizes.size() == 1) {
    for (const Rank name : names) part[name] = first_part;
    return;
  }
  const auto some = sizes.first(sizes.size() / 2);
  const std::size_t left = std::accumulate(some.begin(), some.end(), std::size_t{0});
  const std::vector<std::uint8_t> side = halved(graph, left);
  Subgraphs subgraphs(graph);
  for (std::uint8_t half = 0; half < 2; ++half) {
    std::vector<Rank> locals, globals;
    for (Rank rank = 0; rank < graph.ranks(); ++rank) {
      if (side[rank] != half) continue;
      locals.push_back(rank);
      globals.push_back(names[rank]);
    }
    const auto theirs = half == 0 ? some : sizes.subspan(some.size());
    divide(subgraphs.of(locals), theirs, globals, first_part + (half == 0 ? 0 : static_cast<Domain>(some.size())),
           part);
  }
}

}  // namespace

std::vector<Rank> breadth_first(const Graph& graph) {
  std::vector<Rank> order, rim;
  std::vector<bool> seen(graph.ranks(), false);
  std::vector<bool> seen_first(graph.ranks(), false);
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    if (seen[rank]) continue;
    rim.clear();
    visit_from(graph, rank, seen_first, rim);  // its last one is far from everything
    visit_from(graph, rim.back(), seen, order);
  }
  return order;
}

std::vector<Domain> bisected(const Graph& graph, std::span<const std::size_t> sizes) {
  std::vector<Domain> part(graph.ranks(), 0);
  std::vector<Rank> names(graph.ranks());
  std::iota(names.begin(), names.end(), Rank{0});
  divide(graph, sizes, names, 0, part);
  return part;
}

}  // namespace comity::place
