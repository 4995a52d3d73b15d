// SPDX-License-Identifier: BSD-3-Clause
// Launched: the ranks that the launcher of this job started on this node, by their numbers in MPI_COMM_WORLD.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace comity::mpi {

struct Launched {
  std::vector<std::int32_t> living;  // ascending
  std::vector<std::int32_t> all;     // ascending; empty where they were never seen living all at once
  std::int32_t started = 0;          // how many the launcher says that it started here; 0: it does not say

  [[nodiscard]] bool has(int number) const { return std::ranges::binary_search(living, number); }
  [[nodiscard]] bool all_live() const { return static_cast<int>(living.size()) >= started; }
  // Known to be of this node, living or not.
  [[nodiscard]] bool is_here(int number) const { return has(number) || std::ranges::binary_search(all, number); }
};

// A look, which takes milliseconds. None where nobody can tell, or where the numbers are of a job that is not this one. `own`:
// my number in MPI_COMM_WORLD. Calls no MPI, so any thread may look.
[[nodiscard]] std::optional<Launched> launched(int own);

// Looks, unless a look of this process has seen them all: who dies later is known by its number then.
void know_who_was_launched(int own);

[[nodiscard]] int own_number();
// Of each rank of a communicator its number; MPI_UNDEFINED: not there.
[[nodiscard]] std::vector<int> numbers_of_ranks(MPI_Comm communicator);

}  // namespace comity::mpi
