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
  struct End {
    Domain domain;  // the innermost one
    Weight weight;
  };
  using OfLevels = std::vector<std::vector<Borne>>;  // a level, by domain

  void add_rows(Rank first, Rank end, OfLevels& borne) const {
    std::vector<End> ends;
    for (Rank rank = first; rank < end; ++rank) {
      const Domain own = innermost_of_[rank];
      ends.resize(std::max(ends.size(), graph_.edges_of(rank)));
      Borne within = parted_innermost(rank, own, ends);
      for (std::size_t level = borne.size(); level-- > 0 && within.edges > 0;) {
        const Borne outside = level == 0 ? Borne{} : parted_at(level - 1, own, within, ends);
        Borne& bearer = borne[level][around_[level == 0 ? 0 : level - 1][own]];
        bearer.weight += within.weight - outside.weight;
        bearer.edges += within.edges - outside.edges;
        within = outside;
      }
    }
  }

  // Edges whose ends a level parts are put first; those that one outside of it parts are among them. Without a branch, for nobody can
  // guess which edge crosses.
  [[nodiscard]] Borne parted_innermost(Rank rank, Domain own, std::vector<End>& ends) const {
    Borne parted;
    graph_.for_each_edge(rank, [&](Rank other, Weight weight) {
      ends[static_cast<std::size_t>(parted.edges)] = {innermost_of_[other], weight};
      const auto counts = static_cast<Weight>(innermost_of_[other] != own);
      parted.weight += counts * weight;
      parted.edges += counts;
    });
    return parted;
  }
  [[nodiscard]] Borne parted_at(std::size_t level, Domain own, const Borne& within, std::vector<End>& ends) const {
    const std::vector<Domain>& around = around_[level];
    Borne parted;
    for (std::size_t i = 0; i < static_cast<std::size_t>(within.edges); ++i) {
      const End one = ends[i];
      ends[static_cast<std::size_t>(parted.edges)] = one;
      const auto counts = static_cast<Weight>(around[one.domain] != around[own]);
      parted.weight += counts * one.weight;
      parted.edges += counts;
    }
    return parted;
  }

  void add_all(const OfLevels& other) {
    for (std::size_t level = 0; level < borne_.size(); ++level) {
      for (std::size_t domain = 0; domain < borne_[level].size(); ++domain) {
        borne_[level][domain].weight += other[level][domain].weight;
        borne_[level][domain].edges += other[level][domain].edges;
      }
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
