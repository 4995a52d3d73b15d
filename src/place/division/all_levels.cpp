// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/all_levels.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "place/bounds/bounds.hpp"

namespace comity::place {
namespace {

constexpr Domain kNoLeaf = ~Domain{0};

// A number for each domain of each level, equal for those of one level that have the same inside.
std::vector<std::vector<std::size_t>> kinds_of_domains(const Site& site) {
  std::vector<std::vector<std::size_t>> kinds(site.levels().size());
  for (std::size_t level = kinds.size(); level-- > 0;) {
    const Level& own = site.levels()[level];
    std::vector<std::vector<std::size_t>> inside(own.domains());
    if (level + 1 == kinds.size()) {
      for (std::size_t domain = 0; domain < own.domains(); ++domain) inside[domain] = {own.size(domain)};
    } else {
      const Level& inner = site.levels()[level + 1];
      for (std::size_t i = 0; i < inner.domains(); ++i) {
        inside[site.domain_of(level)[inner.first[i]]].push_back(kinds[level + 1][i]);
      }
    }
    std::map<std::vector<std::size_t>, std::size_t> known;
    for (auto& one : inside) {
      std::sort(one.begin(), one.end());
      kinds[level].push_back(known.try_emplace(one, known.size()).first->second);
    }
  }
  return kinds;
}

// A leaf is a domain of the innermost level.
class MappingTrial {
 public:
  explicit MappingTrial(const MappingsTask& task)
      : task_(task),
        levels_(task.site.levels().size()),
        leaves_(task.site.levels().back().domains()),
        leaf_of_(task.graph.ranks(), kNoLeaf),
        kinds_(kinds_of_domains(task.site)),
        cut_(levels_),
        best_(task.known) {
    const Level& innermost = task.site.levels().back();
    for (std::size_t level = 0; level < levels_; ++level) {
      const std::size_t domains = task.site.levels()[level].domains();
      ranks_in_.emplace_back(domains, 0);
      borne_.emplace_back(level == 0 ? domains : task.site.levels()[level - 1].domains(), 0);
      auto& of_leaf = domain_of_leaf_.emplace_back();
      for (std::size_t leaf = 0; leaf < leaves_; ++leaf) {
        of_leaf.push_back(task.site.domain_of(level)[innermost.first[leaf]]);
      }
      auto& above = above_.emplace_back(domains, 0);
      for (std::size_t domain = 0; domain < domains && level > 0; ++domain) {
        above[domain] = task.site.domain_of(level - 1)[task.site.levels()[level].first[domain]];
      }
    }
    far_.assign(minds_ways() ? task.graph.ranks() : 0, std::vector<Weight>(task.ways.size(), 0));
    choose_order();
    ties_.assign(task.graph.ranks(), std::vector<Weight>(borne_.front().size(), 0));
    tied_.assign(task.graph.ranks(), 0);
  }

  TriedMappings run() {
    place(0);
    return {std::move(found_), steps_ <= task_.steps};
  }

 private:
  // What parts where a rank is put into a leaf.
  struct More {
    Weight links;
    std::vector<Weight> sum;  // of each level
    Domain leaf;

    [[nodiscard]] bool costs_less_than(const More& other) const {
      return links != other.links ? links < other.links : sum < other.sum;
    }
  };

  [[nodiscard]] bool minds_ways() const { return !task_.ways.empty(); }
  [[nodiscard]] Domain node_of(Domain leaf) const { return domain_of_leaf_[task_.site.node_level()][leaf]; }
  [[nodiscard]] Weight links_from(Rank rank, Domain leaf) const { return minds_ways() ? far_[rank][node_of(leaf)] : 0; }

  // As what is known is compared.
  [[nodiscard]] Key key(const Cut& cut, Weight links) const {
    Key key = key_of(task_.objective, cut);
    if (minds_ways()) key.insert(key.begin() + 1, static_cast<double>(links));
    return key;
  }

