// SPDX-License-Identifier: BSD-3-Clause
#include "place/some.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "place/below.hpp"
#include "place/best.hpp"
#include "place/candidates.hpp"
#include "place/division/inside.hpp"
#include "place/division/launchers.hpp"
#include "place/division/roam.hpp"
#include "place/division/seek.hpp"
#include "place/full.hpp"
#include "place/spare.hpp"

namespace comity::place {
namespace {

// Smaller ones are parts of nodes that are looked at as if they were all.
enum class Nodes : std::uint8_t { whole, smaller };

class MapperToSome {
 public:
  MapperToSome(const Graph& graph, const Grid* grid, const Site& site, const Objective& objective,
               const Progress& progress, const Partition& ask, Round round, Nodes of)
      : graph_(graph),
        grid_(grid),
        site_(site),
        objective_(objective),
        progress_(progress),
        ask_(ask),
        round_(round),
        of_(of),
        rooms_(rooms_of(site)),
        parts_(parts_with_room(site, graph.ranks())),
        shares_(shares_to_try(graph, grid, rooms_, objective.aim)),
        more_(more_ways()),
        together_(least_together(graph, grid, site)),
        candidates_(graph, site.nodes(), objective, kMostCandidates,
                    searches_on() ? Candidates::Keep::of_both_aims : Candidates::Keep::asked),
        best_(graph, site, objective) {}

  Answer run() {
    for (const Part& part : parts_) map_into(part, progress_of(static_cast<std::size_t>(&part - parts_.data())));
    try_all(shares_);
    if (!more_.empty() && !crosses_nothing(0)) {
      candidates_.forget_all();
      ++pass_;
      try_all(more_);
    }
    map_to_smaller_nodes();
    best_.offer_launchers();
    share_places_out();
    best_.answer.together = std::move(together_);
    return std::move(best_.answer);
  }

 private:
  static constexpr std::size_t kMostCandidates = 6;
  static constexpr std::size_t kUsualWays = 3;             // to share ranks out: what any job is tried on (spare.hpp)
  static constexpr std::size_t kMostOnAllCounts = 64;      // ranks: each number of nodes takes as long as a job
  static constexpr std::size_t kMostOnSmallerNodes = 256;  // ranks: each room takes as long as a job
  static constexpr std::array kTimesEven{2.25, 1.6, 2.0};  // what these have room for, of even shares; one finds most

  // Where nodes differ, or stand below a network, and of a job that takes no time: those that are not known.
  [[nodiscard]] std::vector<Shares> more_ways() const {
    std::vector<Shares> more;
    if (site_.node_level() == 0) more = more_shares_of_unlike(graph_, grid_, rooms_, objective_.aim);
    if (tries_all_counts()) more = all_even_shares(graph_.ranks(), rooms_);
    if (site_.node_level() > 0 && parts_.empty()) more = shares_below(site_, graph_.ranks());
    std::erase_if(more, [&](const Shares& way) { return std::ranges::find(shares_, way) != shares_.end(); });
    return more;
  }

  [[nodiscard]] bool is_first_of_whole() const { return round_ == Round::first && of_ == Nodes::whole; }

  [[nodiscard]] bool tries_all_counts() const {
    return is_first_of_whole() && site_.node_level() == 0 && graph_.ranks() <= kMostOnAllCounts &&
           !nodes_differ(rooms_);
  }

  // Nobody does below a network: there each share has been searched thoroughly.
  [[nodiscard]] bool searches_on() const {
    return site_.node_level() == 0 && site_.nodes() > 1 && graph_.ranks() <= kMostDividedForBothAims;
  }

  // From the level on, inwards.
  [[nodiscard]] bool crosses_nothing(std::size_t level) const {
    return !best_.answer.mapping.empty() &&
           std::all_of(best_.answer.cut.begin() + static_cast<std::ptrdiff_t>(level), best_.answer.cut.end(),
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
      const std::size_t all = parts_.size() + shares_.size() + more_.size();
      progress_(step, (share * of + number) * kHundred / (all * of), kHundred);
    };
  }

