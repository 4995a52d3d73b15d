// SPDX-License-Identifier: BSD-3-Clause
#include "place/full_exact.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "place/bounds/bounds.hpp"
#include "place/division/inside.hpp"

namespace comity::place {
namespace {

constexpr std::size_t kMostTrades = 8;

bool are_alike(const std::vector<std::size_t>& sizes) {
  return std::ranges::adjacent_find(sizes, std::not_equal_to<>()) == sizes.end();
}

}  // namespace

bool FullExact::may_search() const {
  const std::vector<std::size_t> sizes = site_.levels().front().sizes();
  return graph_.ranks() <= kMostExactRanks && sizes.size() > 1 && sizes.front() > 1 && are_alike(sizes);
}

void FullExact::search(Candidates& candidates, std::vector<Weight>& together) {
  ExactSearch search(graph_, site_.nodes(), node_has_halves(), progress_);
  if (!search.possible()) return;
  together[0] = std::max(together[0], search.least_sum(candidates.best_by(Wanted::least_sum).front().cut.sum));
  for (std::size_t level = 1; level < together.size(); ++level) {
    together[level] = std::max(together[level], together[level - 1]);
  }
  const Weight least_worst = share(2 * together[0], site_.nodes());
  const Division best = candidates.best().front();
  for (const Aim aim : {Aim::worst, Aim::sum}) search_for(aim, search, candidates, least_worst);
  if (!objective_.at_most.empty()) {
    if (auto found = search.best(objective_, best.cut, least_worst)) found_.push_back(*std::move(found));
  }
  if (objective_.aim != Aim::time || !search.halves_soon()) return;
  // The search finds nothing where the best has a piece that is not connected; less inside may be had all the same.
  search_with_less_inside(search, best.cut, least_worst, found_.empty() ? best.node_of : found_.front());
}

bool FullExact::reaches(const Crossing& least) const {
  return std::ranges::any_of(
      found_, [&](const std::vector<Domain>& node_of) { return node_cut(graph_, site_.nodes(), node_of) == least; });
}

void FullExact::search_for(Aim aim, ExactSearch& search, Candidates& candidates, Weight least_worst) {
  const Wanted wanted = aim == Aim::sum ? Wanted::least_sum : Wanted::least_worst;
  auto found = search.best({aim}, candidates.best_by(wanted).front().cut, least_worst);
  if (!found) return;
  if (objective_.at_most.empty() && aim == aim_between_nodes()) found_.push_back(*found);
  candidates.consider("exact search", *std::move(found));
}

// Where levels are weighed against one another, a little more between nodes may be worth less inside them.
void FullExact::search_with_less_inside(ExactSearch& search, const Crossing& known, Weight least_worst,
                                        std::vector<Domain> node_of) {
  for (std::size_t trade = 0; trade < kMostTrades; ++trade) {
    const Weight inside = cut_of(graph_, site_, settled(graph_, site_, node_of))[1].weight.worst;
    if (inside == 0) return;
    auto found = search.best({Aim::worst, {}, {kNoLimit, inside - 1}}, known, least_worst);
    if (!found) return;
    node_of = *found;
    found_.push_back(*std::move(found));
  }
}

// Which of the two aims the objective is between nodes.
Aim FullExact::aim_between_nodes() const {
  return objective_.aim == Aim::sum || objective_.aim == Aim::hops ? Aim::sum : Aim::worst;
}

bool FullExact::node_has_halves() const {
  if (site_.levels().size() < 2) return false;
  const Level& inner = site_.levels()[1];
  return inner.domains() == 2 * site_.nodes() && are_alike(inner.sizes());
}

}  // namespace comity::place
