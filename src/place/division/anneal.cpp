// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/anneal.hpp"

#include <cmath>
#include <utility>

#include "place/division/borne.hpp"
#include "place/division/random.hpp"

namespace comity::place {
namespace {

constexpr double kHot = 1.5, kWarm = 0.3, kCold = 0.08;  // [of the mean weight of an edge]
constexpr std::uint64_t kMuch = 300;                     // swaps a rank, from which on it pays to start hot
constexpr double kExcessCost = 3.0;                      // what a part pays for each unit above the target
constexpr std::uint64_t kStep = 256;                     // swaps tried at one temperature

class State : public Borne {
 public:
  State(const Graph& graph, std::vector<Domain>& part, std::size_t parts, Wanted wanted)
      : Borne(graph, part, parts), wanted_(wanted) {}

  // Tries one swap; true where it was made.
  bool try_swap(Random& random, double temperature) {
    const auto u = static_cast<Rank>(random.below(part_.size()));
    const Rank w = random_neighbour(u, random);
    const Domain a = part_[u], b = part_[w];
    if (a == b) return false;
    const Rank v = members_[b][random.below(members_[b].size())];
    const Ties of_u = ties_of(u, v, a, b), of_v = ties_of(v, u, b, a);
    const Weight fall = of_u.theirs - of_u.own + of_v.theirs - of_v.own;  // of the sum
    // An edge crosses the border of a part if one of its ends is inside; the one that joins the two crosses before and after.
    const Weight between = of_v.all - of_u.all;
    const Weight cut_a = cut_[a] + 2 * (of_u.own - of_v.theirs) + between;
    const Weight cut_b = cut_[b] + 2 * (of_v.own - of_u.theirs) - between;
    double rise = -static_cast<double>(fall);
    Weight excess = excess_;
    if (wanted_ == Wanted::least_worst) {
      excess += over(cut_a) - over(cut_[a]) + over(cut_b) - over(cut_[b]);
      rise += kExcessCost * static_cast<double>(excess - excess_);
    }
    if (rise > 0 && random.fraction() >= std::exp(-rise / temperature)) return false;
    swap(u, v);
    sum_ -= fall;
    cut_[a] = cut_a;
    cut_[b] = cut_b;
    excess_ = excess;
    return true;
  }

 private:
  // What a rank exchanges with its part, with another one, and with all ranks; one rank is left out.
  struct Ties {
    Weight own = 0, theirs = 0, all = 0;
  };

  [[nodiscard]] Ties ties_of(Rank rank, Rank without, Domain own, Domain theirs) const {
    Ties ties;
    graph_.for_each_edge(rank, [&](Rank other, Weight weight) {
      if (other == without) return;
      const Domain part = part_[other];
      ties.own += part == own ? weight : 0;
      ties.theirs += part == theirs ? weight : 0;
      ties.all += weight;
    });
    return ties;
  }

  Rank random_neighbour(Rank rank, Random& random) const {
    const std::size_t edges = graph_.edges_of(rank);
    return edges == 0 ? rank : graph_.neighbour(rank, random.below(edges));
  }

  void swap(Rank u, Rank v) {
    std::swap(part_[u], part_[v]);
    std::swap(slot_[u], slot_[v]);
    members_[part_[u]][slot_[u]] = u;
    members_[part_[v]][slot_[v]] = v;
  }

  Wanted wanted_;
};

}  // namespace

void anneal(const Graph& graph, std::vector<Domain>& part, std::size_t parts, const Annealing& how,
            const Portions& portions) {
  if (parts < 2 || how.swaps == 0 || graph.edges() == 0) return;
  std::vector<Domain> now = part;
  State state(graph, now, parts, how.wanted);
  Score best = state.score();
  Random random(how.seed);
  const double start = how.swaps >= kMuch * part.size() ? kHot : kWarm;
  const double hot = start * graph.mean_weight(), fall = std::log(kCold / start);
  double temperature = hot;
  for (std::uint64_t i = 0; i < how.swaps; ++i) {
    if (i % kStep == 0) temperature = hot * std::exp(fall * static_cast<double>(i) / static_cast<double>(how.swaps));
    if (portions && is_time_to_tell(i, how.swaps)) portions(i * kHundred / how.swaps, kHundred);
    if (!state.try_swap(random, temperature)) continue;
    if (how.wanted == Wanted::least_sum) {
      if (state.sum() >= best.sum) continue;
      best = state.score();
      part = now;
    } else if (state.reached_target() || state.sum() < best.sum) {
      const Score score = state.score();
      const bool better = score.worst < best.worst || (score.worst == best.worst && score.sum < best.sum);
      if (!better) continue;
      best = score;
      part = now;
      state.aim_below(score.worst);
    }
  }
}

}  // namespace comity::place
