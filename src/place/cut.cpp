// SPDX-License-Identifier: BSD-3-Clause
#include "place/cut.hpp"

#include <algorithm>

#include "place/parted.hpp"

namespace comity::place {
namespace {

template <typename Number>
void put(Domain domain, Number& place) {
  place = static_cast<Number>(domain);
}

Weight largest(const std::vector<Weight>& all) { return all.empty() ? 0 : *std::max_element(all.begin(), all.end()); }

// Each edge is met at both of its ends; what an end's domain bears of it (at the first level the end's own, below it the enclosing one)
// is added up rank by rank: of a grid level by level, for what a level parts is counted for many ranks at once there, else at all levels
// at once, for a look at an edge is dear.
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
    if (graph_.kinds() == 0) {
      in_parts([&](Rank first, Rank end, OfLevels& borne) { add_rows(first, end, borne); });
    } else {
      for (std::size_t level = 0; level < borne_.size(); ++level) add_level(level);
    }
    Cut cut;
    for (std::size_t level = 0; level < borne_.size(); ++level) cut.push_back(cut_at(level));
    return cut;
  }

 private:
  struct End {
    Domain domain;  // the innermost one
    Weight weight;
  };
  using OfLevels = std::vector<std::vector<Parted>>;  // a level, by domain

  template <typename Look>
  void in_parts(Look&& look) {
    OfLevels none;
    for (const std::vector<Parted>& level : borne_) none.emplace_back(level.size());
    std::vector<OfLevels> others;
    for (std::size_t part = 1; part < graph_.parts(); ++part) others.push_back(none);
    graph_.in_parts(
        [&](std::size_t part, Rank first, Rank end) { look(first, end, part == 0 ? borne_ : others[part - 1]); });
    for (const OfLevels& other : others) add_all(other);
  }

  // What a level parts crosses there, and not at the next one inside, however many levels lie further inside.
  void add_level(std::size_t level) {
    const std::vector<Domain>& around = around_[level];
    const std::vector<Domain>& bearers = around_[level == 0 ? 0 : level - 1];
    RankDomains domain_of(graph_.ranks(), around.empty() ? 0 : around.back() + std::size_t{1});
    graph_.in_parts([&](std::size_t, Rank first, Rank end) {
      domain_of.with([&](auto* domains) {
        for (Rank rank = first; rank < end; ++rank) put(around[innermost_of_[rank]], domains[rank]);
      });
    });
    in_parts([&](Rank first, Rank end, OfLevels& borne) {
      const bool is_last = level + 1 == borne.size();
      for_each_parted(graph_, domain_of, first, end, [&](Rank rank, const Parted& parted) {
        const Domain innermost = innermost_of_[rank];
        borne[level][bearers[innermost]] += parted;
        if (!is_last) borne[level + 1][around[innermost]] -= parted;
      });
    });
  }

  void add_rows(Rank first, Rank end, OfLevels& borne) const {
    std::vector<End> ends;
    for (Rank rank = first; rank < end; ++rank) {
      const Domain own = innermost_of_[rank];
      ends.resize(std::max(ends.size(), graph_.edges_of(rank)));
      Parted within = parted_innermost(rank, own, ends);
      for (std::size_t level = borne.size(); level-- > 0 && within.edges > 0;) {
        const Parted outside = level == 0 ? Parted{} : parted_at(level - 1, own, within, ends);
        Parted& bearer = borne[level][around_[level == 0 ? 0 : level - 1][own]];
        bearer += within;
        bearer -= outside;
        within = outside;
      }
    }
  }

  // Edges whose ends a level parts are put first; those that one outside of it parts are among them. Without a branch, for nobody can
  // guess which edge crosses.
  [[nodiscard]] Parted parted_innermost(Rank rank, Domain own, std::vector<End>& ends) const {
    Parted parted;
    graph_.for_each_edge(rank, [&](Rank other, Weight weight) {
      ends[static_cast<std::size_t>(parted.edges)] = {innermost_of_[other], weight};
      const auto counts = static_cast<Weight>(innermost_of_[other] != own);
      parted.weight += counts * weight;
      parted.edges += counts;
    });
    return parted;
  }
  [[nodiscard]] Parted parted_at(std::size_t level, Domain own, const Parted& within, std::vector<End>& ends) const {
    const std::vector<Domain>& around = around_[level];
    Parted parted;
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
        borne_[level][domain] += other[level][domain];
      }
    }
  }

  // Below the first level one domain has borne both ends.
  [[nodiscard]] LevelCut cut_at(std::size_t level) const {
    LevelCut cut;
    for (const Parted& one : borne_[level]) {
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
  const auto look_at = [&](const auto& domains) {
    graph.in_parts([&](std::size_t part, Rank first, Rank end) {
      for_each_parted(graph, domains, first, end,
                      [&](Rank rank, const Parted& parted) { of_parts[part][node_of[rank]] += parted.weight; });
    });
  };
  if (graph.kinds() == 0) {
    look_at(node_of);
  } else {
    RankDomains domains(node_of.size(), nodes);
    domains.with([&](auto* first) {
      for (Rank rank = 0; rank < node_of.size(); ++rank) put(node_of[rank], first[rank]);
    });
    look_at(domains);
  }
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
