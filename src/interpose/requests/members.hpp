// SPDX-License-Identifier: BSD-3-Clause
// Members: who belongs to a communicator or a window, in ranks of MPI_COMM_WORLD, and by which number all of them know it.
// Learned once a communicator, from calls that concern nobody else, and forgotten before its handle can come back.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "interpose/event.hpp"

namespace comity::interpose {

struct Neighbors;

struct Members {
  Members() = default;
  ~Members();
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;

  std::uint64_t id = 0;             // of the same ranks, the n-th communicator has the same number on all of them
  int rank = 0;                     // mine
  bool between_groups = false;      // an inter-communicator: peers are the other group's
  std::vector<std::int32_t> own;    // of an inter-communicator: my group, me among them
  std::vector<std::int32_t> peers;  // whom a rank number of a call means, in MPI_COMM_WORLD

  mutable std::atomic<std::uint32_t> keepers{1};             // the last one deletes them
  mutable std::atomic<const Neighbors*> neighbors{nullptr};  // theirs, once asked for: written once, with release

  [[nodiscard]] std::size_t size() const { return peers.size(); }
  // kNobody for MPI_PROC_NULL and what is no rank.
  [[nodiscard]] std::int32_t world_rank(int peer) const {
    return peer >= 0 && static_cast<std::size_t>(peer) < peers.size() ? peers[static_cast<std::size_t>(peer)] : kNobody;
  }
};

// For those who need them longer than their communicator or window lasts.
inline const Members* keep(const Members& members) {
  members.keepers.fetch_add(1, std::memory_order_relaxed);
  return &members;
}
void let_go(const Members* members);

// What a thread asked about last: programs stay with few communicators for long.
template <class Handle>
class RecentMembers {
 public:
  struct Place {
    Handle handle;
    std::uint32_t age;
    const Members* members;
  };

  [[nodiscard]] Place& of(Handle handle) { return places_[spread(std::hash<Handle>{}(handle)) % places_.size()]; }

 private:
  // Handles are addresses, or numbers that differ in their last bits.
  static std::size_t spread(std::size_t handle) { return (handle >> 8U) ^ (handle >> 4U) ^ handle; }

  std::array<Place, 8> places_{};
};

extern constinit std::atomic<std::uint32_t> members_age;  // from 1; grows when anything is forgotten
extern constinit thread_local RecentMembers<MPI_Comm> recent_communicators __attribute__((tls_model("initial-exec")));
extern constinit thread_local RecentMembers<MPI_Win> recent_windows __attribute__((tls_model("initial-exec")));

[[nodiscard]] const Members* look_up_communicator(MPI_Comm communicator);
[[nodiscard]] const Members* look_up_window(MPI_Win window);

// Null for a null handle; else valid until the communicator or window is forgotten.
[[nodiscard]] inline const Members* members_of_communicator(MPI_Comm communicator) {
  const auto& place = recent_communicators.of(communicator);
  const bool known = place.handle == communicator && place.age == members_age.load(std::memory_order_acquire);
  return known ? place.members : look_up_communicator(communicator);
}
[[nodiscard]] inline const Members* members_of_window(MPI_Win window) {
  const auto& place = recent_windows.of(window);
  const bool known = place.handle == window && place.age == members_age.load(std::memory_order_acquire);
  return known ? place.members : look_up_window(window);
}

// Call before the MPI ends them, and members_of_communicator() when one was made, in the order in which the program makes them.
void forget_communicator(MPI_Comm communicator);
void forget_window(MPI_Win window);

}  // namespace comity::interpose
