// SPDX-License-Identifier: BSD-3-Clause
#include "place/gather.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "place/division/random.hpp"

namespace comity::place {
namespace {

constexpr std::size_t kMostGathered = 1024;  // domains
constexpr std::uint64_t kSwaps = 200'000, kSwapsADomain = 4'000;
constexpr double kExcessCost = 4;         // [of what crosses the outer level] of each unit above a limit
constexpr double kHot = 2, kCold = 0.05;  // [of the mean weight of an edge]
constexpr std::uint64_t kStep = 256;      // swaps tried at one temperature

bool all_as_large(const Level& level) {
  const std::vector<std::size_t> sizes = level.sizes();
  return std::adjacent_find(sizes.begin(), sizes.end(), std::not_equal_to<>()) == sizes.end();
}

// What the domains of one level exchange.
Graph between_domains(const Graph& graph, const std::vector<Domain>& domain_of, std::size_t domains) {
  std::vector<Edge> edges;
  for (Rank rank = 0; rank < domain_of.size(); ++rank) {
    graph.for_each_edge(rank, [&](Rank other, Weight weight) {
      if (other > rank && domain_of[other] != domain_of[rank])
        edges.push_back({domain_of[rank], domain_of[other], weight});
    });
  }
  return {domains, together(domains, std::move(edges))};
}

// What one level's domains, the items, cost in the domains around them, the bins.
struct Prices {
  bool by_worst = true;  // of bins; else by the sum
  double outer = 1, inner = 0;
  Weight outer_limit = kNoLimit, inner_limit = kNoLimit;
};

class Bins {
 public:
  Bins(const Graph& graph, std::vector<Domain>& bin_of, std::size_t bins, const Prices& prices)
      : graph_(graph), bin_of_(bin_of), prices_(prices), all_(bin_of.size(), 0), outer_(bins, 0), inner_(bins, 0) {
    for (Rank item = 0; item < bin_of.size(); ++item) {
      graph.for_each_edge(item, [&](Rank other, Weight weight) {
        all_[item] += weight;
        (bin_of[other] == bin_of[item] ? inner_ : outer_)[bin_of[item]] += weight;
      });
    }
    for (Weight& weight : inner_) weight /= 2;
  }

  // Smaller is better, and a unit above a limit worse than any that crosses.
  [[nodiscard]] double cost() const {
    return kExcessCost * prices_.outer *
               static_cast<double>(over(outer_, prices_.outer_limit) + over(inner_, prices_.inner_limit)) +
           prices_.outer * figure(outer_) + prices_.inner * figure(inner_);
  }

  void swap(Rank u, Rank v) {
    const Domain a = bin_of_[u], b = bin_of_[v];
    const Ties of_u = ties(u, v, a, b), of_v = ties(v, u, b, a);
    change(a, of_v.theirs - of_u.own, all_[v] - all_[u]);
    change(b, of_u.theirs - of_v.own, all_[u] - all_[v]);
    std::swap(bin_of_[u], bin_of_[v]);
  }

 private:
  // What an item exchanges with its bin and with another one, but for one item there.
  struct Ties {
    Weight own = 0, theirs = 0;
  };

  [[nodiscard]] Ties ties(Rank item, Rank without, Domain own, Domain theirs) const {
    Ties found;
    graph_.for_each_edge(item, [&](Rank other, Weight weight) {
      if (other == without) return;
      found.own += bin_of_[other] == own ? weight : 0;
      found.theirs += bin_of_[other] == theirs ? weight : 0;
    });
    return found;
  }

  // Of what its items exchange, all that is not inside crosses.
  void change(Domain bin, Weight more_inside, Weight more_in_all) {
    inner_[bin] += more_inside;
    outer_[bin] += more_in_all - 2 * more_inside;
  }

  [[nodiscard]] static Weight over(const std::vector<Weight>& of_bins, Weight limit) {
    if (limit == kNoLimit) return 0;
    return std::accumulate(of_bins.begin(), of_bins.end(), Weight{0},
                           [&](Weight sum, Weight one) { return sum + std::max<Weight>(0, one - limit); });
  }

  // The worst bin first, and a little of all, so that a step that leaves it as it is may lead on.
  [[nodiscard]] double figure(const std::vector<Weight>& of_bins) const {
    const auto sum = static_cast<double>(std::accumulate(of_bins.begin(), of_bins.end(), Weight{0}));
    if (!prices_.by_worst) return sum;
    return static_cast<double>(*std::max_element(of_bins.begin(), of_bins.end())) +
           sum / static_cast<double>(of_bins.size());
  }

