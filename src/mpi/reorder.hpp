// SPDX-License-Identifier: BSD-3-Clause
// Reorder: a communicator of the same processes in a better order. Seats are told to rank 0, which asks for an order and tells
// it to all. Not: what a good order is (place.h), nor the grid or graph that the new communicator gets (cart, graph).
#pragma once

#include <comity/place.h>

#include <cstddef>
#include <cstdint>
#include <functional>

#include "mpi/job.hpp"

namespace comity::mpi {

// What this rank was asked for, as one number: all must ask for the same.
class Question {
 public:
  void add(std::int64_t value) { hash_ = (hash_ ^ static_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15U + 1; }
  // Null counts as none of them.
  template <typename T>
  void add_all(const T* values, std::int32_t count) {
    add(values == nullptr ? -1 : count);
    for (std::int32_t i = 0; values != nullptr && i < count; ++i) add(static_cast<std::int64_t>(values[i]));
  }
  [[nodiscard]] std::uint64_t hash() const { return hash_; }

 private:
  std::uint64_t hash_ = 0;
};

// Asked on rank 0: the seats of all, and where the new rank of each goes.
using FindOrder =
    std::function<comity_status(std::int32_t ranks, const comity_place_seat* seats, std::int32_t* new_ranks)>;

// Collective over the job. `found` is how it went on this rank so far. The communicator is null for those who get no rank. The
// failure is the same on all ranks.
[[nodiscard]] comity_status reorder(MPI_Comm communicator, Job& job, comity_status found, const Question& question,
                                    const FindOrder& find_order, Communicator& reordered);

}  // namespace comity::mpi
