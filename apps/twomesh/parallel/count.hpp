// SPDX-License-Identifier: BSD-3-Clause
// A number of things as MPI takes it, an int.
#pragma once

#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>

namespace twomesh::parallel {

// Throws where MPI cannot count that far; cut off it would move other things, or none.
[[nodiscard]] inline int count_of(std::size_t number) {
  if (number > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw std::length_error("a message of " + std::to_string(number) +
                            " numbers is longer than MPI counts; run more ranks, or choose coarser meshes");
  }
  return static_cast<int>(number);
}

}  // namespace twomesh::parallel
