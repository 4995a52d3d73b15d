// SPDX-License-Identifier: BSD-3-Clause
// Which ranks of a job share a node, and which a clock: of each a number, in the order of the lowest ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "preload/meeting/mpi_exchange.hpp"

namespace comity::preload {

// Collective. A node is what one kernel runs, whatever names its containers have.
[[nodiscard]] std::vector<std::uint32_t> nodes_of(const MpiExchange& exchange);

// Collective. The ranks of a node share its clock, unless a namespace of time moves it for some of them.
[[nodiscard]] std::vector<std::uint32_t> clocks_of(const MpiExchange& exchange);

}  // namespace comity::preload
