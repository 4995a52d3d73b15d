// SPDX-License-Identifier: BSD-3-Clause
// Sums: MPI_Allreduce of few elements from what all ranks have laid on the board, in the library's own order. The order is found by trials: sums of numbers
// that come out otherwise in any other one, by the library and from what each rank is known to give. Where none of the orders that are known here gives
// all that the library gives, bit for bit and on all ranks, such sums stay the library's own. Not: whether all have come (Meeting).
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "coop/meeting.hpp"

namespace comity::coop {

// What is combined how; of predefined types and operations alone.
struct Sum {
  int count = 0;
  MPI_Datatype type{};
  MPI_Op op{};
  std::size_t bytes = 0;
  MPI_Comm communicator{};
};

// Alike on all ranks of a job; 0: its sums stay the library's own.
[[nodiscard]] std::uint64_t number_of_operation(MPI_Op op);

// Collective, of all ranks of the communicator: in which order the library makes such sums. Waits inside the library's calls.
[[nodiscard]] Order find_order(Meeting& meeting, const Sum& sum);

// From what all have laid. Returns whether it was made.
[[nodiscard]] bool sum_up(const Meeting& meeting, Order order, const Sum& sum, std::span<std::byte> result);

}  // namespace comity::coop
