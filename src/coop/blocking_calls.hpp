// SPDX-License-Identifier: BSD-3-Clause
// All blocking calls of MPI by name, and how a rank waits in each where waits are cooperative. For those who tell of it; needs
// no MPI. A test compares it with the wrappers of each MPI and with what is replaced.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace comity::coop {

enum class Waits : std::uint8_t {
  never,   // for another rank
  asleep,  // its replacement gives the core away
  // The same where all ranks start it, for all of them would spin in the library; else as in_library.
  as_started,
  // The same where all whom it waits for are ranks of one group on one node; else as in_library, behind those of this node.
  on_one_node,
  // As in_library, behind a barrier that gives the core away where all ranks would spin: what they wait for then is one another's disk.
  behind_barrier,
  in_library,  // the call stays the library's: asleep where that calls back from its waits, as Open MPI does, else spinning
};

struct BlockingCall {
  std::string_view name;  // MPI_x; stands for MPI_x_c too
  Waits waits;
};

// In the order of their names.
[[nodiscard]] std::span<const BlockingCall> blocking_calls();

// Of any function of MPI: never, where it is none of these.
[[nodiscard]] Waits waits_in(std::string_view name);

}  // namespace comity::coop
