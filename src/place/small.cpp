// SPDX-License-Identifier: BSD-3-Clause
#include "place/small.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "place/division/all_levels.hpp"
#include "place/division/inside.hpp"
#include "place/division/try_all.hpp"

namespace comity::place {
namespace {

constexpr std::string_view kAllTried = "all tried";
constexpr std::size_t kDivisionSteps = kUsualPackingEffort, kMappingSteps = 500'000;

class Trying {
 public:
  Trying(Answer& answer, const Graph& graph, const Site& site, const Objective& objective, const Progress& progress)
      : answer_(answer), graph_(graph), site_(site), objective_(objective), progress_(progress) {}

  void run() {
    for (std::size_t level = 0; level < site_.levels().size(); ++level) {
      if (site_.levels()[level].domains() > 1) prove(level);
    }
    if (!nothing_is_better(site_, objective_, answer_)) try_mappings();
  }

 private:
  // What crosses between the domains of a level, whichever of the levels above parts them too.
  void prove(std::size_t level) {
    const Crossing known = node_cut(graph_, site_.levels()[level].domains(), domains_of(site_, level, answer_.mapping));
    Weight& together = answer_.together[level];
    if (level > 0) together = std::max(together, answer_.together[level - 1]);
    if (together < known.sum) {
      const auto least = least_of(level, Spare::sum, known);
      if (least) together = std::max(together, least->sum / 2);
    }
    if (level > 0 || bounds_of(site_, answer_).front().worst == known.worst) return;
    const auto least = least_of(level, Spare::worst_bin, known);
    if (least) answer_.least_worst = least->worst;
  }

  // None where there is too much to try.
  std::optional<PackingScore> least_of(std::size_t level, Spare spare, const Crossing& known) {
    std::vector<Rank> ranks(graph_.ranks());
    std::iota(ranks.begin(), ranks.end(), Rank{0});
    const std::vector<std::uint32_t> widths(graph_.ranks(), 1);
    const std::vector<std::size_t> sizes = site_.levels()[level].sizes();
    const std::vector<std::uint32_t> rooms(sizes.begin(), sizes.end());
    Tried tried =
        best_of_all({graph_, ranks, widths, rooms, spare, kDivisionSteps}, PackingScore{known.worst, 2 * known.sum});
    PackingScore least{known.worst, 2 * known.sum};
    if (tried.better) {
      const Crossing found = node_cut(graph_, rooms.size(), *tried.better);
      least = {found.worst, 2 * found.sum};
      if (level == 0) offer(settled(graph_, site_, *tried.better));
    }
    return tried.all ? std::optional(least) : std::nullopt;
  }

  void offer(Mapping mapping) {
    Cut cut = cut_of(graph_, site_, mapping);
    if (key_of(objective_, cut) >= key_of(objective_, answer_.cut)) return;
    answer_.made_by = kAllTried;
    answer_.mapping = std::move(mapping);
    answer_.cut = std::move(cut);
  }

  void try_mappings() {
    const Portions portions = [&](std::size_t number, std::size_t of) {
      if (progress_) progress_("trying all mappings", number, of);
    };
    TriedMappings tried =
        best_of_all_mappings({graph_, site_, objective_, key_of(objective_, answer_.cut), kMappingSteps, portions});
    if (tried.better) offer(*std::move(tried.better));
    const bool is_of_time = objective_.aim == Aim::time && objective_.at_most.empty();
    if (tried.all && is_of_time) answer_.least_time = time_of(objective_, answer_.cut);
  }

  Answer& answer_;
  const Graph& graph_;
  const Site& site_;
  const Objective& objective_;
  const Progress& progress_;
};

}  // namespace

void try_all_of_small(Answer& answer, const Graph& graph, const Site& site, const Objective& objective,
                      const Progress& progress) {
  if (graph.ranks() <= kMostRanksTried) Trying(answer, graph, site, objective, progress).run();
}

// Where levels are weighed against one another, the best of each need not be the best of all; else no figure can be less.
bool nothing_is_better(const Site& site, const Objective& objective, const Answer& answer) {
  const Key key = key_of(objective, answer.cut);
  if (site.levels().size() > 1 && (objective.aim == Aim::time || key.front() > 0)) return false;
  const std::vector<Bound> bounds = bounds_of(site, answer);
  for (std::size_t level = 0; level < bounds.size(); ++level) {
    const Crossing& cut = answer.cut[level].weight;
    if (cut.sum > bounds[level].sum || cut.worst > bounds[level].worst) return false;
  }
  return true;
}

std::vector<Bound> bounds_of(const Site& site, const Answer& answer) {
  std::vector<Bound> bounds = bounds_of(site, answer.together, answer.cut);
  bounds.front().worst = std::max(bounds.front().worst, answer.least_worst);
  return bounds;
}

}  // namespace comity::place
