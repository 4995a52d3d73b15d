// SPDX-License-Identifier: BSD-3-Clause
// What is sent on our duplicate of a communicator.
#pragma once

namespace comity::mpi {

constexpr int kGatherTag = 0;
constexpr int kLostTag = 1;    // a rank of the sender's node has ended: its number in MPI_COMM_WORLD
constexpr int kDivideTag = 2;  // MPI's own, for those who divide it

}  // namespace comity::mpi
