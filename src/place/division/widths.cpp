// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/widths.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "place/division/bisect.hpp"
#include "place/division/orders.hpp"
#include "place/division/repair.hpp"
#include "place/division/roam.hpp"
#include "place/division/slices.hpp"
#include "place/spare.hpp"

namespace comity::place {
namespace {

constexpr std::size_t kEdgesLookedAt = 30'000'000;  // by all walks together
constexpr std::size_t kMostWalks = 200, kFewestWalks = 2;
constexpr std::size_t kMostCounts = 4;       // numbers of nodes that are tried
constexpr std::size_t kMostHalved = 20'000;  // ranks of a grid, whose walks are better then
constexpr std::size_t kKeptOfMany = 2, kMany = 5'000;
constexpr std::size_t kMostAims = 2 * kMostCounts + 4;  // ways of sharing ranks out
constexpr std::size_t kHalvedOfMany = 2, kMostTries = 4;

// What ranks weigh, and how much of that each node is to have.
struct Aimed {
  std::vector<std::uint32_t> weight;
  Shares shares;
};

std::uint32_t usual_width(std::span<const std::uint32_t> widths) {
  std::map<std::uint32_t, std::size_t> count;
  for (const std::uint32_t width : widths) ++count[width];
  return std::max_element(count.begin(), count.end(),
                          [](const auto& one, const auto& other) { return one.second < other.second; })
      ->first;
}

class Dividing {
 public:
  explicit Dividing(const WidthsTask& task) : task_(task) {}

  std::vector<NamedDivision> run(std::vector<NamedDivision> known) {
    for (NamedDivision& one : known) consider(one.name, std::move(one.node_of));
    if (task_.rooms.size() > 1) {
      const std::vector<Aimed> aims = all_aims();
      to_ask_ =
          static_cast<std::size_t>(std::ranges::count_if(aims, [&](const Aimed& one) { return by_threads(one); }));
      for (const Aimed& aimed : aims) divide(aimed);
      improve();
    }
    std::vector<NamedDivision> best;
    for (Ranked& one : best_) best.push_back(std::move(one.division));
    return best;
  }

  std::vector<NamedDivision> of_shapes(std::size_t most) {
    if (task_.grid == nullptr || task_.rooms.size() < 2) return {};
    const std::vector<Aimed> aims = all_aims();
    std::vector<NamedDivision> found;
    for (std::size_t i = 0; i < aims.size(); ++i) {
      const std::size_t left = (most - found.size()) / (aims.size() - i);
      const Parts parts = parts_of(aims[i]);
      for (const Walk& walk : of_unlike_shapes(walks_for(aims[i], parts.sizes), left)) {
        auto fitting = fitted(parts, cut_along(order_of(*task_.grid, walk), aims[i].weight, parts.sizes));
        if (!fitting) continue;
        if (std::ranges::find(found, *fitting, &NamedDivision::node_of) != found.end()) continue;
        found.push_back({"walk", *std::move(fitting)});
      }
    }
    return found;
  }

 private:
  struct Ranked {
    Key key;
    NamedDivision division;
  };

  void tell(std::string_view step, std::size_t number, std::size_t of) const {
    if (task_.progress) task_.progress(step, number, of);
  }

  [[nodiscard]] bool many() const { return task_.graph.ranks() > kMany; }

