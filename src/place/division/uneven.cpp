// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/uneven.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "base/error.hpp"
#include "place/arrange.hpp"
#include "place/bounds/bounds.hpp"
#include "place/division/fit.hpp"
#include "place/division/launchers.hpp"
#include "place/division/packing.hpp"
#include "place/division/widths.hpp"
#include "place/job/subgraph.hpp"
#include "place/spare.hpp"
#include "place/torus.hpp"

namespace comity::place {
namespace {

constexpr std::array kSpares{Spare::worst_bin, Spare::sum};
constexpr Place kNoPlace = ~Place{0};
constexpr std::size_t kMany = 65'536;  // ranks: below a network each is packed at several levels, in several ways

class UnevenMapper {
 public:
  UnevenMapper(const Graph& graph, const Site& cores, const std::vector<std::uint32_t>& threads,
               const Objective& objective, const UnevenHelp& help)
      : graph_(graph),
        cores_(cores),
        threads_(threads),
        objective_(objective),
        help_(help),
        subgraphs_(graph),
        rooms_(rooms_of(cores)),
        arranging_(help.progress, "arranging nodes on the torus", most_offers()) {}

  Answer run() {
    require_room();
    offer_launchers();
    divide();
    if (cores_.node_level() > 0) mind_network();
    if (answer_.mapping.empty()) refuse();
    answer_.bounds = bounds();
    return std::move(answer_);
  }

 private:
  [[nodiscard]] const Level& nodes() const { return cores_.levels()[cores_.node_level()]; }
  [[nodiscard]] std::size_t outer_levels() const { return cores_.node_level() + 1; }  // nodes, and what is above them
  [[nodiscard]] bool nodes_decide() const {
    return first_levels_decide(objective_, outer_levels(), cores_.levels().size());
  }

  void require_room() const {
    const std::uint32_t largest = *std::max_element(rooms_.begin(), rooms_.end());
    std::uint64_t all = 0;
    for (Rank rank = 0; rank < threads_.size(); ++rank) {
      all += threads_[rank];
      if (threads_[rank] <= largest) continue;
      throw Error(Status::range, "no node has room for rank " + std::to_string(rank) + " with " +
                                     std::to_string(threads_[rank]) + " threads: the largest has " +
                                     std::to_string(largest) + " cores");
    }
    if (all <= cores_.places()) return;
    throw Error(Status::range, std::to_string(graph_.ranks()) + " ranks with " + std::to_string(all) +
                                   " threads together do not fit: the nodes have " + std::to_string(cores_.places()) +
                                   " cores; name more nodes, or fewer threads");
  }

  void offer_launchers() {
    for (const UnevenLauncher& launcher : kUnevenLaunchers) {
      std::optional<Mapping> order = launcher.map(cores_, threads_);
      if (!order) continue;
      answer_.launchers.push_back({launcher.name, cut_of(graph_, cores_, *order)});
      if (help_.torus != nullptr && launcher.map == sequential_of_widths) {
        most_links_ = links_of(graph_, cores_, *help_.torus, *order);
      }
      offer(std::string(launcher.name), *order);
    }
  }

  // Between nodes: packings, and with them for a start whatever else there is.
  void divide() {
    packing_.add(0);
    const Fit fit = fit_of(threads_, rooms_);
    fits_nowhere_ = fit.end == Fit::End::none;
    std::vector<NamedDivision> divisions;
    for (const Spare spare : kSpares) {
      if (fits_nowhere_) return;
      pack_nodes(spare, fit, divisions);
    }
    if (fits_nowhere_) return;
    Objective of_nodes = objective_;  // of which no links are known
    if (of_nodes.aim == Aim::hops) of_nodes.aim = Aim::sum;
    const WidthsTask task{graph_, help_.grid, threads_, rooms_, fit, of_nodes, help_.progress, help_.ask};
    for (NamedDivision& one : divisions_of_widths(task, divisions)) {
      const bool is_new = std::ranges::find(divisions, one.node_of, &NamedDivision::node_of) == divisions.end();
      if (is_new) divisions.push_back(std::move(one));
    }
    if (nodes_decide() && cores_.node_level() == 0 && help_.torus == nullptr) leave_out_worse(divisions);
    offer_divisions(divisions);
  }

