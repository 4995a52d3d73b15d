// SPDX-License-Identifier: BSD-3-Clause
// Progress: makes the library go on by one round, whatever messages lie there. Not by looking for a message: a library that has one answers at
// once, and does nothing else.
#pragma once

namespace comity::coop {

// From MPI_Init on. Until then, and where the library refuses, a look for a message has to do.
void begin_progress();
// Before MPI_Finalize.
void end_progress();
// Thread-safe.
void make_progress();

}  // namespace comity::coop
