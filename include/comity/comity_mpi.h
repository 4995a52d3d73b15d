/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts on MPI communicators: library comity_mpi-<mpi>, one build an MPI. Conventions: see comity.h. */
#ifndef COMITY_COMITY_MPI_H
#define COMITY_COMITY_MPI_H

#include <mpi.h>

#include <comity/comity.h>

/* The build names the MPI that it links (comity::openmpi, comity_mpi-openmpi.pc), because handles of one MPI are
 * garbage to another. */
#if defined(COMITY_FOR_OPENMPI) && !defined(OPEN_MPI)
#error "comity: this is built for Open MPI, but the mpi.h found first is another MPI's; put Open MPI's folders first"
#endif
#if defined(COMITY_FOR_MPICH) && defined(OPEN_MPI)
#error "comity: this is built for MPICH, but the mpi.h found first is Open MPI's; put MPICH's folders first"
#endif
#if defined(COMITY_FOR_OPENMPI) && defined(COMITY_FOR_MPICH)
#error "comity: this is built for Open MPI and for MPICH at once; a target links comity::openmpi or comity::mpich"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Create a context on any intra-communicator. A failure of one rank fails all with the same code. Under
 *  MPI_THREAD_MULTIPLE threads of a process may create at once, in any order, each on a communicator of its own. A rank
 *  that has ended is told within a second where the launcher lets the others go on, to ranks of other nodes by those of its
 *  own. In the first create on a communicator it is told over that communicator itself, in messages of 24 bytes with the tag
 *  MPI_TAG_UB, so have none such of your own under way meanwhile. After a death inside MPI_Comm_idup, which the first
 *  create on a communicator calls once, Open MPI makes no communicators any more: save what you have, and end.
 *  Waited for in MPI, for good, is who has ended where nobody can tell: on a node that has no rank left; on one whose launcher
 *  does not show its ranks (comity_launched_ranks: COMITY_ERR_UNSUPPORTED); and in a first create on a communicator of some
 *  ranks of a job on several nodes, one that had ended before a rank of its node looked for the first time.
 *  @param communicator [MPI handle] not MPI_COMM_NULL, not an inter-communicator. The first create
 *  on it keeps a duplicate with it, as an attribute, until it is freed or MPI finalised; later ones send less for that.
 *  @param context [handle, out] untouched on failure.
 *  @return COMITY_OK; COMITY_ERR_MPI: MPI is not initialised or is finalised, a bad communicator, or an MPI error;
 *  COMITY_ERR_ARGUMENT: null; COMITY_ERR_TOPOLOGY; COMITY_ERR_VERSION; COMITY_ERR_OPTION; COMITY_ERR_SYSTEM;
 *  COMITY_ERR_PEER_LOST; COMITY_ERR_MEMORY: also as in comity_context_create_local.
 *  Call from: one thread a rank and communicator, that may call MPI. Blocks: yes. Collective: over the communicator.
 *  Owns: the caller frees, before MPI_Finalize or after. Since: 0.1. Source: 000_... III.A. */
COMITY_EXPORT comity_status comity_context_create(MPI_Comm communicator, comity_context** context);

/** Divide a communicator into the ranks that share an object: those of one node whose bindings lie inside one object of
 *  the kind, in the order of their ranks. With COMITY_MACHINE it is the communicator of the node. It begins with a
 *  comity_context_refresh: the bindings, and what the cgroup allows, are those of now.
 *  @param context [handle] its ranks are those of the communicator.   @param communicator [MPI handle] the one that the
 *  context was created on, or another of the same ranks.   @param type [enum] the same on all ranks.   @param shared
 *  [MPI handle, out] MPI_COMM_NULL where no single object encloses my binding; untouched on failure.
 *  @return COMITY_OK; COMITY_ERR_NOT_FOUND: a node lacks such objects; COMITY_ERR_MEMORY: out of memory on a rank; both on
 *  all ranks, and where they fail with different codes the larger one; COMITY_ERR_MPI: as in comity_context_create;
 *  COMITY_ERR_PEER_LOST: a rank is dead, which the others learn, or wait for it for good, as in comity_context_create; and
 *  for good for one that dies inside MPI_Comm_create_group, the last step where not all ranks share an object, which
 *  comity_context_sharers does without; COMITY_ERR_SYSTEM: as in comity_context_refresh; COMITY_ERR_HANDLE,
 *  COMITY_ERR_ARGUMENT: on this rank alone where the handle or pointer is bad, which leaves the others waiting.
 *  Call from: one thread a rank, that may call MPI. Blocks: yes. Collective: over the communicator. Owns: the caller
 *  frees the communicator. Since: 0.1. Source: 003_... 3.3.5. */
COMITY_EXPORT comity_status comity_context_communicator(comity_context* context, MPI_Comm communicator,
                                                        comity_type type, MPI_Comm* shared);

