// SPDX-License-Identifier: BSD-3-Clause
// Communicators of our own: of the ranks that wait cooperatively, and of parts of these. Only their members make one.
// Never from a communicator of the program: what Open MPI sends for that could be taken by a receive of the program that
// takes any tag.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "coop/party.hpp"

namespace comity::coop {

// Freed where it ends, unless it was kept.
class OwnCommunicator {
 public:
  explicit OwnCommunicator(MPI_Comm communicator) : communicator_(communicator) {}
  ~OwnCommunicator();
  OwnCommunicator(const OwnCommunicator&) = delete;
  OwnCommunicator& operator=(const OwnCommunicator&) = delete;

  [[nodiscard]] MPI_Comm get() const { return communicator_; }
  // It outlives this.
  [[nodiscard]] MPI_Comm keep() {
    is_kept_ = true;
    return communicator_;
  }

 private:
  MPI_Comm communicator_;
  bool is_kept_ = false;
};

// Of all the party. Collective over it, inside MPI_Init, where no rank of it has asked for a message. Throws Status::mpi.
[[nodiscard]] MPI_Comm make_communicator(const Party& party);
// Of these ranks of MPI_COMM_WORLD, all of the party, whose communicator `all` is. Collective over them; not by two
// threads at once. Throws Status::mpi.
[[nodiscard]] MPI_Comm make_part(MPI_Comm all, const Party& party, std::span<const std::int32_t> world_ranks);

}  // namespace comity::coop
