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

// From the end of MPI_Init on. False: this library does not let itself be asked.
[[nodiscard]] bool hook_into_progress();

// On the stack of the call that the program has made.
class LibraryWait {
 public:
  explicit LibraryWait(node::Hears hears = node::Hears::everything) { begin(hears); }
  ~LibraryWait() { end(); }
  LibraryWait(const LibraryWait&) = delete;
  LibraryWait& operator=(const LibraryWait&) = delete;

  // The same where the call is only announced and told.
  static void begin(node::Hears hears = node::Hears::everything);
  static void end();
};

#else

inline constexpr bool kLibraryCallsBack = false;

[[nodiscard]] inline bool hook_into_progress() { return true; }

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
