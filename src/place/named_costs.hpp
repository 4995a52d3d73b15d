// SPDX-License-Identifier: BSD-3-Clause
// NamedCosts: what crossing levels of a machine costs, by their names. A job may have some of these levels only, which are not known
// before its processes have told where they sit. Not: costs of a plan, whose levels are known (cli/place/job).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "place/objective.hpp"
#include "place/site.hpp"

namespace comity::place {

using NamedCosts = std::vector<std::pair<std::string, double>>;

// "node=10,package=3"; "" names none. Throws Status::option where it is something else, or names a level twice.
[[nodiscard]] NamedCosts parse_named_costs(std::string_view text);

// The objective with the costs of those levels that the site has; others keep theirs. Throws Status::option for Aim::time where none of its
// levels costs anything.
[[nodiscard]] Objective with_costs(Objective objective, const NamedCosts& costs, const Site& site);

}  // namespace comity::place
