// SPDX-License-Identifier: BSD-3-Clause
// EqualNodes: launchers that start equally many ranks on each node take some plans only. Which nodes, with which slots, have such a plan, for
// those whose plan is refused: where a job has as many ranks as slots each node gets what it has. Not: what else launchers want (launch_files.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "place/plan.hpp"

namespace comity::cli {

enum class LastNode : std::uint8_t { as_the_others, may_have_fewer };

// What to do for another plan, as a clause of a sentence. `hosts`: of each node, or none.
[[nodiscard]] std::string advice_of_equal_nodes(const place::Plan& plan, const std::vector<std::string>& hosts,
                                                LastNode last);

// The same for a plan whose nodes cannot be had as they are numbered: where they have equally many ranks these nodes alone.
[[nodiscard]] std::string advice_of_used_nodes(const place::Plan& plan, const std::vector<std::string>& hosts,
                                               LastNode last);

}  // namespace comity::cli
