// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/requests/following.hpp"

namespace comity::interpose {
namespace {

void tell(const Message& message) { watches[message.facts->number].moved(message); }

// What came with one call.
class Arrivals {
 public:
  Arrivals() = default;
  ~Arrivals() { tell_last(); }
  Arrivals(const Arrivals&) = delete;
  Arrivals& operator=(const Arrivals&) = delete;

  // A receive that has completed. That of an exchange is as long as it had room for, and nobody's where it was from anybody: MPICH
  // 4.0 leaves the status of an MPI_Isendrecv as it found it, so there is nothing to read. One in parts is as long as its send.
  void add(const Followed& followed, const MPI_Status& status) {
    const Rule rule = kRows[followed.maker].rule;
    if (rule == Rule::exchange || rule == Rule::partitioned) return add(followed, followed.peer, followed.bytes);
    const bool reads = rule == Rule::read;  // Open MPI's files say nothing of a cancellation
    if (!reads && was_cancelled(status))
      return;  // whatever its bytes say: MPICH leaves those of the request that it was before
    add(followed, source_of(followed, status), received_bytes(status));
  }

 private:
  void add(const Followed& followed, std::int32_t from, std::uint64_t bytes) {
    const Facts* const facts = &kFacts[followed.maker];
    const bool is_the_same = last_.facts == facts && last_.communicator == followed.communicator &&
                             last_.from == from && last_.received_bytes == bytes;
    if (!is_the_same) {
      tell_last();
      last_ = {facts, followed.communicator, kNobody, from, 0, bytes, 0};
    }
    ++last_.times;
  }
  void tell_last() {
    if (last_.times != 0) tell(last_);
  }

  Message last_{nullptr, 0, kNobody, kNobody, 0, 0, 0};
};

enum class Stays : std::uint8_t { no, started, dormant };  // as what it was

// Told is what came; it stays where it persists, and else is still to be dropped.
Stays finish(const Held& held, const MPI_Status* status, Arrivals& arrivals) {
  Followed& followed = held.followed();
  const bool arrives = followed.active && !moves_at_start(followed) && followed.peer != kSilent;
  if (arrives && status != nullptr) arrivals.add(followed, *status);
  if (!followed.persistent) return Stays::no;
  const Stays stays = followed.active ? Stays::started : Stays::dormant;
  followed.active = false;
  held.put_back();
  return stays;
}

}  // namespace

std::int32_t finish(const Held& held, const MPI_Status* status) {
  Arrivals arrivals;
  const Stays stays = finish(held, status, arrivals);
  if (stays == Stays::no) forget(held);
  return stays == Stays::started ? -1 : 0;
}

std::int32_t finish_all(const MPI_Request* requests, std::size_t count, const MPI_Status* statuses) {
  const Threads threads = threads_in_mpi();
  Arrivals arrivals;
  std::int64_t forgotten = 0;
  std::int32_t change = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Held held = request_table.take(key_of(requests[i]), threads);
    if (!held) continue;
    const Stays stays = finish(held, statuses != nullptr ? &statuses[i] : nullptr, arrivals);
    if (stays == Stays::started) --change;
    if (stays != Stays::no) continue;
    drop(held);
    ++forgotten;
  }
  count_remembered(-forgotten);
  return change;
}

void tell_departure(const Followed& followed) {
  const Facts* const facts = &kFacts[followed.maker];
  if (followed.peer != kEverybody)
    return tell({facts, followed.communicator, followed.peer, kNobody, followed.bytes, 0});
  const std::int32_t to = followed.bytes != 0 ? kEverybody : kNobody;
  const std::int32_t from = followed.other_bytes != 0 ? kEverybody : kNobody;
  tell({facts, followed.communicator, to, from, followed.bytes, followed.other_bytes});
  if (followed.shares == nullptr) return;
  for (const Message& share : *followed.shares) watches[followed.maker].shared(share);
}

}  // namespace comity::interpose