  // Each next one exchanges most with those before it, and then most of all.
  void choose_order() {
    const std::size_t ranks = leaf_of_.size();
    std::vector<Weight> inside(ranks, 0);
    std::vector<bool> taken(ranks, false);
    const auto ties = [&](Rank rank) { return std::pair(inside[rank], task_.graph.degree_weight(rank)); };
    while (order_.size() < ranks) {
      auto next = static_cast<Rank>(ranks);
      for (Rank rank = 0; rank < ranks; ++rank) {
        if (!taken[rank] && (next == ranks || ties(rank) > ties(next))) next = rank;
      }
      taken[next] = true;
      order_.push_back(next);
      task_.graph.for_each_edge(next, [&](Rank other, Weight weight) { inside[other] += weight; });
    }
  }

  void place(std::size_t at) {
    if (++steps_ > task_.steps) return;
    if (task_.portions && is_time_to_tell(steps_, task_.steps)) {
      task_.portions(steps_ * kHundred / task_.steps, kHundred);
    }
    if (!may_be_better(at)) return;
    if (at == order_.size()) {
      best_ = key(cut_, links_);
      found_ = mapping();
      return;
    }
    const Rank rank = order_[at];
    std::vector<More> tried;
    for (Domain leaf = 0; leaf < leaves_; ++leaf) {
      if (ranks_in_.back()[leaf] == task_.site.levels().back().size(leaf) || is_twin_of_earlier(leaf)) continue;
      tried.push_back({links_from(rank, leaf), parted_by(rank, leaf), leaf});
    }
    // What costs least first, so that good ones are known early.
    std::stable_sort(tried.begin(), tried.end(),
                     [](const More& one, const More& other) { return one.costs_less_than(other); });
    for (const More& more : tried) {
      const std::vector<Weight> worst = worst_of_levels();
      change(rank, more, 1);
      place(at + 1);
      change(rank, more, -1);
      for (std::size_t level = 0; level < levels_; ++level) cut_[level].weight.worst = worst[level];
    }
  }

  // What crosses only grows. Of what ranks that come later exchange with those that are there, all but what one outermost domain has
  // must cross between these.
  [[nodiscard]] bool may_be_better(std::size_t at) const {
    Cut least = cut_;
    Crossing& outermost = least.front().weight;
    for (std::size_t i = at; i < order_.size(); ++i) {
      const std::vector<Weight>& ties = ties_[order_[i]];
      outermost.sum += tied_[order_[i]] - *std::max_element(ties.begin(), ties.end());
    }
    outermost.worst = std::max(outermost.worst, share(2 * outermost.sum, ties_.front().size()));
    return key(least, least_links(at)) < best_;
  }

  // And from each of them to those that are there it is as far as from the nearest node with room.
  [[nodiscard]] Weight least_links(std::size_t at) const {
    Weight least = links_;
    for (std::size_t i = at; i < order_.size() && minds_ways(); ++i) {
      Weight nearest = kNoLimit;
      for (std::size_t node = 0; node < task_.ways.size(); ++node) {
        const std::size_t room = task_.site.levels()[task_.site.node_level()].size(node);
        if (ranks_in_[task_.site.node_level()][node] < room) nearest = std::min(nearest, far_[order_[i]][node]);
      }
      least += nearest;
    }
    return least;
  }

  // Of empty domains with the same inside, side by side, only the first is tried; where ways between nodes count, inside nodes alone.
  [[nodiscard]] bool is_twin_of_earlier(Domain leaf) const {
    for (std::size_t level = minds_ways() ? task_.site.node_level() + 1 : 0; level < levels_; ++level) {
      const Domain own = domain_of_leaf_[level][leaf];
      if (ranks_in_[level][own] > 0) continue;
      for (Domain earlier = own; earlier-- > 0 && above_[level][earlier] == above_[level][own];) {
        if (ranks_in_[level][earlier] == 0 && kinds_[level][earlier] == kinds_[level][own]) return true;
      }
    }
    return false;
  }

  // The outermost level that parts two leaves; the number of levels: none does.
  [[nodiscard]] std::size_t parting(Domain one, Domain other) const {
    std::size_t level = 0;
    while (level < levels_ && domain_of_leaf_[level][one] == domain_of_leaf_[level][other]) ++level;
    return level;
  }

