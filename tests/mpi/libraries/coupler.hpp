// SPDX-License-Identifier: BSD-3-Clause
// A library in C++ that works on a context which another library lends it, with one of its own beside, and at last takes
// the lent one over. It knows nothing of MPI.
#pragma once

#include <comity/comity.hpp>

namespace coupler {

struct Functions {
  // Binds the rank to one core inside whatever stands on the stack, and one more of its own inside that. "" or what is
  // wrong.
  const char* (*couple)(comity_context* lent, int core);
  // Rests, and frees it.
  const char* (*take_over)(comity_context* given);
};

}  // namespace coupler

extern "C" COMITY_EXPORT const coupler::Functions* coupler_library();
