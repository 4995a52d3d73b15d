// SPDX-License-Identifier: BSD-3-Clause
#include "preload/unseen_begin.hpp"

#include "base/log.hpp"
#include "interpose/loaded_mpi.hpp"
#include "os/environment.hpp"
#include "preload/parts.hpp"

namespace comity::preload {
namespace {

// The MPI itself is asked, which it allows at any time.
bool mpi_has_begun() {
  void* const function = interpose::find_function("PMPI_Initialized");
  int has_begun = 0;
  return function != nullptr && reinterpret_cast<int (*)(int*)>(function)(&has_begun) == 0 && has_begun != 0;
}

// Under an MPI that we were not built for calls have come, and a line was said.
bool has_come_to_us() {
  const WatchedRun* const run = run_that_is_made();
  return run != nullptr ? run->has_seen_begin() : interpose::has_been_called();
}

}  // namespace

void tell_of_unseen_begin() {
  const auto wish = os::environment("COMITY_MEMORY");
  if (!wish || *wish == "off" || has_come_to_us()) return;
  if (!interpose::may_speak_for_the_job() || !mpi_has_begun()) return;
  log::warning(
      "memory",
      "whose the memory was is not told: no call of MPI_Init was seen, though an MPI is loaded and has begun. "
      "Calls that are looked up in the MPI's own file go past Comity's library, as ctypes.CDLL(\"libmpi.so.40\") "
      "does: look them up in the whole process, as ctypes.CDLL(None) does");
}

}  // namespace comity::preload
