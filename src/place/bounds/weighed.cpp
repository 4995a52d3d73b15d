// SPDX-License-Identifier: BSD-3-Clause
#include "place/bounds/weighed.hpp"

#include <algorithm>

namespace comity::place {
namespace {

// What all levels down to each cut together in every mapping. The bound of an inner level has what crosses outside of it in this answer
// taken off, and where that is all of it tells nothing more.
std::vector<Weight> together_of(const Answer& answer) {
  std::vector<Weight> together;
  Weight least = 0, outside = 0;
  for (std::size_t level = 0; level < answer.cut.size(); ++level) {
    const Weight bound = answer.bounds[level].sum;
    if (bound > 0) least = std::max(least, bound + outside);
    if (level < answer.together.size()) least = std::max(least, answer.together[level]);
    together.push_back(least);
    outside += answer.cut[level].weight.sum;
  }
  return together;
}

}  // namespace

// The worst of a level bears its share of what crosses there. What must cross this level or one above it crosses where a share costs
// least; the outermost level bears its bound anyway, and shares up to that are had for it.
double least_time(const Site& site, const Objective& objective, const Answer& answer) {
  const auto nodes = static_cast<double>(site.nodes());
  const auto worst = static_cast<double>(answer.bounds.front().worst);
  const std::vector<Weight> together = together_of(answer);
  double least = objective.cost(0) * worst;
  double share = 2 * objective.cost(0) / nodes;  // an exchange burdens both of its ends there
  double borne = nodes * worst / 2;
  for (std::size_t level = 0; level < together.size(); ++level) {
    if (level > 0) {
      share = std::min(share, objective.cost(level) / static_cast<double>(site.levels()[level - 1].domains()));
    }
    const double more = static_cast<double>(together[level]) - borne;
    if (more <= 0) continue;
    least += share * more;
    borne += more;
  }
  return std::max(least * (1 - 1e-12), answer.least_time);
}

Weight least_links(const Site& site, const Answer& answer) {
  return std::max(together_of(answer)[site.node_level()], answer.least_links);
}

}  // namespace comity::place
