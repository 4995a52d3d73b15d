// SPDX-License-Identifier: BSD-3-Clause
#include "place/bounds/degree.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace comity::place {
namespace {

// What a rank exchanges with all but so many of its neighbours, those that it exchanges most with.
class Lightest {
 public:
  explicit Lightest(const Graph& graph) : graph_(graph), exchanged_(graph.ranks(), 0) {}

  Weight but(std::size_t kept, Rank rank) {
    if (graph_.edges_of(rank) <= kept) return 0;
    neighbours_.clear();
    weights_.clear();
    graph_.for_each_edge(rank, [&](Rank other, Weight weight) {
      if (exchanged_[other] == 0) neighbours_.push_back(other);
      exchanged_[other] += weight;
    });
    for (const Rank other : neighbours_) weights_.push_back(std::exchange(exchanged_[other], 0));
    if (weights_.size() <= kept) return 0;
    const auto light = weights_.begin() + static_cast<std::ptrdiff_t>(weights_.size() - kept);
    std::nth_element(weights_.begin(), light, weights_.end());
    return std::accumulate(weights_.begin(), light, Weight{0});
  }

 private:
  const Graph& graph_;
  std::vector<Weight> exchanged_;  // with each neighbour, however many edges join the two
  std::vector<Rank> neighbours_;
  std::vector<Weight> weights_;
};

// What of each rank leaves its domain at least, where so many others are with it at most.
template <typename Take>
void for_each_leaving(const Graph& graph, const std::function<std::size_t(Rank)>& beside, Take take) {
  Lightest lightest(graph);
  std::vector<std::optional<std::pair<std::size_t, Weight>>> of_kind(
      graph.kinds());  // the last one kept, and what leaves then
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    const std::size_t kept = beside(rank);
    if (of_kind.empty()) {
      take(lightest.but(kept, rank));
      continue;
    }
    auto& known = of_kind[graph.kind_of(rank)];
    if (!known || known->first != kept) known = {kept, lightest.but(kept, rank)};
    take(known->second);
  }
}

}  // namespace

Weight most_by_degree(const Graph& graph, std::size_t beside) {
  if (graph.weighted()) return std::numeric_limits<Weight>::max();
  std::size_t leaving = 0;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    const std::size_t edges = graph.edges_of(rank);
    leaving += edges > beside ? edges - beside : 0;
  }
  return static_cast<Weight>((leaving + 1) / 2);
}

Weight least_by_degree(const Graph& graph, const std::function<std::size_t(Rank)>& beside) {
  Weight leaving = 0;
  for_each_leaving(graph, beside, [&](Weight own) { leaving += own; });
  return (leaving + 1) / 2;
}

Weight least_of_one_rank(const Graph& graph, std::size_t beside) {
  Weight most = 0;
  for_each_leaving(
      graph, [&](Rank) { return beside; }, [&](Weight own) { most = std::max(most, own); });
  return most;
}

}  // namespace comity::place
