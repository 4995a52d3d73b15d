// SPDX-License-Identifier: BSD-3-Clause
// What starts a message or makes one ready waits for nobody: it goes to the library as it is, and tells the other side,
// which may sleep until then. What completes a request of the program's own making tells other threads of this rank.
#include <mpi.h>

#include <array>

#include "coop/calls/calls.hpp"
#include "coop/calls/replacements.hpp"

namespace comity::coop {
namespace {

#define COMITY_SENDS(name) named(#name, &Tells<real::name, News::message>::call)
#define COMITY_BUFFERS(name) named(#name, &Buffers<real::name>::call)
#define COMITY_ASKS(name) named(#name, &Tells<real::name, News::receipt>::call)

int complete_own_request(MPI_Request request) {
  const int code = real::MPI_Grequest_complete(request);
  if (Cooperation* const here = at_work(); here != nullptr) here->peers.ring_own_threads();
  return code;
}

const auto& replacements() {
  static const auto all = std::to_array<NamedReplacement>({
    COMITY_BOTH(COMITY_SENDS, MPI_Isend), COMITY_BOTH(COMITY_SENDS, MPI_Issend), COMITY_BOTH(COMITY_SENDS, MPI_Irsend),
        COMITY_BOTH(COMITY_BUFFERS, MPI_Ibsend), COMITY_BOTH(COMITY_ASKS, MPI_Irecv),
        COMITY_BOTH(COMITY_BUFFERS, MPI_Bsend), COMITY_STARTED(MPI_Start), COMITY_STARTED(MPI_Startall),
        named("MPI_Grequest_complete", complete_own_request),
#if MPI_VERSION >= 4
        COMITY_BOTH(COMITY_STARTED, MPI_Isendrecv), COMITY_BOTH(COMITY_STARTED, MPI_Isendrecv_replace),
        COMITY_STARTED(MPI_Pready), COMITY_STARTED(MPI_Pready_range), COMITY_STARTED(MPI_Pready_list),
#endif
  });
  return all;
}

#undef COMITY_SENDS
#undef COMITY_ASKS
#undef COMITY_BUFFERS

}  // namespace

interpose::Replacement replacement_of_start(std::string_view name) { return find_replacement(replacements(), name); }

}  // namespace comity::coop
