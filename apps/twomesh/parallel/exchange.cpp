// SPDX-License-Identifier: BSD-3-Clause
#include "parallel/exchange.hpp"

#include <algorithm>

#include "parallel/count.hpp"

namespace twomesh::parallel {

void exchange(MPI_Comm communicator, int tag, std::span<Message> outgoing, std::span<Message> incoming) {
  int self = 0;
  MPI_Comm_rank(communicator, &self);
  std::vector<MPI_Request> requests;
  requests.reserve(outgoing.size() + incoming.size());
  Message* to_self = nullptr;
  for (Message& message : incoming) {
    if (message.peer == self) {
      to_self = &message;
      continue;
    }
    MPI_Irecv(message.data.data(), count_of(message.data.size()), MPI_DOUBLE, message.peer, tag, communicator,
              &requests.emplace_back());
  }
  for (const Message& message : outgoing) {
    if (message.peer == self) continue;
    MPI_Isend(message.data.data(), count_of(message.data.size()), MPI_DOUBLE, message.peer, tag, communicator,
              &requests.emplace_back());
  }
  for (const Message& message : outgoing) {
    if (message.peer == self && to_self != nullptr) {
      std::copy(message.data.begin(), message.data.end(), to_self->data.begin());
    }
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

}  // namespace twomesh::parallel
