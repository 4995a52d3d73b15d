// SPDX-License-Identifier: BSD-3-Clause
// Arrivals: before the ranks of a communicator go into a collective of the library, those of one node meet in the segment,
// asleep; then the library's own call has nobody to wait for there. A collective may synchronise, so no correct program
// sees it. Not: which calls are collectives (collectives).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "coop/peers.hpp"
#include "node/group.hpp"

namespace comity::coop {

class Arrivals {
 public:
  // progress(): makes the MPI go on, so that a peer which still waits for a message of a rank that has arrived gets it.
  Arrivals(Peers& peers, void (*progress)()) : peers_(peers), progress_(progress) {}

  // A communicator of this process, or a window or file made of one.
  struct Place {
    std::uint64_t handle;
    std::span<const std::int32_t> world_ranks;  // those of its ranks that take part
    node::Bootstrap& bootstrap;                 // joins them; all of them are in this call
  };

  // Before the first meeting; collective over these ranks, one thread of a rank at a time. They do not meet where no other one
  // is here.
  void learn(const Place& place);
  void learn_stranger(std::uint64_t handle);  // its ranks may not meet; not collective
  // Collective like that, where its ranks meet. False: it was not learnt. A rank that has died ends the meetings of that
  // communicator, with a line.
  [[nodiscard]] bool meet(std::uint64_t handle);
  // Before the communicator ends.
  void forget(std::uint64_t handle);

 private:
  [[nodiscard]] std::optional<node::Group*> known(std::uint64_t handle);
  void set(std::uint64_t handle, std::unique_ptr<node::Group> group);
  [[nodiscard]] std::unique_ptr<node::Group> make_group(const Place& place) const;
  void wait_for_all(node::Group& group);

  Peers& peers_;
  void (*progress_)();
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::unique_ptr<node::Group>> groups_;  // null: its ranks do not meet
  std::atomic<std::uint32_t> age_{1};                                       // grows when any of them changes
};

}  // namespace comity::coop
