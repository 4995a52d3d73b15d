// SPDX-License-Identifier: BSD-3-Clause
// What a record says of the run it is of: program, launcher, host, binding, MPI, libraries, and the settings that matter.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/cpu_set.hpp"
#include "base/options.hpp"

namespace comity::preload {

// "Open MPI v4.1.4, package: ..": the first line of what the MPI says of itself.
[[nodiscard]] std::string mpi_version();

// Of this rank. Lists and lines are cut so that a record of `budget_bytes` keeps room for tables.
[[nodiscard]] std::map<std::string, std::string> run_facts(const Options& options, const CpuSet& binding,
                                                           std::uint64_t budget_bytes);

}  // namespace comity::preload
