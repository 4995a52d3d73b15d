// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/split.hpp"

#include <algorithm>
#include <array>

#include "place/division/anneal.hpp"
#include "place/division/bisect.hpp"

namespace comity::place {
namespace {

constexpr std::uint64_t kMostSteps = 200'000;
constexpr std::uint64_t kSwapsATry = 150;  // a rank: about as long as halving it once takes
constexpr std::size_t kMostTries = 8;
constexpr std::uint64_t kSwapsARank = 1'500;  // more brought nothing on pieces of up to 256 ranks

Weight cut_of_parts(const Graph& graph, const std::vector<Domain>& part) {
  Weight cut = 0;
  for (Rank rank = 0; rank < part.size(); ++rank) {
    graph.for_each_edge(rank, [&](Rank other, Weight weight) { cut += part[other] == part[rank] ? 0 : weight; });
  }
  return cut / 2;
}

// Rank after rank into each part that has room, unless that already costs as much as the best so far.
class Trial {
 public:
  Trial(const Graph& graph, std::span<const std::size_t> sizes, std::vector<Domain>& best)
      : graph_(graph),
        sizes_(sizes.begin(), sizes.end()),
        order_(breadth_first(graph)),
        room_(sizes_),
        part_(graph.ranks(), kNowhere),
        best_(best),
        best_cut_(cut_of_parts(graph, best)) {}

  void run() { place(0, 0); }

 private:
  static constexpr Domain kNowhere = ~Domain{0};

  void place(std::size_t at, Weight cut) {
    if (cut >= best_cut_ || ++steps_ > kMostSteps) return;
    if (at == order_.size()) {
      best_ = part_;
      best_cut_ = cut;
      return;
    }
    const Rank rank = order_[at];
    for (Domain part = 0; part < room_.size(); ++part) {
      if (room_[part] == 0 || is_twin_of_earlier(part)) continue;
      Weight more = 0;
      graph_.for_each_edge(rank, [&](Rank other, Weight weight) {
        if (part_[other] != kNowhere && part_[other] != part) more += weight;
      });
      --room_[part];
      part_[rank] = part;
      place(at + 1, cut + more);
      part_[rank] = kNowhere;
      ++room_[part];
    }
  }

  // Of empty parts of the same size only the first is tried.
  [[nodiscard]] bool is_twin_of_earlier(Domain part) const {
    if (room_[part] != sizes_[part]) return false;
    for (Domain other = 0; other < part; ++other) {
      if (sizes_[other] == sizes_[part] && room_[other] == sizes_[other]) return true;
    }
    return false;
  }

  const Graph& graph_;
  std::vector<std::size_t> sizes_;
  std::vector<Rank> order_;
  std::vector<std::size_t> room_;
  std::vector<Domain> part_;
  std::vector<Domain>& best_;
  Weight best_cut_;
  std::uint64_t steps_ = 0;
};

using Starts = std::array<std::vector<Domain>, 2>;

// In turn from each; the last of them is the best known.
std::vector<Domain> annealed(const Graph& graph, std::span<const std::size_t> sizes, const Effort& effort,
                             const Starts& starts) {
  const std::uint64_t each = std::min(effort.swaps / effort.trials, kSwapsARank * graph.ranks());
  std::vector<Domain> best = starts.back();
  Weight least = cut_of_parts(graph, best);
  for (std::uint64_t seed = 1; seed <= effort.trials; ++seed) {
    std::vector<Domain> part = starts[seed % starts.size()];
    anneal(graph, part, sizes.size(), {Wanted::least_sum, each, seed});
    const Weight cut = cut_of_parts(graph, part);
    if (cut >= least) continue;
    least = cut;
    best = std::move(part);
  }
  return best;
}

}  // namespace

void try_all_splits(const Graph& graph, std::span<const std::size_t> rooms, std::vector<Domain>& part) {
  Trial(graph, rooms, part).run();
}

std::vector<Domain> split(const Graph& graph, std::span<const std::size_t> sizes, const Effort& effort) {
  const std::size_t tries = std::clamp<std::size_t>(effort.swaps / (kSwapsATry * graph.ranks()), 1, kMostTries);
  std::vector<Domain> best = bisected(graph, sizes, tries);
  if (graph.ranks() <= kVerySmall) {
    try_all_splits(graph, sizes, best);
    return best;
  }
  // The best halves are not always the best to start from.
  return annealed(graph, sizes, effort, {tries == 1 ? best : bisected(graph, sizes, 1), best});
}

std::vector<Domain> split_again(const Graph& graph, std::span<const std::size_t> sizes, const Effort& effort,
                                const std::vector<Domain>& known) {
  return annealed(graph, sizes, effort, {known, known});
}

}  // namespace comity::place