  // What is worse between nodes, and cannot make up for that inside, need not be packed there.
  void leave_out_worse(std::vector<NamedDivision>& divisions) const {
    const auto key = [&](const NamedDivision& one) {
      return key_of(objective_, node_cut(graph_, rooms_.size(), one.node_of));
    };
    std::optional<Key> least;
    if (!answer_.mapping.empty()) least = key_of(objective_, answer_.cut.front().weight);
    for (const NamedDivision& one : divisions) least = least ? std::min(*least, key(one)) : key(one);
    std::erase_if(divisions, [&](const NamedDivision& one) { return key(one) > *least; });
  }

  void pack_nodes(Spare spare, const Fit& fit, std::vector<NamedDivision>& divisions) {
    const Portions portions = packing_.within(1);
    std::vector<Rank> all(graph_.ranks());
    std::iota(all.begin(), all.end(), Rank{0});
    Packing packing =
        packed({graph_, all, threads_, rooms_, spare, kUsualPackingEffort, &fit, kMostPackingSteps, &portions});
    packing_.add(1);
    fits_nowhere_ = packing.proven && !packing.bin_of;
    if (!packing.bin_of) return;
    if (packing.proven && spare == Spare::worst_bin) least_worst_ = packing.score.worst;
    if (packing.proven && spare == Spare::sum) least_sum_ = packing.score.sum / 2;
    const bool is_new = std::ranges::find(divisions, *packing.bin_of, &NamedDivision::node_of) == divisions.end();
    if (is_new) divisions.push_back({"packing", *std::move(packing.bin_of)});
  }

  // What is inside the nodes is worked out once for each; in both ways where that may make up for more between nodes.
  void offer_divisions(const std::vector<NamedDivision>& divisions) {
    Hundredths bar(help_.progress, "packing ranks inside the nodes", divisions.size() * insides() * rooms_.size());
    for (const auto& [name, node_of] : divisions) {
      offer(name, with_inside(node_of, Spare::sum, bar));
      if (!nodes_decide()) offer(name, with_inside(node_of, Spare::worst_bin, bar));
    }
  }

  [[nodiscard]] std::size_t insides() const { return nodes_decide() ? 1 : 2; }

  // The launchers' orders, the divisions with their insides, the ways from the network down, and the best of all.
  [[nodiscard]] std::size_t most_offers() const {
    return kUnevenLaunchers.size() + (kSpares.size() + kMostDivisionsOfWidths) * insides() + ways_down() + 1;
  }

  // Of one of so many searches.
  [[nodiscard]] std::size_t effort() const {
    constexpr std::size_t kLeast = 2'000;
    return std::max(kLeast, kUsualPackingEffort / rooms_.size());
  }

  Mapping with_inside(const std::vector<Domain>& node_of, Spare inside, Hundredths& bar) {
    Mapping mapping(graph_.ranks(), kNoPlace);
    std::vector<std::vector<Rank>> ranks(rooms_.size());
    for (Rank rank = 0; rank < node_of.size(); ++rank) ranks[node_of[rank]].push_back(rank);
    const std::vector<Place>& first = nodes().first;
    for (std::size_t node = 0; node < ranks.size(); ++node) {
      fill(cores_.node_level() + 1, first[node], first[node + 1], ranks[node], inside, mapping);
      bar.add(1);
    }
    return mapping;
  }

  [[noreturn]] void refuse() const {
    const std::string what =
        std::to_string(graph_.ranks()) + " ranks with unequal threads do not fit: no packing of them into the nodes ";
    throw Error(Status::range, what + (fits_nowhere_ ? "exists; name more nodes"
                                                     : "was found, though there may be one: not all could be tried; "
                                                       "name more nodes"));
  }

