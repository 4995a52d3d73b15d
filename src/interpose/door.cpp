// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/door.hpp"

#include <string>

#include "interpose/loaded_mpi.hpp"

namespace comity::interpose {

void find_behind(unsigned function, Side side, std::atomic<void*>& real) {
  const std::string name = (side == Side::profiling ? "P" : "") + std::string(kRows[function].name);
  real.store(real_function(name), std::memory_order_release);
}

// A leaf that nobody watches needs no mark that a call is on, which would cost as much as some of them take.
bool goes_straight(unsigned function) {
  if (!anybody_watches()) return true;
  const Row& row = kRows[function];
  // Another tool's MPI_x calls the PMPI_x of the same function, or any other.
  return row.leaf && watches[function].nobody() && !has_tool_behind(std::string(row.name));
}

}  // namespace comity::interpose
