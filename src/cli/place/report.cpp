// SPDX-License-Identifier: BSD-3-Clause
#include "cli/place/report.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "cli/common/formatted.hpp"
#include "cli/common/json_text.hpp"
#include "place/bounds/weighed.hpp"

namespace comity::cli {
namespace {

using place::Bound;
using place::Crossing;
using place::Weight;

using Rows = std::vector<std::vector<std::string>>;

double real(Weight weight) { return static_cast<double>(weight); }

// By how much a figure exceeds its bound, as a part of this; none where the bound is 0 and tells nothing.
std::optional<double> gap_of(double found, double bound) {
  constexpr double kRounding = 1e-9;  // of sums of costs
  if (found <= bound * (1 + kRounding)) return 0.0;
  if (bound <= 0) return std::nullopt;
  return (found - bound) / bound;
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
                    gap_text(real(found.sum), real(bound.sum)), std::to_string(found.worst),
                    std::to_string(bound.worst), gap_text(real(found.worst), real(bound.worst))});
  }
  return table(rows, 2);
}

std::string time_text(const Placed& placed) {
  const double ours = place::time_of(placed.objective, placed.answer.cut);
  const double bound = place::least_time(placed.site, placed.objective, placed.answer);
  std::string text = text_of("Time, the worst of each level times its cost: ours %.6g, at least %.6g (", ours, bound) +
                     gap_text(ours, bound) + ')';
  for (const auto& beside : placed.answer.launchers) {
    text += ", " + std::string(beside.name) + text_of(" %.6g", place::time_of(placed.objective, beside.cut));
  }
  return text + '.';
}

nlohmann::ordered_json cut_json(const place::LevelCut& cut) {
  return {{"cut_sum", cut.weight.sum},
          {"cut_max", cut.weight.worst},
          {"edges_sum", cut.edges.sum},
          {"edges_max", cut.edges.worst}};
}

nlohmann::ordered_json level_json(const Placed& placed, std::size_t level) {
  const place::LevelCut& cut = placed.answer.cut[level];
  const Bound& bound = placed.answer.bounds[level];
  nlohmann::ordered_json launchers = nlohmann::ordered_json::object();
  for (const auto& beside : placed.answer.launchers) launchers[std::string(beside.name)] = cut_json(beside.cut[level]);
  return {{"level", placed.site.levels()[level].name},
          {"cut_sum", cut.weight.sum},
          {"cut_max", cut.weight.worst},
          {"bound_sum", bound.sum},
          {"bound_max", bound.worst},
          {"gap_sum", gap_json(real(cut.weight.sum), real(bound.sum))},
          {"gap_max", gap_json(real(cut.weight.worst), real(bound.worst))},
          {"edges_sum", cut.edges.sum},
          {"edges_max", cut.edges.worst},
          {"launchers", std::move(launchers)}};
}

nlohmann::ordered_json time_json(const Placed& placed) {
  const double ours = place::time_of(placed.objective, placed.answer.cut);
  const double bound = place::least_time(placed.site, placed.objective, placed.answer);
  nlohmann::ordered_json launchers = nlohmann::ordered_json::object();
  for (const auto& beside : placed.answer.launchers) {
    launchers[std::string(beside.name)] = place::time_of(placed.objective, beside.cut);
  }
  return {{"ours", ours}, {"bound", bound}, {"gap", gap_json(ours, bound)}, {"launchers", std::move(launchers)}};
}

// What the worst of levels was not to exceed.
nlohmann::ordered_json limits_json(const Placed& placed) {
  nlohmann::ordered_json limits = nlohmann::ordered_json::array();
  for (std::size_t level = 0; level < placed.answer.cut.size(); ++level) {
    const Weight worst = placed.answer.cut[level].weight.worst, limit = placed.objective.limit(level);
    if (limit == place::kNoLimit) continue;
    limits.push_back(
        {{"level", placed.site.levels()[level].name}, {"limit", limit}, {"cut_max", worst}, {"kept", worst <= limit}});
  }
  return limits;
}

