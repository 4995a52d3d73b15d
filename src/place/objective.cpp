// SPDX-License-Identifier: BSD-3-Clause
#include "place/objective.hpp"

#include <algorithm>
#include <cmath>

namespace comity::place {
namespace {

// Of equal times what crosses for nothing is small too, by `worst`.
void add_those_of_free_levels(Key& key, const Objective& objective, const Cut& cut) {
  for (std::size_t level = 0; level < cut.size(); ++level) {
    if (objective.cost(level) > 0) continue;
    const Crossing& crossing = cut[level].weight;
    key.insert(key.end(), {static_cast<double>(crossing.worst), static_cast<double>(crossing.sum)});
  }
}

}  // namespace

double Objective::cost(std::size_t level) const {
  return level < costs.size() ? costs[level] : std::pow(0.1, static_cast<double>(level));
}

Objective without_outer(const Objective& objective, std::size_t outer, std::size_t levels) {
  Objective inner{objective.aim};
  for (std::size_t level = outer; level < levels; ++level) inner.costs.push_back(objective.cost(level));
  for (std::size_t level = outer; level < objective.at_most.size(); ++level)
    inner.at_most.push_back(objective.at_most[level]);
  return inner;
}

double time_of(const Objective& objective, const Cut& cut) {
  double time = 0;
  for (std::size_t level = 0; level < cut.size(); ++level) {
    time += objective.cost(level) * static_cast<double>(cut[level].weight.worst);
  }
  return time;
}

Key key_of(const Objective& objective, const Cut& cut) {
  Key key{0.0};
  double sum = 0;
  for (std::size_t level = 0; level < cut.size(); ++level) {
    const Crossing& crossing = cut[level].weight;
    const auto level_worst = static_cast<double>(crossing.worst), level_sum = static_cast<double>(crossing.sum);
    if (crossing.worst > objective.limit(level)) key[0] += level_worst - static_cast<double>(objective.limit(level));
    sum += objective.cost(level) * level_sum;
    if (objective.aim == Aim::worst) key.insert(key.end(), {level_worst, level_sum});
    if (objective.aim == Aim::sum || objective.aim == Aim::hops) key.insert(key.end(), {level_sum, level_worst});
  }
  if (objective.aim == Aim::time) {
    key.insert(key.end(), {time_of(objective, cut), sum});
    add_those_of_free_levels(key, objective, cut);
  }
  return key;
}

bool first_level_decides(const Objective& objective, std::size_t levels) {
  return first_levels_decide(objective, 1, levels);
}

bool first_levels_decide(const Objective& objective, std::size_t first, std::size_t levels) {
  if (levels > first && objective.aim == Aim::time) return false;
  for (std::size_t level = first; level < levels; ++level) {
    if (objective.limit(level) != kNoLimit) return false;
  }
  return true;
}

Key key_of(const Objective& objective, const Crossing& nodes) { return key_of(objective, Cut{{nodes, {}}}); }

bool is_worse_whatever_inside(const Objective& objective, std::size_t levels, const Crossing& nodes, const Cut& than) {
  const Key of_nodes = key_of(objective, nodes);
  if (first_level_decides(objective, levels)) return of_nodes > key_of(objective, than.front().weight);
  if (objective.aim != Aim::time) return false;
  // Inside, excess and time only grow.
  const Key known = key_of(objective, than);
  return of_nodes[0] != known[0] ? of_nodes[0] > known[0] : of_nodes[1] > known[1];
}

}  // namespace comity::place
