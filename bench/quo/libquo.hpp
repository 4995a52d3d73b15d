// SPDX-License-Identifier: BSD-3-Clause
// An installed libquo, the original or Comity's, loaded at run time, for the same calls in the same run. It must be built for
// this MPI.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace bench::quo {

using Step = std::function<void()>;
using LibraryTimes = std::vector<std::pair<std::string, double>>;  // case, and the median of its loops [ns a call]

// Collective over the world, the outcome is rank 0's. `unbound` takes a step on all ranks while nothing binds them. Throws
// std::runtime_error where the library cannot be loaded, or a call of it fails.
[[nodiscard]] LibraryTimes measure_libquo(const std::string& path, int rank,
                                          const std::function<void(const Step&)>& unbound);
// The same of a create and free. Other contexts of the library are alive, ours are not.
[[nodiscard]] LibraryTimes measure_libquo_create(const std::string& path, int rank);

}  // namespace bench::quo
