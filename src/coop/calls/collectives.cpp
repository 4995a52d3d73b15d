// SPDX-License-Identifier: BSD-3-Clause
// Collectives go to the library as they are, behind a meeting of the ranks that share a node. Nonblocking ones ring, for
// some library steps of theirs are taken by whoever waits.
#include <mpi.h>

#include <array>

#include "coop/calls/meetings.hpp"
#include "coop/calls/replacements.hpp"
#include "interpose/handles.hpp"

namespace comity::coop {
namespace {

int finalize() {
  meet(interpose::handles().world);
  cooperation.store(nullptr, std::memory_order_release);
  return real::MPI_Finalize();
}

#define COMITY_MEET_FIRST(name) named(#name, &Meets<real::name, 0>::call)
#define COMITY_MEET_LAST(name) named(#name, &MeetsLast<real::name>::call)

const auto& replacements() {
  static const auto all = std::to_array<NamedReplacement>({
      COMITY_BOTH(COMITY_MEET_LAST, MPI_Allgather),
      COMITY_BOTH(COMITY_MEET_LAST, MPI_Allgatherv),
      COMITY_BOTH(COMITY_MEET_LAST, MPI_Allreduce),
      COMITY_BOTH(COMITY_MEET_LAST, MPI_Alltoall),
      COMITY_BOTH(COMITY_MEET_LAST, MPI_Alltoallv),
      COMITY_BOTH(COMITY_MEET_LAST, MPI_Alltoallw),
      COMITY_MEET_LAST(MPI_Barrier),
      COMITY_BOTH(COMITY_MEET_LAST, MPI_Bcast),
      COMITY_BOTH(COMITY_MEET_LAST, MPI_Exscan),
      COMITY_BOTH(COMITY_MEET_LAST, MPI_Gather),
      COMITY_BOTH(COMITY_MEET_LAST, MPI_Gatherv),
      COMITY_BOTH(COMITY_MEET_LAST, MPI_Neighbor_allgather),
      COMITY_BOTH(COMITY_MEET_LAST, MPI_Neighbor_allgatherv),
      COMITY_BOTH(COMITY_MEET_LAST, MPI_Neighbor_alltoall),
      COMITY_BOTH(COMITY_MEET_LAST, MPI_Neighbor_alltoallv),
      COMITY_BOTH(COMITY_MEET_LAST, MPI_Neighbor_alltoallw),
      COMITY_BOTH(COMITY_MEET_LAST, MPI_Reduce),
      COMITY_BOTH(COMITY_MEET_LAST, MPI_Reduce_scatter),
      COMITY_BOTH(COMITY_MEET_LAST, MPI_Reduce_scatter_block),
      COMITY_BOTH(COMITY_MEET_LAST, MPI_Scan),
      COMITY_BOTH(COMITY_MEET_LAST, MPI_Scatter),
      COMITY_BOTH(COMITY_MEET_LAST, MPI_Scatterv),
      COMITY_MEET_FIRST(MPI_Cart_create),
      COMITY_MEET_FIRST(MPI_Cart_sub),
      COMITY_MEET_FIRST(MPI_Comm_create),
      COMITY_MEET_FIRST(MPI_Comm_dup),
      COMITY_MEET_FIRST(MPI_Comm_dup_with_info),
      COMITY_MEET_FIRST(MPI_Comm_split),
      COMITY_MEET_FIRST(MPI_Comm_split_type),
      COMITY_MEET_FIRST(MPI_Dist_graph_create),
      COMITY_MEET_FIRST(MPI_Dist_graph_create_adjacent),
      COMITY_MEET_FIRST(MPI_Graph_create),
      COMITY_MEET_FIRST(MPI_Intercomm_create),
      COMITY_MEET_FIRST(MPI_Intercomm_merge),
      COMITY_BOTH(COMITY_STARTED, MPI_Iallgather),
      COMITY_BOTH(COMITY_STARTED, MPI_Iallgatherv),
      COMITY_BOTH(COMITY_STARTED, MPI_Iallreduce),
      COMITY_BOTH(COMITY_STARTED, MPI_Ialltoall),
      COMITY_BOTH(COMITY_STARTED, MPI_Ialltoallv),
      COMITY_BOTH(COMITY_STARTED, MPI_Ialltoallw),
      COMITY_STARTED(MPI_Ibarrier),
      COMITY_BOTH(COMITY_STARTED, MPI_Ibcast),
      COMITY_BOTH(COMITY_STARTED, MPI_Iexscan),
      COMITY_BOTH(COMITY_STARTED, MPI_Igather),
      COMITY_BOTH(COMITY_STARTED, MPI_Igatherv),
      COMITY_BOTH(COMITY_STARTED, MPI_Ineighbor_allgather),
      COMITY_BOTH(COMITY_STARTED, MPI_Ineighbor_allgatherv),
      COMITY_BOTH(COMITY_STARTED, MPI_Ineighbor_alltoall),
      COMITY_BOTH(COMITY_STARTED, MPI_Ineighbor_alltoallv),
      COMITY_BOTH(COMITY_STARTED, MPI_Ineighbor_alltoallw),
      COMITY_BOTH(COMITY_STARTED, MPI_Ireduce),
      COMITY_BOTH(COMITY_STARTED, MPI_Ireduce_scatter),
      COMITY_BOTH(COMITY_STARTED, MPI_Ireduce_scatter_block),
      COMITY_BOTH(COMITY_STARTED, MPI_Iscan),
      COMITY_BOTH(COMITY_STARTED, MPI_Iscatter),
      COMITY_BOTH(COMITY_STARTED, MPI_Iscatterv),
      COMITY_STARTED(MPI_Comm_idup),
      named("MPI_Finalize", finalize),
      named("MPI_Comm_free", &Ends<real::MPI_Comm_free, AtTheEnd::part>::call),
      named("MPI_Comm_disconnect", &Ends<real::MPI_Comm_disconnect, AtTheEnd::part>::call),
  });
  return all;
}

#undef COMITY_MEET_FIRST
#undef COMITY_MEET_LAST

}  // namespace

interpose::Replacement replacement_of_collective(std::string_view name) {
  return find_replacement(replacements(), name);
}

}  // namespace comity::coop
