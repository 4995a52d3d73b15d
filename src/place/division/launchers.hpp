// SPDX-License-Identifier: BSD-3-Clause
// Launchers: where ranks run if nobody says. Sources: srun(1), --distribution; mpirun(1) of Open MPI, --map-by and
// --rank-by. Not: what a launcher is told to do otherwise.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "place/cut.hpp"

namespace comity::place {

// Ranks fill the nodes in order, and in a node the cores in order: Slurm's block:block, Open MPI's --map-by core.
[[nodiscard]] Mapping sequential(const Site& site, std::size_t ranks);
// Rank after rank goes to the next node that has room: Slurm's cyclic, Open MPI's --map-by node.
[[nodiscard]] Mapping round_robin(const Site& site, std::size_t ranks);
// Ranks fill the nodes in order, and in a node go to the next package in turn: Slurm's block:cyclic, Open MPI's default.
[[nodiscard]] Mapping block_cyclic(const Site& site, std::size_t ranks);

struct Launcher {
  std::string_view name;
  Mapping (*map)(const Site& site, std::size_t ranks);
};

inline constexpr std::array kLaunchers{Launcher{"sequential", sequential}, Launcher{"round robin", round_robin},
                                       Launcher{"block:cyclic", block_cyclic}};

// The same for ranks of unequal width, on a site with a place a core: threads[r] cores in a run for rank r, behind those that are there
// already, in the next domain that has room for it. Mappings of first cores; none where a rank finds no room in this way.
using Widths = std::vector<std::uint32_t>;
[[nodiscard]] std::optional<Mapping> sequential_of_widths(const Site& cores, const Widths& threads);
[[nodiscard]] std::optional<Mapping> round_robin_of_widths(const Site& cores, const Widths& threads);
[[nodiscard]] std::optional<Mapping> block_cyclic_of_widths(const Site& cores, const Widths& threads);

struct UnevenLauncher {
  std::string_view name;
  std::optional<Mapping> (*map)(const Site& cores, const Widths& threads);
};

inline constexpr std::array kUnevenLaunchers{UnevenLauncher{"sequential", sequential_of_widths},
                                             UnevenLauncher{"round robin", round_robin_of_widths},
                                             UnevenLauncher{"block:cyclic", block_cyclic_of_widths}};

}  // namespace comity::place