  [[nodiscard]] std::vector<Weight> parted_by(Rank rank, Domain leaf) const {
    std::vector<Weight> sum(levels_, 0);
    task_.graph.for_each_edge(rank, [&](Rank other, Weight weight) {
      if (leaf_of_[other] == kNoLeaf) return;
      const std::size_t level = parting(leaf, leaf_of_[other]);
      if (level < levels_) sum[level] += weight;
    });
    return sum;
  }

  [[nodiscard]] std::vector<Weight> worst_of_levels() const {
    std::vector<Weight> worst;
    for (const LevelCut& one : cut_) worst.push_back(one.weight.worst);
    return worst;
  }

  // sign: 1 puts it there, -1 takes it away; the worst of each level is what it was before then, which the caller knows.
  void change(Rank rank, const More& more, int sign) {
    leaf_of_[rank] = sign > 0 ? more.leaf : kNoLeaf;
    links_ += sign * more.links;
    for (std::size_t level = 0; level < levels_; ++level) {
      ranks_in_[level][domain_of_leaf_[level][more.leaf]] += static_cast<std::size_t>(sign);
      cut_[level].weight.sum += sign * more.sum[level];
    }
    task_.graph.for_each_edge(rank, [&](Rank other, Weight weight) {
      if (leaf_of_[other] == kNoLeaf) {
        ties_[other][domain_of_leaf_.front()[more.leaf]] += sign * weight;
        tied_[other] += sign * weight;
        if (minds_ways()) move_away(far_[other], node_of(more.leaf), sign * weight);
      } else if (const std::size_t level = parting(more.leaf, leaf_of_[other]); level == 0) {
        bear(0, domain_of_leaf_.front()[more.leaf], sign * weight);
        bear(0, domain_of_leaf_.front()[leaf_of_[other]], sign * weight);
      } else if (level < levels_) {
        bear(level, domain_of_leaf_[level - 1][more.leaf], sign * weight);
      }
    });
  }

  void move_away(std::vector<Weight>& far, Domain node, Weight weight) const {
    for (std::size_t to = 0; to < far.size(); ++to) far[to] += weight * task_.ways[node][to];
  }

  void bear(std::size_t level, Domain domain, Weight more) {
    borne_[level][domain] += more;
    Weight& worst = cut_[level].weight.worst;
    worst = std::max(worst, borne_[level][domain]);
  }

  [[nodiscard]] Mapping mapping() const {
    std::vector<Place> next = task_.site.levels().back().first;
    Mapping mapping;
    for (const Domain leaf : leaf_of_) mapping.push_back(next[leaf]++);
    return mapping;
  }

  const MappingsTask& task_;
  std::size_t levels_, leaves_;
  std::vector<Rank> order_;
  std::vector<Domain> leaf_of_;                      // of each rank
  std::vector<std::vector<Domain>> domain_of_leaf_;  // of each level
  std::vector<std::vector<Domain>>
      above_;  // of each level: the domain of the level before that each is in; 0 outermost
  std::vector<std::vector<std::size_t>> kinds_;     // of each level's domains
  std::vector<std::vector<std::size_t>> ranks_in_;  // each level's domains
  std::vector<std::vector<Weight>> borne_;          // of each level, as cut.hpp has it
  std::vector<std::vector<Weight>> ties_;           // of each rank that is in no leaf, with each outermost domain
  std::vector<Weight> tied_;                        // of each such rank, with all of them
  std::vector<std::vector<Weight>> far_;            // of each such rank, links to those that are, from each node
  Weight links_ = 0;
  Cut cut_;  // weights alone
  Key best_;
  std::optional<Mapping> found_;
  std::size_t steps_ = 0;
};

}  // namespace

TriedMappings best_of_all_mappings(const MappingsTask& task) {
  if (task.graph.ranks() > kMostRanksTried || task.site.levels().back().domains() > kMostDomainsTried) return {};
  return MappingTrial(task).run();
}

}  // namespace comity::place