  // By threads, and by ranks as if all were as wide as most of them are: a node's box is whole then, and few must go.
  [[nodiscard]] std::vector<Aimed> all_aims() const {
    const std::vector<std::uint32_t> widths(task_.width.begin(), task_.width.end());
    const std::size_t threads = std::accumulate(widths.begin(), widths.end(), std::size_t{0});
    std::vector<Aimed> aims;
    const auto add = [&](const std::vector<std::uint32_t>& weight, Shares shares) {
      for (const Aimed& known : aims) {
        if (known.shares == shares && known.weight == weight) return;
      }
      aims.push_back({weight, std::move(shares)});
    };
    const auto add_all = [&](const std::vector<std::uint32_t>& weight, const std::vector<std::uint32_t>& rooms,
                             std::size_t total) {
      const std::size_t room = std::accumulate(rooms.begin(), rooms.end(), std::size_t{0});
      if (room >= total) {
        add(weight, filled_in_order(rooms, total));
        for (const std::size_t nodes : node_counts(rooms, total, kMostCounts)) {
          add(weight, even_shares(rooms, total, nodes));
        }
      }
      add(weight, in_proportion(rooms, total));
    };
    add_all(widths, {task_.rooms.begin(), task_.rooms.end()}, threads);
    const std::uint32_t usual = usual_width(task_.width);
    std::vector<std::uint32_t> rooms;
    for (const std::uint32_t room : task_.rooms) rooms.push_back(room / usual);
    add_all(std::vector<std::uint32_t>(widths.size(), 1), rooms, widths.size());
    return aims;
  }

  // Nodes that are to have something, and how much.
  struct Parts {
    std::vector<std::size_t> sizes;
    std::vector<Domain> node;
  };

  static Parts parts_of(const Aimed& aimed) {
    Parts parts;
    for (std::size_t i = 0; i < aimed.shares.size(); ++i) {
      if (aimed.shares[i] == 0) continue;
      parts.sizes.push_back(aimed.shares[i]);
      parts.node.push_back(static_cast<Domain>(i));
    }
    return parts;
  }

  [[nodiscard]] std::optional<std::vector<Domain>> fitted(const Parts& parts, std::vector<Domain> part) const {
    for (Domain& one : part) one = parts.node[one];
    return repaired_widths(task_.graph, std::move(part), task_.width, task_.rooms, task_.fit);
  }

  void divide(const Aimed& aimed) {
    const Parts parts = parts_of(aimed);
    const std::vector<std::size_t>& sizes = parts.sizes;
    const auto offer = [&](const std::string& name, std::vector<Domain> part) {
      if (auto fitting = fitted(parts, std::move(part))) consider(name, *std::move(fitting));
    };
    if (task_.grid != nullptr) {
      walk(aimed, sizes, offer);
      std::vector<Rank> ranks(task_.graph.ranks());
      std::iota(ranks.begin(), ranks.end(), Rank{0});
      offer("slices", sliced(*task_.grid, ranks, sizes, aimed.weight));
    } else {
      offer("breadth first", cut_along(breadth_first(task_.graph), aimed.weight, sizes));
    }
    if ((task_.grid == nullptr || task_.graph.ranks() <= kMostHalved) && (!many() || halved_ < kHalvedOfMany)) {
      tell("halving the graph", ++halved_, many() ? kHalvedOfMany : kMostAims);
      offer("bisection",
            bisected(task_.graph, sizes, std::min(kMostTries, usual_tries(task_.graph.ranks())), aimed.weight));
    }
    if (!task_.ask || !by_threads(aimed)) return;
    const Portions portions = [&](std::size_t number, std::size_t of) {
      tell("asking other partitioners", asked_ * of + number, to_ask_ * of);
    };
    for (Foreign& other : task_.ask(task_.graph, sizes, aimed.weight, portions)) {
      offer(other.name + ", repaired", std::move(other.part));
    }
    ++asked_;
  }

  [[nodiscard]] bool by_threads(const Aimed& aimed) const { return std::ranges::equal(aimed.weight, task_.width); }

  [[nodiscard]] std::vector<Walk> walks_for(const Aimed& aimed, const std::vector<std::size_t>& sizes) const {
    const std::size_t all = std::accumulate(aimed.weight.begin(), aimed.weight.end(), std::size_t{0});
    const std::size_t largest = *std::max_element(sizes.begin(), sizes.end());
    return walks(*task_.grid, std::max<std::size_t>(1, largest * task_.graph.ranks() / all));
  }