  // Surfaces and heavy edges; where all packings were tried, the best of them.
  [[nodiscard]] std::vector<Bound> bounds() const {
    std::vector<Weight> together = least_together(graph_, help_.grid, most_ranks(cores_, threads_));
    const std::uint32_t largest = *std::max_element(rooms_.begin(), rooms_.end());
    const std::uint32_t narrowest = *std::min_element(threads_.begin(), threads_.end());
    const Weight least = std::max(
        least_sum_, least_by_degree(graph_, [&](Rank rank) { return (largest - threads_[rank]) / narrowest; }));
    for (std::size_t level = cores_.node_level(); level < together.size(); ++level) {
      together[level] = std::max(together[level], least);
    }
    std::vector<Bound> bounds = bounds_of(cores_, together, answer_.cut);
    if (cores_.node_level() == 0) bounds.front().worst = std::max(bounds.front().worst, least_worst_);
    return bounds;
  }

  // ---- a network above the nodes: its domains are packed first, the outermost before those in it; and what nodes have changes
  // places among nodes of one shape, so that less crosses above them.

  void mind_network() {
    const std::uint64_t ranks_a_way = (outer_levels() + 1) * graph_.ranks();  // once a level, and inside the nodes
    Hundredths bar(help_.progress, "packing from the network down", ways_down() * ranks_a_way);
    std::uint64_t ways = 0;
    for (std::uint32_t kept_free = 0; kept_free < most_kept_free(); ++kept_free) {
      for (const Spare spare : kSpares) {
        Mapping mapping(graph_.ranks(), kNoPlace);
        std::vector<Rank> all(graph_.ranks());
        std::iota(all.begin(), all.end(), Rank{0});
        if (fill_above(0, 0, static_cast<Place>(cores_.places()), all, {spare, kept_free, bar}, mapping)) {
          offer("packing from the network down", mapping);
        }
        bar.reach(++ways * ranks_a_way);
      }
    }
    if (!answer_.mapping.empty()) arrange_in_network();
  }

  void arrange_in_network() {
    Hundredths bar(help_.progress, "arranging nodes in the network", 1);
    const Neighbourhood neighbourhood = neighbourhood_in(cores_, objective_);
    offer(answer_.made_by + ", nodes arranged",
          arranged(graph_, cores_, answer_.mapping, neighbourhood, bar.within(1)).mapping);
  }

  [[nodiscard]] bool many() const { return graph_.ranks() > kMany; }
  [[nodiscard]] std::uint32_t most_kept_free() const { return many() ? 1 : 2; }
  [[nodiscard]] std::size_t ways_down() const { return most_kept_free() * kSpares.size(); }

  // Of many ranks all packings of a level together take no longer than a few.
  [[nodiscard]] std::size_t steps_above(std::size_t level) const {
    constexpr std::size_t kFew = 8;
    const std::size_t packings = level == 0 ? 1 : cores_.levels()[level - 1].domains();
    return many() && packings > kFew ? kFew * kMostPackingSteps / packings : kMostPackingSteps;
  }

  struct Above {
    Spare spare;
    std::uint32_t kept_free;  // cores of each node: what wide ranks may not fit into
    Hundredths& bar;
  };

