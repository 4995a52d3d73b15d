// SPDX-License-Identifier: BSD-3-Clause
// A library whose one rank works on a single core in a phase, while its other ranks rest.
#pragma once

#include <comity/comity_mpi.hpp>

namespace narrow {

struct Functions {
  comity_context* (*open)(MPI_Comm communicator);  // null: comity_last_error() tells
  bool (*selects_me)(comity_context* context);     // for its phases
  // Collective: a phase of width 1, in which the selected rank runs `work`. "" or what is wrong.
  const char* (*run)(comity_context* context, void (*work)(comity_context* context, void* data), void* data);
};

}  // namespace narrow

extern "C" COMITY_EXPORT const narrow::Functions* narrow_library();