/** Tell the ranks that share an object, as comity_context_communicator divides them, without a communicator of their own
 *  yet. They make one when they need it, by MPI_Comm_create_group(all, sharers, tag, &made), which is collective over
 *  them alone. So this call makes none of MPI that cannot be left while it waits for a rank that has ended.
 *  @param context [handle] as in comity_context_communicator.   @param communicator [MPI handle] as there; it may be freed
 *  afterwards.   @param type [enum] the same on all ranks.   @param all [MPI handle, out] a duplicate of the communicator;
 *  untouched on failure.   @param sharers [MPI handle, out] a group of ranks of it, in their order, with mine; MPI_GROUP_EMPTY
 *  where no single object encloses my binding; untouched on failure.
 *  @return as comity_context_communicator; COMITY_ERR_PEER_LOST: wherever in the call the rank has died; it is waited for
 *  for good only as in comity_context_create.
 *  Call from: one thread a rank, that may call MPI. Blocks: yes. Collective: over the communicator. Owns: the caller
 *  frees both, the duplicate on all ranks. Since: 0.1. Source: 003_... 3.3.5. */
COMITY_EXPORT comity_status comity_context_sharers(comity_context* context, MPI_Comm communicator, comity_type type,
                                                   MPI_Comm* all, MPI_Group* sharers);

/** A communicator of the same processes with a Cartesian grid, as MPI_Cart_create makes one, in an order in which neighbours of
 *  the grid are close (comity_place_grid): the reordering that MPI allows there. Where each process sits is looked up anew.
 *  Never worse by the objective than the order of `communicator`; equal seats and grids give equal orders. Rank 0 does the work
 *  while the others sleep; its settings count (comity_place_grid). comity_place_found tells each rank how good the order is.
 *  @param communicator [MPI handle] not MPI_COMM_NULL, not an inter-communicator.   @param dimensions [dimensions] at least 1.
 *  @param extents [ranks, array of dimensions] at most COMITY_PLACE_DIMENSIONS of them above 1; all together at most the size of
 *  the communicator.   @param periodic [flags, array of dimensions] not 0: the dimension closes to a ring; may be null: none
 *  does.   @param halo [weight, array of dimensions] 1 .. 10^9: what neighbours in each dimension exchange; may be null: 1 each.
 *  @param objective [enum] what is to be small; the same on all ranks.
 *  @param cart [MPI handle, out] MPI_COMM_NULL for processes that a smaller grid leaves out; untouched on failure.
 *  @return COMITY_OK; COMITY_ERR_RANGE: a number, or more cells than ranks; COMITY_ERR_ARGUMENT: null, no such objective, or
 *  ranks that pass different grids or objectives; COMITY_ERR_MEMORY; COMITY_ERR_MPI; COMITY_ERR_OPTION: a setting; the others of comity_context_create. A
 *  failure of one rank fails all, and where they fail with different codes each gets the largest.
 *  Call from: one thread a rank, that may call MPI. Blocks: yes. Collective: over the communicator. Owns: the caller frees the
 *  communicator. Since: 0.1. Source: 002_... 3.1.1. */
COMITY_EXPORT comity_status comity_place_cart_create(MPI_Comm communicator, int32_t dimensions, const int32_t* extents,
                                                     const int32_t* periodic, const int64_t* halo,
                                                     comity_place_objective objective, MPI_Comm* cart);

/** The same for any graph, of which each rank names the edges that it likes, as for MPI_Dist_graph_create: all together are the
 *  graph. The new communicator has them as its distributed graph, directed as they are named; for the order an exchange is one
 *  whichever way it goes, and two ranks that several edges join exchange what these say together.
 *  @param communicator [MPI handle] as in comity_place_cart_create.   @param edges [edges] that this rank names, 0 or more.
 *  @param from [ranks, array of edges] where each begins.   @param to [ranks, array of edges] where it ends; another rank.
 *  @param weights [weight, array of edges] at least 1; may be null: 1 each; null on all ranks or on none. The graph of the
 *  communicator has them as ints, larger ones as the largest.
 *  @param objective [enum] what is to be small; the same on all ranks.   @param graph [MPI handle, out] untouched on failure.
 *  @return as comity_place_cart_create; COMITY_ERR_RANGE: also an end that is no rank; COMITY_ERR_ARGUMENT: also an edge that joins a
 *  rank with itself.
 *  Call from: one thread a rank, that may call MPI. Blocks: yes. Collective: over the communicator. Owns: the caller frees the
 *  communicator. Since: 0.1. Source: 002_... 3.1.1. */
COMITY_EXPORT comity_status comity_place_graph_create(MPI_Comm communicator, int64_t edges, const int32_t* from,
                                                      const int32_t* to, const int64_t* weights,
                                                      comity_place_objective objective, MPI_Comm* graph);

#ifdef __cplusplus
}
#endif
#endif
