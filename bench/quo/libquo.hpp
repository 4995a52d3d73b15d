// SPDX-License-Identifier: BSD-3-Clause
// An installed libquo, the original or Comity's, loaded at run time, for the same calls in the same run. It must be built for
// this MPI.
#pragma once

#include <mpi.h>

#include <string>
#include <utility>
#include <vector>

namespace bench::quo {

// Collective over the world, the outcome is rank 0's: case and the median of its loops [ns a call]. Throws
// std::runtime_error where the library cannot be loaded, or a call of it fails.
[[nodiscard]] std::vector<std::pair<std::string, double>> measure_libquo(const std::string& path, int rank);

}  // namespace bench::quo