  // The same of a step that either pass makes once.
  [[nodiscard]] Portions portions(std::string_view step) const {
    return [this, step](std::size_t number, std::size_t of) {
      const std::size_t passes = more_.empty() ? 1 : 2;
      if (progress_) progress_(step, pass_ * of + number, passes * of);
    };
  }

  // The best of these shares, and ranks of it that move then. In a pass of their own others find what they would without these.
  void try_all(const std::vector<Shares>& ways) {
    const std::size_t before = parts_.size() + pass_ * shares_.size();
    for (std::size_t i = 0; i < ways.size() && !crosses_nothing(0); ++i) {
      const bool of_many = of_ == Nodes::smaller || (tries_all_counts() && (&ways == &more_ || i >= kUsualWays));
      map_to(ways[i], of_many ? Search::brief : Search::quick, progress_of(before + i));
    }
    improve(ways);
  }

  // As a job for the nodes below one switch, or of one block, alone: nothing crosses outside.
  void map_into(const Part& part, const Progress& progress) {
    const Site below = site_.below(part.level, part.domain);
    const Objective objective = without_outer(objective_, part.level + 1, site_.levels().size());
    Answer found =
        graph_.ranks() < below.places()
            ? mapped_to_some(graph_, grid_, below, objective, progress, ask_, round_)
            : begun(graph_, grid_, below, objective, Search::thorough, nullptr, progress, ask_, round_).answer;
    for (Place& place : found.mapping) place += site_.levels()[part.level].first[part.domain];
    best_.offer(found.made_by, std::move(found.mapping));
  }

  // Others are not asked, nor all divisions tried, for each of many.
  void map_to(const Shares& shares, Search search, const Progress& progress) {
    const std::vector<Place> places = places_of(site_, shares);
    const Site used = site_.only(places);
    if (site_.node_level() > 0) search = Search::thorough;
    Begun found = begun(graph_, grid_, used, objective_, search, best_so_far(), progress,
                        search == Search::brief ? Partition{} : ask_, round_);
    for (Place& place : found.answer.mapping) place = places[place];
    if (!found.answer.mapping.empty()) offer(std::move(found.answer));
    if (!searches_on()) return;
    for (Division& division : found.divisions) {
      for (Domain& node : division.node_of) node = site_.domain_of(0)[places[used.levels()[0].first[node]]];
      candidates_.consider(division.name, std::move(division.node_of));
    }
  }

  // In roomy nodes a search gathers ranks, and seldom finds what more nodes of few ranks each would spare the worst one.
  void map_to_smaller_nodes() {
    if (!is_first_of_whole() || !searches_on() || nodes_differ(rooms_)) return;
    const std::size_t ways = ways_to_be_smaller();
    for (std::size_t i = 0; i < ways && !crosses_nothing(0); ++i) {
      if (progress_) progress_("trying smaller nodes", i, ways);
      const auto even = static_cast<double>(graph_.ranks()) / static_cast<double>(rooms_.size());
      const auto room = static_cast<std::size_t>(std::ceil(kTimesEven[i] * even));
      if (room < rooms_.front()) map_to_nodes_of(room);
    }
  }

  [[nodiscard]] std::size_t ways_to_be_smaller() const {
    if (graph_.ranks() > kMostOnSmallerNodes) return 0;
    return graph_.ranks() <= kMostOnAllCounts ? kTimesEven.size() : 1;
  }

  void map_to_nodes_of(std::size_t room) {
    const std::vector<Place> places = places_of(site_, Shares(rooms_.size(), room));
    Answer found = MapperToSome(graph_, grid_, site_.only(places), objective_, {}, {}, round_, Nodes::smaller).run();
    for (Place& place : found.mapping) place = places[place];
    offer(std::move(found));
  }

  // What the best so far cuts.
  [[nodiscard]] const Cut* best_so_far() const { return best_.answer.mapping.empty() ? nullptr : &best_.answer.cut; }