  const Graph& graph_;
  std::vector<Domain>& bin_of_;
  const Prices& prices_;
  std::vector<Weight> all_;            // of each item
  std::vector<Weight> outer_, inner_;  // of each bin
};

// Items change bins two by two; worse swaps are taken too, ever more rarely.
void change_bins(const Graph& items, std::vector<Domain>& bin_of, std::size_t bins, const Prices& prices) {
  if (bins < 2 || items.edges() == 0) return;
  std::vector<Domain> now = bin_of;
  Bins state(items, now, bins, prices);
  double cost = state.cost(), best = cost;
  Random random(1);
  const std::uint64_t swaps = std::min(kSwaps, kSwapsADomain * now.size());
  const double hot = kHot * items.mean_weight() * prices.outer;
  double temperature = hot;
  for (std::uint64_t i = 0; i < swaps; ++i) {
    if (i % kStep == 0) temperature = hot * std::pow(kCold / kHot, static_cast<double>(i) / static_cast<double>(swaps));
    const auto u = static_cast<Rank>(random.below(now.size())), v = static_cast<Rank>(random.below(now.size()));
    if (now[u] == now[v]) continue;
    state.swap(u, v);
    const double then = state.cost();
    if (then > cost && random.fraction() >= std::exp((cost - then) / temperature)) {
      state.swap(u, v);
      continue;
    }
    cost = then;
    if (cost >= best) continue;
    best = cost;
    bin_of = now;
  }
}

Prices prices_of(const Objective& objective, std::size_t level) {
  constexpr double kNext = 0.01;  // of what is looked at only where all before is equal
  const bool weighed = objective.aim == Aim::time;
  return {.by_worst = weighed || objective.aim == Aim::worst,
          .outer = weighed ? objective.cost(level - 1) : 1,
          .inner = weighed ? objective.cost(level) : kNext,
          .outer_limit = level == 1 ? objective.limit(0) : kNoLimit,
          .inner_limit = objective.limit(level)};
}

// Domains go into those above, in their order; ranks keep their places in them.
void move_domains(const Level& level, const std::vector<Domain>& above, const std::vector<Domain>& bin_of,
                  const std::vector<Domain>& domain_of, Mapping& mapping) {
  std::vector<std::vector<Domain>> of_bin;
  for (Domain domain = 0; domain < above.size(); ++domain) {
    of_bin.resize(std::max<std::size_t>(of_bin.size(), above[domain] + std::size_t{1}));
    of_bin[above[domain]].push_back(domain);
  }
  std::vector<std::size_t> taken(of_bin.size(), 0);
  std::vector<Domain> to(above.size());
  for (Domain item = 0; item < to.size(); ++item) to[item] = of_bin[bin_of[item]][taken[bin_of[item]]++];
  for (Rank rank = 0; rank < mapping.size(); ++rank) {
    mapping[rank] = mapping[rank] - level.first[domain_of[rank]] + level.first[to[domain_of[rank]]];
  }
}

}  // namespace

std::vector<std::size_t> levels_to_fill_first(const Site& site, const Objective& objective) {
  std::vector<std::size_t> found;
  for (std::size_t level = 1; level < site.levels().size(); ++level) {
    const Level& own = site.levels()[level];
    const bool is_dear = objective.aim == Aim::time && objective.cost(level) >= objective.cost(level - 1);
    if (objective.limit(level) == kNoLimit && !is_dear) continue;
    if (own.domains() <= kMostGathered && own.domains() < site.places() && all_as_large(own)) found.push_back(level);
  }
  return found;
}

Objective inside_of(const Objective& objective, std::size_t level) {
  Objective inside;
  for (std::size_t inner = level; inner < objective.at_most.size(); ++inner) {
    inside.at_most.push_back(inner == level ? kNoLimit : objective.at_most[inner]);
  }
  return inside;
}

Mapping gathered(const Graph& graph, const Site& site, const Objective& objective, std::size_t level, Mapping mapping) {
  for (; level > 0; --level) {
    const Level& own = site.levels()[level];
    if (!all_as_large(own)) break;
    std::vector<Domain> above;  // of each domain
    for (std::size_t domain = 0; domain < own.domains(); ++domain)
      above.push_back(site.domain_of(level - 1)[own.first[domain]]);
    const std::vector<Domain> domain_of = domains_of(site, level, mapping);
    std::vector<Domain> bin_of = above;
    change_bins(between_domains(graph, domain_of, own.domains()), bin_of, site.levels()[level - 1].domains(),
                prices_of(objective, level));
    move_domains(own, above, bin_of, domain_of, mapping);
  }
  return mapping;
}

}  // namespace comity::place
