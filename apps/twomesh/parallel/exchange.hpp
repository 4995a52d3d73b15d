// SPDX-License-Identifier: BSD-3-Clause
// One round of point-to-point messages whose sizes both sides know: nonblocking, complete at return. A
// message to oneself is a copy.
#pragma once

#include <mpi.h>

#include <span>
#include <vector>

namespace twomesh::parallel {

struct Message {
  int peer;                  // rank in the communicator
  std::vector<double> data;  // filled by the sender, sized by the receiver
};

// At most one message a peer in each list.
void exchange(MPI_Comm communicator, int tag, std::span<Message> outgoing, std::span<Message> incoming);

}  // namespace twomesh::parallel
