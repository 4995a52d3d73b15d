// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/requests/following.hpp"

namespace comity::interpose {
namespace {

void tell(const Followed& followed, const Message& message) { watches[followed.maker].moved(message); }

}  // namespace

void tell_arrival(const Followed& followed, const MPI_Status& status) {
  // MPICH 4.0 leaves the status of an MPI_Isendrecv as it found it, so there is nothing to read.
  if (kRows[followed.maker].rule == Rule::exchange) {
    tell(followed, {&kFacts[followed.maker], followed.communicator, kNobody, followed.peer, 0, followed.bytes});
    return;
  }
  const bool reads = kRows[followed.maker].rule == Rule::read;  // Open MPI's files say nothing of a cancellation
  if (!reads && was_cancelled(status))
    return;  // whatever its bytes say: MPICH leaves those of the request that it was before
  tell(followed, {&kFacts[followed.maker], followed.communicator, kNobody, source_of(followed, status), 0,
                  received_bytes(status)});
}

void tell_departure(const Followed& followed) {
  tell(followed, {&kFacts[followed.maker], followed.communicator, followed.peer, kNobody, followed.bytes, 0});
}

}  // namespace comity::interpose
