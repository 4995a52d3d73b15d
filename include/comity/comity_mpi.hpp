// SPDX-License-Identifier: BSD-3-Clause
// C++ contexts on MPI communicators.
#pragma once

#include <comity/comity_mpi.h>

#include <comity/comity.hpp>

namespace comity {

// Collective over the communicator; throws Failure.
[[nodiscard]] inline Context make_context(MPI_Comm communicator) {
  comity_context* context = nullptr;
  check(comity_context_create(communicator, &context));
  return Context(context);
}

}  // namespace comity