  // False where ranks do not fit as they were packed above.
  [[nodiscard]] bool fill_above(std::size_t level, Place from, Place to, const std::vector<Rank>& ranks,
                                const Above& how, Mapping& mapping) {
    const std::vector<Place> borders = borders_of(level, from, to);
    std::vector<std::uint32_t> rooms;
    for (std::size_t domain = 0; domain + 1 < borders.size(); ++domain) {
      const Place begin = borders[domain], end = borders[domain + 1];
      const std::size_t free = level < cores_.node_level() ? how.kept_free * nodes_between(begin, end) : 0;
      rooms.push_back(static_cast<std::uint32_t>(end - begin - free));
    }
    const Portions portions = how.bar.within(ranks.size());
    const auto all = packed_among(ranks, rooms, how.spare, steps_above(level), &portions);
    if (!all) return false;
    how.bar.add(ranks.size());
    for (std::size_t domain = 0; domain < rooms.size(); ++domain) {
      const std::vector<Rank>& own = (*all)[domain];
      if (level == cores_.node_level()) {
        fill(level + 1, borders[domain], borders[domain + 1], own, nodes_decide() ? Spare::sum : how.spare, mapping);
        how.bar.add(own.size());
      } else if (!fill_above(level + 1, borders[domain], borders[domain + 1], own, how, mapping)) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] std::size_t nodes_between(Place from, Place to) const {
    const std::vector<Place>& first = nodes().first;
    return static_cast<std::size_t>(std::lower_bound(first.begin(), first.end(), to) -
                                    std::lower_bound(first.begin(), first.end(), from));
  }

  // Ranks that no domain of a level has room for come first, one behind the other; the others are packed into what is
  // left of the domains.
  void fill(std::size_t level, Place from, Place to, const std::vector<Rank>& ranks, Spare spare, Mapping& mapping) {
    if (level == cores_.levels().size()) {
      for (const Rank rank : ranks) from = set(rank, from, mapping);
      return;
    }
    const std::vector<Place> borders = borders_of(level, from, to);
    std::vector<Rank> narrow;
    Place begin = from;
    const std::uint32_t widest = widest_of(borders);
    for (const Rank rank : ranks) {
      if (threads_[rank] > widest) {
        begin = set(rank, begin, mapping);
      } else {
        narrow.push_back(rank);
      }
    }
    std::vector<std::uint32_t> rooms;
    for (std::size_t domain = 0; domain + 1 < borders.size(); ++domain) {
      rooms.push_back(borders[domain + 1] - std::clamp(begin, borders[domain], borders[domain + 1]));
    }
    const auto all = packed_among(narrow, rooms, spare);
    if (!all) {
      fill(level + 1, begin, to, narrow, spare, mapping);
      return;
    }
    for (std::size_t domain = 0; domain < rooms.size(); ++domain) {
      fill(level + 1, borders[domain + 1] - rooms[domain], borders[domain + 1], (*all)[domain], spare, mapping);
    }
  }

  // These ranks, ascending, shared out over the rooms of some domains. It costs what they are, however many there are beside them. None where they
  // were not made to fit.
  [[nodiscard]] std::optional<std::vector<std::vector<Rank>>> packed_among(const std::vector<Rank>& ranks,
                                                                           const std::vector<std::uint32_t>& rooms,
                                                                           Spare spare,
                                                                           std::size_t most_steps = kMostPackingSteps,
                                                                           const Portions* portions = nullptr) {
    const Graph own = subgraphs_.of(ranks);
    std::vector<Rank> items(ranks.size());
    std::iota(items.begin(), items.end(), Rank{0});
    std::vector<std::uint32_t> widths;
    widths.reserve(ranks.size());
    for (const Rank rank : ranks) widths.push_back(threads_[rank]);
    const auto domain_of = packed({own, items, widths, rooms, spare, effort(), nullptr, most_steps, portions}).bin_of;
    if (!domain_of) return std::nullopt;
    std::vector<std::vector<Rank>> all(rooms.size());
    for (const Rank item : items) all[(*domain_of)[item]].push_back(ranks[item]);
    return all;
  }

  Place set(Rank rank, Place place, Mapping& mapping) const {
    mapping[rank] = place;
    return place + threads_[rank];
  }

  [[nodiscard]] std::vector<Place> borders_of(std::size_t level, Place from, Place to) const {
    std::vector<Place> borders{from};
    const std::vector<Place>& first = cores_.levels()[level].first;
    for (auto at = std::upper_bound(first.begin(), first.end(), from); at != first.end() && *at < to; ++at) {
      borders.push_back(*at);
    }
    if (to > from) borders.push_back(to);
    return borders;
  }

  static std::uint32_t widest_of(const std::vector<Place>& borders) {
    std::uint32_t widest = 0;
    for (std::size_t i = 0; i + 1 < borders.size(); ++i) widest = std::max(widest, borders[i + 1] - borders[i]);
    return widest;
  }

  void offer(const std::string& name, const Mapping& mapping) {
    keep(name, mapping);
    if (help_.torus == nullptr) return;
    const Neighbourhood neighbourhood = neighbourhood_on(*help_.torus, cores_);
    keep(name + ", nodes arranged", arranged(graph_, cores_, mapping, neighbourhood, arranging_.within(1)).mapping);
    arranging_.add(1);
  }

  void keep(const std::string& name, Mapping mapping) {
    Cut cut = cut_of(graph_, cores_, mapping);
    Key key = key_with_straddles(cut, mapping);
    if (help_.torus != nullptr) {
      const Weight links = links_of(graph_, cores_, *help_.torus, mapping);
      const bool first = objective_.aim == Aim::hops;
      key.insert(key.begin() + 1, static_cast<double>(first ? links : std::max<Weight>(0, links - most_links_)));
      key.push_back(static_cast<double>(links));
    }
    if (!answer_.mapping.empty() && key >= best_) return;
    best_ = std::move(key);
    answer_.made_by = name;
    answer_.mapping = std::move(mapping);
    answer_.cut = std::move(cut);
  }

  // Ranks that lie across borders count before exchanges inside the nodes do, unless the objective weighs these against what nodes exchange, or
  // limits them: then it alone decides.
  [[nodiscard]] Key key_with_straddles(const Cut& cut, const Mapping& mapping) const {
    const auto across = static_cast<double>(straddles(mapping));
    Key whole = key_of(objective_, cut);
    if (!nodes_decide()) {
      whole.push_back(across);
      return whole;
    }
    Key key = key_of(objective_, Cut(cut.begin(), cut.begin() + static_cast<std::ptrdiff_t>(outer_levels())));
    key.push_back(across);
    key.insert(key.end(), whole.begin(), whole.end());
    return key;
  }

  // How often a rank lies across a border inside its node. The cut does not see that: a rank counts where its first core is.
  [[nodiscard]] std::size_t straddles(const Mapping& mapping) const {
    std::size_t count = 0;
    for (std::size_t level = cores_.node_level() + 1; level < cores_.levels().size(); ++level) {
      const std::vector<Domain>& domain_of = cores_.domain_of(level);
      for (Rank rank = 0; rank < mapping.size(); ++rank) {
        count += domain_of[mapping[rank]] != domain_of[mapping[rank] + threads_[rank] - 1] ? 1 : 0;
      }
    }
    return count;
  }

  const Graph& graph_;
  const Site& cores_;
  const std::vector<std::uint32_t>& threads_;
  const Objective& objective_;
  const UnevenHelp& help_;
  Subgraphs subgraphs_;
  std::vector<std::uint32_t> rooms_;  // of each node
  Hundredths packing_{help_.progress, "packing ranks", kSpares.size()};
  Hundredths arranging_;
  bool fits_nowhere_ = false;
  Weight least_sum_ = 0, least_worst_ = 0;  // of nodes, where all packings were tried
  Weight most_links_ = kNoLimit;            // of the sequential order, where that fits
  Key best_;
  Answer answer_;
};

}  // namespace

Answer mapped_uneven(const Graph& graph, const Site& cores, const std::vector<std::uint32_t>& threads,
                     const Objective& objective, const UnevenHelp& help) {
  if (graph.ranks() == 0) throw Error(Status::range, "there are no ranks to place; name one at least");
  if (threads.size() != graph.ranks()) {
    throw Error(Status::range, "numbers of threads are told of " + std::to_string(threads.size()) +
                                   " ranks, but there are " + std::to_string(graph.ranks()) +
                                   "; name one for each rank");
  }
  return UnevenMapper(graph, cores, threads, objective, help).run();
}

}  // namespace comity::place
