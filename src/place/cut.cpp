// SPDX-License-Identifier: BSD-3-Clause
#include "place/cut.hpp"

#include <algorithm>

namespace comity::place {
namespace {

Weight largest(const std::vector<Weight>& all) { return all.empty() ? 0 : *std::max_element(all.begin(), all.end()); }

// What crosses one level, by the domain that bears it: at the first level both ends do, below it the enclosing domain.
struct Bearers {
  std::vector<Weight> weight, edges;

  explicit Bearers(std::size_t domains) : weight(domains, 0), edges(domains, 0) {}
  void add(Domain domain, Weight amount) {
    weight[domain] += amount;
    ++edges[domain];
  }
};

class Measure {
 public:
  Measure(const Graph& graph, const Site& site, const Mapping& mapping) : graph_(graph) {
    for (std::size_t level = 0; level < site.levels().size(); ++level) {
      std::vector<Domain>& of = domain_of_rank_.emplace_back(graph.ranks());
      for (std::size_t rank = 0; rank < of.size(); ++rank) of[rank] = site.domain_of(level)[mapping[rank]];
      bearers_.emplace_back(site.levels()[level == 0 ? 0 : level - 1].domains());
    }
    cut_.resize(site.levels().size());
  }

  Cut take() {
    for (Rank rank = 0; rank < graph_.ranks(); ++rank) {
      graph_.for_each_edge(rank, [&](Rank other, Weight weight) { add(rank, other, weight); });
    }
    for (std::size_t level = 0; level < cut_.size(); ++level) {
      cut_[level].weight.worst = largest(bearers_[level].weight);
      cut_[level].edges.worst = largest(bearers_[level].edges);
    }
    return std::move(cut_);
  }

 private:
  void add(Rank rank, Rank other, Weight weight) {
    const std::vector<Domain>& innermost = domain_of_rank_.back();
    if (innermost[rank] == innermost[other]) return;  // most are, and so share all that is around it
    for (std::size_t level = 0; level < cut_.size(); ++level) {
      if (domain_of_rank_[level][rank] == domain_of_rank_[level][other]) continue;
      if (rank < other) {
        cut_[level].weight.sum += weight;
        ++cut_[level].edges.sum;
      }
      if (level == 0) bearers_[0].add(domain_of_rank_[0][rank], weight);
      if (level > 0 && rank < other) bearers_[level].add(domain_of_rank_[level - 1][rank], weight);
      return;
    }
  }

  const Graph& graph_;
  std::vector<std::vector<Domain>> domain_of_rank_;  // a level
  std::vector<Bearers> bearers_;                     // a level
  Cut cut_;
};

}  // namespace

Cut cut_of(const Graph& graph, const Site& site, const Mapping& mapping) {
  return Measure(graph, site, mapping).take();
}

Crossing node_cut(const Graph& graph, std::size_t nodes, std::span<const Domain> node_of) {
  std::vector<Weight> borne(nodes, 0);
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    const Domain own = node_of[rank];
    Weight out = 0;
    graph.for_each_edge(rank, [&](Rank other, Weight weight) { out += node_of[other] == own ? 0 : weight; });
    borne[own] += out;
  }
  Crossing crossing{0, largest(borne)};
  for (const Weight weight : borne) crossing.sum += weight;
  crossing.sum /= 2;
  return crossing;
}

}  // namespace comity::place
