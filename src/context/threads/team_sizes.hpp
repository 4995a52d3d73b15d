// SPDX-License-Identifier: BSD-3-Clause
// TeamSizes: what the open phases of this process, of all its contexts, have made of the size of their threads' next OpenMP
// teams. Not: where the members run (team). Invariant: a thread on which no phase is open any more has the size that it had
// before the first, in whatever order the phases were left.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "context/binder.hpp"
#include "os/threads/openmp.hpp"

namespace comity::context {

// What becomes of a team that the phase's pushes have placed; any other stays as it is. GNU's members would spin on for 300,000
// turns after the last region, on the very core that the rank's own single-threaded phase needs next.
enum class AfterPhase : std::uint8_t { rest, spin };

// The user's, for all contexts of the process.
struct TeamSettings {
  AfterPhase after_phase;
  std::optional<TeamPolicy> teams;  // none: each context's own
};

class TeamSizes {
 public:
  using Ticket = std::uint64_t;
  static constexpr Ticket kNone = 0;

  // The calling thread's next teams have this many members, in each OpenMP runtime that is loaded, until the ticket is
  // given back.
  [[nodiscard]] Ticket set(int threads);
  // Where a phase inside is open, of another context, its team stays as it is and it gives back what was before both. Else
  // the thread has its former size again, if it is the caller: no other's can be set.
  void give_back(Ticket ticket, AfterPhase after) noexcept;
  // The same without a change of any team: for a fork child, whose parent's phases they are.
  void forget(Ticket ticket) noexcept;

 private:
  using Sizes = std::vector<std::pair<os::OpenMp, int>>;
  struct Entry {
    Ticket ticket;
    pid_t thread;
    Sizes former;
  };

  // Takes the entry out, and hands what it found on to the next one of its thread. Empty: nothing is to be set.
  [[nodiscard]] Sizes take(Ticket ticket) noexcept;

  std::mutex mutex_;
  Ticket last_ = kNone;
  std::vector<Entry> entries_;  // of all threads, oldest first
};

}  // namespace comity::context
