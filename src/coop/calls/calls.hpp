// SPDX-License-Identifier: BSD-3-Clause
// What the replacements share: a call of MPI as the test of a wait, and whom a message concerns.
#pragma once

#include <mpi.h>

#include <limits>
#include <tuple>

#include "coop/cooperation.hpp"
#include "coop/library/copy_time.hpp"
#include "coop/wait.hpp"
#include "interpose/handles.hpp"
#include "real.hpp"

namespace comity::coop {

namespace real = interpose::real;
using node::Hears;
using node::News;

// Where a handler of the program's has heard of an error, MPICH 5 returns success, and leaves as it was what the call would have told.
constexpr int kUntold = std::numeric_limits<int>::min();

inline MPI_Request no_request() { return interpose::handles().no_request; }
// Whether a call that was given no_request() has started something.
inline bool has_started(int code, MPI_Request request) { return code == MPI_SUCCESS && request != no_request(); }

// look(&flag): a call of MPI that tells by its flag whether it is over; one that tells nothing is. Returns its code.
template <typename Look>
int wait_for(Cooperation& here, Look&& look, Hears hears = Hears::everything) {
  int code = MPI_SUCCESS;
  const auto is_over = [&] {
    int over = kUntold;
    code = look(&over);
    return over != 0 || code != MPI_SUCCESS;
  };
  wait_until(here.peers, is_over, Copies::take_spin(), hears);
  return code;
}

inline int finish(Cooperation& here, MPI_Request& request, MPI_Status* status, Hears hears = Hears::everything) {
  return wait_for(
      here, [&](int* over) { return real::MPI_Test(&request, over, status); }, hears);
}

// The same to all ranks of this node, where the call does not say whom it concerns.
inline void tell_everybody(Cooperation& here, News news = News::message) {
  here.peers.owe_everybody();
  here.peers.ring_those_owed(news);
  here.peers.ring_own_threads();
}

// A message to that rank is under way, or one of it is asked for (a receipt): it may sleep until this one has done its part,
// now and later.
inline void tell(Cooperation& here, MPI_Comm communicator, int rank, News news = News::message) {
  if (rank == MPI_ANY_SOURCE) return here.peers.owe_everybody();
  const int peer = here.peer(communicator, rank);
  here.peers.owe(peer);
  here.peers.ring(peer, news);
}

// The same of the target of an operation on a window, a participant of this node or kElsewhere.
inline void tell_target(Cooperation& here, int target) {
  here.peers.owe(target);
  here.peers.ring(target);
}

// The operation is over: those may go on who wait for the same target.
inline void hand_on_target(Cooperation& here, int target) {
  if (target != kElsewhere) here.peers.node().hand_on(target);
}

// A message that is started and not waited for: the other side is told. Arguments: buffer, count, type, peer, tag,
// communicator.
template <auto kReal, News kNews>
struct Tells;
template <class... A, int (*kReal)(A...), News kNews>
struct Tells<kReal, kNews> {
  static int call(A... a) {
    const int code = kReal(a...);
    Cooperation* const here = at_work();
    const std::tuple<A...> arguments(a...);
    if (here != nullptr && code == MPI_SUCCESS) {
      CopyTime::add_started(std::get<1>(arguments), std::get<2>(arguments));
      tell(*here, std::get<5>(arguments), std::get<3>(arguments), kNews);
    }
    return code;
  }
};

// One whose message may be in the program's buffer until that is detached.
template <auto kReal>
struct Buffers;
template <class... A, int (*kReal)(A...)>
struct Buffers<kReal> {
  static int call(A... a) {
    const std::tuple<A...> arguments(a...);
    if (at_work() != nullptr) CopyTime::keep_for_detach(std::get<1>(arguments), std::get<2>(arguments));
    return Tells<kReal, News::message>::call(a...);
  }
};

// A call that starts something with ranks that it does not name.
template <auto kReal>
struct Started;
template <class... A, int (*kReal)(A...)>
struct Started<kReal> {
  static int call(A... a) {
    const int code = kReal(a...);
    Cooperation* const here = at_work();
    if (here != nullptr && code == MPI_SUCCESS) tell_everybody(*here);
    return code;
  }
};

}  // namespace comity::coop

// Rows of a table of replacements.
#define COMITY_ALSO_INSIDE(name, ...) named(#name, &__VA_ARGS__::call, &__VA_ARGS__::inside)
#define COMITY_STARTED(name) named(#name, &Started<real::name>::call)
#if MPI_VERSION >= 4  // a function and the one with large counts
#define COMITY_BOTH(how, name) how(name), how(name##_c)
#else
#define COMITY_BOTH(how, name) how(name)
#endif
