// SPDX-License-Identifier: BSD-3-Clause
#include "place/some.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "place/best.hpp"
#include "place/candidates.hpp"
#include "place/division/inside.hpp"
#include "place/division/launchers.hpp"
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
        candidates_(graph, site.nodes(), objective, kMostCandidates,
                    searches_on() ? Candidates::Keep::of_both_aims : Candidates::Keep::asked),
        best_(graph, site, objective) {}

  Answer run() {
    for (const Shares& shares : shares_) {
      map_to(shares, progress_of(static_cast<std::size_t>(&shares - shares_.data())));
      if (crosses_nothing(0)) break;
    }
    improve();
    best_.offer_launchers();
    share_places_out();
    best_.answer.together = std::move(together_);
    return std::move(best_.answer);
  }

 private:
  static constexpr std::size_t kMostCandidates = 6;

  // Nobody does below a network: there each share has been searched thoroughly.
  [[nodiscard]] bool searches_on() const {
    return site_.node_level() == 0 && site_.nodes() > 1 && graph_.ranks() <= kMostDividedForBothAims;
  }

  // From the level on, inwards.
  [[nodiscard]] bool crosses_nothing(std::size_t level) const {
    return std::all_of(best_.answer.cut.begin() + static_cast<std::ptrdiff_t>(level), best_.answer.cut.end(),
                       [](const LevelCut& one) { return one.weight.sum == 0; });
  }

  [[nodiscard]] bool solved(const Crossing& nodes) const {
    return nodes.sum == together_.front() && nodes.worst == share(2 * together_.front(), site_.nodes());
  }

  // Of large jobs the best alone is: it takes longer than finding that one.
  [[nodiscard]] bool divides_inside() const {
    return site_.levels().size() > 1 && graph_.ranks() <= kMostDividedForBothAims;
  }

  // Each share is mapped by the same steps, of which each has one bar for all of them.
  [[nodiscard]] Progress progress_of(std::size_t share) const {
    if (!progress_) return {};
    return [this, share](std::string_view step, std::size_t number, std::size_t of) {
      progress_(step, (share * of + number) * kHundred / (shares_.size() * of), kHundred);
    };
  }

  void map_to(const Shares& shares, const Progress& progress) {
    const std::vector<Place> places = places_of(site_, shares);
    const Site used = site_.only(places);
    Begun found = begun(graph_, grid_, used, objective_, site_.node_level() > 0 ? Search::thorough : Search::quick,
                        best_so_far(), progress, ask_);
    for (Place& place : found.answer.mapping) place = places[place];
    if (!found.answer.mapping.empty()) offer(std::move(found.answer));
    if (!searches_on()) return;
    for (Division& division : found.divisions) {
      for (Domain& node : division.node_of) node = site_.domain_of(0)[places[used.levels()[0].first[node]]];
      candidates_.consider(division.name, std::move(division.node_of));
    }
  }

  // The best so far between nodes.
  [[nodiscard]] std::optional<Crossing> best_so_far() const {
    return best_.answer.mapping.empty() ? std::nullopt : std::optional(best_.answer.cut.front().weight);
  }

  // It cuts the same where some places have no rank.
  void offer(Answer found) {
    const std::vector<Domain> node_of = domains_of(site_, 0, found.mapping);
    best_.offer(found.made_by, std::move(found.mapping), std::move(found.cut));
    if (divides_inside()) best_.offer(found.made_by, settled(graph_, site_, node_of, kUsualEffort, grid_));
  }

  // In the same way whatever was asked: of two aims' answers neither is worse in its own figure than the other's.
  void improve() {
    if (!searches_on() || solved(best_.answer.cut.front().weight)) return;
    for (const Launcher& launcher : kLaunchers) {
      candidates_.consider(std::string(launcher.name), domains_of(site_, 0, launcher.map(site_, graph_.ranks())));
    }
    roam_from_best();
    if (may_seek(graph_.ranks(), site_.nodes()) && !solved(candidates_.best().front().cut)) seek();
    offer_candidates();
  }

  void seek() {
    std::vector<std::vector<Domain>> known;
    for (const Wanted wanted : {Wanted::least_worst, Wanted::least_sum}) {
      for (const Division& division : candidates_.best_by(wanted)) known.push_back(division.node_of);
    }
    const Portions portions = [this](std::size_t number, std::size_t of) {
      if (progress_) progress_("searching from many starts", number, of);
    };
    const Score least{share(2 * together_.front(), site_.nodes()), together_.front()};
    for (std::vector<Domain>& found : sought({graph_, rooms_, shares_, least, portions}, known)) {
      candidates_.consider("search", std::move(found));
    }
  }

  // Towards one aim, and from there towards the other.
  void roam_from_best() {
    constexpr std::size_t kWays = 4;
    std::size_t way = 0;
    const Portions portions = [&](std::size_t number, std::size_t of) {
      if (progress_) progress_("moving ranks between nodes", way * of + number, kWays * of);
    };
    for (const Wanted wanted : {Wanted::least_worst, Wanted::least_sum}) {
      const Wanted other = wanted == Wanted::least_sum ? Wanted::least_worst : Wanted::least_sum;
      Division division = candidates_.best_by(wanted).front();
      division.name += ", ranks moved";
      for (const Wanted towards : {wanted, other}) {
        roam(graph_, division.node_of, rooms_, {}, {towards, usual_moves(graph_.ranks()), 1}, portions);
        ++way;
        candidates_.consider(division.name, division.node_of);
      }
    }
  }

  // What is inside the best nodes once more, unless nothing crosses there: so far each node's first places may have been taken.
  void share_places_out() {
    if (crosses_nothing(1)) return;
    const Portions portions = [this](std::size_t number, std::size_t of) {
      if (progress_) progress_("placing ranks inside the best nodes", number, of);
    };
    const std::vector<Domain> node_of = domains_of(site_, 0, best_.answer.mapping);
    best_.offer(best_.answer.made_by,
                settled(graph_, site_, node_of, divides_inside() ? kGreatEffort : kUsualEffort, grid_, portions));
  }

  // Those that are no worse between nodes, if that decides.
  void offer_candidates() {
    const bool nodes_decide = first_level_decides(objective_, site_.levels().size());
    for (const Division& division : candidates_.best()) {
      if (nodes_decide && key_of(objective_, division.cut) > key_of(objective_, best_.answer.cut.front().weight)) break;
      best_.offer(division.name, settled(graph_, site_, division.node_of, kUsualEffort, grid_));
    }
  }

  const Graph& graph_;
  const Grid* grid_;
  const Site& site_;
  const Objective& objective_;
  const Progress& progress_;
  const Partition& ask_;
  std::vector<std::uint32_t> rooms_;  // of each node
  std::vector<Shares> shares_;
  std::vector<Weight> together_;
  Candidates candidates_;
  Best best_;
};

}  // namespace

Answer mapped_to_some(const Graph& graph, const Grid* grid, const Site& site, const Objective& objective,
                      const Progress& progress, const Partition& ask) {
  return MapperToSome(graph, grid, site, objective, progress, ask).run();
}

}  // namespace comity::place
