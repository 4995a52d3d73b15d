// SPDX-License-Identifier: BSD-3-Clause
// Blocking messages, probes and completions of a library that calls back from its own waits: they stay its own calls, and what
// they tell, to the last bit, stays its own. Around them the other side is rung, which may sleep until this one has come.
#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "coop/calls/calls.hpp"
#include "coop/calls/replacements.hpp"
#include "coop/library/library_wait.hpp"

namespace comity::coop {
namespace {

// Of a message, whose count and type are the second and the third argument; probes have none.
template <class... A>
void add_copy_time(const std::tuple<A...>& arguments) {
  if constexpr (std::is_same_v<std::tuple_element_t<2, std::tuple<A...>>, MPI_Datatype>) {
    CopyTime::add(std::get<1>(arguments), std::get<2>(arguments));
  }
}

enum class Side : std::uint8_t { send, receive };

// With a peer, which is rung after it; of a receive also before it, for a large message takes both sides at once. Peer and
// communicator are those arguments.
template <auto kReal, std::size_t kPeer, std::size_t kCommunicator, Side kSide>
struct Message;
template <class... A, int (*kReal)(A...), std::size_t kPeer, std::size_t kCommunicator, Side kSide>
struct Message<kReal, kPeer, kCommunicator, kSide> {
  static int call(A... a) {
    Cooperation* const here = at_work();
    if (here == nullptr) return kReal(a...);
    const std::tuple<A...> arguments(a...);
    add_copy_time(arguments);
    tell_before(*here, std::get<kCommunicator>(arguments), std::get<kPeer>(arguments));
    const int code = wait_in_library(a...);
    tell_after(*here, std::get<kCommunicator>(arguments), std::get<kPeer>(arguments));
    return code;
  }

 private:
  static constexpr News kNews = kSide == Side::send ? News::message : News::receipt;

  static int wait_in_library(A... a) {
    const LibraryWait waits(LibraryWait::For::those_owed, kSide == Side::send ? Hears::everything : Hears::messages);
    return kReal(a...);
  }
  // Nothing of a message to be sent is there yet: its receiver would wake for nothing.
  static void tell_before(Cooperation& here, MPI_Comm communicator, int rank) {
    if constexpr (kSide == Side::receive) return tell(here, communicator, rank, kNews);
    here.peers.owe(here.peer(communicator, rank));
  }
  static void tell_after(Cooperation& here, MPI_Comm communicator, int rank) {
    if (rank == MPI_ANY_SOURCE) return here.peers.ring_those_owed();
    here.peers.ring(here.peer(communicator, rank), kNews);
  }
};

// Of peers that the call does not name, or of several.
enum class Over : std::uint8_t { none, some, all };  // of the requests that this thread has started
template <auto kReal, Over kOver>
struct Completion;
template <class... A, int (*kReal)(A...), Over kOver>
struct Completion<kReal, kOver> {
  static int call(A... a) {
    Cooperation* const here = at_work();
    if (here == nullptr) return kReal(a...);
    const int code = wait_in_library(a...);
    here->peers.ring_those_owed();
    if constexpr (kOver == Over::some) Copies::end_of_some_requests();
    if constexpr (kOver == Over::all) Copies::end_of_all_requests();
    return code;
  }

 private:
  static int wait_in_library(A... a) {
    const LibraryWait waits(LibraryWait::For::those_owed);
    return kReal(a...);
  }
};

// Two peers: those arguments.
template <auto kReal, std::size_t kTo, std::size_t kFrom, std::size_t kCommunicator>
struct Exchange;
template <class... A, int (*kReal)(A...), std::size_t kTo, std::size_t kFrom, std::size_t kCommunicator>
struct Exchange<kReal, kTo, kFrom, kCommunicator> {
  static int call(A... a) {
    Cooperation* const here = at_work();
    const std::tuple<A...> arguments(a...);
    if (here != nullptr) {
      add_copy_time(arguments);
      here->peers.owe(here->peer(std::get<kCommunicator>(arguments), std::get<kTo>(arguments)));
      tell(*here, std::get<kCommunicator>(arguments), std::get<kFrom>(arguments), News::receipt);
    }
    return Completion<kReal, Over::none>::call(a...);
  }
};

// The communicator of a matched message is not told.
template <auto kReal>
struct MatchedReceive;
template <class... A, int (*kReal)(A...)>
struct MatchedReceive<kReal> {
  static int call(A... a) {
    if (Cooperation* const here = at_work(); here != nullptr) tell_everybody(*here, News::receipt);
    return Completion<kReal, Over::none>::call(a...);
  }
};

#define COMITY_SEND(name) named(#name, &Message<real::name, 3, 5, Side::send>::call)
#define COMITY_RECEIVE(name) named(#name, &Message<real::name, 3, 5, Side::receive>::call)
#define COMITY_PROBE(name) named(#name, &Message<real::name, 0, 2, Side::receive>::call)
#define COMITY_MATCHED(name) named(#name, &MatchedReceive<real::name>::call)
#define COMITY_EXCHANGE(name) named(#name, &Exchange<real::name, 3, 8, 10>::call)
#define COMITY_IN_PLACE(name) named(#name, &Exchange<real::name, 3, 5, 7>::call)
#define COMITY_COMPLETION(name, over) named(#name, &Completion<real::name, over>::call)

const auto& replacements() {
  static const auto all = std::to_array<NamedReplacement>({
      COMITY_BOTH(COMITY_SEND, MPI_Send),
      COMITY_BOTH(COMITY_SEND, MPI_Ssend),
      COMITY_BOTH(COMITY_SEND, MPI_Rsend),
      COMITY_BOTH(COMITY_RECEIVE, MPI_Recv),
      COMITY_BOTH(COMITY_MATCHED, MPI_Mrecv),
      COMITY_BOTH(COMITY_EXCHANGE, MPI_Sendrecv),
      COMITY_BOTH(COMITY_IN_PLACE, MPI_Sendrecv_replace),
      COMITY_PROBE(MPI_Probe),
      COMITY_PROBE(MPI_Mprobe),
      COMITY_COMPLETION(MPI_Wait, Over::some),
      COMITY_COMPLETION(MPI_Waitall, Over::all),
      COMITY_COMPLETION(MPI_Waitany, Over::some),
      COMITY_COMPLETION(MPI_Waitsome, Over::some),
  });
  return all;
}

#undef COMITY_SEND
#undef COMITY_RECEIVE
#undef COMITY_PROBE
#undef COMITY_MATCHED
#undef COMITY_EXCHANGE
#undef COMITY_IN_PLACE
#undef COMITY_COMPLETION

}  // namespace

Replaced replacement_of_message(std::string_view name) { return find_replacement(replacements(), name); }
Replaced replacement_of_completion(std::string_view name) { return replacement_of_message(name); }

}  // namespace comity::coop
