// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/door.hpp"

#include <string>

#include "interpose/loaded_mpi.hpp"

namespace comity::interpose {

void Behind::find() {
  const std::string name = (side_ == Side::profiling ? "P" : "") + std::string(kRows[function_].name);
  real_.store(real_function(name), std::memory_order_release);
}

// A leaf that nobody watches needs no mark that a call is on, which would cost as much as some of them take.
void* Behind::straight_way() const {
  if (!anybody_watches()) return real();
  const Row& row = kRows[function_];
  // Another tool's MPI_x calls the PMPI_x of the same function, or any other.
  const bool goes_straight = row.leaf && watches[function_].nobody() && !has_tool_behind(std::string(row.name));
  return goes_straight ? real() : nullptr;
}

}  // namespace comity::interpose
