// SPDX-License-Identifier: BSD-3-Clause
#include "place/some.hpp"

#include <algorithm>
#include <utility>

#include "place/best.hpp"
#include "place/division/inside.hpp"
#include "place/division/roam.hpp"
#include "place/division/seek.hpp"
#include "place/spare.hpp"

namespace comity::place {
namespace {

class MapperToSome {
 public:
  MapperToSome(const Graph& graph, const Grid* grid, const Site& site, const Objective& objective,
               const Progress& progress, const Partition& ask)
      : graph_(graph),
        grid_(grid),
        site_(site),
        objective_(objective),
        progress_(progress),
        ask_(ask),
        rooms_(rooms_of(site)),
        shares_(shares_to_try(graph, grid, rooms_, objective.aim)),
        together_(least_together(graph, grid, site)),
        best_(graph, site, objective) {}

  Answer run() {
    const auto map_to_all = site_.node_level() > 0 ? mapped : mapped_quickly;  // nobody searches on below a network
    for (const Shares& shares : shares_) {
      const std::vector<Place> places = places_of(site_, shares);
      const Site used = site_.only(places);
      Answer answer = map_to_all(graph_, grid_, used, objective_, progress_, ask_);
      for (Place& place : answer.mapping) place = places[place];
      if (seeks()) divisions_.push_back(domains_of(site_, 0, answer.mapping));
      best_.offer(answer.made_by, std::move(answer.mapping));
      if (best_.answer.cut.front().weight.sum == 0) break;
    }
    improve();
    best_.offer_launchers();
    best_.answer.bounds = bounds_of(site_, together_, best_.answer.cut);
    best_.answer.together = std::move(together_);
    return std::move(best_.answer);
  }

 private:
  [[nodiscard]] bool solved() const {
    const Crossing& nodes = best_.answer.cut.front().weight;
    return nodes.sum == together_.front() && nodes.worst == share(2 * together_.front(), site_.nodes());
  }

  [[nodiscard]] bool seeks() const { return site_.node_level() == 0 && may_seek(graph_.ranks(), site_.nodes()); }

  void improve() {
    if (site_.node_level() > 0 || site_.nodes() == 1 || graph_.ranks() > kMostRoaming || solved()) return;
    const Wanted wanted = objective_.aim == Aim::sum ? Wanted::least_sum : Wanted::least_worst;
    roam_from_best(wanted);
    if (seeks() && !solved()) seek(wanted);
  }

  void seek(Wanted wanted) {
    const std::vector<Domain> best = domains_of(site_, 0, best_.answer.mapping);
    if (std::find(divisions_.begin(), divisions_.end(), best) == divisions_.end()) divisions_.push_back(best);
    if (progress_) progress_("searching from many starts", 1, 1);
    const Score least{share(2 * together_.front(), site_.nodes()), together_.front()};
    for (const std::vector<Domain>& found : sought({graph_, rooms_, shares_, wanted, least}, divisions_))
      offer("search", found);
  }

  void roam_from_best(Wanted wanted) {
    if (progress_) progress_("moving ranks between nodes", 1, 1);
    const Wanted other = objective_.aim == Aim::sum ? Wanted::least_worst : Wanted::least_sum;
    const std::string name = best_.answer.made_by;
    std::vector<Domain> start = domains_of(site_, 0, best_.answer.mapping);
    roam_from(name, start, wanted);
    roam_from(name, roam_from(name, std::move(start), other), wanted);
  }

  // Unless it is worse between nodes.
  void offer(const std::string& name, const std::vector<Domain>& node_of) {
    const Key key = key_of(objective_, node_cut(graph_, site_.nodes(), node_of));
    if (key <= key_of(objective_, best_.answer.cut.front().weight)) best_.offer(name, settled_on(node_of));
  }

  std::vector<Domain> roam_from(const std::string& name, std::vector<Domain> node_of, Wanted wanted) {
    const std::vector<Domain> before = node_of;
    roam(graph_, node_of, rooms_, {}, {wanted, usual_moves(graph_.ranks()), 1});
    if (node_of != before) offer(name + ", ranks moved", node_of);
    return node_of;
  }

  [[nodiscard]] Mapping settled_on(const std::vector<Domain>& node_of) const {
    Shares shares(site_.nodes(), 0);
    for (const Domain node : node_of) ++shares[node];
    std::vector<Domain> used_number(site_.nodes(), 0);  // among the nodes that have ranks
    Domain used = 0;
    for (std::size_t node = 0; node < shares.size(); ++node) {
      used_number[node] = used;
      used += shares[node] > 0 ? 1 : 0;
    }
    std::vector<Domain> part;
    part.reserve(node_of.size());
    for (const Domain node : node_of) part.push_back(used_number[node]);
    const std::vector<Place> places = places_of(site_, shares);
    Mapping mapping = settled(graph_, site_.only(places), part, kUsualEffort, grid_);
    for (Place& place : mapping) place = places[place];
    return mapping;
  }

  const Graph& graph_;
  const Grid* grid_;
  const Site& site_;
  const Objective& objective_;
  const Progress& progress_;
  const Partition& ask_;
  std::vector<std::uint32_t> rooms_;  // of each node
  std::vector<Shares> shares_;
  std::vector<std::vector<Domain>> divisions_;  // to search on from: one of each share, and the best
  std::vector<Weight> together_;
  Best best_;
};

}  // namespace

Answer mapped_to_some(const Graph& graph, const Grid* grid, const Site& site, const Objective& objective,
                      const Progress& progress, const Partition& ask) {
  return MapperToSome(graph, grid, site, objective, progress, ask).run();
}

}  // namespace comity::place