  // It cuts the same where some places have no rank.
  void offer(Answer found) {
    const std::vector<Domain> node_of = domains_of(site_, 0, found.mapping);
    best_.offer(found.made_by, std::move(found.mapping), std::move(found.cut));
    if (divides_inside()) best_.offer(found.made_by, settled(graph_, site_, node_of, kUsualEffort, grid_));
  }

  // In the same way whatever was asked: of two aims' answers neither is worse in its own figure than the other's.
  void improve(const std::vector<Shares>& ways) {
    if (!searches_on() || solved(best_.answer.cut.front().weight)) return;
    for (const Launcher& launcher : kLaunchers) {
      candidates_.consider(std::string(launcher.name), domains_of(site_, 0, launcher.map(site_, graph_.ranks())));
    }
    consider_boxes();
    roam_from_best();
    if (may_seek(graph_.ranks(), site_.nodes()) && !solved(candidates_.best().front().cut)) seek(ways);
    offer_candidates();
  }

  // The best by each aim: where they are not alike, no walk with even shares comes out in them.
  void consider_boxes() {
    const std::vector<Boxes> all = boxes_on_alike(grid_, rooms_);
    if (all.empty()) return;
    const auto by_worst = [](const Boxes& boxes) { return std::pair(boxes.cut.worst, boxes.cut.sum); };
    const auto by_sum = [](const Boxes& boxes) { return std::pair(boxes.cut.sum, boxes.cut.worst); };
    candidates_.consider("boxes", box_of_each(*grid_, *std::ranges::min_element(all, {}, by_worst)));
    candidates_.consider("boxes", box_of_each(*grid_, *std::ranges::min_element(all, {}, by_sum)));
  }

  [[nodiscard]] std::size_t populations() const { return is_first_of_whole() ? usual_populations(graph_.ranks()) : 1; }

  void seek(const std::vector<Shares>& ways) {
    std::vector<std::vector<Domain>> known;
    for (const Wanted wanted : {Wanted::least_worst, Wanted::least_sum}) {
      for (const Division& division : candidates_.best_by(wanted)) known.push_back(division.node_of);
    }
    const Portions portions = this->portions("searching from many starts");
    const Score least{share(2 * together_.front(), site_.nodes()), together_.front()};
    for (std::vector<Domain>& found : sought({graph_, rooms_, ways, least, portions, populations()}, known)) {
      candidates_.consider("search", std::move(found));
    }
  }

  // Towards one aim, and from there towards the other.
  void roam_from_best() {
    constexpr std::size_t kWays = 4;
    std::size_t way = 0;
    const Portions of_pass = this->portions("moving ranks between nodes");
    const Portions portions = [&](std::size_t number, std::size_t of) { of_pass(way * of + number, kWays * of); };
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
    const Mapping& known = best_.answer.mapping;
    if (divides_inside() || objective_.aim == Aim::time) {  // whose best may have been settled by a small effort
      const Effort& effort = divides_inside() ? kGreatEffort : kUsualEffort;
      best_.offer(best_.answer.made_by, settled(graph_, site_, domains_of(site_, 0, known), effort, grid_, portions));
    } else {
      best_.offer(best_.answer.made_by, shared_out(graph_, site_, known, kUsualEffort, grid_, portions));
    }
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
  Round round_;
  Nodes of_;
  std::vector<std::uint32_t> rooms_;  // of each node
  std::vector<Part> parts_;
  std::vector<Shares> shares_, more_;
  std::vector<Weight> together_;
  Candidates candidates_;
  Best best_;
  std::size_t pass_ = 0;  // through shares_, then through more_
};

}  // namespace

Answer mapped_to_some(const Graph& graph, const Grid* grid, const Site& site, const Objective& objective,
                      const Progress& progress, const Partition& ask, Round round) {
  return MapperToSome(graph, grid, site, objective, progress, ask, round, Nodes::whole).run();
}

}  // namespace comity::place
