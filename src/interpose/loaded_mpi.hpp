// SPDX-License-Identifier: BSD-3-Clause
// The MPI library that is really loaded, behind this one.
#pragma once

#include <string_view>

namespace comity::interpose {

// The MPI's own `name` (MPI_x), or its PMPI_x. Where a program calls what its MPI does not have, the process ends as it
// would without us: a line that names the function, and exit code 127.
[[nodiscard]] void* real_function(std::string_view name, bool profiling);

// False, and one line a job says so, under another MPI: its handles have other sizes, so every call goes straight on.
[[nodiscard]] bool is_the_mpi_that_we_were_built_for();

}  // namespace comity::interpose
