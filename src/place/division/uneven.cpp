// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/uneven.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/error.hpp"
#include "place/arrange.hpp"
#include "place/bounds/bounds.hpp"
#include "place/division/fit.hpp"
#include "place/division/launchers.hpp"
#include "place/division/packing.hpp"
#include "place/division/try_links.hpp"
#include "place/division/uneven/above.hpp"
#include "place/division/uneven/best.hpp"
#include "place/division/uneven/inside.hpp"
#include "place/division/widths.hpp"
#include "place/small_on_torus.hpp"
#include "place/spare.hpp"
#include "place/torus.hpp"

namespace comity::place {
namespace {

constexpr std::size_t kEdgesPacked = 20'000'000;  // of all shapes together
constexpr std::size_t kMostShapes = 60, kFewestShapes = 2;

class UnevenMapper {
 public:
  UnevenMapper(const UnevenJob& job, const UnevenHelp& help)
      : job_(job),
        help_(help),
        rooms_(rooms_of(job.cores)),
        inside_(job),
        above_(job, inside_),
        best_(job),
        arranging_(help.progress, "arranging nodes on the torus", most_offers()) {}

  Answer run() {
    require_room();
    offer_launchers();
    divide();
    if (job_.cores.node_level() > 0) mind_network();
    if (best_.none()) refuse();
    if (help_.torus != nullptr && job_.objective.aim == Aim::hops) try_all_ways();
    best_.answer.bounds = bounds();
    return std::move(best_.answer);
  }

 private:
  void require_room() const {
    const std::uint32_t largest = *std::max_element(rooms_.begin(), rooms_.end());
    std::uint64_t all = 0;
    for (Rank rank = 0; rank < job_.threads.size(); ++rank) {
      all += job_.threads[rank];
      if (job_.threads[rank] <= largest) continue;
      throw Error(Status::range, "no node has room for rank " + std::to_string(rank) + " with " +
                                     std::to_string(job_.threads[rank]) + " threads: the largest has " +
                                     std::to_string(largest) + " cores");
    }
    if (all <= job_.cores.places()) return;
    throw Error(Status::range, std::to_string(job_.graph.ranks()) + " ranks with " + std::to_string(all) +
                                   " threads together do not fit: the nodes have " +
                                   std::to_string(job_.cores.places()) + " cores; name more nodes, or fewer threads");
  }

  void offer_launchers() {
    for (const UnevenLauncher& launcher : kUnevenLaunchers) {
      std::optional<Mapping> order = launcher.map(job_.cores, job_.threads);
      if (!order) continue;
      if (launcher.map == sequential_of_widths) best_.allow_links_of(*order);
      Cut cut = cut_of(job_.graph, job_.cores, *order);
      best_.answer.launchers.push_back({launcher.name, cut});
      offer(std::string(launcher.name), *std::move(order), std::move(cut));
    }
  }

  // Between nodes: packings, and with them for a start whatever else there is.
  void divide() {
    packing_.add(0);
    const Fit fit = fit_of(job_.threads, rooms_);
    fits_nowhere_ = fit.end == Fit::End::none;
    std::vector<NamedDivision> divisions;
    for (const Spare spare : kSpares) {
      if (fits_nowhere_) return;
      pack_nodes(spare, fit, divisions);
    }
    if (fits_nowhere_) return;
    Objective of_nodes = job_.objective;  // of which no links are known
    if (of_nodes.aim == Aim::hops) of_nodes.aim = Aim::sum;
    const WidthsTask task{job_.graph, help_.grid, job_.threads, rooms_, fit, of_nodes, help_.progress, help_.ask};
    add_new(divisions, divisions_of_widths(task, divisions));
    if (most_shapes() > 0) add_new(divisions, divisions_of_shapes(task, most_shapes()));
    if (job_.nodes_decide() && job_.cores.node_level() == 0 && help_.torus == nullptr) leave_out_worse(divisions);
    offer_divisions(divisions);
  }

  static void add_new(std::vector<NamedDivision>& divisions, std::vector<NamedDivision> more) {
    for (NamedDivision& one : more) {
      const bool is_new = std::ranges::find(divisions, one.node_of, &NamedDivision::node_of) == divisions.end();
      if (is_new) divisions.push_back(std::move(one));
    }
  }

  // Where more between nodes may be worth less inside, the best between nodes do not tell which shape of a node's piece is best: each is packed inside.
  [[nodiscard]] std::size_t most_shapes() const {
    if (help_.grid == nullptr || job_.nodes_decide()) return 0;
    return std::clamp(kEdgesPacked / (job_.graph.ranks() + 2 * job_.graph.edges()), kFewestShapes, kMostShapes);
  }

  // What is worse between nodes, and cannot make up for that inside, need not be packed there.
  void leave_out_worse(std::vector<NamedDivision>& divisions) const {
    std::vector<Key> keys;
    keys.reserve(divisions.size() + 1);
    for (const NamedDivision& one : divisions) {
      keys.push_back(key_of(job_.objective, node_cut(job_.graph, rooms_.size(), one.node_of)));
    }
    if (!best_.none()) keys.push_back(key_of(job_.objective, best_.answer.cut.front().weight));
    if (keys.empty()) return;
    const Key least = *std::min_element(keys.begin(), keys.end());
    std::vector<NamedDivision> kept;
    for (std::size_t i = 0; i < divisions.size(); ++i) {
      if (keys[i] == least) kept.push_back(std::move(divisions[i]));
    }
    divisions = std::move(kept);
  }

