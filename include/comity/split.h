/* SPDX-License-Identifier: BSD-3-Clause */
/* Splitting: CPUs in pieces, level by level, which piece each of some ranks or threads gets, and threads that are bound for
 * a while. Conventions of all C headers: see comity.h. Ranks that get one object each: comity_context_spread. */
#ifndef COMITY_SPLIT_H
#define COMITY_SPLIT_H

#include <stdint.h>

#include <comity/quiesce.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Which piece each of some members, ranks or threads, gets. Numbers of members a piece differ by one at most.
 *  CLOSE: who has the greatest part of its place in one piece chooses first, of equal ones the lowest; who finds its piece full
 *  gets the next one that has room. Since: 0.1. */
typedef enum comity_assignment {
  COMITY_ASSIGN_PACKED = 0, /**< in order, side by side; with more members than pieces in blocks */
  COMITY_ASSIGN_SPREAD = 1, /**< in order, far apart; with more members than pieces round and round */
  COMITY_ASSIGN_CLOSE = 2   /**< where it is now */
} comity_assignment;

/** Split CPUs into pieces, and say which of them each of some members gets: what threads of this process are to be bound to
 *  (comity_context_bind_thread), or, given back as `whole`, what is to be split further. Pieces follow one another in logical
 *  order and have as many objects each, as equal as they divide; objects with equal CPU sets count once, and of an object that
 *  lies partly in `whole` that part counts. PUs that the node does not allow, or that are in no object of the kind, are in no piece.
 *  @param context [handle].   @param type [enum] what stays whole.   @param pieces [pieces] 0: one for each object of the kind
 *  that `whole` touches.   @param how [enum].   @param members [members] at least 1.
 *  @param whole [PUs, in] what is split; may be null: my binding (comity_context_binding).
 *  @param places [PUs, array of members] where each is now, for COMITY_ASSIGN_CLOSE; may be null for the others.
 *  @param shares [PUs, out, array of members] the piece of each. Untouched on failure.
 *  @return COMITY_OK; COMITY_ERR_NOT_FOUND: no object of the kind with CPUs; COMITY_ERR_RANGE: members, or `pieces`
 *  below 0 or above the objects that `whole` touches, or it touches none; COMITY_ERR_HANDLE; COMITY_ERR_ARGUMENT: null, or no
 *  such kind or assignment; COMITY_ERR_SYSTEM; COMITY_ERR_MEMORY.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_context_assign(const comity_context* context, comity_type type, int32_t pieces,
                                                  comity_assignment how, int32_t members, const comity_cpuset* whole,
                                                  const comity_cpuset* places, comity_cpuset* shares);

/** Split what some ranks of the node are bound to, all of it together, as comity_context_assign does; bind each of them to its
 *  piece, and make a group of those that share one. The same again among the ranks of that group splits their piece, so a
 *  machine is divided level by level, and comity_context_pop goes back a level. They split what the cgroup allows when they
 *  meet (comity_context_refresh). A rank that the kernel refuses its piece fails alone: the group of that piece is made without
 *  it. Of a split of the whole node the new bindings are published; those of a part are with its next collective call.
 *  @param context [handle].   @param type [enum] what stays whole.   @param pieces [pieces] 0: one for each object of the kind
 *  that they are bound to.   @param how [enum] members are the ranks in their order, places their bindings. These three are the
 *  same on all ranks.   @param among [handle] the ranks, a group of this context; null: all its ranks on the node.
 *  @param group [handle, out] who shares my piece; untouched on failure.
 *  @return COMITY_OK; COMITY_ERR_NOT_FOUND, COMITY_ERR_RANGE: as in comity_context_assign; COMITY_ERR_ARGUMENT: null, no such
 *  kind or assignment, a group of another context, or ranks asked for different splits; COMITY_ERR_PEER_LOST;
 *  COMITY_ERR_MEMORY: as in comity_group_split; COMITY_ERR_HANDLE, COMITY_ERR_SYSTEM: as in comity_context_push. On failure
 *  nothing has changed.
 *  Call from: one thread a rank. Blocks: yes. Collective: over `among`. Owns: one entry until the pop, and the caller frees the
 *  group. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_context_split(comity_context* context, comity_type type, int32_t pieces,
                                                 comity_assignment how, comity_group* among, comity_group** group);

/** What a thread gets back when its binding ends: the caller's memory, written by comity_context_bind_thread alone. Since: 0.1. */
typedef struct comity_thread_scope {
  comity_cpuset before; /**< [PUs] what it could run on */
  uint64_t under;       /**< [number] the push that was the innermost then; 0: none */
  int64_t thread;       /**< [thread id] whose scope it is; 0: it has ended */
} comity_thread_scope;

/** Bind the calling thread alone, until comity_context_release_thread: a scope within the process's binding, for threads of pools
 *  and teams that divide it among themselves. Threads that it starts meanwhile inherit the binding. A push moves it like every
 *  other thread, and its pop brings it back here. On a machine that is not this one nothing moves.
 *  @param context [handle].   @param set [PUs, in] at least one PU, all of them allowed on this node.
 *  @param scope [comity_thread_scope, out] what to end it with; untouched on failure.
 *  @return COMITY_OK; COMITY_ERR_RANGE: the set holds no PU, or one that the node does not allow; COMITY_ERR_HANDLE: as in
 *  comity_context_push; COMITY_ERR_ARGUMENT: null; COMITY_ERR_SYSTEM: the kernel refused.
 *  Call from: any thread, inside parallel regions too. Of the main thread, while nothing is pushed, it is what the process is
 *  bound to. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_context_bind_thread(comity_context* context, const comity_cpuset* set,
                                                       comity_thread_scope* scope);

/** End the innermost scope of the calling thread: it gets back what it had. Where the process was pushed since, that is once
 *  this push is popped; where the push is gone in which the scope began, its pop has done that already. After a
 *  comity_context_keep_binding of that push the thread stays where it is.
 *  @param context [handle] any of this process.   @param scope [comity_thread_scope, in, out] it can be used anew.
 *  @return COMITY_OK; COMITY_ERR_ORDER: the scope has ended, or is another thread's (nothing changed); COMITY_ERR_HANDLE: as in
 *  comity_context_push; COMITY_ERR_ARGUMENT: null; COMITY_ERR_SYSTEM: the kernel refused, and the scope goes on.
 *  Call from: the thread that is bound. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_context_release_thread(comity_context* context, comity_thread_scope* scope);

#ifdef __cplusplus
}
#endif
#endif
