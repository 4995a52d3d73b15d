// SPDX-License-Identifier: BSD-3-Clause
// Neighbors: how many ranks give to me and get from me along a communicator's topology. Beyond the edge of a grid there is nobody.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

namespace comity::interpose {

struct Neighbors {
  static constexpr std::size_t kMostPlaces = 64;

  std::size_t in = 0;
  std::size_t out = 0;
  std::uint64_t absent = 0;  // a bit a place, of both directions

  [[nodiscard]] bool has(std::size_t place) const { return place >= kMostPlaces || (absent >> place & 1U) == 0; }
};
[[nodiscard]] Neighbors neighbors_of(MPI_Comm communicator, int rank);

}  // namespace comity::interpose
