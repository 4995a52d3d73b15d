// SPDX-License-Identifier: BSD-3-Clause
#include "cli/place/report.hpp"

#include <vector>

namespace comity::cli {
namespace {

using place::Bound;
using place::Crossing;
using place::Weight;

using Rows = std::vector<std::vector<std::string>>;

// "optimal" where nothing can be less, else by how much it exceeds the bound.
std::string gap_text(Weight found, Weight bound) {
  if (found == bound) return "optimal";
  if (bound == 0) return "?";
  const auto per_mille = static_cast<Weight>(1000.0 * static_cast<double>(found - bound) / static_cast<double>(bound));
  return per_mille < 10'000 ? '+' + std::to_string(per_mille / 10) + '.' + std::to_string(per_mille % 10) + " %"
                            : '+' + std::to_string(found - bound);
}

std::string job_text(const Placed& placed) {
  std::string text = count_text(placed.graph.ranks(), "rank");
  if (placed.grid != nullptr) {
    text += " as ";
    for (std::size_t i = 0; i < placed.grid->dimensions(); ++i) {
      text += (i == 0 ? "" : "x") + std::to_string(placed.grid->extents[i]);
    }
  }
  text += " with " + count_text(placed.graph.edges(), "exchange") + ", on " +
          count_text(placed.site.levels()[placed.site.node_level()].domains(), "node");
  if (placed.uneven) {
    const std::size_t free = placed.site.places() - placed.plan.threads();
    return text + "; " + count_text(placed.plan.threads(), "thread") + ", " + count_text(free, "core") + " left empty";
  }
  const std::size_t spare = placed.site.places() - placed.graph.ranks();
  return text + (spare == 0 ? "" : "; " + count_text(spare, "place") + " left empty");
}

void add_rows(Rows& rows, const Placed& placed, std::size_t level) {
  const auto& answer = placed.answer;
  const auto row = [&](const std::string& mapping, const place::LevelCut& cut) {
    std::vector<std::string> cells{mapping == "ours" ? placed.site.levels()[level].name : "", mapping,
                                   std::to_string(cut.weight.sum), std::to_string(cut.weight.worst)};
    if (placed.graph.weighted()) {
      cells.push_back(std::to_string(cut.edges.sum));
      cells.push_back(std::to_string(cut.edges.worst));
    }
    rows.push_back(std::move(cells));
  };
  row("ours", answer.cut[level]);
  for (const auto& beside : answer.launchers) row(std::string(beside.name), beside.cut[level]);
}

std::string bounds_text(const Placed& placed) {
  Rows rows{{"level", "sum", "at least", "", "worst", "at least", ""}};
  for (std::size_t level = 0; level < placed.answer.cut.size(); ++level) {
    const Crossing& found = placed.answer.cut[level].weight;
    const Bound& bound = placed.answer.bounds[level];
    rows.push_back({placed.site.levels()[level].name, std::to_string(found.sum), std::to_string(bound.sum),
                    gap_text(found.sum, bound.sum), std::to_string(found.worst), std::to_string(bound.worst),
                    gap_text(found.worst, bound.worst)});
  }
  return table(rows, 2);
}

}  // namespace

std::string exceeded_text(const Placed& placed, const place::Objective& objective) {
  for (std::size_t level = 0; level < placed.answer.cut.size(); ++level) {
    const Weight worst = placed.answer.cut[level].weight.worst, limit = objective.limit(level);
    if (worst <= limit) continue;
    return "no mapping was found with at most " + std::to_string(limit) + " at level " +
           placed.site.levels()[level].name + "; this one has " + std::to_string(worst) +
           (placed.answer.bounds[level].worst > limit && level == 0
                ? ", and none can have less than " + std::to_string(placed.answer.bounds[level].worst)
                : "");
  }
  return {};
}

std::string placed_text(const Screen& screen, const Placed& placed) {
  Rows rows{{"level", "mapping", "sum", "worst"}};
  if (placed.graph.weighted()) rows.front().insert(rows.front().end(), {"exchanges", "worst"});
  for (std::size_t level = 0; level < placed.answer.cut.size(); ++level) add_rows(rows, placed, level);
  std::string text = wrap(job_text(placed), 0) + '\n' + screen.paint(Colour::strong, "What crosses each level") + '\n' +
                     table(rows, 2) + '\n' + screen.paint(Colour::strong, "How good that is") + '\n' +
                     bounds_text(placed);
  text += '\n' + wrap(
                     "sum: over the whole job, each exchange once. worst: of the node with most, and at an inner level "
                     "of the enclosing domain with most. No mapping has less than the bound (at an inner level: none "
                     "that leaves as much outside). Found by: " +
                         placed.answer.made_by + ". The mapping itself: --json, or --svg of a plane.",
                     0);
  return text;
}

nlohmann::ordered_json placed_json(const Placed& placed) {
  nlohmann::ordered_json levels = nlohmann::ordered_json::array();
  for (std::size_t level = 0; level < placed.answer.cut.size(); ++level) {
    const Crossing& found = placed.answer.cut[level].weight;
    const Bound& bound = placed.answer.bounds[level];
    levels.push_back({{"level", placed.site.levels()[level].name},
                      {"cut_sum", found.sum},
                      {"cut_max", found.worst},
                      {"bound_sum", bound.sum},
                      {"bound_max", bound.worst}});
  }
  std::vector<std::size_t> cores;
  cores.reserve(placed.plan.ranks());
  for (place::Rank rank = 0; rank < placed.plan.ranks(); ++rank) cores.push_back(placed.plan.place(rank));
  return {{"levels", std::move(levels)}, {"mapping", std::move(cores)}};
}

}  // namespace comity::cli
