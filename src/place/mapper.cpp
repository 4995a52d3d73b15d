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

// How a question is answered, by ourselves and with others asked.
class Mapper {
 public:
  Mapper(const Graph& graph, const Grid* grid, const Site& site, const Objective& objective, const Progress& progress)
      : graph_(graph), grid_(grid), site_(site), objective_(objective), progress_(progress) {}

  // What others divide takes the place of starts of ours that look worse, but may have more in them: of a small job both are mapped.
  [[nodiscard]] Answer best(const Partition& ask) const {
    if (!ask || graph_.ranks() > kMostMappedTwice) return by_aims(ask, Round::first);
    Answer answer = by_aims({}, Round::first);
    if (!nothing_is_better(site_, objective_, answer))
      keep_better(answer, by_aims(ask, Round::with_others), objective_);
    return answer;
  }

 private:
  static constexpr std::size_t kMostMappedTwice = 512;  // ranks

  [[nodiscard]] Answer by_aims(const Partition& ask, Round round) const {
    Answer answer = by(objective_, ask, round);
    const auto other = other_aim(objective_, graph_.ranks());
    if (other) keep_better(answer, by(*other, ask, round), objective_);
    return answer;
  }

  [[nodiscard]] Answer by(const Objective& wanted, const Partition& ask, Round round) const {
    return graph_.ranks() < site_.places() ? mapped_to_some(graph_, grid_, site_, wanted, progress_, ask, round)
                                           : mapped_to_all(graph_, grid_, site_, wanted, progress_, ask, round);
  }

  const Graph& graph_;
  const Grid* grid_;
  const Site& site_;
  const Objective& objective_;
  const Progress& progress_;
};

}  // namespace

Answer mapped(const Graph& graph, const Grid* grid, const Site& site, const Objective& objective,
              const Progress& progress, const Partition& ask) {
  check_room(graph, site);
  Answer answer = Mapper(graph, grid, site, objective, progress).best(ask);
  try_all_of_small(answer, graph, site, objective, progress);
  answer.bounds = bounds_of(site, answer);
  return answer;
}

}  // namespace comity::place
