// SPDX-License-Identifier: BSD-3-Clause
// Arrivals: the meetings of this rank, by communicator and window. Before a rank goes into a collective of the library it sleeps
// in the segment until those of its node have come whose part it needs; then the library's own call has nobody to wait for
// there. Not: which calls are collectives, and whom they need (calls/).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>

#include "base/error.hpp"
#include "coop/meeting.hpp"
#include "coop/peers.hpp"
#include "node/bootstrap.hpp"

namespace comity::coop {

class Arrivals {
 public:
  // progress(): as of Meeting.
  Arrivals(Peers& peers, void (*progress)()) : peers_(peers), progress_(progress) {}

  // A communicator of this process, or a window made of one.
  struct Place {
    std::uint64_t handle;
    std::span<const std::int32_t> world_ranks;  // by rank number; those that do not take part are no peers
    node::Bootstrap& bootstrap;                 // joins those who do; all of them are in this call
  };

  // Before the first meeting; collective over these ranks, one thread of a rank at a time. They do not meet where no other one
  // is here.
  void learn(const Place& place);
  void learn_stranger(std::uint64_t handle);  // its ranks may not meet; not collective

  // None: it was not learnt. Null: its ranks do not meet. Valid until it is forgotten or learnt anew.
  [[nodiscard]] std::optional<Meeting*> find(std::uint64_t handle);
  // All ranks of that place call it in the same order. Null: they do not meet; so also after a rank has died, with a line.
  Meeting* meet(std::uint64_t handle, Meeting* meeting, const Whom& whom,
                Meeting::Behind behind = Meeting::Behind::nothing, Meeting::Taken taken = Meeting::Taken::surely,
                const Board::Part& part = {});
  // Before the communicator ends; and back, where it does not after all.
  using Kept = std::unordered_map<std::uint64_t, std::unique_ptr<Meeting>>::node_type;
  [[nodiscard]] Kept forget(std::uint64_t handle);
  void remember(Kept kept);

 private:
  void set(std::uint64_t handle, std::unique_ptr<Meeting> meeting);
  [[nodiscard]] std::unique_ptr<Meeting> make_meeting(const Place& place);
  void tell_once(const Error& error);

  Peers& peers_;
  void (*progress_)();
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Meeting>> meetings_;  // null: its ranks do not meet
  std::atomic<bool> has_told_{false};                                     // that some do not, for want of room
  std::atomic<std::uint32_t> age_{1};                                     // grows when any of them changes
};

}  // namespace comity::coop
