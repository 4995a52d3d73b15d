// SPDX-License-Identifier: BSD-3-Clause
// A mapping as a table for people and as JSON. Pure functions of the answer.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/common/screen.hpp"
#include "place/mapper.hpp"
#include "place/plan.hpp"

namespace comity::cli {

struct Placed {
  const place::Graph& graph;
  const place::Grid* grid;  // null: a graph that is no grid
  const place::Site& site;
  const place::Objective& objective;
  const place::Answer& answer;
  const place::Plan& plan;
  bool uneven = false;  // ranks have unequal numbers of threads: places are cores
};

// By how much a figure exceeds its bound, as a part of this: 0.125, 0 where nothing can be less; null where the bound is 0 and tells nothing.
[[nodiscard]] nlohmann::ordered_json gap_json(double found, double bound);
// The same for people: "+12.5 %", "optimal", "?".
[[nodiscard]] std::string gap_text(double found, double bound);

// What to know of its threads: where their pages come to lie (first touch). A sentence each; none where ranks have one thread.
[[nodiscard]] std::vector<std::string> notes_on_threads(const place::Plan& plan);

// What exceeds a limit that was asked for, as a sentence; "" where nothing does.
[[nodiscard]] std::string exceeded_text(const Placed& placed);

[[nodiscard]] std::string placed_text(const Screen& screen, const Placed& placed);
// As JSON, with `more` behind it. Of the places of ranks, of which there may be millions, no tree is made: they are written into the text.
// `portions`: of these.
[[nodiscard]] std::string placed_json_text(const Placed& placed, const nlohmann::ordered_json& more,
                                           const place::Portions& portions = {});

}  // namespace comity::cli
