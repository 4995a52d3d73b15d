// SPDX-License-Identifier: BSD-3-Clause
// The program of a run, as far as its file tells: which MPI it calls, and whether a preloaded library can see that.
#pragma once

#include <string>

#include "cli/run/surroundings.hpp"

namespace comity::cli::launch {

struct Program {
  std::string path;         // "": it is not here
  std::string mpi;          // openmpi, mpich; "" where the file does not tell: a script, an interpreter, no MPI
  std::string unreachable;  // why no call of its MPI can be seen; "": as far as one can tell they can be
};

[[nodiscard]] Program look_at(const Surroundings& here, const std::string& name);

}  // namespace comity::cli::launch
