// SPDX-License-Identifier: BSD-3-Clause
// Launchers: where ranks run if nobody says. Sources: srun(1), --distribution; mpirun(1) of Open MPI, --map-by and
// --rank-by. Not: what a launcher is told to do otherwise.
#pragma once

#include <array>
#include <string_view>

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

}  // namespace comity::place
