// SPDX-License-Identifier: BSD-3-Clause
// What a subscriber is told of each kind of call: whom it went to and came from in ranks of the job, and how many bytes,
// worked out here by hand. Runs under the witness.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <numeric>
#include <vector>

#include "interpose/witness.h"
#include "mpi/expect.hpp"

using namespace comity::testing;

namespace {

constexpr int kNobody = -1;
constexpr int kAll = -2;
constexpr std::uint64_t kDouble = sizeof(double);

struct Told {
  int to = kNobody;
  int from = kNobody;
  std::uint64_t sent = 0;
  std::uint64_t got = 0;
};

void last_was(const std::string& name, const Told& wanted) {
  const WitnessedCall call = comity_witness_last();
  expect_equal(std::string(call.name == nullptr ? "nothing" : call.name), name, "the last call");
  expect(call.succeeded != 0, name + " is told to have failed");
  expect_equal(call.to, wanted.to, name + " went to");
  expect_equal(call.from, wanted.from, name + " came from");
  expect_equal(call.sent_bytes, wanted.sent, name + " sent");
  expect_equal(call.received_bytes, wanted.got, name + " received");
}

void message_was(const std::string& name, const Told& wanted) {
  const WitnessedCall message = comity_witness_message();
  expect_equal(std::string(message.name == nullptr ? "nothing" : message.name), name, "the message told");
  expect_equal(message.to, wanted.to, name + "'s message went to");
  expect_equal(message.from, wanted.from, name + "'s message came from");
  expect_equal(message.sent_bytes, wanted.sent, name + "'s message sent");
  expect_equal(message.received_bytes, wanted.got, name + "'s message received");
}
void no_message_was_told(const std::string& after) {
  const WitnessedCall message = comity_witness_message();
  expect(message.name == nullptr, after + ": a message is told that nobody moved");
}

// What went to each neighbour, and then what came from each, in the order of the call's parts.
void shares_were(const std::string& name, const std::vector<Told>& wanted) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const WitnessedCall share = comity_witness_share();
    const std::string what = "share " + std::to_string(i) + " of " + name;
    expect_equal(std::string(share.name == nullptr ? "nothing" : share.name), name, what);
    expect_equal(share.to, wanted[i].to, what + " went to");
    expect_equal(share.from, wanted[i].from, what + " came from");
    expect_equal(share.sent_bytes, wanted[i].sent, what + " sent");
    expect_equal(share.received_bytes, wanted[i].got, what + " received");
  }
  expect(comity_witness_share().name == nullptr, name + ": a share is told that nobody moved");
}

std::uint64_t u(int number) { return static_cast<std::uint64_t>(number); }

// A job turned round in a communicator of its own: rank numbers there are not those of the job.
struct Ring {
  MPI_Comm communicator = MPI_COMM_NULL;
  int rank = 0;
  int size = 0;

  Ring() {
    MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &communicator);
    MPI_Comm_rank(communicator, &rank);
    MPI_Comm_size(communicator, &size);
  }
  ~Ring() { MPI_Comm_free(&communicator); }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  [[nodiscard]] int in_world(int peer) const { return size - 1 - peer; }
  [[nodiscard]] int next() const { return (rank + 1) % size; }
  [[nodiscard]] int previous() const { return (rank + size - 1) % size; }
};

bool one_thread_at_once = true;
std::array<double, 4096> out;
std::array<double, 4096> in;

void messages(const Ring& ring) {
  const int to = ring.in_world(ring.next());
  const int from = ring.in_world(ring.previous());
  std::array<MPI_Request, 2> requests{};
  MPI_Irecv(in.data(), 4, MPI_DOUBLE, ring.previous(), 1, ring.communicator, &requests[0]);
  last_was("MPI_Irecv", {.from = from});
  MPI_Isend(out.data(), 3, MPI_DOUBLE, ring.next(), 1, ring.communicator, &requests[1]);
  last_was("MPI_Isend", {.to = to, .sent = 3 * kDouble});
  MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  last_was("MPI_Waitall", {});
  message_was("MPI_Irecv", {.from = from, .got = 3 * kDouble});
  MPI_Isend(out.data(), 5, MPI_INT, ring.next(), 2, ring.communicator, &requests[0]);
  MPI_Recv(in.data(), 4096, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, ring.communicator, MPI_STATUS_IGNORE);
  last_was("MPI_Recv", {.from = from, .got = 5 * sizeof(int)});
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Status status;
  MPI_Sendrecv(out.data(), 2, MPI_DOUBLE, ring.next(), 3, in.data(), 9, MPI_DOUBLE, ring.previous(), 3,
               ring.communicator, &status);
  last_was("MPI_Sendrecv", {to, from, 2 * kDouble, 2 * kDouble});
  expect_equal(status.MPI_SOURCE, ring.previous(), "the program's own status");
  MPI_Sendrecv_replace(in.data(), 2, MPI_DOUBLE, ring.next(), 3, ring.previous(), 3, ring.communicator,
                       MPI_STATUS_IGNORE);
  last_was("MPI_Sendrecv_replace", {to, from, 2 * kDouble, 2 * kDouble});
}

