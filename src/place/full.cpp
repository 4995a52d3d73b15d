// SPDX-License-Identifier: BSD-3-Clause
#include "place/full.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "place/best.hpp"
#include "place/bounds/connected.hpp"
#include "place/candidates.hpp"
#include "place/division/anneal.hpp"
#include "place/division/bisect.hpp"
#include "place/division/inside.hpp"
#include "place/division/launchers.hpp"
#include "place/division/orders.hpp"
#include "place/division/repair.hpp"
#include "place/division/seek.hpp"
#include "place/division/slices.hpp"
#include "place/full_exact.hpp"
#include "place/gather.hpp"

namespace comity::place {
namespace {

constexpr std::size_t kEdgesLookedAt = 60'000'000;  // by all walks together
constexpr std::size_t kMostWalks = 3'000;
constexpr std::size_t kFewestWalks = 4;
constexpr std::size_t kEdgesSettled = 60'000'000;  // by all shapes together
constexpr std::size_t kMostShapes = 100, kFewestShapes = 4;
constexpr std::size_t kMostBisectedCells = 20'000;   // of a grid, whose walks are better then
constexpr std::size_t kMostSlices = 256;             // of so many cells: they take longer than walks do
constexpr std::size_t kMostAskedRanks = 200'000;     // of others: they would take longer than we do
constexpr std::size_t kMostPolishedCells = 200'000;  // of a grid, whose boxes it brings one or two in a thousand
constexpr std::uint64_t kSwaps = 1'500'000, kSwapsARank = 3'000;
constexpr std::uint64_t kFewerSwaps = 8;  // by so many times, where a search from many starts goes on from there

// What one of many shapes is worth.
constexpr Effort kSmallEffort{150'000, 2};

// How many divisions are worth looking inside the nodes for.
std::size_t kept_divisions(std::size_t ranks) { return ranks <= 5'000 ? 6 : ranks <= 100'000 ? 3 : 2; }

class MapperToAll {
 public:
  MapperToAll(const Graph& graph, const Grid* grid, const Site& site, const Objective& objective,
              const Progress& progress, const Partition& ask, Search search, Round round)
      : graph_(graph),
        grid_(grid),
        site_(site),
        objective_(objective),
        progress_(progress),
        ask_(ask),
        search_(search),
        round_(round),
        sizes_(site.levels().front().sizes()),
        together_(least_together(graph, grid, site)),
        candidates_(graph, site.nodes(), objective, kept_divisions(graph.ranks()),
                    divides_on() ? Candidates::Keep::of_both_aims : Candidates::Keep::asked),
        exact_(graph, site, objective, progress),
        best_(graph, site, objective) {}

  Answer run() {
    divide_well();
    settle();
    fill_inner_domains_first();
    best_.offer_launchers();
    finish();
    return std::move(best_.answer);
  }

  Begun begin(const Cut* to_beat) {
    best_.to_beat = to_beat;
    divide_well();
    if (to_beat == nullptr || !is_worse_than(to_beat->front().weight)) {
      settle();
      fill_inner_domains_first();
      best_.offer_launchers_unseen();
      if (!best_.answer.mapping.empty()) finish();
    }
    const bool goes_on = search_ != Search::thorough && divides_on();
    return {std::move(best_.answer), goes_on ? candidates_.to_begin_from() : std::vector<Division>{}};
  }

 private:
  void tell(std::string_view step, std::size_t number, std::size_t of) const {
    if (progress_) progress_(step, number, of);
  }

  [[nodiscard]] Portions portions(std::string_view step) const {
    return [this, step](std::size_t number, std::size_t of) { tell(step, number, of); };
  }

  [[nodiscard]] bool divides_on() const { return graph_.ranks() <= kMostDividedForBothAims; }
  [[nodiscard]] bool one_node() const { return site_.nodes() == 1; }
  [[nodiscard]] Weight least_worst() const { return share(2 * together_[0], site_.nodes()); }
  [[nodiscard]] bool nodes_decide() const { return first_level_decides(objective_, site_.levels().size()); }
  // Nothing can be better at the first level.
  [[nodiscard]] bool solved() const {
    const std::vector<Division>& best = candidates_.best();
    return !best.empty() && best.front().cut.sum == together_[0] && best.front().cut.worst == least_worst();
  }

  [[nodiscard]] bool solved_exactly() const { return exact_.reaches({together_[0], least_worst()}); }

  void divide_well() {
    divide();
    search_exactly();
    improve();
  }

  void finish() {
    best_.answer.bounds = bounds_of(site_, together_, best_.answer.cut);
    if (search_ == Search::thorough) polish();
    best_.answer.together = std::move(together_);
  }

  // Whatever is done inside.
  [[nodiscard]] bool is_worse_than(const Crossing& to_beat) const {
    if (!nodes_decide() || !exact_.found().empty()) return false;
    const Key least = key_of(objective_, to_beat);
    const auto is_worse = [&](const Crossing& cut) { return key_of(objective_, cut) > least; };
    return is_worse(candidates_.best().front().cut) && std::ranges::all_of(kLaunchers, [&](const Launcher& launcher) {
             return is_worse(
                 node_cut(graph_, site_.nodes(), domains_of(site_, 0, launcher.map(site_, graph_.ranks()))));
           });
  }

  // Nodes are filled in the order given.
  [[nodiscard]] std::vector<Domain> in_order(const std::vector<Rank>& order) const {
    std::vector<Domain> node_of(order.size());
    for (Place place = 0; place < order.size(); ++place) node_of[order[place]] = site_.domain_of(0)[place];
    return node_of;
  }

  void consider_order(const std::string& name, const std::vector<Rank>& order) {
    candidates_.consider(name, in_order(order));
  }

  // What it cuts may be known (settle_unlike).
  void consider_walk(const Walk& walk) {
    std::vector<Domain> node_of = in_order(order_of(*grid_, walk));
    const auto known = std::ranges::find(known_cuts_, walk, &std::pair<Walk, Crossing>::first);
    const Crossing cut = known != known_cuts_.end() ? known->second : node_cut(graph_, site_.nodes(), node_of);
    candidates_.consider("walk", std::move(node_of), cut);
  }

  void divide() {
    if (one_node()) {
      candidates_.consider("one node", std::vector<Domain>(graph_.ranks(), 0));
      return;
    }
    if (grid_ != nullptr) walk();
    if (grid_ == nullptr && has_few_edges(graph_)) consider_order("depth first", depth_first(graph_));
    if (solved()) return;
    ask_others();
    tell("halving the graph", 0, kHundred);
    if (grid_ == nullptr) consider_order("breadth first", breadth_first(graph_));
    if (grid_ == nullptr || graph_.ranks() <= kMostBisectedCells) {
      candidates_.consider("bisection",
                           bisected(graph_, sizes_, usual_tries(graph_.ranks()), {}, portions("halving the graph")));
    }
  }

  void ask_others() {
    if (!ask_ || graph_.ranks() > kMostAskedRanks) return;
    for (Foreign& other : ask_(graph_, sizes_, {}, portions("asking other partitioners"))) {
      candidates_.consider(other.name + ", repaired", repaired(graph_, std::move(other.part), sizes_));
    }
  }

  void walk() {
    const std::size_t looked_at = graph_.ranks() + 2 * graph_.edges();
    const std::size_t most = std::clamp(kEdgesLookedAt / looked_at, kFewestWalks, kMostWalks);
    const std::size_t largest = *std::max_element(sizes_.begin(), sizes_.end());
    const std::vector<Walk> all = walks(*grid_, largest);
    if (!nodes_decide())
      settle_unlike(of_unlike_shapes(all, std::clamp(kEdgesSettled / looked_at, kFewestShapes, kMostShapes)));
    const std::size_t tried = std::min(most, all.size());
    for (std::size_t i = 0; i < tried && !solved(); ++i) {
      tell("walking through the grid", i + 1, tried);
      consider_walk(all[i]);
    }
    if (solved() || (graph_.ranks() > kMostBisectedCells && sizes_.size() > kMostSlices)) return;
    std::vector<Rank> ranks(graph_.ranks());
    std::iota(ranks.begin(), ranks.end(), Rank{0});
    candidates_.consider("slices", sliced(*grid_, ranks, sizes_));
  }

  // Where more between nodes may be worth less inside, the best between nodes do not tell which shape is best: each is settled, by a small
  // effort, for pieces of one walk are mostly alike.
  void settle_unlike(const std::vector<Walk>& shapes) {
    for (const Walk& walk : shapes) {
      tell("trying boxes of other shapes", static_cast<std::size_t>(&walk - shapes.data()) + 1, shapes.size());
      std::vector<Domain> node_of = in_order(order_of(*grid_, walk));
      const Crossing cut = node_cut(graph_, site_.nodes(), node_of);
      if (!best_.is_worse(cut)) best_.offer("walk", settled(graph_, site_, node_of, kSmallEffort, grid_));
      known_cuts_.emplace_back(walk, cut);
    }
  }

  void search_exactly() {
    if (search_ == Search::brief || round_ != Round::first || !exact_.may_search()) return;
    if (solved() && site_.levels().size() == 1) return;
    exact_.search(candidates_, together_);
  }

  // In the same way whatever was asked: of two aims' answers neither is worse in its own figure than the other's.
  void improve() {
    if (one_node() || solved() || solved_exactly() || !divides_on()) return;
    anneal_best();
    if (search_ == Search::thorough) seek();
  }

  // Towards both aims, and from each towards the other: swaps that lead to a better place often look worse by one of the two.
  void anneal_best() {
    const std::vector<Division> starts = candidates_.to_begin_from();
    Hundredths bar(progress_, "swapping ranks between nodes", 2 * (starts.size() + 1));
    for (const Division& start : starts) {
      const bool is_first = &start == starts.data();
      anneal_from(start, anneal_from(start, start.node_of, Wanted::least_sum, bar), Wanted::least_worst, bar);
      if (is_first)
        anneal_from(start, anneal_from(start, start.node_of, Wanted::least_worst, bar), Wanted::least_sum, bar);
    }
  }

  // Here, or among several sites that are looked at (some.hpp).
  [[nodiscard]] bool seeks() const { return may_seek(graph_.ranks(), site_.nodes()); }

  [[nodiscard]] std::size_t populations() const {
    return round_ == Round::first ? usual_populations(graph_.ranks()) : 1;
  }

  void seek() {
    if (!seeks() || solved()) return;
    std::vector<std::vector<Domain>> known;
    for (const Wanted wanted : {Wanted::least_worst, Wanted::least_sum}) {
      for (const Division& division : candidates_.best_by(wanted)) known.push_back(division.node_of);
    }
    const std::vector<std::uint32_t> rooms(sizes_.begin(), sizes_.end());
    const SeekTask task{
        graph_,       rooms, {&sizes_, 1}, {least_worst(), together_[0]}, portions("searching from many starts"),
        populations()};
    for (std::vector<Domain>& found : sought(task, known)) candidates_.consider("search", std::move(found));
  }

  std::vector<Domain> anneal_from(const Division& start, std::vector<Domain> node_of, Wanted wanted, Hundredths& bar) {
    const std::uint64_t swaps = std::min(kSwaps, kSwapsARank * graph_.ranks());
    anneal(graph_, node_of, site_.nodes(), {wanted, seeks() ? swaps / kFewerSwaps : swaps, 1}, bar.within(1));
    bar.add(1);
    candidates_.consider(start.name + ", improved", node_of);
    return node_of;
  }

  void settle() {
    const std::vector<Division>& best = candidates_.best();
    Hundredths bar(progress_, "placing ranks inside the nodes", best.size());
    for (const Division& division : best) {
      if (nodes_decide() && key_of(objective_, division.cut) > key_of(objective_, best.front().cut)) break;
      bar.reach(static_cast<std::size_t>(&division - best.data()));
      if (best_.is_worse(division.cut)) continue;
      best_.offer(division.name, settled(graph_, site_, division.node_of, kUsualEffort, grid_, bar.within(1)));
    }
    for (const std::vector<Domain>& node_of : exact_.found())
      best_.offer("exact search", settled(graph_, site_, node_of));
  }

  // Divided in both ways, whatever was asked, as nodes are.
  void fill_inner_domains_first() {
    if (!divides_on() || one_node()) return;
    for (const std::size_t level : levels_to_fill_first(site_, objective_)) {
      tell("filling inner domains first", 0, kHundred);
      const Site domains = site_.of_level(level);
      const Objective inside = inside_of(objective_, level);
      for (const Division& filled : begun(graph_, grid_, domains, inside, Search::quick, nullptr).divisions) {
        Mapping mapping = settled(graph_, domains, filled.node_of, kUsualEffort, grid_);
        best_.offer("domains gathered", gathered(graph_, site_, objective_, level, std::move(mapping)));
      }
    }
  }

  // The best one again with more effort inside its nodes, unless nothing can be better there.
  void polish() {
    if (grid_ != nullptr && graph_.ranks() > kMostPolishedCells) return;
    bool proven = true;
    for (std::size_t level = 1; level < best_.answer.cut.size(); ++level) {
      proven = proven && best_.answer.cut[level].weight.sum == best_.answer.bounds[level].sum;
    }
    if (proven) return;
    const Mapping& known = best_.answer.mapping;
    const Portions portions = this->portions("placing ranks inside the best nodes");
    // To halve each of very many nodes once more takes longest of all.
    const bool goes_on = grid_ == nullptr && !divides_on();
    best_.offer(best_.answer.made_by,
                goes_on ? settled_on(graph_, site_, known, kGreatEffort, portions)
                        : settled(graph_, site_, domains_of(site_, 0, known), kGreatEffort, grid_, portions));
    best_.answer.bounds = bounds_of(site_, together_, best_.answer.cut);
  }

  const Graph& graph_;
  const Grid* grid_;
  const Site& site_;
  const Objective& objective_;
  const Progress& progress_;
  const Partition& ask_;
  Search search_;
  Round round_;
  std::vector<std::size_t> sizes_;  // of the nodes
  std::vector<Weight> together_;
  Candidates candidates_;
  std::vector<std::pair<Walk, Crossing>> known_cuts_;
  FullExact exact_;
  Best best_;
};

}  // namespace

Answer mapped_to_all(const Graph& graph, const Grid* grid, const Site& site, const Objective& objective,
                     const Progress& progress, const Partition& ask, Round round) {
  return MapperToAll(graph, grid, site, objective, progress, ask, Search::thorough, round).run();
}

Begun begun(const Graph& graph, const Grid* grid, const Site& site, const Objective& objective, Search search,
            const Cut* to_beat, const Progress& progress, const Partition& ask, Round round) {
  return MapperToAll(graph, grid, site, objective, progress, ask, search, round).begin(to_beat);
}

}  // namespace comity::place
