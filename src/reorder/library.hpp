// SPDX-License-Identifier: BSD-3-Clause
// Library: libcomity_mpi-<mpi>, which knows the machine and the mapper; looked for when a program first asks for a reordered
// communicator. One that the program has already is taken, for there is one Comity in a process; then the one beside ours.
#pragma once

#include <comity/comity_mpi.h>

#include <string>

namespace comity::reorder {

struct Library {
  decltype(&comity_place_cart_create) cart_create = nullptr;
  decltype(&comity_place_graph_create) graph_create = nullptr;
  decltype(&comity_last_error) last_error = nullptr;
  std::string why_not;  // there is none

  [[nodiscard]] bool is_here() const { return cart_create != nullptr; }
};

// Loaded once, and never unloaded.
[[nodiscard]] const Library& library();

}  // namespace comity::reorder
