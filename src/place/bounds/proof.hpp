// SPDX-License-Identifier: BSD-3-Clause
// Proof: bounds of an answer by flows, where surfaces and heavy edges tell little. It takes part of the time of a mapping.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "place/mapper.hpp"

namespace comity::place {

// What all levels down to each cut together, of any graph, by what flows in it (flows.hpp), which takes its time. It holds whichever places a job fills
// that has fewer ranks.
[[nodiscard]] std::vector<Weight> least_together_by_flows(const Graph& graph, const MostRanks& most,
                                                          const Portions& portions = {});

// Whether flows are worth their time. `grid`: as before; surfaces prove more of one that fills all places. `threads`: of each
// rank, where places are cores; else empty.
[[nodiscard]] bool flows_prove_more(const Graph& graph, const Grid* grid, const Site& site,
                                    std::span<const std::uint32_t> threads = {});
// Of all answers to a question: it needs none, and may be found meanwhile.
[[nodiscard]] std::vector<Weight> least_together_by_flows(const Graph& graph, const Site& site,
                                                          std::span<const std::uint32_t> threads = {},
                                                          const Portions& portions = {});
void raise_bounds(Answer& answer, const Site& site, const std::vector<Weight>& together);

// By what a single rank must send out of its domain, though the others send nothing: a hub.
void raise_bounds_by_one_rank(Answer& answer, const Graph& graph, const Site& site,
                              std::span<const std::uint32_t> threads = {});

// All of them: raises the bounds of an answer where that or flows prove more, for those who look at bounds.
void prove_more(Answer& answer, const Graph& graph, const Grid* grid, const Site& site,
                std::span<const std::uint32_t> threads = {});

}  // namespace comity::place