// Its "mapping" is null.
nlohmann::ordered_json placed_json(const Placed& placed) {
  nlohmann::ordered_json levels = nlohmann::ordered_json::array();
  for (std::size_t level = 0; level < placed.answer.cut.size(); ++level) {
    levels.push_back(level_json(placed, level));
  }
  nlohmann::ordered_json json{{"levels", std::move(levels)}, {"mapping", nullptr}};
  if (placed.objective.aim == place::Aim::time) json["time"] = time_json(placed);
  if (!placed.objective.at_most.empty()) json["at_most"] = limits_json(placed);
  const std::vector<std::string> notes = notes_on_threads(placed.plan);
  if (!notes.empty()) json["notes"] = notes;
  return json;
}

// The text of such JSON with the place of each rank there, a line each.
std::string with_mapping(const std::string& text, const place::Plan& plan, const place::Portions& portions) {
  constexpr std::string_view kHole = "\"mapping\": null";
  constexpr std::size_t kLineBytes = 20;  // indented, with the longest number
  const std::size_t hole = text.find(kHole);
  if (hole == std::string::npos || plan.ranks() == 0) return text;
  std::string all = text.substr(0, hole) + "\"mapping\": [";
  all.reserve(text.size() + plan.ranks() * kLineBytes);
  std::array<char, kLineBytes> number{};
  for (place::Rank rank = 0; rank < plan.ranks(); ++rank) {
    if (portions && place::is_time_to_tell(rank, plan.ranks())) portions(rank, plan.ranks());
    const char* const end = std::to_chars(number.data(), number.data() + number.size(), plan.place(rank)).ptr;
    all.append(rank == 0 ? "\n    " : ",\n    ").append(number.data(), static_cast<std::size_t>(end - number.data()));
  }
  all.append("\n  ]").append(text, hole + kHole.size());
  return all;
}

}  // namespace

nlohmann::ordered_json gap_json(double found, double bound) {
  constexpr double kDigits = 1e6;
  const std::optional<double> gap = gap_of(found, bound);
  return gap ? nlohmann::ordered_json(std::round(*gap * kDigits) / kDigits) : nlohmann::ordered_json(nullptr);
}

std::string gap_text(double found, double bound) {
  constexpr double kMostTold = 10;  // beyond, the difference says more
  const std::optional<double> gap = gap_of(found, bound);
  if (!gap) return "?";
  if (*gap == 0) return "optimal";
  return *gap < kMostTold ? text_of("+%.1f %%", std::floor(1000 * *gap) / 10) : text_of("+%.0f", found - bound);
}

std::vector<std::string> notes_on_threads(const place::Plan& plan) {
  if (plan.most_threads() <= 1) return {};
  std::size_t across = 0;  // ranks
  for (place::Rank rank = 0; rank < plan.ranks(); ++rank) {
    std::set<std::optional<int>> memories;
    for (const place::CoreSeat& core : plan.cores(rank)) memories.insert(core.numa);
    if (memories.size() > 1) ++across;
  }
  std::vector<std::string> notes{
      "A page of memory lies next to the core that writes it first: let each thread initialise what it will compute "
      "on, with the same schedule."};
  if (across > 0) {
    notes.push_back(std::to_string(across) + " of " + count_text(plan.ranks(), "rank") +
                    " have threads at several NUMA nodes: pages that their first thread initialises alone are far from "
                    "the others, and a parallel region costs more to start.");
  }
  return notes;
}

std::string exceeded_text(const Placed& placed) {
  for (std::size_t level = 0; level < placed.answer.cut.size(); ++level) {
    const Weight worst = placed.answer.cut[level].weight.worst, limit = placed.objective.limit(level);
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
  if (placed.objective.aim == place::Aim::time) text += wrap(time_text(placed), 2);
  text += '\n' + wrap(
                     "sum: over the whole job, each exchange once. worst: of the node with most, and at an inner level "
                     "of the enclosing domain with most. No mapping has less than the bound (at an inner level: none "
                     "that leaves as much outside). Found by: " +
                         placed.answer.made_by + ". The mapping itself: --json, or --svg of a plane.",
                     0);
  for (const std::string& note : notes_on_threads(placed.plan)) text += '\n' + wrap(note, 0);
  return text;
}

std::string placed_json_text(const Placed& placed, const nlohmann::ordered_json& more,
                             const place::Portions& portions) {
  nlohmann::ordered_json json = placed_json(placed);
  json.update(more);
  return with_mapping(json_text(json), placed.plan, portions);
}

}  // namespace comity::cli
