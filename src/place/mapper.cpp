// SPDX-License-Identifier: BSD-3-Clause
#include "place/mapper.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "place/candidates.hpp"
#include "place/full.hpp"
#include "place/small.hpp"
#include "place/some.hpp"

namespace comity::place {
namespace {

void check_room(const Graph& graph, const Site& site) {
  if (graph.ranks() == 0) throw Error(Status::range, "there are no ranks to place; name one at least");
  if (graph.ranks() <= site.places()) return;
  throw Error(Status::range, std::to_string(graph.ranks()) + " ranks do not fit: the nodes have room for " +
                                 std::to_string(site.places()) + "; name more nodes, or fewer ranks or threads");
}

// Under limits inside nodes what is divided for both aims is settled for one: the other one's answer may be the better by this.
std::optional<Objective> other_aim(const Objective& objective, std::size_t ranks) {
  if (objective.at_most.empty() || objective.aim == Aim::time || ranks > kMostDividedForBothAims) return std::nullopt;
  Objective other = objective;
  other.aim = objective.aim == Aim::worst ? Aim::sum : Aim::worst;
  return other;
}

void keep_better(Answer& answer, Answer other, const Objective& objective) {
  for (std::size_t level = 0; level < answer.together.size(); ++level) {
    answer.together[level] = std::max(answer.together[level], other.together[level]);
  }
  if (key_of(objective, other.cut) >= key_of(objective, answer.cut)) return;
  answer.made_by = std::move(other.made_by);
  answer.mapping = std::move(other.mapping);
  answer.cut = std::move(other.cut);
}

}  // namespace

Answer mapped(const Graph& graph, const Grid* grid, const Site& site, const Objective& objective,
              const Progress& progress, const Partition& ask) {
  check_room(graph, site);
  const auto by = [&](const Objective& wanted) {
    return graph.ranks() < site.places() ? mapped_to_some(graph, grid, site, wanted, progress, ask)
                                         : mapped_to_all(graph, grid, site, wanted, progress, ask);
  };
  Answer answer = by(objective);
  if (const auto other = other_aim(objective, graph.ranks())) keep_better(answer, by(*other), objective);
  try_all_of_small(answer, graph, site, objective, progress);
  answer.bounds = bounds_of(site, answer);
  return answer;
}

}  // namespace comity::place
