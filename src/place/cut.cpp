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
    graph.in_parts([&](std::size_t, Rank first, Rank end) {
      for (Rank rank = first; rank < end; ++rank) innermost_of_[rank] = domain_of[mapping[rank]];
    });
  }

  Cut take() {
    std::vector<OfLevels> others(graph_.parts() - 1, borne_);
    graph_.in_parts(
        [&](std::size_t part, Rank first, Rank end) { add_rows(first, end, part == 0 ? borne_ : others[part - 1]); });
    for (const OfLevels& other : others) add_all(other);
    Cut cut;
    for (std::size_t level = 0; level < borne_.size(); ++level) cut.push_back(cut_at(level));
    return cut;
  }

 private:
  struct Borne {
    Weight weight = 0, edges = 0;
  };
  using OfLevels = std::vector<std::vector<Borne>>;  // a level, by domain

  void add_rows(Rank first, Rank end, OfLevels& borne) const {
    std::vector<Borne> crosses(borne.size());
    for (Rank rank = first; rank < end; ++rank) {
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
      if (any) add(own, crosses, borne);
    }
  }

  void add_all(const OfLevels& other) {
    for (std::size_t level = 0; level < borne_.size(); ++level) {
      for (std::size_t domain = 0; domain < borne_[level].size(); ++domain) {
        borne_[level][domain].weight += other[level][domain].weight;
        borne_[level][domain].edges += other[level][domain].edges;
      }
    }
  }

  // The outermost that parts two innermost domains; one does.
  [[nodiscard]] std::size_t level_between(Domain one, Domain other) const {
    std::size_t level = 0;
    while (around_[level][one] == around_[level][other]) ++level;
    return level;
  }

  void add(Domain own, std::vector<Borne>& crosses, OfLevels& borne) const {
    for (std::size_t level = 0; level < crosses.size(); ++level) {
      Borne& bearer = borne[level][around_[level == 0 ? 0 : level - 1][own]];
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
  OfLevels borne_;
};

}  // namespace

std::vector<Domain> domains_of(const Site& site, std::size_t level, const Mapping& mapping) {
  const std::vector<Domain>& domain_of = site.domain_of(level);
  std::vector<Domain> domains;
  domains.reserve(mapping.size());
  for (const Place place : mapping) domains.push_back(domain_of[place]);
  return domains;
}

Cut cut_of(const Graph& graph, const Site& site, const Mapping& mapping) {
  return Measure(graph, site, mapping).take();
}

Crossing node_cut(const Graph& graph, std::size_t nodes, std::span<const Domain> node_of) {
  std::vector<std::vector<Weight>> of_parts(graph.parts(), std::vector<Weight>(nodes, 0));
  graph.in_parts([&](std::size_t part, Rank first, Rank end) {
    for (Rank rank = first; rank < end; ++rank) {
      const Domain own = node_of[rank];
      Weight out = 0;
      graph.for_each_edge(rank, [&](Rank other, Weight weight) { out += node_of[other] == own ? 0 : weight; });
      of_parts[part][own] += out;
    }
  });
  std::vector<Weight>& borne = of_parts.front();
  for (std::size_t part = 1; part < of_parts.size(); ++part) {
    for (std::size_t node = 0; node < nodes; ++node) borne[node] += of_parts[part][node];
  }
  Crossing crossing{0, largest(borne)};
  for (const Weight weight : borne) crossing.sum += weight;
  crossing.sum /= 2;
  return crossing;
}

}  // namespace comity::place
