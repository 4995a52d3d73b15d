// SPDX-License-Identifier: BSD-3-Clause
// LibraryWait: this thread is in a call that waits in the library's own loop, because it has no form that waits for
// nobody, or for what is left of a collective behind the meeting. Where the library calls us from that loop the thread
// sleeps there as in wait_until: Open MPI always does (opal_progress), MPICH where it stands on UCX (ucx_progress).
// Elsewhere such a wait spins.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "coop/cooperation.hpp"

namespace comity::coop {

// A participant of this node that the call surely wants something of, in so many steps at most: of each the other one has to look, and to tell
// that it has.
struct Wanted {
  int of = kElsewhere;
  std::uint64_t steps = 0;
};

// On the stack of the call that the program has made.
class LibraryWait {
 public:
  // Whom its rounds may have done something for: whoever is owed, or anybody, where the call's own messages are unknown.
  enum class For : std::uint8_t { anybody, those_owed };

  explicit LibraryWait(node::Hears hears = node::Hears::everything, Meeting* meeting = nullptr) {
    begin(hears, meeting);
  }
  explicit LibraryWait(For whom, node::Hears hears = node::Hears::everything) { begin(hears, nullptr, whom); }
  explicit LibraryWait(Wanted wanted) { begin(node::Hears::everything, nullptr, For::those_owed, wanted); }
  ~LibraryWait() { end(); }
  LibraryWait(const LibraryWait&) = delete;
  LibraryWait& operator=(const LibraryWait&) = delete;

  // The same where the call is only announced and told.
  // meeting: of the collective that it is; then only those are rung who are in it too.
  static void begin(node::Hears hears = node::Hears::everything, Meeting* meeting = nullptr, For whom = For::anybody,
                    Wanted wanted = {});
  static void end();
  // Of the collective that this thread is in; null: it is in none, or in one whose ranks do not meet.
  [[nodiscard]] static Meeting* meeting();
};

// One round of the library's progress is over, and the caller looks whether what it waits for has come.
void rest_after_a_round();

// This thread is about to wait while another one of its rank makes the rounds: what it has done up to here is rung for, and who makes them looks
// anew. From the first such wait on, who makes them hears of everything.
void before_another_looks();

// Before MPI_Init. False: the loaded library surely does not call us.
[[nodiscard]] bool may_call_back();
// From the end of MPI_Init on. False: this library should let itself be asked, and does not.
[[nodiscard]] bool hook_into_progress();
// After that. False: waits inside the library spin.
[[nodiscard]] bool sleeps_in_the_library();

}  // namespace comity::coop
