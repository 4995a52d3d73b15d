// SPDX-License-Identifier: BSD-3-Clause
#include "place/candidates.hpp"

#include <algorithm>
#include <utility>

namespace comity::place {

Candidates::Candidates(const Graph& graph, std::size_t nodes, const Objective& objective, std::size_t most, Keep keep)
    : graph_(graph), nodes_(nodes), most_(most), asked_{objective} {
  if (keep == Keep::of_both_aims) by_aim_ = {{{Aim::worst}}, {{Aim::sum}}};
}

void Candidates::consider(const std::string& name, std::vector<Domain> node_of) {
  const Crossing cut = node_cut(graph_, nodes_, node_of);
  consider(name, std::move(node_of), cut);
}

void Candidates::consider(const std::string& name, std::vector<Domain> node_of, const Crossing& cut) {
  Division division{name, std::move(node_of), cut};
  for (Kind& kind : by_aim_) {
    if (const std::size_t place = place_in(kind, division); place < most_) keep(kind, place, division);
  }
  if (const std::size_t place = place_in(asked_, division); place < most_) keep(asked_, place, std::move(division));
}

void Candidates::forget_all() {
  asked_.divisions.clear();
  for (Kind& kind : by_aim_) kind.divisions.clear();
}

const std::vector<Division>& Candidates::best_by(Wanted wanted) const {
  return by_aim_[wanted == Wanted::least_worst ? 0 : 1].divisions;
}

std::vector<Division> Candidates::to_begin_from() const {
  std::vector<Division> begin{best_by(Wanted::least_worst).front()};
  for (const Wanted wanted : {Wanted::least_sum, Wanted::least_worst}) {
    for (const Division& next : best_by(wanted)) {
      if (next.node_of == begin.front().node_of) continue;
      begin.push_back(next);
      return begin;
    }
  }
  return begin;
}

// Behind those that are as good.
std::size_t Candidates::place_in(const Kind& kind, const Division& division) {
  const Key key = key_of(kind.objective, division.cut);
  const auto at = std::find_if(kind.divisions.begin(), kind.divisions.end(),
                               [&](const Division& other) { return key < key_of(kind.objective, other.cut); });
  return static_cast<std::size_t>(at - kind.divisions.begin());
}

void Candidates::keep(Kind& kind, std::size_t place, Division division) const {
  const bool is_known = std::ranges::any_of(kind.divisions, [&](const Division& known) {
    return known.cut == division.cut && known.node_of == division.node_of;
  });
  if (is_known) return;
  kind.divisions.insert(kind.divisions.begin() + static_cast<std::ptrdiff_t>(place), std::move(division));
  if (kind.divisions.size() > most_) kind.divisions.pop_back();
}

}  // namespace comity::place
