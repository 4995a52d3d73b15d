// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/bisect.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "place/division/halves.hpp"
#include "place/job/subgraph.hpp"

namespace comity::place {
namespace {

constexpr std::size_t kCoarsest = 70;  // [ranks] where halves are grown from several seeds
constexpr std::size_t kSeeds = 4;
constexpr std::size_t kRanksHalved = 100'000;  // of all tries together
constexpr std::size_t kMostTries = 16;
constexpr std::size_t kMostUnordered =
    20'000;  // [ranks] of more, near ones are numbered to lie together in memory, whatever the job's numbers

constexpr std::size_t kFewestSideBySide = 40'000;  // [ranks] of a piece whose halves are divided so

Weight cut_of_halves(const Graph& graph, const Sides& sides) {
  Weight cut = 0;
  for (Rank rank = 0; rank < sides.size(); ++rank) {
    graph.for_each_edge(rank, [&](Rank other, Weight weight) { cut += sides[other] == sides[rank] ? 0 : weight; });
  }
  return cut / 2;
}

// Breadth first from `root` among those not yet seen; appends to `order`.
void visit_from(const Graph& graph, Rank root, std::vector<bool>& seen, std::vector<Rank>& order) {
  std::size_t next = order.size();
  seen[root] = true;
  order.push_back(root);
  for (; next < order.size(); ++next) {
    graph.for_each_edge(order[next], [&](Rank other, Weight) {
      if (seen[other]) return;
      seen[other] = true;
      order.push_back(other);
    });
  }
}

// The best of several halves of a small graph.
Sides grown(const SizedGraph& sized, std::size_t left) {
  const std::vector<Rank> order = breadth_first(sized.graph);
  std::optional<Halves> best;
  const auto key = [](const Halves& halves) { return std::pair(std::abs(halves.surplus()), halves.cut()); };
  const std::size_t seeds = std::min(kSeeds, order.size());
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    Halves halves(sized, left);
    halves.grow_from(order[seed * (order.size() - 1) / std::max<std::size_t>(1, seeds - 1)]);
    halves.refine();
    if (sized.largest() == 1) halves.balance();
    const bool balanced = std::abs(halves.surplus()) <= sized.largest();
    if (best && (balanced ? halves.cut() >= best->cut() : key(halves) >= key(*best))) continue;
    best.emplace(std::move(halves));
  }
  return best->sides();
}

// Halves of the coarse graph, carried over and made better on the way back. Another seed coarsens in another way.
Sides halved(const SizedGraph& sized, std::size_t left, std::uint64_t seed) {
  if (sized.graph.ranks() <= kCoarsest) return grown(sized, left);
  std::size_t all = 0;
  for (const std::uint32_t size : sized.size) all += size;
  const auto most = static_cast<std::uint32_t>(std::max<std::size_t>(2, all / (kCoarsest / 3)));
  const Coarse coarse = coarsened(sized, most, seed);
  if (coarse.sized.graph.ranks() > sized.graph.ranks() * 19 / 20) return grown(sized, left);
  const Sides coarse_sides = halved(coarse.sized, left, seed);
  Sides sides(sized.graph.ranks());
  for (Rank rank = 0; rank < sides.size(); ++rank) sides[rank] = coarse_sides[coarse.of[rank]];
  Halves halves(sized, left);
  halves.take(std::move(sides));
  halves.refine();
  if (sized.largest() == 1) {
    halves.balance();
    halves.refine();
  }
  return halves.sides();
}

Sides best_halved(const SizedGraph& sized, std::size_t left, std::size_t tries) {
  Sides best = halved(sized, left, 0);
  if (tries == 1 || sized.graph.ranks() <= kCoarsest) return best;
  Weight least = cut_of_halves(sized.graph, best);
  for (std::uint64_t seed = 1; seed < tries; ++seed) {
    Sides found = halved(sized, left, seed);
    const Weight cut = cut_of_halves(sized.graph, found);
    if (cut >= least) continue;
    least = cut;
    best = std::move(found);
  }
  return best;
}

SizedGraph with_widths(Graph graph, std::span<const Rank> names, std::span<const std::uint32_t> widths) {
  if (widths.empty()) return with_unit_sizes(std::move(graph));
  SizedGraph sized{std::move(graph), {}};
  for (const Rank name : names) sized.size.push_back(widths[name]);
  return sized;
}

// Of all ranks what `some` is of the sizes: with unequal widths a piece is not exactly as large as it should be.
std::size_t share_of(const SizedGraph& sized, std::size_t some, std::span<const std::size_t> sizes) {
  const std::size_t all = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  const std::size_t has = std::accumulate(sized.size.begin(), sized.size.end(), std::size_t{0});
  return has == all || all == 0 ? some : has * some / all;
}

// How often the largest of so many parts is halved.
std::size_t depth_of(std::size_t parts) { return static_cast<std::size_t>(std::bit_width(parts - 1)); }

// One bar for all who divide.
class SharedBar {
 public:
  explicit SharedBar(Hundredths& bar) : bar_(bar) {}
  void add(std::size_t units) {
    const std::lock_guard lock(mutex_);
    bar_.add(units);
  }

