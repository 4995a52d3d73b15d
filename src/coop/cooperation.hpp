// SPDX-License-Identifier: BSD-3-Clause
// Cooperation: what the replacements work with, from the end of MPI_Init to that of MPI_Finalize.
#pragma once

#include <mpi.h>

#include <atomic>
#include <exception>
#include <memory>
#include <optional>

#include "coop/arrivals.hpp"
#include "coop/party.hpp"
#include "coop/peers.hpp"
#include "coop/trial.hpp"
#include "interpose/requests/members.hpp"

namespace comity::coop {

struct Cooperation {
  Peers peers;
  void (*progress)();  // makes the MPI go on
  Arrivals arrivals;
  Party party;
  std::optional<MPI_Comm> party_communicator;  // none where no parts of the party may be made
  bool starts_collectives = false;             // on all ranks of the party: a wait in the library's own call spins
  std::unique_ptr<Trial> trial;                // where it does so on this rank

  Cooperation(std::shared_ptr<node::Node> node, const std::vector<std::uint64_t>& nodes, FarBounds far,
              void (*make_progress)())
      : peers(std::move(node), nodes, far), progress(make_progress), arrivals(peers, make_progress) {}

  // Whom a rank number of a call on that communicator or window means, as a participant of my node. Where memory runs out
  // nobody is rung, and who waits looks by itself.
  [[nodiscard]] int peer(MPI_Comm communicator, int rank) const noexcept {
    return participant([&] { return interpose::members_of_communicator(communicator); }, rank);
  }
  [[nodiscard]] int peer_of_window(MPI_Win window, int rank) const noexcept {
    return participant([&] { return interpose::members_of_window(window); }, rank);
  }

 private:
  template <typename Find>
  [[nodiscard]] int participant(Find&& find_members, int rank) const noexcept {
    try {
      const interpose::Members* const members = find_members();
      return members == nullptr ? kElsewhere : peers.participant_of(members->world_rank(rank));
    } catch (const std::exception&) {
      return kElsewhere;
    }
  }
};

// Null: calls go to the library as they are.
inline constinit std::atomic<Cooperation*> cooperation{nullptr};
[[nodiscard]] inline Cooperation* at_work() { return cooperation.load(std::memory_order_acquire); }

}  // namespace comity::coop
