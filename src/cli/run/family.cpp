// SPDX-License-Identifier: BSD-3-Clause
#include "cli/run/family.hpp"

#include <algorithm>
#include <array>

namespace comity::cli::launch {

bool is_launcher(const std::string& word) {
  const std::string name = word.substr(word.rfind('/') + 1);
  constexpr std::array<std::string_view, 4> kWhole{"orterun", "prterun", "prun", "srun"};
  return name.starts_with("mpirun") || name.starts_with("mpiexec") || std::ranges::find(kWhole, name) != kWhole.end();
}

std::optional<Family> family_of(std::string_view version) {
  if (version.starts_with("Open MPI") || version.starts_with("PRRTE")) return Family::open_mpi;
  if (version.starts_with("MPICH") || version.starts_with("Intel MPI")) return Family::hydra;
  if (version.starts_with("Slurm")) return Family::slurm;
  return std::nullopt;
}

std::string mpi_of(Family family) {
  switch (family) {
    case Family::open_mpi:
      return "openmpi";
    case Family::hydra:
      return "mpich";
    case Family::slurm:  // starts the ranks of any MPI
      break;
  }
  return {};
}

// MPICH and its relatives agreed on one binary interface and its number, 12; Open MPI's numbers are others. The interface of the MPI
// standard itself is neither's, whoever brings it.
std::string mpi_of_library(std::string_view library) {
  if (!library.starts_with("libmpi") || library.starts_with("libmpi_abi")) return {};
  const bool is_mpich = library.starts_with("libmpich") || library.find(".so.12") != std::string_view::npos;
  return is_mpich ? "mpich" : "openmpi";
}

std::string_view title_of(std::string_view mpi) { return mpi == "openmpi" ? "Open MPI" : "MPICH"; }

}  // namespace comity::cli::launch
