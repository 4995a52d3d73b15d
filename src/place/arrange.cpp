// SPDX-License-Identifier: BSD-3-Clause
#include "place/arrange.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace comity::place {
namespace {

constexpr std::size_t kMostSteps = 20'000'000;  // edges of nodes looked at
constexpr std::size_t kAllTried = 128;          // [nodes] up to which a node tries every other's place

class Arranging {
 public:
  Arranging(const Graph& nodes, std::vector<std::size_t> kinds, const Neighbourhood& neighbourhood)
      : nodes_(nodes),
        kinds_(std::move(kinds)),
        neighbourhood_(neighbourhood),
        at_(nodes.ranks()),
        who_(nodes.ranks()),
        near_(nodes.ranks()),
        goes_(nodes.ranks(), kUnknown) {
    std::iota(at_.begin(), at_.end(), Domain{0});
    std::iota(who_.begin(), who_.end(), Domain{0});
  }

  // How far all of it goes now.
  double all_goes() {
    double all = 0;
    for (Domain one = 0; one < at_.size(); ++one) all += goes(one);
    return all / 2;
  }

  // Where each goes. It may end long before all of the steps that are allowed.
  const std::vector<Domain>& run(const Portions& portions) {
    bool better = true;
    while (better && steps_ < kMostSteps) {
      better = false;
      for (Domain one = 0; one < at_.size() && steps_ < kMostSteps; ++one) {
        if (portions) tell(portions);
        better |= improve(one);
      }
    }
    return at_;
  }

 private:
  void tell(const Portions& portions) {
    if (steps_ < told_at_) return;
    portions(std::min(steps_, kMostSteps) * kHundred / kMostSteps, kHundred);
    told_at_ = steps_ + kMostSteps / kHundred;
  }

  bool improve(Domain one) {
    Domain best = one;
    double gain = 1e-9;
    for (const Domain place : tried_by(one)) {
      const Domain other = who_[place];
      if (other == one || kinds_[place] != kinds_[at_[one]]) continue;
      const double found = gain_of(one, other);
      if (found <= gain) continue;
      gain = found;
      best = other;
    }
    if (best == one) return false;
    std::swap(who_[at_[one]], who_[at_[best]]);
    std::swap(at_[one], at_[best]);
    for (const Domain moved : {one, best}) {
      goes_[moved] = kUnknown;
      nodes_.for_each_edge(moved, [&](Rank other, Weight) { goes_[other] = kUnknown; });
    }
    return true;
  }

  std::vector<Domain> tried_by(Domain one) {
    std::vector<Domain> places;
    if (at_.size() <= kAllTried) {
      places.resize(at_.size());
      std::iota(places.begin(), places.end(), Domain{0});
      return places;
    }
    nodes_.for_each_edge(one, [&](Rank other, Weight) {
      std::vector<Domain>& near = near_[at_[other]];
      if (near.empty()) near = neighbourhood_.near(at_[other]);
      places.insert(places.end(), near.begin(), near.end());
    });
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    return places;
  }

  // What the sum falls by if the two change places; what they exchange themselves goes as far as before.
  double gain_of(Domain one, Domain other) {
    return gain_of_move(one, other, at_[other]) + gain_of_move(other, one, at_[one]);
  }
  double gain_of_move(Domain one, Domain besides, Domain to) {
    double gain = goes(one);
    nodes_.for_each_edge(one, [&](Rank other, Weight weight) {
      ++steps_;
      gain -= static_cast<double>(weight) * neighbourhood_.way(other == besides ? at_[one] : to, at_[other]);
    });
    return gain;
  }

  // How far what it exchanges goes now, each as often as its weight says.
  double goes(Domain one) {
    if (goes_[one] != kUnknown) return goes_[one];
    double all = 0;
    nodes_.for_each_edge(one, [&](Rank other, Weight weight) {
      all += static_cast<double>(weight) * neighbourhood_.way(at_[one], at_[other]);
    });
    return goes_[one] = all;
  }

  static constexpr double kUnknown = -1;

  const Graph& nodes_;
  std::vector<std::size_t> kinds_;  // of each place
  const Neighbourhood& neighbourhood_;
  std::vector<Domain> at_;                 // the place of each
  std::vector<Domain> who_;                // is at each place
  std::vector<std::vector<Domain>> near_;  // each place, where that has been asked for
  std::vector<double> goes_;               // of each node, or kUnknown
  std::size_t steps_ = 0, told_at_ = 0;
};

}  // namespace