 private:
  Hundredths& bar_;
  std::mutex mutex_;
};

// What is the same for all pieces of a graph.
struct Dividing {
  const Graph& of;  // whose helpers divide the halves of large pieces side by side
  std::span<const std::uint32_t> widths;
  std::size_t tries;
  SharedBar& bar;  // of each rank as many units as it may be halved
  std::vector<Domain>& part;

  void run(Graph whole, std::span<const std::size_t> sizes, std::span<const Rank> names, Domain first_part) const;
};

void Dividing::run(Graph whole, std::span<const std::size_t> sizes, std::span<const Rank> names,
                   Domain first_part) const {
  if (names.empty()) return;
  if (sizes.size() == 1) {
    for (const Rank name : names) part[name] = first_part;
    return;
  }
  const auto some = sizes.first(sizes.size() / 2);
  const SizedGraph sized = with_widths(std::move(whole), names, widths);
  const std::size_t left = share_of(sized, std::accumulate(some.begin(), some.end(), std::size_t{0}), sizes);
  const Graph& graph = sized.graph;
  const Sides side = best_halved(sized, left, tries);
  bar.add(names.size());
  const auto divide_half = [&](std::size_t half) {
    std::vector<Rank> locals, globals;
    for (Rank rank = 0; rank < graph.ranks(); ++rank) {
      if (side[rank] != half) continue;
      locals.push_back(rank);
      globals.push_back(names[rank]);
    }
    const auto theirs = half == 0 ? some : sizes.subspan(some.size());
    bar.add(globals.size() * (depth_of(sizes.size()) - 1 - depth_of(theirs.size())));
    run(Subgraphs(graph).of(locals), theirs, globals, first_part + (half == 0 ? 0 : static_cast<Domain>(some.size())));
  };
  if (graph.ranks() >= kFewestSideBySide) return of.side_by_side(2, divide_half);
  divide_half(0);
  divide_half(1);
}

}  // namespace

std::vector<Rank> breadth_first(const Graph& graph) {
  std::vector<Rank> order, rim;
  std::vector<bool> seen(graph.ranks(), false);
  std::vector<bool> seen_first(graph.ranks(), false);
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    if (seen[rank]) continue;
    rim.clear();
    visit_from(graph, rank, seen_first, rim);  // its last one is far from everything
    visit_from(graph, rim.back(), seen, order);
  }
  return order;
}

std::vector<Rank> depth_first(const Graph& graph) {
  std::vector<Rank> order, open;
  std::vector<bool> seen(graph.ranks(), false);
  for (const Rank start : breadth_first(graph)) {
    if (!seen[start]) open.push_back(start);
    while (!open.empty()) {
      const Rank rank = open.back();
      open.pop_back();
      if (seen[rank]) continue;
      seen[rank] = true;
      order.push_back(rank);
      graph.for_each_edge(rank, [&](Rank other, Weight) {
        if (!seen[other]) open.push_back(other);
      });
    }
  }
  return order;
}

std::size_t usual_tries(std::size_t ranks) { return std::clamp<std::size_t>(kRanksHalved / ranks, 1, kMostTries); }

std::vector<Domain> bisected(const Graph& graph, std::span<const std::size_t> sizes, std::size_t tries,
                             std::span<const std::uint32_t> widths, const Portions& portions) {
  std::vector<Domain> part(graph.ranks(), 0);
  Progress progress;
  if (portions) progress = [&](std::string_view, std::size_t number, std::size_t of) { portions(number, of); };
  Hundredths bar(progress, "", graph.ranks() * depth_of(sizes.size()));
  SharedBar shared_bar(bar);
  const Dividing dividing{graph, widths, tries, shared_bar, part};
  if (graph.ranks() > kMostUnordered) {
    const std::vector<Rank> names = breadth_first(graph);
    dividing.run(Subgraphs(graph).of(names), sizes, names, 0);
    return part;
  }
  std::vector<Rank> names(graph.ranks());
  std::iota(names.begin(), names.end(), Rank{0});
  dividing.run(graph, sizes, names, 0);
  return part;
}

}  // namespace comity::place