  template <typename Offer>
  void walk(const Aimed& aimed, const std::vector<std::size_t>& sizes, Offer&& offer) {
    const std::vector<Walk> found = walks_for(aimed, sizes);
    const std::size_t looked_at = task_.graph.ranks() + 2 * task_.graph.edges();
    const std::size_t tried =
        std::min(found.size(), std::clamp(kEdgesLookedAt / looked_at / kMostAims, kFewestWalks, kMostWalks));
    for (std::size_t i = 0; i < tried; ++i) {
      tell("walking through the grid", i + 1, tried);
      offer("walk", cut_along(order_of(*task_.grid, found[i]), aimed.weight, sizes));
    }
  }

  // A rank goes where its middle is.
  static std::vector<Domain> cut_along(const std::vector<Rank>& order, const std::vector<std::uint32_t>& weight,
                                       const std::vector<std::size_t>& sizes) {
    std::vector<Domain> part(order.size());
    Domain node = 0;
    std::size_t before = 0, end = sizes.front();
    for (const Rank rank : order) {
      while (node + 1 < sizes.size() && 2 * before + weight[rank] > 2 * end) end += sizes[++node];
      part[rank] = node;
      before += weight[rank];
    }
    return part;
  }

  void improve() {
    if (task_.graph.ranks() > kMostDividedForBothAims) return;
    const Wanted wanted = task_.objective.aim == Aim::sum ? Wanted::least_sum : Wanted::least_worst;
    const Wanted other = task_.objective.aim == Aim::sum ? Wanted::least_worst : Wanted::least_sum;
    const std::vector<Ranked> starts(
        best_.begin(), best_.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(2, best_.size())));
    to_roam_ = 3 * starts.size();
    for (const Ranked& start : starts) {
      roam_from(start.division, start.division.node_of, wanted);
      // Towards the other aim, and from there to this one, as in the mapper of equal ranks.
      roam_from(start.division, roam_from(start.division, start.division.node_of, other), wanted);
    }
  }

  std::vector<Domain> roam_from(const NamedDivision& start, std::vector<Domain> node_of, Wanted wanted) {
    const Portions portions = [&](std::size_t number, std::size_t of) {
      tell("moving ranks between nodes", roamed_ * of + number, to_roam_ * of);
    };
    roam(task_.graph, node_of, task_.rooms, task_.width, {wanted, usual_moves(task_.graph.ranks()), 1}, portions);
    ++roamed_;
    consider(start.name + ", improved", node_of);
    return node_of;
  }

  void consider(const std::string& name, std::vector<Domain> node_of) {
    Key key = key_of(task_.objective, node_cut(task_.graph, task_.rooms.size(), node_of));
    const auto at = std::upper_bound(best_.begin(), best_.end(), key,
                                     [](const Key& one, const Ranked& other) { return one < other.key; });
    const std::size_t most = many() ? kKeptOfMany : kMostDivisionsOfWidths;
    if (static_cast<std::size_t>(at - best_.begin()) >= most) return;
    for (const Ranked& one : best_) {
      if (one.key == key && one.division.node_of == node_of) return;
    }
    best_.insert(at, {std::move(key), {name, std::move(node_of)}});
    if (best_.size() > most) best_.pop_back();
  }

  const WidthsTask& task_;
  std::size_t halved_ = 0;
  std::size_t asked_ = 0, to_ask_ = 0;
  std::size_t roamed_ = 0, to_roam_ = 0;
  std::vector<Ranked> best_;  // the best first
};

}  // namespace

std::vector<NamedDivision> divisions_of_widths(const WidthsTask& task, std::vector<NamedDivision> known) {
  return Dividing(task).run(std::move(known));
}

std::vector<NamedDivision> divisions_of_shapes(const WidthsTask& task, std::size_t most) {
  return Dividing(task).of_shapes(most);
}

}  // namespace comity::place
