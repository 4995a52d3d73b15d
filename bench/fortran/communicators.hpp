// SPDX-License-Identifier: BSD-3-Clause
// The cases of calls that take a communicator, which here is MPI_COMM_SELF.
#pragma once

#include <comity/comity.h>

#include <vector>

#include "common/timing.hpp"

namespace bench::fortran {

// `context`: of one rank, whose communicators they are.
[[nodiscard]] std::vector<Outcome> communicator_cases(comity_context* context);

}  // namespace bench::fortran
