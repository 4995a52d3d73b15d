// SPDX-License-Identifier: BSD-3-Clause
#include "place/cut.hpp"

#include <algorithm>

namespace comity::place {
namespace {

Weight largest(const std::vector<Weight>& all) { return all.empty() ? 0 : *std::max_element(all.begin(), all.end()); }

// Each edge is met at both of its ends; what an end's domain bears of it (at the first level the end's own, below it the enclosing one)
// is added up rank by rank.
class Measure {
 public:
  Measure(const Graph& graph, const Site& site, const Mapping& mapping) : graph_(graph), innermost_of_(graph.ranks()) {
    const Level& innermost = site.levels().back();
    for (std::size_t level = 0; level < site.levels().size(); ++level) {
      std::vector<Domain>& around = around_.emplace_back(innermost.domains());
      for (Domain one = 0; one < around.size(); ++one) around[one] = site.domain_of(level)[innermost.first[one]];
      borne_.emplace_back(site.levels()[level == 0 ? 0 : level - 1].domains());
    }
    const std::vector<Domain>& domain_of = site.domain_of(site.levels().size() - 1);
    for (Rank rank = 0; rank < graph.ranks(); ++rank) innermost_of_[rank] = domain_of[mapping[rank]];
  }

  Cut take() {
    std::vector<Borne> crosses(borne_.size());
    for (Rank rank = 0; rank < graph_.ranks(); ++rank) {
      const Domain own = innermost_of_[rank];
      bool any = false;
      graph_.for_each_edge(rank, [&](Rank other, Weight weight) {
        const Domain theirs = innermost_of_[other];
        if (theirs == own) return;  // most are, and so share all that is around it
        Borne& at = crosses[level_between(own, theirs)];
        at.weight += weight;
        ++at.edges;
        any = true;
      });
      if (any) add(own, crosses);
    }
    Cut cut;
    for (std::size_t level = 0; level < borne_.size(); ++level) cut.push_back(cut_at(level));
    return cut;
  }

 private:
  struct Borne {
    Weight weight = 0, edges = 0;
  };

  // The outermost that parts two innermost domains; one does.
  [[nodiscard]] std::size_t level_between(Domain one, Domain other) const {
    std::size_t level = 0;
    while (around_[level][one] == around_[level][other]) ++level;
    return level;
  }

  void add(Domain own, std::vector<Borne>& crosses) {
    for (std::size_t level = 0; level < crosses.size(); ++level) {
      Borne& bearer = borne_[level][around_[level == 0 ? 0 : level - 1][own]];
      bearer.weight += crosses[level].weight;
      bearer.edges += crosses[level].edges;
      crosses[level] = {};
    }
  }

  // Below the first level one domain has borne both ends.
  [[nodiscard]] LevelCut cut_at(std::size_t level) const {
    LevelCut cut;
    for (const Borne& one : borne_[level]) {
      cut.weight.sum += one.weight;
      cut.edges.sum += one.edges;
      cut.weight.worst = std::max(cut.weight.worst, one.weight);
      cut.edges.worst = std::max(cut.edges.worst, one.edges);
    }
    cut.weight.sum /= 2;
    cut.edges.sum /= 2;
    if (level == 0) return cut;
    cut.weight.worst /= 2;
    cut.edges.worst /= 2;
    return cut;
  }

  const Graph& graph_;
  std::vector<Domain> innermost_of_;         // the innermost domain of each rank
  std::vector<std::vector<Domain>> around_;  // a level: its domain around each innermost one
  std::vector<std::vector<Borne>> borne_;    // a level, by domain
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
