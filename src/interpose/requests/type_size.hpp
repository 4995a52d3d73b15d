// SPDX-License-Identifier: BSD-3-Clause
// The bytes of one element of a datatype: of those that a thread used last, from a small memory of its own.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>

namespace comity::interpose {

class RecentSizes {
 public:
  struct Place {
    MPI_Datatype type;
    std::uint32_t age;
    std::uint64_t bytes;
  };

  [[nodiscard]] Place& of(MPI_Datatype type) {
    return places_[spread(std::hash<MPI_Datatype>{}(type)) % places_.size()];
  }

 private:
  // Handles are addresses, or numbers that differ in their last bits and hold the size in the byte before.
  static std::size_t spread(std::size_t handle) { return (handle >> 8U) ^ (handle >> 4U) ^ handle; }

  std::array<Place, 8> places_{};
};

extern constinit std::atomic<std::uint32_t> types_age;  // from 1; grows when a type is freed
extern constinit thread_local RecentSizes recent_sizes __attribute__((tls_model("initial-exec")));

[[nodiscard]] std::uint64_t learn_size(MPI_Datatype type);

[[nodiscard]] inline std::uint64_t size_of(MPI_Datatype type) {
  const RecentSizes::Place& place = recent_sizes.of(type);
  const bool known = place.type == type && place.age == types_age.load(std::memory_order_acquire);
  return known ? place.bytes : learn_size(type);
}

// Call before the MPI frees a type: its handle may come back as another's.
void forget_type();

}  // namespace comity::interpose
