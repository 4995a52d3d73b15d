// SPDX-License-Identifier: BSD-3-Clause
// Launchers by name, and which MPI's one is by what its `--version` prints.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace comity::cli {

// Where to look for one, best first. Debian's names carry the MPI as suffix; elsewhere a module sets plain mpirun.
inline constexpr std::array<std::string_view, 5> kLauncherNames{"mpirun", "mpirun.openmpi", "mpirun.mpich",
                                                                "mpiexec.hydra", "srun"};

// "Open MPI 4.1.4", "PRRTE 3.0.8" (Open MPI 5's under its own name), "MPICH 4.0.2", "Intel MPI 2021.9", "Slurm 22.05.8"; of another
// launcher its first line.
[[nodiscard]] std::string launcher_version(const std::string& output);

}  // namespace comity::cli
