// SPDX-License-Identifier: BSD-3-Clause
#include "place/torus.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "place/division/bisect.hpp"
#include "place/division/inside.hpp"
#include "place/division/launchers.hpp"
#include "place/laid.hpp"
#include "place/small.hpp"
#include "place/small_on_torus.hpp"

namespace comity::place {
namespace {

constexpr std::size_t kMostDividedTwice = 100'000;  // ranks
constexpr std::size_t kMostArranged = 100'000;      // ranks, of orders in which nodes exchange with very many others

// Nodes one link away from each, by their numbers.
std::vector<std::uint32_t> linked_to(const std::vector<std::uint32_t>& extents, std::uint32_t node) {
  std::vector<std::uint32_t> linked;
  std::uint32_t step = 1;
  for (std::size_t i = extents.size(); i-- > 0; step *= extents[i]) {
    const std::uint32_t at = node / step % extents[i];
    for (const std::uint32_t next : {at + 1 == extents[i] ? 0 : at + 1, at == 0 ? extents[i] - 1 : at - 1}) {
      if (next != at) linked.push_back(node - at * step + next * step);
    }
  }
  return linked;
}

// What may be the answer. `cut`: of the mapping, where it is known.
struct Offer {
  std::string name;
  Mapping mapping;
  const Cut* cut = nullptr;
  bool may_arrange = true;
  bool tells_most = false;  // no more links than these are allowed
};

// Ways are whole numbers of links.
Weight links(double way) { return static_cast<Weight>(way); }

class OnTorus {
 public:
  OnTorus(const Graph& graph, const Site& site, const Network& torus, const Objective& objective,
          const Progress& progress)
      : graph_(graph), site_(site), torus_(torus), objective_(objective), progress_(progress) {}

  // Mappings themselves, and with their nodes arranged, which is done side by side.
  void offer_all(std::vector<Offer> offers) {
    std::vector<Arranged> in_order(offers.size());
    PartsDone done(progress_, "arranging nodes on the torus", offers.size());
    graph_.side_by_side(offers.size(), [&](std::size_t i) {
      if (!offers[i].may_arrange) return;
      std::size_t own = 0;
      const Portions portions = [&](std::size_t number, std::size_t of) {
        done.add(number - own, of);
        own = number;
      };
      in_order[i] = arranged(graph_, site_, offers[i].mapping, neighbourhood_on(torus_, site_), portions);
    });
    for (std::size_t i = 0; i < offers.size(); ++i) {
      if (offers[i].tells_most) most_ = links(in_order[i].before);
    }
    for (std::size_t i = 0; i < offers.size(); ++i) {
      const bool is_arranged = offers[i].may_arrange;
      Cut cut = offers[i].cut != nullptr ? *offers[i].cut : cut_of(graph_, site_, offers[i].mapping);
      keep(offers[i].name, std::move(offers[i].mapping), std::move(cut),
           is_arranged ? std::optional(links(in_order[i].before)) : std::nullopt);
      if (!is_arranged) continue;
      cut = cut_of(graph_, site_, in_order[i].mapping);
      keep(offers[i].name + ", nodes arranged", std::move(in_order[i].mapping), std::move(cut),
           links(in_order[i].after));
    }
  }

  void offer(const std::string& name, Mapping mapping) {
    std::vector<Offer> one;
    one.push_back({.name = name, .mapping = std::move(mapping)});
    offer_all(std::move(one));
  }

  // The same with the nodes' contents in turn of their numbers, where all are alike: a walk through a grid goes along the torus.
  void offer_in_turn(const std::string& name, const Mapping& mapping) {
    if (nodes_are_alike()) offer(name, moved(mapping, site_.nodes_in_turn()));
  }

  // And along a walk that comes back to where it began: nodes in a ring go around it, each beside one that it exchanges with.
  void offer_along_ring(const std::string& name, const Mapping& mapping) {
    if (!nodes_are_alike() || node_level().domains() < torus_.order.size()) return;
    const std::vector<Domain> node_of = domains_of(site_, site_.node_level(), mapping);
    const Graph between = between_nodes(graph_, node_of, node_level().domains());
    std::vector<bool> is_used(between.ranks(), false);
    for (const Domain node : node_of) is_used[node] = true;
    std::vector<Rank> row = depth_first(between);
    std::erase_if(row, [&](Rank node) { return !is_used[node]; });
    const std::vector<Domain> ring = ring_of_nodes(site_, torus_, row.size());
    std::vector<Domain> to(between.ranks(), 0);
    for (std::size_t i = 0; i < row.size(); ++i) to[row[i]] = ring[i];
    offer(name, moved(mapping, to));
  }

  // Of few ranks all ways are; the least links that are known then.
  [[nodiscard]] Weight offer_all_ways() {
    return try_all_of_small_on_torus(
        {graph_, site_, torus_, objective_, progress_,
         [this](const std::string& name, Mapping mapping) { offer(name, std::move(mapping)); },
         [this] {
           return KnownOnTorus{{key_.begin(), key_.end() - 1}, links(key_.back())};
         }});
  }

  void put_best_into(Answer& answer) {
    answer.mapping = std::move(best_);
    answer.made_by = std::move(made_by_);
    answer.cut = std::move(cut_);
    answer.links = {links(key_.back()), most_};
  }

 private:
  [[nodiscard]] const Level& node_level() const { return site_.levels()[site_.node_level()]; }

  [[nodiscard]] bool nodes_are_alike() const {
    return std::ranges::all_of(kinds_of_nodes(site_), [](std::size_t kind) { return kind == 0; });
  }