// Both ways at once: what is given is told where it begins, what comes where it completes, as much as there was room for.
void exchanges_that_complete_later(const Ring& ring) {
#if MPI_VERSION >= 4
  const int to = ring.in_world(ring.next());
  const int from = ring.in_world(ring.previous());
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isendrecv(out.data(), 2, MPI_DOUBLE, ring.next(), 3, in.data(), 3, MPI_DOUBLE, ring.previous(), 3,
                ring.communicator, &request);
  last_was("MPI_Isendrecv", {.to = to, .from = from, .sent = 2 * kDouble});
  no_message_was_told("MPI_Isendrecv");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  message_was("MPI_Isendrecv", {.from = from, .got = 3 * kDouble});
  MPI_Isendrecv_replace(in.data(), 4, MPI_DOUBLE, ring.next(), 3, ring.previous(), 3, ring.communicator, &request);
  MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
  message_was("MPI_Isendrecv_replace", {.from = from, .got = 4 * kDouble});
  MPI_Isendrecv_c(out.data(), 5, MPI_DOUBLE, ring.next(), 3, in.data(), 5, MPI_DOUBLE, MPI_ANY_SOURCE, 3,
                  ring.communicator, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  message_was("MPI_Isendrecv_c", {.got = 5 * kDouble});
#else
  static_cast<void>(ring);
#endif
}

// What a nonblocking receive brings is told where it completes, whichever way, with and without a status.
void messages_that_complete_later(const Ring& ring) {
  const int from = ring.in_world(ring.previous());
  MPI_Request send = MPI_REQUEST_NULL;
  const auto send_numbers = [&](int count) {
    MPI_Isend(out.data(), count, MPI_DOUBLE, ring.next(), 5, ring.communicator, &send);
  };
  const auto sent = [&] { MPI_Wait(&send, MPI_STATUS_IGNORE); };
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  int done = 0;

  MPI_Irecv(in.data(), 9, MPI_DOUBLE, MPI_ANY_SOURCE, 5, ring.communicator, &request);
  last_was("MPI_Irecv", {});
  no_message_was_told("MPI_Irecv");
  send_numbers(2);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  message_was("MPI_Irecv", {.from = from, .got = 2 * kDouble});
  sent();

  MPI_Irecv(in.data(), 9, MPI_DOUBLE, ring.previous(), 5, ring.communicator, &request);
  MPI_Test(&request, &done, &status);
  no_message_was_told("MPI_Test that finds nothing");
  MPI_Barrier(ring.communicator);
  send_numbers(0);
  while (done == 0) MPI_Test(&request, &done, &status);
  message_was("MPI_Irecv", {.from = from});
  expect_equal(status.MPI_SOURCE, ring.previous(), "the program's own status");
  sent();

  std::array<MPI_Request, 3> several{MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  std::array<MPI_Status, 3> statuses{};
  std::array<int, 3> places{};
  int place = -1;
  MPI_Irecv(in.data(), 9, MPI_DOUBLE, MPI_ANY_SOURCE, 5, ring.communicator, &several[2]);
  send_numbers(3);
  MPI_Waitany(3, several.data(), &place, MPI_STATUS_IGNORE);
  message_was("MPI_Irecv", {.from = from, .got = 3 * kDouble});
  sent();
  MPI_Irecv(in.data(), 9, MPI_DOUBLE, MPI_ANY_SOURCE, 5, ring.communicator, &several[1]);
  send_numbers(4);
  for (done = 0; done == 0;) MPI_Testany(3, several.data(), &place, &done, &status);
  message_was("MPI_Irecv", {.from = from, .got = 4 * kDouble});
  sent();
  MPI_Irecv(in.data(), 9, MPI_DOUBLE, MPI_ANY_SOURCE, 5, ring.communicator, &several[1]);
  send_numbers(5);
  MPI_Waitsome(3, several.data(), &done, places.data(), MPI_STATUSES_IGNORE);
  message_was("MPI_Irecv", {.from = from, .got = 5 * kDouble});
  sent();
  MPI_Irecv(in.data(), 9, MPI_DOUBLE, MPI_ANY_SOURCE, 5, ring.communicator, &several[0]);
  send_numbers(6);
  for (done = 0; done == 0;) MPI_Testsome(3, several.data(), &done, places.data(), statuses.data());
  message_was("MPI_Irecv", {.from = from, .got = 6 * kDouble});
  sent();
  MPI_Irecv(in.data(), 9, MPI_DOUBLE, ring.previous(), 5, ring.communicator, &several[0]);
  MPI_Irecv(in.data(), 9, MPI_DOUBLE, MPI_PROC_NULL, 5, ring.communicator, &several[1]);
  send_numbers(7);
  for (done = 0; done == 0;) MPI_Testall(3, several.data(), &done, MPI_STATUSES_IGNORE);
  message_was("MPI_Irecv", {.from = from, .got = 7 * kDouble});
  no_message_was_told("a receive from nobody");
  sent();

  // More than find room on the stack.
  std::vector<MPI_Request> many(u(200), MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < 100; ++i) {
    MPI_Irecv(&in[i], 1, MPI_DOUBLE, ring.previous(), 5, ring.communicator, &many[2 * i]);
    MPI_Isend(&out[i], 1, MPI_DOUBLE, ring.next(), 5, ring.communicator, &many[2 * i + 1]);
  }
  MPI_Waitall(200, many.data(), MPI_STATUSES_IGNORE);
  for (int i = 0; i < 100; ++i) message_was("MPI_Irecv", {.from = from, .got = kDouble});
  no_message_was_told("MPI_Waitall");
}

// Calls that complete some of many, and leave the others as they are.
void messages_that_complete_one_by_one(const Ring& ring) {
  constexpr int kMany = 100;
  const Told told{.from = ring.in_world(ring.previous()), .got = kDouble};
  std::vector<MPI_Request> requests(u(kMany), MPI_REQUEST_NULL);
  for (int i = 0; i < kMany; ++i)
    MPI_Irecv(&in[u(i)], 1, MPI_DOUBLE, MPI_ANY_SOURCE, i, ring.communicator, &requests[u(i)]);
  const auto send = [&](int tag) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(out.data(), 1, MPI_DOUBLE, ring.next(), tag, ring.communicator, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  };
  int place = -1;
  for (int i = 0; i < kMany / 2; ++i) {
    send(i);
    MPI_Waitany(kMany, requests.data(), &place, MPI_STATUS_IGNORE);
    message_was("MPI_Irecv", told);
    no_message_was_told("MPI_Waitany of one");
  }
  for (int i = kMany / 2; i < kMany; ++i) send(i);
  std::vector<int> places(u(kMany));
  for (int left = kMany / 2; left > 0;) {
    int found = 0;
    MPI_Testsome(kMany, requests.data(), &found, places.data(), MPI_STATUSES_IGNORE);
    left -= found;
  }
  for (int i = kMany / 2; i < kMany; ++i) message_was("MPI_Irecv", told);
  no_message_was_told("MPI_Testsome");

  std::array<MPI_Request, 2> persistent{};
  MPI_Recv_init(in.data(), 9, MPI_DOUBLE, MPI_ANY_SOURCE, 7, ring.communicator, persistent.data());
  MPI_Recv_init(in.data(), 9, MPI_DOUBLE, MPI_ANY_SOURCE, 8, ring.communicator, &persistent[1]);
  MPI_Start(&persistent[1]);
  for (int round = 0; round < 3; ++round) {
    MPI_Start(persistent.data());
    send(7);
    MPI_Waitany(2, persistent.data(), &place, MPI_STATUS_IGNORE);
    expect_equal(place, 0, "what has completed");
    message_was("MPI_Recv_init", told);
  }
  MPI_Barrier(ring.communicator);  // who is ahead would complete the second one too early
  send(8);
  int done = 0;
  while (done == 0) MPI_Testall(2, persistent.data(), &done, MPI_STATUSES_IGNORE);
  message_was("MPI_Recv_init", told);
  no_message_was_told("MPI_Testall");
  for (MPI_Request& request : persistent) MPI_Request_free(&request);
}

// What a failed call has completed is forgotten: its handle comes back as another request's.
void messages_that_do_not_fit(const Ring& ring) {
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &own);
  for (const MPI_Comm who : {own, MPI_COMM_WORLD})
    MPI_Comm_set_errhandler(who, MPI_ERRORS_RETURN);  // MPICH asks the latter
  std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int place = -1;
  MPI_Irecv(in.data(), 1, MPI_DOUBLE, MPI_ANY_SOURCE, 5, own, &requests[1]);
  MPI_Send(out.data(), 4, MPI_DOUBLE, 0, 5, own);
  const bool taken = MPI_Waitany(2, requests.data(), &place, MPI_STATUS_IGNORE) == MPI_SUCCESS;  // as Open MPI does
  if (taken)
    expect_equal(std::string(comity_witness_message().name), "MPI_Irecv", "the message told");
  else
    no_message_was_told("MPI_Waitany that failed");
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Request send = MPI_REQUEST_NULL;
  MPI_Isend(out.data(), 4, MPI_DOUBLE, 0, 5, own, &send);
  MPI_Mprobe(0, 5, own, &message, MPI_STATUS_IGNORE);
  MPI_Imrecv(in.data(), 4, MPI_DOUBLE, &message, &requests[1]);
  MPI_Waitany(2, requests.data(), &place, MPI_STATUS_IGNORE);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  message_was("MPI_Imrecv", {.from = ring.in_world(ring.rank), .got = 4 * kDouble});
  no_message_was_told("MPI_Waitany");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_free(&own);
}

void messages_that_never_come(const Ring& ring) {
  MPI_Request request = MPI_REQUEST_NULL;
  // Each after a message that came: an MPI may make the one request out of the other, with what its status held.
  for (int round = 0; round < 50; ++round) {
    MPI_Irecv(in.data(), 1, MPI_DOUBLE, ring.rank, 6, ring.communicator, &request);
    MPI_Send(out.data(), 1, MPI_DOUBLE, ring.rank, 6, ring.communicator);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    message_was("MPI_Irecv", {.from = ring.in_world(ring.rank), .got = kDouble});
    MPI_Irecv(in.data(), 9, MPI_DOUBLE, MPI_ANY_SOURCE, 6, ring.communicator, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    no_message_was_told("a receive that was cancelled");
  }
  MPI_Irecv(in.data(), 9, MPI_DOUBLE, MPI_ANY_SOURCE, 6, ring.communicator, &request);
  MPI_Cancel(&request);
  MPI_Request_free(&request);
  no_message_was_told("a receive that was given up");
}

// Equal ones that one call completes come at once where one thread at once is in the MPI, and none is lost between others.
void messages_that_complete_together(const Ring& ring) {
  const int from = ring.in_world(ring.previous());
  constexpr std::array<int, 6> kDoubles{2, 2, 2, 1, 2, 2};
  std::array<MPI_Request, 2 * kDoubles.size()> requests{};
  for (std::size_t i = 0; i < kDoubles.size(); ++i) {
    MPI_Irecv(&in[8 * i], 8, MPI_DOUBLE, ring.previous(), 9, ring.communicator, &requests[2 * i]);
    MPI_Isend(out.data(), kDoubles[i], MPI_DOUBLE, ring.next(), 9, ring.communicator, &requests[2 * i + 1]);
  }
  const int told = comity_witness_count("told messages");
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  expect_equal(comity_witness_count("told messages") - told, one_thread_at_once ? 3 : 6,
               "how often messages were told");
  for (const int doubles : kDoubles) {
    message_was("MPI_Irecv", {.from = from, .got = static_cast<std::uint64_t>(doubles) * kDouble});
  }
  no_message_was_told("more than was sent");
}

void persistent_messages(const Ring& ring) {
  std::array<MPI_Request, 2> requests{};
  MPI_Send_init(out.data(), 3, MPI_DOUBLE, ring.next(), 7, ring.communicator, &requests[0]);
  last_was("MPI_Send_init", {});
  MPI_Recv_init(in.data(), 9, MPI_DOUBLE, MPI_ANY_SOURCE, 7, ring.communicator, &requests[1]);
  MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  no_message_was_told("waiting for what was not started");
  for (int round = 0; round < 3; ++round) {
    if (round == 0) {
      MPI_Startall(2, requests.data());
    } else {
      MPI_Start(&requests[1]);
      no_message_was_told("MPI_Start of a receive");
      MPI_Start(&requests[0]);
    }
    message_was("MPI_Send_init", {.to = ring.in_world(ring.next()), .sent = 3 * kDouble});
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    message_was("MPI_Recv_init", {.from = ring.in_world(ring.previous()), .got = 3 * kDouble});
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
  no_message_was_told("the end of persistent requests");
}

// They are remembered, to know how many are started, and move nothing that is told.
void persistent_requests_without_messages(const Ring& ring) {
  std::vector<MPI_Request> requests(2);
  MPI_Send_init(out.data(), 3, MPI_DOUBLE, MPI_PROC_NULL, 7, ring.communicator, &requests[0]);
  MPI_Recv_init(in.data(), 9, MPI_DOUBLE, MPI_PROC_NULL, 7, ring.communicator, &requests[1]);
#if MPI_VERSION >= 4
  requests.resize(4);
  MPI_Bcast_init(out.data(), 0, MPI_DOUBLE, 0, ring.communicator, MPI_INFO_NULL, &requests[2]);
  MPI_Barrier_init(ring.communicator, MPI_INFO_NULL, &requests[3]);
#endif
  for (int round = 0; round < 2; ++round) {
    MPI_Startall(static_cast<int>(requests.size()), requests.data());
    no_message_was_told("the start of what moves no message");
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    no_message_was_told("the end of what moves no message");
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

// What a persistent collective call gives and gets is told each time that it is started.
void persistent_collectives(const Ring& ring) {
#if MPI_VERSION >= 4
  const int root = ring.size - 1;
  const bool am_root = ring.rank == root;
  const std::uint64_t p = u(ring.size);
  std::array<MPI_Request, 3> requests{};
  MPI_Bcast_init(in.data(), 3, MPI_DOUBLE, root, ring.communicator, MPI_INFO_NULL, &requests[0]);
  last_was("MPI_Bcast_init", {});
  MPI_Allgather_init(out.data(), 2, MPI_DOUBLE, &in[100], 2, MPI_DOUBLE, ring.communicator, MPI_INFO_NULL,
                     &requests[1]);
  MPI_Gather_init_c(out.data(), 2, MPI_DOUBLE, &in[200], 2, MPI_DOUBLE, root, ring.communicator, MPI_INFO_NULL,
                    &requests[2]);
  no_message_was_told("what was not started");
  for (int round = 0; round < 3; ++round) {
    if (round == 0) {
      MPI_Startall(3, requests.data());
    } else {
      for (MPI_Request& request : requests) MPI_Start(&request);
    }
    last_was(round == 0 ? "MPI_Startall" : "MPI_Start", {});
    message_was("MPI_Bcast_init",
                am_root ? Told{.to = kAll, .sent = 3 * kDouble} : Told{.from = kAll, .got = 3 * kDouble});
    message_was("MPI_Allgather_init", {kAll, kAll, 2 * kDouble, 2 * kDouble * p});
    message_was("MPI_Gather_init_c",
                am_root ? Told{kAll, kAll, 2 * kDouble, 2 * kDouble * p} : Told{.to = kAll, .sent = 2 * kDouble});
    MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE);
    no_message_was_told("the end of collective calls");
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
#else
  static_cast<void>(ring);
#endif
}

// What they move among neighbours is told again each time that they are started, by the counts with which they were made.
void persistent_collectives_of_neighbors(const Ring& ring) {
#if MPI_VERSION >= 4
  MPI_Comm graph = MPI_COMM_NULL;
  const std::array<int, 1> after{ring.next()};
  const std::array<int, 1> before{ring.previous()};
  MPI_Dist_graph_create_adjacent(ring.communicator, 1, before.data(), MPI_UNWEIGHTED, 1, after.data(), MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &graph);
  std::array<int, 1> counts{3};
  const std::array<int, 1> places{0};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Neighbor_alltoallv_init(out.data(), counts.data(), places.data(), MPI_DOUBLE, in.data(), counts.data(),
                              places.data(), MPI_DOUBLE, graph, MPI_INFO_NULL, &request);
  shares_were("what was not started", {});
  for (int round = 0; round < 3; ++round) {
    MPI_Start(&request);
    message_was("MPI_Neighbor_alltoallv_init", {kAll, kAll, 3 * kDouble, 3 * kDouble});
    shares_were("MPI_Neighbor_alltoallv_init", {{.to = ring.in_world(ring.next()), .sent = 3 * kDouble},
                                                {.from = ring.in_world(ring.previous()), .got = 3 * kDouble}});
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
  MPI_Comm_free(&graph);
#else
  static_cast<void>(ring);
#endif
}

// One that is given part by part is one message: sent where it is started, there where it completes.
void messages_in_parts(const Ring& ring) {
#if MPI_VERSION >= 4
  constexpr int kParts = 4;
  const Told given{.to = ring.in_world(ring.next()), .sent = kParts * 3 * kDouble};
  const Told got{.from = ring.in_world(ring.previous()), .got = kParts * 3 * kDouble};
  std::array<MPI_Request, 2> requests{};
  MPI_Precv_init(in.data(), kParts, 3, MPI_DOUBLE, ring.previous(), 11, ring.communicator, MPI_INFO_NULL, &requests[0]);
  last_was("MPI_Precv_init", {});
  MPI_Psend_init(out.data(), kParts, 3, MPI_DOUBLE, ring.next(), 11, ring.communicator, MPI_INFO_NULL, &requests[1]);
  last_was("MPI_Psend_init", {});
  for (int round = 0; round < 3; ++round) {
    MPI_Startall(2, requests.data());
    message_was("MPI_Psend_init", given);
    for (int part = 0; part < kParts; ++part) MPI_Pready(part, requests[1]);
    no_message_was_told("MPI_Pready");
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    message_was("MPI_Precv_init", got);
    no_message_was_told("MPI_Waitall");
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
#else
  static_cast<void>(ring);
#endif
}

void matched_messages(const Ring& ring) {
  const int from = ring.in_world(ring.previous());
  std::array<MPI_Request, 2> requests{};
  MPI_Message message{};
  MPI_Isend(out.data(), 2, MPI_DOUBLE, ring.next(), 8, ring.communicator, &requests[0]);
  MPI_Mprobe(MPI_ANY_SOURCE, 8, ring.communicator, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(in.data(), 9, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
  last_was("MPI_Mrecv", {.from = from, .got = 2 * kDouble});
  expect(comity_witness_last().communicator != 0, "a matched message without its communicator");
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Isend(out.data(), 4, MPI_DOUBLE, ring.next(), 8, ring.communicator, &requests[0]);
  for (int found = 0; found == 0;) {
    MPI_Improbe(ring.previous(), 8, ring.communicator, &found, &message, MPI_STATUS_IGNORE);
  }
  MPI_Imrecv(in.data(), 9, MPI_DOUBLE, &message, &requests[1]);
  last_was("MPI_Imrecv", {});
  MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  message_was("MPI_Imrecv", {.from = from, .got = 4 * kDouble});
}

void messages_to_nobody(const Ring& ring) {
  MPI_Send(out.data(), 3, MPI_DOUBLE, MPI_PROC_NULL, 1, ring.communicator);
  last_was("MPI_Send", {});
  MPI_Recv(in.data(), 3, MPI_DOUBLE, MPI_PROC_NULL, 1, ring.communicator, MPI_STATUS_IGNORE);
  last_was("MPI_Recv", {});
  MPI_Send(out.data(), 0, MPI_DOUBLE, MPI_PROC_NULL, 1, MPI_COMM_SELF);
  last_was("MPI_Send", {});
}

// A type of the program's own, freed and made anew with another size: its handle may be the same.
void types(const Ring& ring) {
  for (int blocks = 1; blocks <= 4; ++blocks) {
    MPI_Datatype strided = MPI_DATATYPE_NULL;
    MPI_Type_vector(blocks, 2, 3, MPI_DOUBLE, &strided);
    MPI_Type_commit(&strided);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(out.data(), 2, strided, ring.next(), 4, ring.communicator, &request);
    last_was("MPI_Isend", {.to = ring.in_world(ring.next()), .sent = u(blocks) * 4 * kDouble});
    MPI_Recv(in.data(), 4096, MPI_DOUBLE, ring.previous(), 4, ring.communicator, MPI_STATUS_IGNORE);
    last_was("MPI_Recv", {.from = ring.in_world(ring.previous()), .got = u(blocks) * 4 * kDouble});
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Type_free(&strided);
  }
}

void collectives_with_a_root(const Ring& ring) {
  const int root = ring.size - 1;
  const bool am_root = ring.rank == root;
  const int root_in_world = ring.in_world(root);
  const std::uint64_t p = u(ring.size);
  MPI_Bcast(out.data(), 6, MPI_DOUBLE, root, ring.communicator);
  last_was("MPI_Bcast",
           am_root ? Told{.to = kAll, .sent = 6 * kDouble} : Told{.from = root_in_world, .got = 6 * kDouble});
  MPI_Reduce(out.data(), in.data(), 6, MPI_DOUBLE, MPI_SUM, root, ring.communicator);
  last_was("MPI_Reduce",
           am_root ? Told{kAll, kAll, 6 * kDouble, 6 * kDouble} : Told{.to = root_in_world, .sent = 6 * kDouble});
  MPI_Gather(out.data(), 2, MPI_DOUBLE, in.data(), 2, MPI_DOUBLE, root, ring.communicator);
  last_was("MPI_Gather", am_root ? Told{root_in_world, kAll, 2 * kDouble, 2 * kDouble * p}
                                 : Told{.to = root_in_world, .sent = 2 * kDouble});
  MPI_Gather(am_root ? MPI_IN_PLACE : out.data(), 2, MPI_DOUBLE, in.data(), 2, MPI_DOUBLE, root, ring.communicator);
  last_was("MPI_Gather",
           am_root ? Told{.from = kAll, .got = 2 * kDouble * p} : Told{.to = root_in_world, .sent = 2 * kDouble});
  MPI_Scatter(out.data(), 2, MPI_DOUBLE, in.data(), 2, MPI_DOUBLE, root, ring.communicator);
  last_was("MPI_Scatter", am_root ? Told{kAll, root_in_world, 2 * kDouble * p, 2 * kDouble}
                                  : Told{.from = root_in_world, .got = 2 * kDouble});
}

// Rank i of the communicator gives, or gets, i + 1 numbers.
struct Uneven {
  std::vector<int> counts;
  std::vector<int> places;
  explicit Uneven(int size) : counts(u(size)), places(u(size)) {
    std::iota(counts.begin(), counts.end(), 1);
    std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
  }
  [[nodiscard]] std::uint64_t bytes() const { return u(std::accumulate(counts.begin(), counts.end(), 0)) * kDouble; }
};

void collectives_of_uneven_parts(const Ring& ring) {
  const Uneven parts(ring.size);
  const int mine = ring.rank + 1;
  const bool am_root = ring.rank == 0;
  const int root_in_world = ring.in_world(0);
  MPI_Gatherv(out.data(), mine, MPI_DOUBLE, in.data(), parts.counts.data(), parts.places.data(), MPI_DOUBLE, 0,
              ring.communicator);
  last_was("MPI_Gatherv", am_root ? Told{root_in_world, kAll, kDouble, parts.bytes()}
                                  : Told{.to = root_in_world, .sent = u(mine) * kDouble});
  MPI_Scatterv(out.data(), parts.counts.data(), parts.places.data(), MPI_DOUBLE, in.data(), mine, MPI_DOUBLE, 0,
               ring.communicator);
  last_was("MPI_Scatterv", am_root ? Told{kAll, root_in_world, parts.bytes(), kDouble}
                                   : Told{.from = root_in_world, .got = u(mine) * kDouble});
  MPI_Allgatherv(out.data(), mine, MPI_DOUBLE, in.data(), parts.counts.data(), parts.places.data(), MPI_DOUBLE,
                 ring.communicator);
  last_was("MPI_Allgatherv", {kAll, kAll, u(mine) * kDouble, parts.bytes()});
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in.data(), parts.counts.data(), parts.places.data(), MPI_DOUBLE,
                 ring.communicator);
  last_was("MPI_Allgatherv", {kAll, kAll, u(mine) * kDouble, parts.bytes()});
  MPI_Reduce_scatter(out.data(), in.data(), parts.counts.data(), MPI_DOUBLE, MPI_SUM, ring.communicator);
  last_was("MPI_Reduce_scatter", {kAll, kAll, parts.bytes(), u(mine) * kDouble});
}

void collectives_of_all(const Ring& ring) {
  const std::uint64_t p = u(ring.size);
  MPI_Barrier(ring.communicator);
  last_was("MPI_Barrier", {});
  MPI_Allreduce(MPI_IN_PLACE, in.data(), 3, MPI_DOUBLE, MPI_SUM, ring.communicator);
  last_was("MPI_Allreduce", {kAll, kAll, 3 * kDouble, 3 * kDouble});
  MPI_Scan(out.data(), in.data(), 3, MPI_DOUBLE, MPI_SUM, ring.communicator);
  last_was("MPI_Scan", {kAll, kAll, 3 * kDouble, 3 * kDouble});
  MPI_Allgather(out.data(), 3, MPI_DOUBLE, in.data(), 3, MPI_DOUBLE, ring.communicator);
  last_was("MPI_Allgather", {kAll, kAll, 3 * kDouble, 3 * kDouble * p});
  MPI_Alltoall(out.data(), 3, MPI_DOUBLE, in.data(), 3, MPI_DOUBLE, ring.communicator);
  last_was("MPI_Alltoall", {kAll, kAll, 3 * kDouble * p, 3 * kDouble * p});
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in.data(), 3, MPI_DOUBLE, ring.communicator);
  last_was("MPI_Alltoall", {kAll, kAll, 3 * kDouble * p, 3 * kDouble * p});
  MPI_Reduce_scatter_block(out.data(), in.data(), 3, MPI_DOUBLE, MPI_SUM, ring.communicator);
  last_was("MPI_Reduce_scatter_block", {kAll, kAll, 3 * kDouble * p, 3 * kDouble});
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(out.data(), in.data(), 2, MPI_DOUBLE, MPI_SUM, ring.communicator, &request);
  last_was("MPI_Iallreduce", {kAll, kAll, 2 * kDouble, 2 * kDouble});
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  const std::vector<int> counts(p, 1);
  const std::vector<int> places(p, 0);
  std::vector<MPI_Datatype> types(p, MPI_INT);
  types[0] = MPI_DOUBLE;
  const std::vector<MPI_Datatype> mine(p, ring.rank == 0 ? MPI_DOUBLE : MPI_INT);
  MPI_Alltoallw(out.data(), counts.data(), places.data(), types.data(), in.data(), counts.data(), places.data(),
                mine.data(), ring.communicator);
  last_was("MPI_Alltoallw",
           {kAll, kAll, kDouble + (p - 1) * sizeof(int), p * (ring.rank == 0 ? kDouble : sizeof(int))});
}

// What a rank gives to those around it and gets from them, of a line that is not closed and a ring of one across it.
std::vector<Told> along_a_line(const Ring& ring, const std::array<int, 4>& sent, const std::array<int, 4>& got) {
  const std::array<int, 4> around{ring.rank - 1, ring.rank + 1, ring.rank, ring.rank};
  std::vector<Told> given;
  std::vector<Told> taken;
  for (std::size_t i = 0; i < around.size(); ++i) {
    if (around[i] < 0 || around[i] == ring.size) continue;
    given.push_back({.to = ring.in_world(around[i]), .sent = u(sent[i]) * kDouble});
    taken.push_back({.from = ring.in_world(around[i]), .got = u(got[i]) * kDouble});
  }
  given.insert(given.end(), taken.begin(), taken.end());
  return given;
}

// Of a grid that does not close: beyond its ends is nobody, and nothing goes there or comes from there.
void neighbors_at_edges(const Ring& ring) {
  MPI_Comm line = MPI_COMM_NULL;
  const std::array<int, 2> sizes{ring.size, 1};
  const std::array<int, 2> periodic{0, 1};  // across it each rank is its own neighbor on both sides
  MPI_Cart_create(ring.communicator, 2, sizes.data(), periodic.data(), 0, &line);
  const bool before = ring.rank > 0;
  const bool behind = ring.rank + 1 < ring.size;
  const std::uint64_t around = (before ? 1U : 0U) + (behind ? 1U : 0U) + 2U;
  MPI_Neighbor_alltoall(out.data(), 3, MPI_DOUBLE, in.data(), 3, MPI_DOUBLE, line);
  last_was("MPI_Neighbor_alltoall", {kAll, kAll, 3 * kDouble * around, 3 * kDouble * around});
  shares_were("MPI_Neighbor_alltoall", along_a_line(ring, {3, 3, 3, 3}, {3, 3, 3, 3}));
  MPI_Neighbor_allgather(out.data(), 2, MPI_DOUBLE, in.data(), 2, MPI_DOUBLE, line);
  last_was("MPI_Neighbor_allgather", {kAll, kAll, 2 * kDouble, 2 * kDouble * around});
  shares_were("MPI_Neighbor_allgather", along_a_line(ring, {2, 2, 2, 2}, {2, 2, 2, 2}));
  const std::array<int, 4> counts{1, 10, 100, 100};  // to the rank before, behind, and twice to itself
  const std::array<int, 4> given{10, 1, 100, 100};   // as it gets them: what those send behind and before
  const std::array<int, 4> places{0, 10, 20, 120};
  MPI_Neighbor_alltoallv(out.data(), counts.data(), places.data(), MPI_DOUBLE, in.data(), given.data(), places.data(),
                         MPI_DOUBLE, line);
  last_was("MPI_Neighbor_alltoallv", {kAll, kAll, kDouble * ((before ? 1U : 0U) + (behind ? 10U : 0U) + 200U),
                                      kDouble * ((before ? 10U : 0U) + (behind ? 1U : 0U) + 200U)});
  shares_were("MPI_Neighbor_alltoallv", along_a_line(ring, counts, given));
  MPI_Comm_free(&line);
}

// Along two edges to the next rank of a ring.
std::vector<Told> twice_along(const Ring& ring, const std::array<std::uint64_t, 2>& bytes) {
  const int to = ring.in_world(ring.next());
  const int from = ring.in_world(ring.previous());
  return {{.to = to, .sent = bytes[0]},
          {.to = to, .sent = bytes[1]},
          {.from = from, .got = bytes[0]},
          {.from = from, .got = bytes[1]}};
}

// Two edges from each rank to the next one, or of weight as well; a type for each edge; and a call that completes later.
void neighbors_in_distributed_graphs(const Ring& ring) {
  const std::array<int, 2> after{ring.next(), ring.next()};
  const std::array<int, 2> twice{ring.previous(), ring.previous()};
  const std::array<int, 2> heavy{7, 9};
  const std::array<int, 2> counts{1, 2};
  const std::array<MPI_Aint, 2> places{0, 64};
  const std::array<MPI_Datatype, 2> types{MPI_DOUBLE, MPI_INT};
  for (const bool weighted : {false, true}) {
    const int* const weights = weighted ? heavy.data() : MPI_UNWEIGHTED;
    MPI_Comm graph = MPI_COMM_NULL;
    MPI_Dist_graph_create_adjacent(ring.communicator, 2, twice.data(), weights, 2, after.data(), weights, MPI_INFO_NULL,
                                   0, &graph);
    MPI_Neighbor_alltoall(out.data(), 3, MPI_DOUBLE, in.data(), 3, MPI_DOUBLE, graph);
    last_was("MPI_Neighbor_alltoall", {kAll, kAll, 6 * kDouble, 6 * kDouble});
    shares_were("MPI_Neighbor_alltoall", twice_along(ring, {3 * kDouble, 3 * kDouble}));
    MPI_Neighbor_alltoallw(out.data(), counts.data(), places.data(), types.data(), in.data(), counts.data(),
                           places.data(), types.data(), graph);
    shares_were("MPI_Neighbor_alltoallw", twice_along(ring, {kDouble, 2 * sizeof(int)}));
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ineighbor_allgather(out.data(), 2, MPI_DOUBLE, in.data(), 2, MPI_DOUBLE, graph, &request);
    shares_were("MPI_Ineighbor_allgather", twice_along(ring, {2 * kDouble, 2 * kDouble}));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&graph);
  }
}

// A ring as a graph that all ranks know whole. Of two ranks each has the other as its one neighbour, and one has itself.
void neighbors_in_graphs(const Ring& ring) {
  std::vector<int> ends;
  std::vector<int> edges;
  for (int rank = 0; rank < ring.size; ++rank) {
    edges.push_back((rank + ring.size - 1) % ring.size);
    if (ring.size > 2) edges.push_back((rank + 1) % ring.size);
    ends.push_back(static_cast<int>(edges.size()));
  }
  MPI_Comm graph = MPI_COMM_NULL;
  MPI_Graph_create(ring.communicator, ring.size, ends.data(), edges.data(), 0, &graph);
  std::vector<int> around{ring.previous()};
  if (ring.size > 2) around.push_back(ring.next());
  std::vector<Told> wanted;
  wanted.reserve(2 * around.size());
  for (const int rank : around) wanted.push_back({.to = ring.in_world(rank), .sent = 4 * kDouble});
  for (const int rank : around) wanted.push_back({.from = ring.in_world(rank), .got = 4 * kDouble});
  MPI_Neighbor_alltoall(out.data(), 4, MPI_DOUBLE, in.data(), 4, MPI_DOUBLE, graph);
  shares_were("MPI_Neighbor_alltoall", wanted);
  MPI_Comm_free(&graph);
}

void neighbors(const Ring& ring) {
  MPI_Comm cart = MPI_COMM_NULL;
  const std::array<int, 1> sizes{ring.size};
  const std::array<int, 1> periodic{1};
  MPI_Barrier(ring.communicator);
  const std::uint64_t old = comity_witness_last().communicator;
  MPI_Cart_create(ring.communicator, 1, sizes.data(), periodic.data(), 0, &cart);
  last_was("MPI_Cart_create", {});
  expect_equal(comity_witness_last().communicator, old, "MPI_Cart_create's communicator");
  const int before = ring.in_world(ring.previous());
  const int behind = ring.in_world(ring.next());
  const std::vector<Told> around{{.to = before, .sent = 2 * kDouble},
                                 {.to = behind, .sent = 2 * kDouble},
                                 {.from = before, .got = 2 * kDouble},
                                 {.from = behind, .got = 2 * kDouble}};
  MPI_Neighbor_allgather(out.data(), 2, MPI_DOUBLE, in.data(), 2, MPI_DOUBLE, cart);
  last_was("MPI_Neighbor_allgather", {kAll, kAll, 2 * kDouble, 4 * kDouble});
  shares_were("MPI_Neighbor_allgather", around);
  MPI_Neighbor_alltoall(out.data(), 2, MPI_DOUBLE, in.data(), 2, MPI_DOUBLE, cart);
  last_was("MPI_Neighbor_alltoall", {kAll, kAll, 4 * kDouble, 4 * kDouble});
  shares_were("MPI_Neighbor_alltoall", around);
  MPI_Comm_free(&cart);
  neighbors_at_edges(ring);
  neighbors_in_graphs(ring);
  neighbors_in_distributed_graphs(ring);
}

void windows(const Ring& ring) {
  MPI_Win window = MPI_WIN_NULL;
  double* memory = nullptr;  // Open MPI cannot create a window of one rank, only allocate it
  MPI_Win_allocate(8 * sizeof(double), sizeof(double), MPI_INFO_NULL, ring.communicator, static_cast<void*>(&memory),
                   &window);
  const int to = ring.in_world(ring.next());
  MPI_Win_fence(0, window);
  MPI_Put(out.data(), 2, MPI_DOUBLE, ring.next(), 0, 2, MPI_DOUBLE, window);
  last_was("MPI_Put", {.to = to, .sent = 2 * kDouble});
  MPI_Win_fence(0, window);
  MPI_Get(in.data(), 3, MPI_DOUBLE, ring.next(), 0, 3, MPI_DOUBLE, window);
  last_was("MPI_Get", {.from = to, .got = 3 * kDouble});
  MPI_Accumulate(out.data(), 1, MPI_DOUBLE, MPI_PROC_NULL, 4, 1, MPI_DOUBLE, MPI_SUM, window);
  last_was("MPI_Accumulate", {});
  MPI_Win_fence(0, window);
  MPI_Fetch_and_op(out.data(), in.data(), MPI_DOUBLE, ring.next(), 5, MPI_SUM, window);
  last_was("MPI_Fetch_and_op", {to, to, kDouble, kDouble});
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}

// They were counted in blocking reads alone. None asks for more than there is, for which Open MPI would wait.
void files_that_are_read_later(MPI_File file) {
  const auto behind_the_second = 2 * static_cast<MPI_Offset>(kDouble);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_File_iread_at(file, behind_the_second, in.data(), 3, MPI_DOUBLE, &request);
  last_was("MPI_File_iread_at", {});
  no_message_was_told("MPI_File_iread_at");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  last_was("MPI_Wait", {});
  message_was("MPI_File_iread_at", {.got = 3 * kDouble});
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  MPI_File_iread_all(file, in.data(), 4, MPI_DOUBLE, &request);
  MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
  message_was("MPI_File_iread_all", {.got = 4 * kDouble});
  MPI_File_iwrite_at(file, 0, out.data(), 5, MPI_DOUBLE, &request);
  last_was("MPI_File_iwrite_at", {.sent = 5 * kDouble});
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  no_message_was_told("what is written counts at once, so the end of MPI_File_iwrite_at");
  MPI_File_read_at_all_begin(file, behind_the_second, in.data(), 3, MPI_DOUBLE);
  last_was("MPI_File_read_at_all_begin", {});
  MPI_File_read_at_all_end(file, in.data(), MPI_STATUS_IGNORE);
  last_was("MPI_File_read_at_all_end", {.got = 3 * kDouble});
  MPI_File_write_at_all_begin(file, 0, out.data(), 5, MPI_DOUBLE);
  last_was("MPI_File_write_at_all_begin", {.sent = 5 * kDouble});
  MPI_File_write_at_all_end(file, out.data(), MPI_STATUS_IGNORE);
  last_was("MPI_File_write_at_all_end", {});
}

void files() {
  MPI_File file = MPI_FILE_NULL;
  const std::string path = std::filesystem::temp_directory_path() / ("comity-interpose-" + std::to_string(::getpid()));
  MPI_File_open(MPI_COMM_SELF, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                &file);
  MPI_File_write(file, out.data(), 5, MPI_DOUBLE, MPI_STATUS_IGNORE);
  last_was("MPI_File_write", {.sent = 5 * kDouble});
  MPI_File_read_at(file, 2 * static_cast<MPI_Offset>(kDouble), in.data(), 100, MPI_DOUBLE, MPI_STATUS_IGNORE);
  last_was("MPI_File_read_at", {.got = 3 * kDouble});
  files_that_are_read_later(file);
  MPI_File_close(&file);
}

void between_groups(const Ring& ring) {
  if (ring.size < 2) return;
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm both = MPI_COMM_NULL;
  const int odd = ring.rank % 2;
  MPI_Comm_split(ring.communicator, odd, ring.rank, &half);
  MPI_Intercomm_create(half, 0, ring.communicator, 1 - odd, 9, &both);
  const int theirs = ring.size / 2 + (odd == 1 ? ring.size % 2 : 0);
  MPI_Allgather(out.data(), 2, MPI_DOUBLE, in.data(), 2, MPI_DOUBLE, both);
  last_was("MPI_Allgather", {kAll, kAll, 2 * kDouble, 2 * kDouble * u(theirs)});
  const bool lead = ring.rank == 0;
  const int root = odd == 1 ? 0 : lead ? MPI_ROOT : MPI_PROC_NULL;
  MPI_Bcast(out.data(), 2, MPI_DOUBLE, root, both);
  last_was("MPI_Bcast", odd == 1 ? Told{.from = ring.in_world(0), .got = 2 * kDouble}
                        : lead   ? Told{.to = kAll, .sent = 2 * kDouble}
                                 : Told{});
  expect(comity_witness_last().communicator != 0, "an inter-communicator has a number");
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

std::uint64_t number_of(MPI_Comm communicator) {
  MPI_Barrier(communicator);
  return comity_witness_last().communicator;
}

// All ranks know a communicator by one number, however late they use it, and no two by the same.
void numbers(const Ring& ring) {
  std::array<MPI_Comm, 3> made{};
  for (MPI_Comm& one : made) MPI_Comm_dup(ring.communicator, &one);
  std::array<std::uint64_t, 4> found{};
  for (std::size_t i = made.size(); i > 0; --i) {
    const std::size_t place = world_rank % 2 == 0 ? i - 1 : made.size() - i;
    int flag = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, made[place], &flag,
               MPI_STATUS_IGNORE);  // used in another order on odd ranks
    found[place] = comity_witness_last().communicator;
  }
  found[3] = number_of(ring.communicator);
  std::array<std::uint64_t, 4> roots = found;
  MPI_Bcast(roots.data(), 4, MPI_UINT64_T, 0, ring.communicator);
  for (std::size_t i = 0; i < found.size(); ++i) {
    expect(found[i] != 0, "communicator " + std::to_string(i) + " has no number");
    expect_equal(found[i], roots[i], "the number of communicator " + std::to_string(i));
    for (std::size_t j = 0; j < i; ++j) expect(found[i] != found[j], "two communicators of one number");
  }
  for (MPI_Comm& one : made) MPI_Comm_free(&one);
}

// A communicator that is still being made is not looked at; once it is there it is like any other.
void made_meanwhile(const Ring& ring) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_idup(ring.communicator, &made, &request);
  last_was("MPI_Comm_idup", {});
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  const std::uint64_t number = number_of(made);
  std::uint64_t roots = number;
  MPI_Bcast(&roots, 1, MPI_UINT64_T, 0, made);
  expect_equal(number, roots, "the number of a communicator made meanwhile");
  expect(number != number_of(ring.communicator), "a communicator made meanwhile has the number of its parent");
  MPI_Comm_free(&made);
}

// A freed communicator's handle comes back as another's, of other ranks.
void handles_come_back() {
  const int size = world().size;
  for (int width = 1; width <= size; ++width) {
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, world_rank / width, -world_rank, &part);
    int rank = 0;
    MPI_Comm_rank(part, &rank);
    MPI_Bcast(out.data(), 1, MPI_DOUBLE, 0, part);
    const int first = std::min(world_rank / width * width + width, size) - 1;
    last_was("MPI_Bcast", rank == 0 ? Told{.to = kAll, .sent = kDouble} : Told{.from = first, .got = kDouble});
    MPI_Comm_free(&part);
  }
}

// A failed call is told as failed, and the program gets its code.
void failures_are_told(const Ring& ring) {
  MPI_Comm_set_errhandler(ring.communicator, MPI_ERRORS_RETURN);
  const int code = MPI_Send(out.data(), 1, MPI_DOUBLE, ring.size + 7, 1, ring.communicator);
  expect(code != MPI_SUCCESS, "a send to a rank that is not there succeeds");
  expect_equal(comity_witness_last().succeeded, 0, "a failed call is told as one that succeeded");
}

}  // namespace

int main(int argc, char** argv) {
  if (comity_witness_last == nullptr) {
    std::puts("FAIL: this program runs under the preloaded witness only");
    return 1;
  }
  int level = argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;  // several threads may be in the MPI at once, or one
  MPI_Init_thread(&argc, &argv, level, &level);
  world_rank = world().rank;
  one_thread_at_once = level < MPI_THREAD_MULTIPLE;
  {
    const Ring ring;
    messages(ring);
    exchanges_that_complete_later(ring);
    messages_that_complete_later(ring);
    messages_that_complete_one_by_one(ring);
    messages_that_complete_together(ring);
    messages_that_do_not_fit(ring);
    messages_that_never_come(ring);
    persistent_messages(ring);
    persistent_collectives(ring);
    persistent_collectives_of_neighbors(ring);
    messages_in_parts(ring);
    persistent_requests_without_messages(ring);  // freed, MPICH 4.0 completes no persistent collective call any more
    matched_messages(ring);
    messages_to_nobody(ring);
    types(ring);
    collectives_with_a_root(ring);
    collectives_of_uneven_parts(ring);
    collectives_of_all(ring);
    neighbors(ring);
    windows(ring);
    files();
    between_groups(ring);
    numbers(ring);
    made_meanwhile(ring);
    handles_come_back();
    failures_are_told(ring);
  }
  MPI_Finalize();
  return finish();
}
