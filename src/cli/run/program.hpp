// SPDX-License-Identifier: BSD-3-Clause
// The program of a run, as far as its file tells: which MPI it calls, and whether a preloaded library can see that.
#pragma once

#include <cstdint>
#include <string>

#include "cli/run/surroundings.hpp"

namespace comity::cli::launch {

enum class HasOpenMp : std::uint8_t { unknown, no, yes };
enum class HasOpenBlas : std::uint8_t { unknown, yes };
enum class OnUcx : std::uint8_t { unknown, yes };

struct Program {
  std::string path;         // "": it is not here
  std::string mpi;          // openmpi, mpich; "" where the file does not tell: a script, an interpreter, no MPI
  std::string unreachable;  // why no call of its MPI can be seen; "": as far as one can tell they can be
  HasOpenMp openmp = HasOpenMp::unknown;        // no: none of the libraries that the file needs is a runtime of it
  HasOpenBlas openblas = HasOpenBlas::unknown;  // yes: the loader brings one, through the system's BLAS mostly
  OnUcx ucx = OnUcx::unknown;  // yes: the loader brings UCX, which calls back from an MPICH's own waits
};

[[nodiscard]] Program look_at(const Surroundings& here, const std::string& name);

}  // namespace comity::cli::launch
