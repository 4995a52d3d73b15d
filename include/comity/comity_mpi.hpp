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

// Collective over the communicator; MPI_COMM_NULL where no single object encloses my binding. The caller frees it.
[[nodiscard]] inline MPI_Comm shared_communicator(const Context& context, MPI_Comm communicator, Resource type) {
  MPI_Comm shared = MPI_COMM_NULL;
  check(comity_context_communicator(context.handle(), communicator, static_cast<comity_type>(type), &shared));
  return shared;
}

}  // namespace comity
