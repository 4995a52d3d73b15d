// SPDX-License-Identifier: BSD-3-Clause
// Plain types: datatypes of MPI's own whose elements lie in one piece, behind one another.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

namespace comity::coop {

struct PlainType {
  enum class Numbers : std::uint8_t { others, integers, float32, float64 };  // others: there are no sums of it here

  std::uint64_t name = 0;  // alike on all ranks of a job; 0: it is none
  std::size_t bytes = 0;
  Numbers numbers = Numbers::others;
};

// Remembered by each thread for those that it used last.
[[nodiscard]] const PlainType& plain(MPI_Datatype type);

}  // namespace comity::coop
