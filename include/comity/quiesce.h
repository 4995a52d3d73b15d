/* SPDX-License-Identifier: BSD-3-Clause */
/* Quiescence: ranks of a node wait for one another and give their cores away meanwhile, all of them or a group.
 * Conventions of all C headers: see comity.h. */
#ifndef COMITY_QUIESCE_H
#define COMITY_QUIESCE_H

#include <stdint.h>

#include <comity/context.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct comity_group comity_group; /**< some ranks of this node that wait for one another */

/** Divide the ranks of the node into groups, as MPI_Comm_split does. All see what the cgroup allows now
 *  (comity_context_refresh).
 *  @param context [handle].   @param colour [number] ranks of one colour form a group; below 0: no group, `group`
 *  becomes null.   @param group [handle, out] untouched on failure.
 *  @return COMITY_OK; COMITY_ERR_PEER_LOST; COMITY_ERR_HANDLE; COMITY_ERR_ARGUMENT: null; COMITY_ERR_MEMORY: all 128 +
 *  2 x ranks group slots of the node segment are taken (a context and a group take one each), or 4096 groups are alive
 *  in this process.
 *  Call from: one thread a rank. Blocks: yes. Collective: over the node. Owns: the caller frees. Since: 0.1. Source:
 *  none. */
COMITY_EXPORT comity_status comity_group_split(comity_context* context, int32_t colour, comity_group** group);

/** Free a group.
 *  @param group [handle, in, out] set to null; a null group is COMITY_OK.
 *  @return COMITY_OK; COMITY_ERR_HANDLE: not made by a split, or freed already; COMITY_ERR_ARGUMENT: null pointer.
 *  Call from: any thread. Blocks: no. Collective: over the group, each when it likes. Owns: takes it. Since: 0.1.
 *  Source: none. */
COMITY_EXPORT comity_status comity_group_free(comity_group** group);

/** My rank in a group, and its size.
 *  @param group [handle].   @param rank [group rank, out] may be null.   @param size [ranks, out] may be null.
 *  @return COMITY_OK; COMITY_ERR_HANDLE; COMITY_ERR_ARGUMENT: the group is null.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_group_rank(const comity_group* group, int32_t* rank, int32_t* size);

#define COMITY_FOREVER INT64_C(-1) /**< no time limit */

#define COMITY_QUIESCE_PROGRESS UINT32_C(1) /**< quiesce: messages go on meanwhile */

/** Lets messages of a library go on. */
typedef void (*comity_progress)(void* data);

/** What lets messages of a library go on while this rank rests with COMITY_QUIESCE_PROGRESS. comity_context_create gives one
 *  that makes MPI progress; what is set here takes its place.
 *  @param context [handle].   @param progress [function] called on the thread that rests, again and again; it returns soon, and
 *  calls nothing of this context. Null: none.   @param data [pointer] passed to it; yours, and alive for as long as it may be called.
 *  @return COMITY_OK; COMITY_ERR_HANDLE; COMITY_ERR_ARGUMENT: the context is null.
 *  Call from: one thread a rank, while none rests on this context. Blocks: no. Collective: no. Owns: nothing. Since: 0.1.
 *  Source: none. */
COMITY_EXPORT comity_status comity_context_set_progress(comity_context* context, comity_progress progress, void* data);

/** Rest until all ranks of the group have come: a barrier that gives the core away. It spins for a moment while nobody
 *  wants the core, then sleeps; the last to come wakes all at once. On the whole node (group null) it is also the
 *  moment at which the masks of all ranks are published.
 *  @param context [handle].   @param group [handle] split from this context; null: all its ranks on the node.
 *  @param flags [bits] 0, or COMITY_QUIESCE_PROGRESS: requests of
 *  this rank go on while it rests, which a large message, a synchronous send and one-sided access by others may need. Under
 *  cooperative waits (docs/coop.md) what comes for this rank wakes it; else it looks every 1 to 10 ms, an eighth of the time that
 *  it has waited.   @param timeout_ns [ns] COMITY_FOREVER, or 0 and above, until all have come; what they then tell one another of
 *  masks that have changed has no limit of its own. What the clock cannot count to (INT64_MAX) has none.
 *  @return COMITY_OK; COMITY_ERR_TIMEOUT: not all came in time, this rank has left the wait again;
 *  COMITY_ERR_PEER_LOST: a rank of the group died (the sentence names it), told within a second; COMITY_ERR_RANGE:
 *  another negative timeout; COMITY_ERR_ARGUMENT: the context is null, flags, or a group of another context;
 *  COMITY_ERR_UNSUPPORTED: COMITY_QUIESCE_PROGRESS where the context has no progress; COMITY_ERR_HANDLE;
 *  COMITY_ERR_SYSTEM.
 *  Call from: one thread a rank. Blocks: yes. Collective: over the group. Owns: nothing. Since: 0.1. Source: 000_...
 *  III.D, IV-B. */
COMITY_EXPORT comity_status comity_context_quiesce(comity_context* context, comity_group* group, uint32_t flags,
                                                   int64_t timeout_ns);

#ifdef __cplusplus
}
#endif
#endif
