// SPDX-License-Identifier: BSD-3-Clause
// Borne: what the parts of a division bear, kept true while ranks move between them by steps that are tried and perhaps taken
// back: of each part its members and its cut, the sum, and by how much all parts together exceed a target.
#pragma once

#include <algorithm>
#include <vector>

#include "place/division/anneal.hpp"

namespace comity::place {

struct Score {
  Weight worst, sum;

  // By what is wanted first.
  [[nodiscard]] bool better_than(const Score& other, Wanted wanted) const {
    if (wanted == Wanted::least_worst && worst != other.worst) return worst < other.worst;
    return sum != other.sum ? sum < other.sum : worst < other.worst;
  }
};

class Borne {
 public:
  [[nodiscard]] Score score() const { return {*std::max_element(cut_.begin(), cut_.end()), sum_}; }
  [[nodiscard]] bool reached_target() const { return excess_ == 0; }
  [[nodiscard]] Weight sum() const { return sum_; }
  // What parts bear above the target, all together.
  [[nodiscard]] Weight excess() const { return excess_; }

  // Parts shall bear less than this.
  void aim_below(Weight worst) {
    target_ = worst - 1;
    excess_ = 0;
    for (const Weight cut : cut_) excess_ += over(cut);
  }

 protected:
  Borne(const Graph& graph, std::vector<Domain>& part, std::size_t parts)
      : graph_(graph), part_(part), members_(parts), slot_(part.size()), cut_(parts, 0) {
    for (Rank rank = 0; rank < part.size(); ++rank) {
      slot_[rank] = static_cast<Rank>(members_[part[rank]].size());
      members_[part[rank]].push_back(rank);
      graph.for_each_edge(
          rank, [&](Rank other, Weight weight) { cut_[part[rank]] += part[other] == part[rank] ? 0 : weight; });
    }
    for (const Weight cut : cut_) sum_ += cut;
    sum_ /= 2;
    aim_below(score().worst);
  }

  [[nodiscard]] Weight over(Weight cut) const { return std::max<Weight>(0, cut - target_); }

  void bear(Domain part, Weight more) {
    excess_ += over(cut_[part] + more) - over(cut_[part]);
    cut_[part] += more;
  }

  // Among the members alone.
  void relocate(Rank rank, Domain to) {
    const Domain from = part_[rank];
    const Rank last = members_[from].back();
    members_[from][slot_[rank]] = last;
    slot_[last] = slot_[rank];
    members_[from].pop_back();
    slot_[rank] = static_cast<Rank>(members_[to].size());
    members_[to].push_back(rank);
    part_[rank] = to;
  }

  const Graph& graph_;
  std::vector<Domain>& part_;
  std::vector<std::vector<Rank>> members_;
  std::vector<Rank> slot_;  // of each rank among the members of its part
  std::vector<Weight> cut_;
  Weight sum_ = 0, target_ = 0, excess_ = 0;
};

}  // namespace comity::place
