// SPDX-License-Identifier: BSD-3-Clause
// What starts a message or makes one ready waits for nobody: it goes to the library as it is, and tells the other side,
// which may sleep until then. What completes a request of the program's own making tells other threads of this rank.
// Whose message a receive from anybody has taken the library does not tell: it tells everybody that waits for such news.
#include <mpi.h>

#include <array>
#include <tuple>

#include "coop/calls/calls.hpp"
#include "coop/calls/replacements.hpp"

namespace comity::coop {
namespace {

#define COMITY_SENDS(name) named(#name, &Tells<real::name, News::message>::call)
#define COMITY_BUFFERS(name) named(#name, &Buffers<real::name>::call)
#define COMITY_ASKS(name) named(#name, &Asks<real::name>::call)
#define COMITY_TAKES(name) named(#name, &Takes<real::name>::call)

template <auto kReal>
struct Asks;
template <class... A, int (*kReal)(A...)>
struct Asks<kReal> {
  static int call(A... a) {
    const int code = Tells<kReal, News::receipt>::call(a...);
    const bool is_of_anybody = std::get<3>(std::tuple<A...>(a...)) == MPI_ANY_SOURCE;
    Cooperation* const here = is_of_anybody && code == MPI_SUCCESS ? at_work() : nullptr;
    if (here != nullptr) tell_everybody(*here, News::receipt);
    return code;
  }
};

// A message that a probe has found.
template <auto kReal>
struct Takes;
template <class... A, int (*kReal)(A...)>
struct Takes<kReal> {
  static int call(A... a) {
    const int code = kReal(a...);
    Cooperation* const here = at_work();
    if (here != nullptr && code == MPI_SUCCESS) {
      const std::tuple<A...> arguments(a...);
      CopyTime::add_started(std::get<1>(arguments), std::get<2>(arguments));
      tell_everybody(*here, News::receipt);
    }
    return code;
  }
};

int complete_own_request(MPI_Request request) {
  const int code = real::MPI_Grequest_complete(request);
  if (Cooperation* const here = at_work(); here != nullptr) here->peers.ring_own_threads();
  return code;
}

const auto& replacements() {
  static const auto all = std::to_array<NamedReplacement>({
    COMITY_BOTH(COMITY_SENDS, MPI_Isend), COMITY_BOTH(COMITY_SENDS, MPI_Issend), COMITY_BOTH(COMITY_SENDS, MPI_Irsend),
        COMITY_BOTH(COMITY_BUFFERS, MPI_Ibsend), COMITY_BOTH(COMITY_ASKS, MPI_Irecv),
        COMITY_BOTH(COMITY_TAKES, MPI_Imrecv), COMITY_BOTH(COMITY_BUFFERS, MPI_Bsend), COMITY_STARTED(MPI_Start),
        COMITY_STARTED(MPI_Startall), named("MPI_Grequest_complete", complete_own_request),
#if MPI_VERSION >= 4
        COMITY_BOTH(COMITY_STARTED, MPI_Isendrecv), COMITY_BOTH(COMITY_STARTED, MPI_Isendrecv_replace),
        COMITY_STARTED(MPI_Pready), COMITY_STARTED(MPI_Pready_range), COMITY_STARTED(MPI_Pready_list),
#endif
  });
  return all;
}

#undef COMITY_SENDS
#undef COMITY_ASKS
#undef COMITY_TAKES
#undef COMITY_BUFFERS

}  // namespace

Replaced replacement_of_start(std::string_view name) { return find_replacement(replacements(), name); }

}  // namespace comity::coop
