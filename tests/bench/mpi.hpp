// SPDX-License-Identifier: BSD-3-Clause
// The MPI that an entry is for: it stands in BENCH_MPI, so that one program serves them all.
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace comity::test {

inline std::string bench_mpi() {
  const char* const mpi = std::getenv("BENCH_MPI");
  if (mpi == nullptr) throw std::runtime_error("BENCH_MPI is not set: openmpi or mpich");
  return mpi;
}

}  // namespace comity::test