  void pack_nodes(Spare spare, const Fit& fit, std::vector<NamedDivision>& divisions) {
    const Portions portions = packing_.within(1);
    std::vector<Rank> all(job_.graph.ranks());
    std::iota(all.begin(), all.end(), Rank{0});
    Packing packing =
        packed({job_.graph, all, job_.threads, rooms_, spare, kUsualPackingEffort, &fit, kMostPackingSteps, &portions});
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
      offer(name, inside_.of_nodes(node_of, Spare::sum, bar));
      if (!job_.nodes_decide()) offer(name, inside_.of_nodes(node_of, Spare::worst_bin, bar));
    }
  }

  [[nodiscard]] std::size_t insides() const { return job_.nodes_decide() ? 1 : 2; }

  // The launchers' orders, the divisions with their insides, the ways from the network down, and the best of all.
  [[nodiscard]] std::size_t most_offers() const {
    return kUnevenLaunchers.size() + (kSpares.size() + kMostDivisionsOfWidths + most_shapes()) * insides() +
           above_.ways() + 1;
  }

  [[noreturn]] void refuse() const {
    const std::string what = std::to_string(job_.graph.ranks()) +
                             " ranks with unequal threads do not fit: no packing of them into the nodes ";
    throw Error(Status::range, what + (fits_nowhere_ ? "exists; name more nodes"
                                                     : "was found, though there may be one: not all could be tried; "
                                                       "name more nodes"));
  }

  // Surfaces and heavy edges; where all packings were tried, the best of them.
  [[nodiscard]] std::vector<Bound> bounds() const {
    std::vector<Weight> together = least_together(job_.graph, help_.grid, most_ranks(job_.cores, job_.threads));
    const std::uint32_t largest = *std::max_element(rooms_.begin(), rooms_.end());
    const std::uint32_t narrowest = *std::min_element(job_.threads.begin(), job_.threads.end());
    const Weight least = std::max(
        least_sum_, least_by_degree(job_.graph, [&](Rank rank) { return (largest - job_.threads[rank]) / narrowest; }));
    for (std::size_t level = job_.cores.node_level(); level < together.size(); ++level) {
      together[level] = std::max(together[level], least);
    }
    std::vector<Bound> bounds = bounds_of(job_.cores, together, best_.answer.cut);
    if (job_.cores.node_level() == 0) bounds.front().worst = std::max(bounds.front().worst, least_worst_);
    return bounds;
  }

  // A network above the nodes: its domains are packed first; and what nodes have changes places among nodes of one shape, so that less
  // crosses above them.
  void mind_network() {
    above_.each_way(help_.progress, [&](const Mapping& mapping) { offer("packing from the network down", mapping); });
    if (!best_.none()) arrange_in_network();
  }

  void arrange_in_network() {
    Hundredths bar(help_.progress, "arranging nodes in the network", 1);
    const Neighbourhood neighbourhood = neighbourhood_in(job_.cores, job_.objective);
    offer(best_.answer.made_by + ", nodes arranged",
          arranged(job_.graph, job_.cores, best_.answer.mapping, neighbourhood, bar.within(1)).mapping);
  }

  // Of few ranks all divisions among the nodes of a torus are compared by links.
  void try_all_ways() {
    const std::vector<std::uint32_t> cells = cells_of_nodes(job_.cores);
    const Weight known = links_of(job_.graph, job_.cores, *help_.torus, best_.answer.mapping);
    const TriedLinks tried = fewest_links({job_.graph, help_.torus->torus, cells, rooms_, job_.threads, known});
    const Progress nobody;
    Hundredths untold(nobody, {}, rooms_.size());
    if (tried.node_of) offer("all tried", inside_.of_nodes(*tried.node_of, Spare::sum, untold));
    best_.answer.least_links = tried.at_least;
  }

  void offer(const std::string& name, Mapping mapping) {
    Cut cut = cut_of(job_.graph, job_.cores, mapping);
    offer(name, std::move(mapping), std::move(cut));
  }
  void offer(const std::string& name, Mapping mapping, Cut cut) {
    if (help_.torus == nullptr) return best_.offer(name, std::move(mapping), std::move(cut));
    best_.offer(name, mapping, std::move(cut));
    const Neighbourhood neighbourhood = neighbourhood_on(*help_.torus, job_.cores);
    best_.offer(name + ", nodes arranged",
                arranged(job_.graph, job_.cores, mapping, neighbourhood, arranging_.within(1)).mapping);
    arranging_.add(1);
  }

  const UnevenJob& job_;
  const UnevenHelp& help_;
  std::vector<std::uint32_t> rooms_;  // of each node
  UnevenInside inside_;
  UnevenAbove above_;
  UnevenBest best_;
  Hundredths packing_{help_.progress, "packing ranks", kSpares.size()};
  Hundredths arranging_;
  bool fits_nowhere_ = false;
  Weight least_sum_ = 0, least_worst_ = 0;  // of nodes, where all packings were tried
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
  const UnevenJob job{graph, cores, threads, objective, help.torus};
  return UnevenMapper(job, help).run();
}

}  // namespace comity::place
