// SPDX-License-Identifier: BSD-3-Clause
// What is sent on our duplicate of a communicator; and on the user's, where a rank has ended before there is one.
#pragma once

#include <mpi.h>

namespace comity::mpi {

constexpr int kGatherTag = 0;
constexpr int kLostTag = 1;    // a rank of the sender's node has ended: a Loss
constexpr int kDivideTag = 2;  // MPI's own, for those who divide it

// That of the same message on the user's communicator: programs number theirs from below.
inline int largest_tag() {
  constexpr int kLeastPromised = 32767;
  const int* largest = nullptr;
  int known = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&largest), &known);
  return known != 0 ? *largest : kLeastPromised;
}

}  // namespace comity::mpi