Graph between_nodes(const Graph& graph, const std::vector<Domain>& node_of, std::size_t nodes) {
  std::vector<std::size_t> end_of(nodes + 1, 0);
  for (const Domain node : node_of) ++end_of[node + 1];
  std::partial_sum(end_of.begin(), end_of.end(), end_of.begin());
  std::vector<Rank> ranks(node_of.size());  // node after node
  for (Rank rank = 0; rank < node_of.size(); ++rank) ranks[end_of[node_of[rank]]++] = rank;
  std::vector<std::uint64_t> first{0};
  std::vector<Rank> to;
  std::vector<Weight> weights;
  std::vector<Weight> exchanged(nodes, 0);  // by the node with each other one
  std::vector<Rank> others;
  for (std::size_t node = 0, at = 0; node < nodes; ++node) {
    for (; at < end_of[node]; ++at) {
      graph.for_each_edge(ranks[at], [&](Rank end, Weight weight) {
        const Domain other = node_of[end];
        if (other == node) return;
        if (exchanged[other] == 0) others.push_back(other);
        exchanged[other] += weight;
      });
    }
    std::sort(others.begin(), others.end());
    for (const Rank other : others) {
      to.push_back(other);
      weights.push_back(std::exchange(exchanged[other], 0));
    }
    others.clear();
    first.push_back(to.size());
  }
  return {std::move(first), std::move(to), std::move(weights)};
}

std::vector<std::size_t> kinds_of_nodes(const Site& site) {
  const Level& nodes = site.levels()[site.node_level()];
  std::vector<std::vector<Place>> shapes(nodes.domains());
  for (std::size_t node = 0; node < nodes.domains(); ++node)
    shapes[node].push_back(static_cast<Place>(nodes.size(node)));
  for (std::size_t level = site.node_level() + 1; level < site.levels().size(); ++level) {
    std::size_t node = 0;
    for (const Place border : site.levels()[level].first) {
      while (node + 1 < nodes.domains() && border >= nodes.first[node + 1]) ++node;
      shapes[node].push_back(border - nodes.first[node]);
    }
    for (std::vector<Place>& shape : shapes) shape.push_back(0);  // a new level
  }
  std::map<std::vector<Place>, std::size_t> known;
  std::vector<std::size_t> kinds;
  kinds.reserve(shapes.size());
  for (const std::vector<Place>& shape : shapes) kinds.push_back(known.try_emplace(shape, known.size()).first->second);
  return kinds;
}

Neighbourhood neighbourhood_in(const Site& site, const Objective& objective) {
  constexpr double kNextLevel = 256;
  const auto way = [&](Domain one, Domain other) {
    const std::vector<Place>& first = site.levels()[site.node_level()].first;
    for (std::size_t level = 0; level <= site.node_level(); ++level) {
      const std::vector<Domain>& domain_of = site.domain_of(level);
      if (domain_of[first[one]] == domain_of[first[other]]) continue;
      return objective.aim == Aim::time ? objective.cost(level)
                                        : std::pow(kNextLevel, static_cast<double>(site.node_level() - level));
    }
    return 0.0;
  };
  const auto near = [&](Domain node) {
    const std::vector<Place>& first = site.levels()[site.node_level()].first;
    const Level& above = site.levels()[site.node_level() - 1];
    const Domain domain = site.domain_of(site.node_level() - 1)[first[node]];
    std::vector<Domain> all;
    for (auto at = std::lower_bound(first.begin(), first.end(), above.first[domain]); *at < above.first[domain + 1];
         ++at) {
      all.push_back(static_cast<Domain>(at - first.begin()));
    }
    return all;
  };
  return {way, near};
}

Arranged arranged(const Graph& graph, const Site& site, const Mapping& mapping, const Neighbourhood& neighbourhood,
                  const Portions& portions) {
  const Level& nodes = site.levels()[site.node_level()];
  const std::vector<Domain> node_of = domains_of(site, site.node_level(), mapping);
  const Graph between = between_nodes(graph, node_of, nodes.domains());
  Arranging arranging(between, kinds_of_nodes(site), neighbourhood);
  Arranged result{Mapping(mapping.size()), arranging.all_goes(), 0};
  const std::vector<Domain>& at = arranging.run(portions);
  result.after = arranging.all_goes();
  for (Rank rank = 0; rank < mapping.size(); ++rank) {
    result.mapping[rank] = nodes.first[at[node_of[rank]]] + (mapping[rank] - nodes.first[node_of[rank]]);
  }
  return result;
}

}  // namespace comity::place
