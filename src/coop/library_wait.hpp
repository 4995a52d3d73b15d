// SPDX-License-Identifier: BSD-3-Clause
// LibraryWait: this thread is in a call that waits in the library's own loop, because it has no form that waits for
// nobody, or for what is left of a collective behind the meeting. Open MPI calls back from that loop, and there the thread
// sleeps as in wait_until. MPICH has nothing like it: there such a wait spins.
#pragma once

#include <mpi.h>

#include "coop/cooperation.hpp"

namespace comity::coop {

#ifdef OPEN_MPI

inline constexpr bool kLibraryCallsBack = true;

// From the end of MPI_Init on. Where this library does not let itself be asked its waits spin.
void hook_into_progress();

// On the stack of the call that the program has made.
class LibraryWait {
 public:
  LibraryWait() { begin(); }
  ~LibraryWait() { end(); }
  LibraryWait(const LibraryWait&) = delete;
  LibraryWait& operator=(const LibraryWait&) = delete;

  // The same where the call is only announced and told.
  static void begin();
  static void end();  // rings all of this node: they may sleep in the same call until this rank's part of it has come
};

#else

inline constexpr bool kLibraryCallsBack = false;

inline void hook_into_progress() {}

class LibraryWait {
 public:
  LibraryWait() = default;
  ~LibraryWait() = default;
  LibraryWait(const LibraryWait&) = delete;
  LibraryWait& operator=(const LibraryWait&) = delete;

  static void begin() {}
  static void end() {}
};

#endif

}  // namespace comity::coop
