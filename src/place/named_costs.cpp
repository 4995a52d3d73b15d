// SPDX-License-Identifier: BSD-3-Clause
#include "place/named_costs.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "base/error.hpp"

namespace comity::place {
namespace {

constexpr double kMostCost = 1e9, kLeastCost = 1e-9;  // above 0

[[noreturn]] void refuse(std::string_view piece) {
  throw Error(Status::option,
              "COMITY_PLACE_COSTS has \"" + std::string(piece) +
                  "\": say once for a level what crossing it costs, as in node=10,package=3; levels are "
                  "node, package, numa, l3 and l2, costs 0, or 10^-9 to 10^9");
}

bool is_level(std::string_view name) {
  const auto is_named = [&](machine::ObjectType type) { return machine::type_name(type) == name; };
  return name == kNodeLevel || std::any_of(kLevelTypes.begin(), kLevelTypes.end(), is_named);
}

double parse_cost(std::string_view piece, std::string_view number) {
  double cost = 0;
  const char* const last = number.data() + number.size();
  const auto [end, problem] = std::from_chars(number.data(), last, cost);
  if (problem != std::errc{} || end != last || !(cost >= 0 && cost <= kMostCost)) refuse(piece);
  if (cost > 0 && cost < kLeastCost) refuse(piece);
  return cost;
}

bool names(const NamedCosts& costs, std::string_view level) {
  return std::any_of(costs.begin(), costs.end(), [&](const auto& one) { return one.first == level; });
}

void add(NamedCosts& costs, std::string_view piece) {
  const std::size_t sign = std::min(piece.find('='), piece.size());
  const std::string_view level = piece.substr(0, sign);
  if (sign == piece.size() || !is_level(level) || names(costs, level)) refuse(piece);
  costs.emplace_back(level, parse_cost(piece, piece.substr(sign + 1)));
}

// Where nothing costs anything all orders take the same time.
void require_some_cost(const std::vector<double>& costs, const Site& site) {
  if (std::any_of(costs.begin(), costs.end(), [](double cost) { return cost > 0; })) return;
  std::string names;
  for (const Level& level : site.levels()) names += (names.empty() ? "" : ", ") + level.name;
  throw Error(Status::option, "COMITY_PLACE_COSTS has 0 for each level of these processes (" + names +
                                  "), so all orders take the same time; say what one costs, or ask for the least in "
                                  "the worst node (COMITY_PLACE_WORST)");
}

bool parts_anything(const Site& site) {
  const auto parts = [](const Level& level) { return level.domains() > 1; };
  return std::any_of(site.levels().begin(), site.levels().end(), parts);
}

}  // namespace

NamedCosts parse_named_costs(std::string_view text) {
  NamedCosts costs;
  for (bool more = !text.empty(); more;) {
    const std::size_t comma = text.find(',');
    more = comma != std::string_view::npos;
    add(costs, text.substr(0, comma));
    if (more) text.remove_prefix(comma + 1);
  }
  return costs;
}

Objective with_costs(Objective objective, const NamedCosts& costs, const Site& site) {
  if (costs.empty()) return objective;
  std::vector<double> of_levels;
  for (std::size_t level = 0; level < site.levels().size(); ++level) {
    const auto is_named = [&](const auto& one) { return one.first == site.levels()[level].name; };
    const auto named = std::find_if(costs.begin(), costs.end(), is_named);
    of_levels.push_back(named == costs.end() ? objective.cost(level) : named->second);
  }
  if (objective.aim == Aim::time && parts_anything(site)) require_some_cost(of_levels, site);
  objective.costs = std::move(of_levels);
  return objective;
}

}  // namespace comity::place
