// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/roam.hpp"

#include <cmath>
#include <utility>

#include "place/division/borne.hpp"
#include "place/division/random.hpp"

namespace comity::place {
namespace {

constexpr double kHot = 1.0, kCold = 0.08;  // [of the mean weight of an edge]
constexpr double kExcessCost = 3.0;         // what a node pays for each unit above the target
constexpr std::uint64_t kStep = 256;        // moves tried at one temperature
constexpr std::size_t kMostAtOnce = 6;      // ranks that move together
constexpr std::size_t kToAnywhere = 32;     // one in so many goes to any node, an empty one perhaps

class Roaming : public Borne {
 public:
  Roaming(const Graph& graph, std::vector<Domain>& part, std::span<const std::uint32_t> rooms,
          std::span<const std::uint32_t> widths, Wanted wanted)
      : Borne(graph, part, rooms.size()),
        rooms_(rooms.begin(), rooms.end()),
        widths_(widths),
        wanted_(wanted),
        load_(rooms.size(), 0) {
    for (Rank rank = 0; rank < part.size(); ++rank) load_[part[rank]] += width(rank);
  }

  // Tries one move, with those that make room for it; true where it was made.
  bool try_move(Random& random, double temperature) {
    const auto rank = static_cast<Rank>(random.below(part_.size()));
    const Domain own = part_[rank], target = target_of(rank, random);
    if (own == target) return false;
    const Weight sum = sum_, excess = excess_;
    moved_.clear();
    shift(rank, target);
    if (make_room(own, target, random)) {
      const double rise = static_cast<double>(sum_ - sum) +
                          (wanted_ == Wanted::least_worst ? kExcessCost * static_cast<double>(excess_ - excess) : 0.0);
      if (rise <= 0 || random.fraction() < std::exp(-rise / temperature)) return true;
    }
    while (!moved_.empty()) take_back();
    return false;
  }

 private:
  struct Shift {
    Rank rank;
    Domain from;
    Weight from_bears, to_bears, more;  // than before; more: of the sum
  };

  [[nodiscard]] std::int64_t width(Rank rank) const { return widths_.empty() ? 1 : widths_[rank]; }
  [[nodiscard]] bool overfull(Domain node) const { return load_[node] > rooms_[node]; }

  Domain target_of(Rank rank, Random& random) const {
    const std::size_t edges = graph_.edges_of(rank);
    if (edges == 0 || random.below(kToAnywhere) == 0) return static_cast<Domain>(random.below(rooms_.size()));
    return part_[graph_.neighbour(rank, random.below(edges))];
  }

  // Ranks of the one that has too much go to the other. Where there is room every other move brings one back all the same.
  bool make_room(Domain own, Domain target, Random& random) {
    if (!overfull(target)) {
      if (random.below(2) == 0) return true;
      return shift_any(target, own, random) && !overfull(own);
    }
    while (overfull(target) || overfull(own)) {
      const Domain from = overfull(target) ? target : own;
      if (moved_.size() >= kMostAtOnce || !shift_any(from, from == target ? own : target, random)) return false;
    }
    return true;
  }

  bool shift_any(Domain from, Domain to, Random& random) {
    if (members_[from].empty()) return false;
    shift(members_[from][random.below(members_[from].size())], to);
    return true;
  }

  void shift(Rank rank, Domain to) {
    const Domain from = part_[rank];
    Weight with_from = 0, with_to = 0, rest = 0;
    graph_.for_each_edge(rank, [&](Rank other, Weight weight) {
      (part_[other] == from ? with_from : part_[other] == to ? with_to : rest) += weight;
    });
    const Shift made{rank, from, with_from - with_to - rest, with_from + rest - with_to, with_from - with_to};
    bear(from, made.from_bears);
    bear(to, made.to_bears);
    sum_ += made.more;
    transfer(rank, to);
    moved_.push_back(made);
  }

  // The last shift.
  void take_back() {
    const Shift made = moved_.back();
    moved_.pop_back();
    bear(part_[made.rank], -made.to_bears);
    bear(made.from, -made.from_bears);
    sum_ -= made.more;
    transfer(made.rank, made.from);
  }

  void transfer(Rank rank, Domain to) {
    load_[part_[rank]] -= width(rank);
    load_[to] += width(rank);
    relocate(rank, to);
  }

  std::vector<std::int64_t> rooms_;
  std::span<const std::uint32_t> widths_;
  Wanted wanted_;
  std::vector<std::int64_t> load_;
  std::vector<Shift> moved_;  // of the move that is tried
};

}  // namespace

void roam(const Graph& graph, std::vector<Domain>& part, std::span<const std::uint32_t> rooms,
          std::span<const std::uint32_t> widths, const Annealing& how, const Portions& portions) {
  if (rooms.size() < 2 || how.swaps == 0 || graph.edges() == 0) return;
  std::vector<Domain> now = part;
  Roaming state(graph, now, rooms, widths, how.wanted);
  Score best = state.score();
  Random random(how.seed);
  const double hot = kHot * graph.mean_weight(), fall = std::log(kCold / kHot);
  double temperature = hot;
  for (std::uint64_t i = 0; i < how.swaps; ++i) {
    if (portions && is_time_to_tell(i, how.swaps)) portions(i * kHundred / how.swaps, kHundred);
    if (i % kStep == 0) temperature = hot * std::exp(fall * static_cast<double>(i) / static_cast<double>(how.swaps));
    if (!state.try_move(random, temperature)) continue;
    const bool sum_first = how.wanted == Wanted::least_sum;
    if (sum_first ? state.sum() >= best.sum : !state.reached_target() && state.sum() >= best.sum) continue;
    const Score score = state.score();
    if (!sum_first && (score.worst > best.worst || (score.worst == best.worst && score.sum >= best.sum))) continue;
    best = score;
    part = now;
    if (!sum_first) state.aim_below(score.worst);
  }
}

}  // namespace comity::place