  [[nodiscard]] Mapping moved(const Mapping& mapping, const std::vector<Domain>& to) const {
    const std::vector<Place>& first = node_level().first;
    Mapping result;
    result.reserve(mapping.size());
    for (const Place place : mapping) {
      const Domain node = site_.domain_of(site_.node_level())[place];
      result.push_back(first[to[node]] + (place - first[node]));
    }
    return result;
  }

  void keep(const std::string& name, Mapping mapping, Cut cut, std::optional<Weight> known_links) {
    Key of_cut = key_of(objective_, cut);
    if (!best_.empty() && is_worse_whatever_ways(of_cut)) return;
    const Weight all = known_links ? *known_links : links_of(graph_, site_, torus_, mapping);
    Key key = of_cut;
    key.insert(key.begin() + 1, static_cast<double>(ways_come_first() ? all : std::max<Weight>(0, all - most_)));
    key.push_back(static_cast<double>(all));
    if (!best_.empty() && key >= key_) return;
    key_ = std::move(key);
    of_cut_ = std::move(of_cut);
    best_ = std::move(mapping);
    cut_ = std::move(cut);
    made_by_ = name;
  }

  [[nodiscard]] bool ways_come_first() const { return objective_.aim == Aim::hops; }
  // To know the ways takes a look at all edges. The best has none that are too long.
  [[nodiscard]] bool is_worse_whatever_ways(const Key& of_cut) const {
    return !ways_come_first() && key_[1] == 0 && of_cut > of_cut_;
  }

  const Graph& graph_;
  const Site& site_;
  const Network& torus_;
  const Objective& objective_;
  const Progress& progress_;
  Weight most_ = 0;
  Key key_;     // with the ways
  Key of_cut_;  // without
  Mapping best_;
  Cut cut_;
  std::string made_by_;
};

}  // namespace

Neighbourhood neighbourhood_on(const Network& torus, const Site& site) {
  constexpr Domain kNone = ~Domain{0};
  std::vector<Domain> domain_of(torus.order.size(), kNone);  // of each node's number
  for (Domain node = 0; node < site.levels()[site.node_level()].domains(); ++node) {
    domain_of[site.number_of(node)] = node;
  }
  return {[ways = TorusWays(torus.torus), &site](Domain one, Domain other) {
            return static_cast<double>(ways.links(site.number_of(one), site.number_of(other)));
          },
          [&torus, &site, domain_of = std::move(domain_of)](Domain node) {
            std::vector<Domain> near;
            for (const std::uint32_t number : linked_to(torus.torus, site.number_of(node))) {
              if (domain_of[number] != kNone) near.push_back(domain_of[number]);
            }
            return near;
          }};
}

Weight links_of(const Graph& graph, const Site& site, const Network& torus, const Mapping& mapping) {
  std::vector<std::uint32_t> node_of = domains_of(site, site.node_level(), mapping);
  for (std::uint32_t& node : node_of) node = site.number_of(node);
  const TorusWays ways(torus.torus);
  std::vector<Weight> of_parts(graph.parts(), 0);
  graph.in_parts([&](std::size_t part, Rank first, Rank end) {
    Weight all = 0;
    for (Rank rank = first; rank < end; ++rank) {
      graph.for_each_edge(rank, [&](Rank other, Weight weight) {
        if (rank < other && node_of[rank] != node_of[other]) all += weight * ways.links(node_of[rank], node_of[other]);
      });
    }
    of_parts[part] = all;
  });
  return std::accumulate(of_parts.begin(), of_parts.end(), Weight{0});
}

Answer mapped_on_torus(const Graph& graph, const Grid* grid, const Site& site, const Network& torus,
                       const Objective& objective, const Progress& progress, const Partition& ask) {
  Objective of_nodes = objective;
  if (of_nodes.aim == Aim::hops) of_nodes.aim = Aim::sum;
  Answer answer = mapped(graph, grid, site, of_nodes, progress, ask);
  OnTorus on_torus(graph, site, torus, objective, progress);
  std::vector<Offer> offers;
  offers.push_back({answer.made_by, std::move(answer.mapping), &answer.cut});
  for (std::size_t i = 0; i < kLaunchers.size(); ++i) {
    const Launcher& launcher = kLaunchers[i];
    const bool is_sequential = launcher.map == sequential;
    offers.push_back({std::string(launcher.name), launcher.map(site, graph.ranks()), &answer.launchers[i].cut,
                      is_sequential || graph.ranks() <= kMostArranged, is_sequential});
  }
  on_torus.offer_all(std::move(offers));
  if (site.node_level() > 0 && graph.ranks() <= kMostDividedTwice) {
    const Answer flat = mapped(graph, grid, site.without_network(), of_nodes, progress, ask);
    on_torus.offer(flat.made_by, flat.mapping);
    on_torus.offer_in_turn(flat.made_by, flat.mapping);
    if (objective.aim == Aim::hops) on_torus.offer_along_ring(flat.made_by, flat.mapping);
  }
  if (objective.aim == Aim::hops && grid != nullptr) {
    const Site nodes = site.without_network();
    for (const std::vector<Domain>& node_of : laid_on_torus(*grid, site, torus)) {
      on_torus.offer("boxes on the torus", settled(graph, nodes, node_of, kUsualEffort, grid));
    }
  }
  if (objective.aim == Aim::hops) answer.least_links = on_torus.offer_all_ways();
  on_torus.put_best_into(answer);
  answer.bounds = bounds_of(site, answer);
  return answer;
}

}  // namespace comity::place
