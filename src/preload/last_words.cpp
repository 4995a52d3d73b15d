// SPDX-License-Identifier: BSD-3-Clause
// What is left to be told where the process ends and MPI_Finalize was never called: by exit(), also from inside MPI.
#include "preload/parts.hpp"

// The loader calls it, after what the program has asked for by atexit. What was never made is not made now.
__attribute__((destructor)) static void tell_last_words() {
  if (comity::preload::WatchedRun* const run = comity::preload::run_that_is_made())
    run->leave(comity::memory::Moment::at_exit);
}
