// SPDX-License-Identifier: BSD-3-Clause
// The checks of the doctor, one file a group, and the table that runs them.
#pragma once

#include <array>
#include <string_view>

#include "cli/doctor/finding.hpp"
#include "cli/doctor/host.hpp"

namespace comity::cli {

[[nodiscard]] Findings check_cpus(const Host& host);      // what this job may use, and how much of it
[[nodiscard]] Findings check_kernel(const Host& host);    // version, /proc, namespaces
[[nodiscard]] Findings check_sharing(const Host& host);   // what the node segment needs
[[nodiscard]] Findings check_memory(const Host& host);    // limits of memory, locked memory, files
[[nodiscard]] Findings check_mpi(const Host& host);       // launchers and what stops them
[[nodiscard]] Findings check_openmp(const Host& host);    // runtimes and policies
[[nodiscard]] Findings check_program(const Host& host);   // the program that was named; nothing where none was
[[nodiscard]] Findings check_settings(const Host& host);  // COMITY_ variables

struct CheckRow {
  std::string_view title;
  Findings (*check)(const Host&);
};

inline constexpr std::array kChecks{
    CheckRow{"CPUs", check_cpus},         CheckRow{"kernel", check_kernel},   CheckRow{"sharing a node", check_sharing},
    CheckRow{"memory", check_memory},     CheckRow{"MPI", check_mpi},         CheckRow{"OpenMP", check_openmp},
    CheckRow{"settings", check_settings}, CheckRow{"program", check_program},
};

}  // namespace comity::cli
