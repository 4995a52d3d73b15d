// SPDX-License-Identifier: BSD-3-Clause
// Started collectives: blocking ones as their nonblocking form and a wait that gives the core away, where the library does not
// call us from its own waits. Not: which calls these are (collectives). Invariant: all members of a communicator go the same
// way, for a blocking collective does not match a nonblocking one; so nothing counts here that they do not all know, and a rank
// that memory keeps from knowing it goes neither way.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <tuple>

#include "coop/calls/meetings.hpp"

namespace comity::coop {

enum class Starts : std::uint8_t {
  always,
  between_nodes,  // not where all members are on this node and meet: then the library's own call waits for nobody behind that
};

struct Way {
  Cooperation* starts = nullptr;  // null: it stays the library's own call
  int code = MPI_SUCCESS;         // else the call is over with it, and the communicator's handler has been told
};
[[nodiscard]] Way way_of(MPI_Comm communicator, Starts when, const Whom& whom) noexcept;

template <auto kStart, class... A>
int start_and_wait(Cooperation& here, A... a) {
  MPI_Request request = no_request();
  const int code = kStart(a..., &request);
  if (!has_started(code, request)) return code;
  tell_everybody(here);
  const int end = finish(here, request, MPI_STATUS_IGNORE);
  here.peers.ring_those_owed();  // they may wait for the last step of this rank
  return end;
}

// The communicator is that argument.
template <auto kReal, auto kStart, Starts kWhen, auto kWhom, std::size_t kAt, std::size_t kCount = kNoCount,
          std::size_t kRoot = kNoRoot>
struct MeetsOrStarts;
template <class... A, int (*kReal)(A...), auto kStart, Starts kWhen, auto kWhom, std::size_t kAt, std::size_t kCount,
          std::size_t kRoot>
struct MeetsOrStarts<kReal, kStart, kWhen, kWhom, kAt, kCount, kRoot> {
  static int call(A... a) { return go(Meets<kReal, kWhom, kAt, kCount, kRoot>::call, a...); }
  static int inside(A... a) {
    if (interpose::inner_call_is_the_mpis()) return kReal(a...);
    return go(Meets<kReal, kWhom, kAt, kCount, kRoot>::inside, a...);
  }

 private:
  static int go(int (*how)(A...), A... a) {
    const std::tuple<A...> arguments(a...);
    const MPI_Comm communicator = std::get<kAt>(arguments);
    const Way way = way_of(communicator, kWhen, kWhom(arguments));
    if (way.code != MPI_SUCCESS) return way.code;
    if (way.starts == nullptr) return how(a...);
    const int code = start_and_wait<kStart>(*way.starts, a...);
    const bool learns = kWhen == Starts::between_nodes && kWhom(arguments).kind() == Whom::Kind::everybody;
    return learns ? learn_behind(communicator, code) : code;
  }
};
template <auto kReal, auto kStart, Starts kWhen, auto kWhom, std::size_t kCount = kNoCount, std::size_t kRoot = kNoRoot>
struct MeetsOrStartsLast;
template <class... A, int (*kReal)(A...), auto kStart, Starts kWhen, auto kWhom, std::size_t kCount, std::size_t kRoot>
struct MeetsOrStartsLast<kReal, kStart, kWhen, kWhom, kCount, kRoot>
    : MeetsOrStarts<kReal, kStart, kWhen, kWhom, sizeof...(A) - 1, kCount, kRoot> {};

}  // namespace comity::coop
