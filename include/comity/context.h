/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts: which objects this node has, which ranks run where, and moving ranks and their threads between them.
 * Conventions of all C headers: see comity.h. Creation on an MPI communicator: see comity_mpi.h. Waiting for one
 * another, and groups: see quiesce.h. Who works, and wide phases: see phases.h. */
#ifndef COMITY_CONTEXT_H
#define COMITY_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

#include <comity/bootstrap.h>
#include <comity/cpuset.h>
#include <comity/machine.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct comity_context comity_context; /**< opaque; a freed one is told, never followed */

/* --- life --------------------------------------------------------------------------------------------------------- */

/** Create a context for one process without MPI: a node of one rank. Where the process has a context already, both
 *  share its node segment.
 *  @param context [handle, out] untouched on failure.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null; COMITY_ERR_TOPOLOGY; COMITY_ERR_OPTION; COMITY_ERR_SYSTEM;
 *  COMITY_ERR_MEMORY: also where all 128 + 2 x ranks group slots of the segment are taken (a context and a group take
 *  one each), or 1024 contexts are alive in this process.
 *  Call from: any thread. Blocks: while other threads make a node segment. Collective: no. Owns: the caller frees.
 *  Since: 0.1. Source: 000_... III.A. */
COMITY_EXPORT comity_status comity_context_create_local(comity_context** context);

/** Create a context through callbacks (comity_bootstrap). A failure of one rank fails all with the same code; only a
 *  bootstrap that is null or lacks a callback fails its rank alone, before any callback. Threads of a process may create
 *  at once, in any order, each through callbacks of its own, as over communicators of their own.
 *  @param bootstrap [callbacks, in] used only during the call.   @param context [handle, out] untouched on failure.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT; COMITY_ERR_TOPOLOGY; COMITY_ERR_VERSION; COMITY_ERR_OPTION;
 *  COMITY_ERR_SYSTEM; COMITY_ERR_PEER_LOST; COMITY_ERR_MEMORY: also as in comity_context_create_local; what a callback
 *  returned.
 *  Call from: one thread a rank and job. Blocks: yes. Collective: over the job. Owns: the caller frees. Since: 0.1.
 *  Source: 000_... III.A. */
COMITY_EXPORT comity_status comity_context_create_with(const comity_bootstrap* bootstrap, comity_context** context);

/** Free a context: its entries leave the binding stack; the last free of a process gives every thread its own mask
 *  back, but for one that the kernel refuses it, as comity_context_pop does.
 *  @param context [handle, in, out] set to null; a null context is COMITY_OK.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null pointer; COMITY_ERR_HANDLE: not created, or freed already;
 *  COMITY_ERR_SYSTEM: the context is freed and the handle null, but a thread keeps the CPUs that it had under a push.
 *  A phase that is still open ends; the thread that entered it keeps its size of teams where another one frees.
 *  Call from: any thread, none of them inside a call on this context. Blocks: no. Collective: over the ranks that created
 *  it, each when it likes. Owns: takes the context. Since: 0.1. Source: 000_... III.A. */
COMITY_EXPORT comity_status comity_context_free(comity_context** context);

/* --- the node ------------------------------------------------------------------------------------------------------ */

/** How many objects of a kind this node has.
 *  @param context [handle].   @param type [enum].   @param count [objects, out] 0 where the machine has none.
 *  @return COMITY_OK; COMITY_ERR_HANDLE; COMITY_ERR_ARGUMENT: null, or no such kind.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: 000_... III.B. */
COMITY_EXPORT comity_status comity_context_count(const comity_context* context, comity_type type, int32_t* count);

/** How many objects of kind `inner` lie inside one object of kind `outer`.
 *  @param context [handle].   @param inner [enum] what is counted.   @param outer [enum] what it lies in.
 *  @param index [index] 0 .. count(outer)-1.   @param count [objects, out].
 *  @return COMITY_OK; COMITY_ERR_HANDLE; COMITY_ERR_ARGUMENT: null, or no such kind; COMITY_ERR_RANGE: index;
 *  COMITY_ERR_NOT_FOUND: no `outer` here.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: 000_... III.B. */
COMITY_EXPORT comity_status comity_context_count_within(const comity_context* context, comity_type inner,
                                                        comity_type outer, int32_t index, int32_t* count);

/** The PUs of one object.
 *  @param context [handle].   @param type [enum].   @param index [index] 0 .. count(type)-1.   @param set [PUs, out].
 *  @return COMITY_OK; COMITY_ERR_HANDLE; COMITY_ERR_ARGUMENT: null, or no such kind; COMITY_ERR_RANGE: index;
 *  COMITY_ERR_NOT_FOUND: the machine has no object of the kind.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: 000_... III.B. */
COMITY_EXPORT comity_status comity_context_cpuset(const comity_context* context, comity_type type, int32_t index,
                                                  comity_cpuset* set);

/** A number that the ranks of this context on my node have in common, and those of no other node have.
 *  @param context [handle].   @param id [number, out] random, not 0.
 *  @return COMITY_OK; COMITY_ERR_HANDLE; COMITY_ERR_ARGUMENT: null.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_context_node_id(const comity_context* context, uint64_t* id);

/** Which PUs of a core a context sees. Since: 0.1. */
typedef enum comity_smt {
  COMITY_SMT_ALL = 0, /**< all of them */
  COMITY_SMT_ONE = 1  /**< the one with the lowest number, as if there were no other */
} comity_smt;

/** Choose which PUs of a core this context sees, until it is chosen again. With COMITY_SMT_ONE every query and every push
 *  of an object goes by a machine with one PU a core, the same on all ranks; a rank that is bound to another PU of a core
 *  counts as being on the one that is seen. Bindings in force stay; sets of PUs pushed as such may still have any PU. It
 *  looks first at what the cgroup allows now (comity_context_refresh).
 *  @param context [handle].   @param smt [enum] the same on all ranks of the node; COMITY_SMT_ALL at first.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null; no such view, or ranks gave different ones: all are told, and nothing
 *  changed; COMITY_ERR_PEER_LOST; COMITY_ERR_MEMORY; COMITY_ERR_HANDLE: as in comity_context_push.
 *  Call from: one thread a rank. Blocks: yes. Collective: over the node. Owns: nothing. Since: 0.1. Source: 003_... 3.3. */
COMITY_EXPORT comity_status comity_context_set_smt(comity_context* context, comity_smt smt);

/** Which PUs of a core this context sees.
 *  @param context [handle].   @param smt [enum, out].
 *  @return COMITY_OK; COMITY_ERR_HANDLE; COMITY_ERR_ARGUMENT: null.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_context_smt(const comity_context* context, comity_smt* smt);

/** How many nodes the ranks of this context run on.
 *  @param context [handle].   @param count [nodes, out] at least 1.
 *  @return COMITY_OK; COMITY_ERR_HANDLE; COMITY_ERR_ARGUMENT: null.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: 003_... 3.3.3. */
COMITY_EXPORT comity_status comity_context_node_count(const comity_context* context, int32_t* count);

/** My rank among this context's ranks on my node.
 *  @param context [handle].   @param rank [node rank, out] 0 .. size-1, in the order of the ranks that created the
 *  context.
 *  @return COMITY_OK; COMITY_ERR_HANDLE; COMITY_ERR_ARGUMENT: null.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: 003_... 3.3.3. */
COMITY_EXPORT comity_status comity_context_rank(const comity_context* context, int32_t* rank);

/** How many of this context's ranks run on my node.
 *  @param context [handle].   @param size [ranks, out] at least 1.
 *  @return COMITY_OK; COMITY_ERR_HANDLE; COMITY_ERR_ARGUMENT: null.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: 003_... 3.3.3. */
COMITY_EXPORT comity_status comity_context_size(const comity_context* context, int32_t* size);

/* --- my binding ---------------------------------------------------------------------------------------------------- */

/** Whose masks are this process's binding. Since: 0.1. */
typedef enum comity_binding_of {
  COMITY_BINDING_OF_MAIN_THREAD = 0, /**< the main thread's: what comity_context_binding says of it */
  COMITY_BINDING_OF_THREADS = 1 /**< of all threads that a push reaches: the union of their masks, and of the innermost
                                      *   push while the main thread is where that has put it. Each query of it reads
                                      *   them (system calls), and shows it to the peers; comity_context_quiesce and
                                      *   comity_context_leave publish what was found last */
} comity_binding_of;

/** Choose whose masks this context takes for this process's binding, in its queries and in what peers learn of it. For
 *  programs that pin their threads themselves, one by one.
 *  @param context [handle].   @param whose [enum] COMITY_BINDING_OF_MAIN_THREAD at first.
 *  @return COMITY_OK; COMITY_ERR_HANDLE; COMITY_ERR_ARGUMENT: null, or no such choice.
 *  Call from: one thread, while no other uses the context. Blocks: no. Collective: no. Owns: nothing. Since: 0.1.
 *  Source: 003_... 3.3.3. */
COMITY_EXPORT comity_status comity_context_set_binding_of(comity_context* context, comity_binding_of whose);

/** Whether this process is bound: its binding (comity_context_binding) is smaller than what the node allows.
 *  @param context [handle].   @param bound [0 or 1, out].
 *  @return COMITY_OK; COMITY_ERR_HANDLE; COMITY_ERR_ARGUMENT: null; COMITY_ERR_SYSTEM.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: 000_... III.B. */
COMITY_EXPORT comity_status comity_context_is_bound(const comity_context* context, int32_t* bound);

/** How wide my binding (comity_context_binding) is.
 *  @param context [handle].   @param cores [cores, out] that it touches; may be null.   @param pus [PUs, out] may be
 *  null.
 *  @return COMITY_OK; COMITY_ERR_HANDLE; COMITY_ERR_ARGUMENT: the context is null; COMITY_ERR_SYSTEM.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: 000_... III.B. */
COMITY_EXPORT comity_status comity_context_width(const comity_context* context, int32_t* cores, int32_t* pus);

/** My binding as a set: that of the innermost push in this process, through whichever context, or what a refresh has
 *  found in its place; with no push, the mask that the kernel has for the main thread (a system call), whichever thread
 *  asks.
 *  @param context [handle].   @param set [PUs, out].
 *  @return COMITY_OK; COMITY_ERR_HANDLE; COMITY_ERR_ARGUMENT: null; COMITY_ERR_SYSTEM.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: 000_... III.B. */
COMITY_EXPORT comity_status comity_context_binding(const comity_context* context, comity_cpuset* set);

/** My binding (comity_context_binding) as text.
 *  @param context [handle].   @param form [enum] list or hex.   @param text [string, out] `capacity_bytes` bytes,
 *  always ended by a zero byte; null with capacity 0 only asks for the length.   @param capacity_bytes [bytes] room in
 *  `text`.   @param length_bytes [bytes, out] length without the zero byte; may be null where `text` is not.
 *  @return COMITY_OK; COMITY_ERR_HANDLE; COMITY_ERR_RANGE: the text did not fit (the buffer holds "", the length is
 *  set); COMITY_ERR_ARGUMENT: null, or no such form; COMITY_ERR_SYSTEM.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: 003_... 3.3.3. */
COMITY_EXPORT comity_status comity_context_binding_string(const comity_context* context, comity_cpuset_form form,
                                                          char* text, size_t capacity_bytes, size_t* length_bytes);

/** Whether an object encloses my binding (comity_context_binding): I cannot run outside it.
 *  @param context [handle].   @param type [enum].   @param index [index] 0 .. count(type)-1.
 *  @param encloses [0 or 1, out].
 *  @return COMITY_OK; COMITY_ERR_HANDLE; COMITY_ERR_ARGUMENT: null, or no such kind; COMITY_ERR_RANGE: index;
 *  COMITY_ERR_NOT_FOUND: the machine has no object of the kind; COMITY_ERR_SYSTEM.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: 000_... III.B. */
COMITY_EXPORT comity_status comity_context_encloses(const comity_context* context, comity_type type, int32_t index,
                                                    int32_t* encloses);

/** Whether my binding (comity_context_binding) touches an object: I may run inside it.
 *  @param context [handle].   @param type [enum].   @param index [index] 0 .. count(type)-1.
 *  @param intersects [0 or 1, out].
 *  @return as comity_context_encloses.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: 000_... III.B. */
COMITY_EXPORT comity_status comity_context_intersects(const comity_context* context, comity_type type, int32_t index,
                                                      int32_t* intersects);

/** Which objects of a kind my binding (comity_context_binding) touches: where I may run.
 *  @param context [handle].   @param type [enum].   @param indices [indices, out] ascending, 0 .. count(type)-1; null with
 *  capacity 0 only counts.   @param capacity [indices] room in `indices`.   @param count [objects, out] how many it
 *  touches; 0 where the machine has none.
 *  @return COMITY_OK; COMITY_ERR_RANGE: more than `capacity` (count is set); COMITY_ERR_HANDLE; COMITY_ERR_ARGUMENT:
 *  null, no such kind, or a capacity below 0; COMITY_ERR_SYSTEM.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: 000_... III.B. */
COMITY_EXPORT comity_status comity_context_touched(const comity_context* context, comity_type type, int32_t* indices,
                                                   int32_t capacity, int32_t* count);

/** Which masks a question about other ranks is answered from. Since: 0.1. */
typedef enum comity_view {
  COMITY_VIEW_PUBLISHED = 0, /**< as of the last collective call on the context: equal on all ranks, no system call */
  COMITY_VIEW_LIVE = 1       /**< by the kernel's word, now: a system call a rank or thread; may change meanwhile */
} comity_view;

/** Which ranks of my node touch an object. Live, the kernel is asked for the mask of each rank's main thread. Where that is
 *  what it was when the rank last told of its binding (by a push, a pop or a collective call), the binding counts that it
 *  told, as in the published table: the whole push of a main thread that is a member of a team on it. Else the mask itself
 *  counts, as after a refresh. In a context of COMITY_BINDING_OF_THREADS the kernel is asked for the masks of all threads of
 *  each rank but MPI's own (a system call a rank and one a thread), and their union counts, with the push while the main
 *  thread is where that has put it. A rank that has ended is not among them, once its parent (the launcher) knows, or a rank that
 *  waited for it; until a rank has noticed, a process that got its number since counts for it. The kernel cannot be asked on a machine that is not this one, for a rank in another pid namespace, in a
 *  fork child, and where it refuses: then the binding counts that the rank last told. Whether it did is told by
 *  comity_context_peer_binding.
 *  @param context [handle].   @param type [enum].   @param index [index] 0 .. count(type)-1.   @param view [enum].
 *  @param ranks [node ranks, out] ascending; null with capacity 0 only counts.   @param capacity [ranks] room in
 *  `ranks`.   @param count [ranks, out] how many touch it.
 *  @return COMITY_OK; COMITY_ERR_RANGE: index, or more than `capacity` (count is set); COMITY_ERR_HANDLE;
 *  COMITY_ERR_ARGUMENT: null, no such kind or view, or a capacity below 0; COMITY_ERR_NOT_FOUND: the machine has no
 *  object of the kind; COMITY_ERR_SYSTEM: my own threads cannot be listed; COMITY_ERR_MEMORY.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: 000_... III.B. */
COMITY_EXPORT comity_status comity_context_peers_in(const comity_context* context, comity_type type, int32_t index,
                                                    comity_view view, int32_t* ranks, int32_t capacity, int32_t* count);

/** Whose word an answer about another rank is. Since: 0.1. */
typedef enum comity_told_by {
  COMITY_TOLD_BY_TABLE = 0,  /**< the table's of the last collective call on the context: COMITY_VIEW_PUBLISHED */
  COMITY_TOLD_BY_KERNEL = 1, /**< the kernel's, asked now */
  COMITY_TOLD_BY_RANK = 2 /**< the rank's own, by its last push, pop or collective call: a live look was asked for, and
                              *   the kernel cannot be asked, or not of all the threads that count */
} comity_told_by;

/** What a rank of my node is bound to, and whose word that is: a live look that the kernel does not answer is told from one
 *  that it does. The sets are those that comity_context_peers_in goes by, and what it says there of a live look holds here.
 *  In a context of COMITY_BINDING_OF_THREADS the answer is COMITY_TOLD_BY_RANK also where the kernel tells of the main thread
 *  alone (the rank's threads cannot be listed, or those of its MPI are too many to be known): if that was moved since, the set
 *  is its mask.
 *  @param context [handle].   @param rank [node rank] 0 .. size-1, my own too.   @param view [enum].   @param set [PUs, out]
 *  may be null.   @param told_by [enum, out] may be null.
 *  @return COMITY_OK; COMITY_ERR_RANGE: rank; COMITY_ERR_PEER_LOST: a live look found that the rank has ended (nothing is
 *  written); COMITY_ERR_HANDLE; COMITY_ERR_ARGUMENT: the context is null, or no such view; COMITY_ERR_SYSTEM: my own threads
 *  cannot be listed; COMITY_ERR_MEMORY.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: 000_... III.B. */
COMITY_EXPORT comity_status comity_context_peer_binding(const comity_context* context, int32_t rank, comity_view view,
                                                        comity_cpuset* set, comity_told_by* told_by);

/* --- the binding stack --------------------------------------------------------------------------------------------- */

/** What a push does about the OpenMP team of the thread that pushes. Since: 0.1. */
typedef enum comity_teams {
  COMITY_TEAMS_PLACE = 0, /**< it has a member for each core of the push, threads are started where it has fewer, and
                           *   each member has a core of its own, the calling thread too */
  COMITY_TEAMS_KEEP = 1,  /**< no thread is started; members that exist get a core each, the calling thread only where
                           *   there is one for each core: else it has all of the push, and so have members that are
                           *   born under it */
  COMITY_TEAMS_LEAVE = 2  /**< members are threads like others, which get all of the push */
} comity_teams;

/** Choose what the pushes of this context do about OpenMP teams, from the next one on. COMITY_CONTEXT_OPENMP in the
 *  environment has the last word. COMITY_TEAMS_KEEP is for libraries whose users have not asked for threads; it knows members
 *  by the library that they begin in, so it takes those of all threads' teams for one, and none where the C library does not
 *  tell (another one than GNU's), or where somebody stands before pthread_create (a sanitizer).
 *  @param context [handle].   @param teams [enum] COMITY_TEAMS_PLACE at first.
 *  @return COMITY_OK; COMITY_ERR_HANDLE; COMITY_ERR_ARGUMENT: null, or no such choice.
 *  Call from: one thread, while no other uses the context. Blocks: no. Collective: no. Owns: nothing. Since: 0.1.
 *  Source: none. */
COMITY_EXPORT comity_status comity_context_set_teams(comity_context* context, comity_teams teams);

/** Bind this process, with all threads that it has, to one object. One stack a process: contexts of independent
 *  libraries nest. Threads that MPI keeps for its own progress stay where they are; each member of the calling thread's
 *  OpenMP team gets a core of its own (SMT siblings last), unless comity_context_set_teams says otherwise. Threads of other
 *  teams and pools get the whole mask; members that GNU's runtime makes anew within the push, for a team that has shrunk
 *  and grows, get the place of their master.
 *  @param context [handle].   @param type [enum].   @param index [index] 0 .. count(type)-1.
 *  @return COMITY_OK; COMITY_ERR_HANDLE: also in a fork child of the process that created it; COMITY_ERR_ARGUMENT:
 *  null, or no such kind; COMITY_ERR_RANGE: index, or an object without PUs; COMITY_ERR_NOT_FOUND: the machine has no
 *  object of the kind; COMITY_ERR_SYSTEM: the kernel refused; COMITY_ERR_MEMORY. On failure nothing has changed.
 *  Call from: any thread outside a parallel region; pushes and pops are serialised. Blocks: no. Collective: no. Owns:
 *  one entry until the pop. Since: 0.1. Source: 000_... III.C. */
COMITY_EXPORT comity_status comity_context_push(comity_context* context, comity_type type, int32_t index);

/** As comity_context_push, to an explicit set.
 *  @param context [handle].   @param set [PUs, in] at least one PU, all of them allowed on this node.
 *  @return COMITY_OK; COMITY_ERR_RANGE: the set holds no PU, or one that the node does not allow; COMITY_ERR_ARGUMENT:
 *  null; COMITY_ERR_HANDLE, COMITY_ERR_SYSTEM, COMITY_ERR_MEMORY as in comity_context_push.
 *  Call from: as comity_context_push. Blocks: no. Collective: no. Owns: one entry until the pop. Since: 0.1. Source:
 *  000_... III.C. */
COMITY_EXPORT comity_status comity_context_push_cpuset(comity_context* context, const comity_cpuset* set);

/** As comity_context_push, to the object of a kind that encloses my present binding (the paper's Example 1).
 *  @param context [handle].   @param type [enum].
 *  @return COMITY_OK; COMITY_ERR_NOT_FOUND: no single object of the kind encloses my binding, or the machine has none;
 *  COMITY_ERR_ARGUMENT, COMITY_ERR_HANDLE, COMITY_ERR_SYSTEM, COMITY_ERR_MEMORY as in comity_context_push.
 *  Call from: as comity_context_push. Blocks: no. Collective: no. Owns: one entry until the pop. Since: 0.1.
 *  Source: 000_... III.C, Example 1. */
COMITY_EXPORT comity_status comity_context_push_nearest(comity_context* context, comity_type type);

/** Undo the innermost push: every thread gets back the mask that it had, a thread born since gets the process's; one that
 *  has ended needs none; a mask that it took itself meanwhile is lost. Where the kernel refuses a thread its mask, the others get theirs all the same and the push is
 *  undone; that thread keeps its CPUs, and comity_context_binding is what the main thread has. Do not pop again: a later
 *  push moves the thread where the kernel allows it, else sched_setaffinity is the way, once the reason is gone.
 *  @param context [handle] the one that pushed.
 *  @return COMITY_OK; COMITY_ERR_ORDER: the stack is empty, or its innermost entry belongs to another context or to an
 *  open phase, which comity_context_leave ends (nothing changed); COMITY_ERR_HANDLE: as in comity_context_push;
 *  COMITY_ERR_ARGUMENT: null; COMITY_ERR_SYSTEM: popped, but a thread was refused its mask; the sentence names the first
 *  one, and why.
 *  Call from: as comity_context_push. Blocks: no. Collective: no. Owns: gives one entry back. Since: 0.1.
 *  Source: 000_... III.C. */
COMITY_EXPORT comity_status comity_context_pop(comity_context* context);

/** Make what this context has pushed the process's own binding: its entries leave the stack and no thread moves. For a
 *  library that binds the process for good, and then frees its context. Pushes of other contexts stay, those above give
 *  this binding back, and those below end as before.
 *  @param context [handle].
 *  @return COMITY_OK, also where nothing was pushed; COMITY_ERR_ORDER: a phase is open (nothing changed);
 *  COMITY_ERR_HANDLE: as in comity_context_push; COMITY_ERR_ARGUMENT: null.
 *  Call from: as comity_context_push. Blocks: no. Collective: no. Owns: gives its entries up. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_context_keep_binding(comity_context* context);

/** How many entries of this context stand on the process's stack.
 *  @param context [handle].   @param depth [entries, out].
 *  @return COMITY_OK; COMITY_ERR_HANDLE; COMITY_ERR_ARGUMENT: null.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: 003_... 3.3.4. */
COMITY_EXPORT comity_status comity_context_depth(const comity_context* context, int32_t* depth);

/** Spread the ranks of the node over the objects of a kind: rank i is bound to object i modulo count (NUMA nodes
 *  without PUs are passed over, and those with equal CPU sets count once). One entry on the stack; for ranks that arrive
 *  unbound or all on one mask, so that a job needs no binding options. They choose by what the cgroup allows now
 *  (comity_context_refresh), and anew where that changes meanwhile. A rank that the kernel refuses all the same fails
 *  alone: it meets the others unbound, and they succeed.
 *  @param context [handle].   @param type [enum] the same on all ranks.
 *  @return as comity_context_push (COMITY_ERR_NOT_FOUND also where none has CPUs), and COMITY_ERR_PEER_LOST (nothing stays pushed).
 *  Call from: one thread a rank. Blocks: yes. Collective: over the node. Owns: one entry until the pop. Since: 0.1.
 *  Source: 000_... V. */
COMITY_EXPORT comity_status comity_context_spread(comity_context* context, comity_type type);

/** Publish my mask as it is now and learn those of the others: for masks that were changed from outside. Under a push
 *  too: where another process has moved my main thread since (taskset), the mask that it has now is my binding until the
 *  pop, which gives back what was before the push. Also learn what the cgroup allows now, wherever rank 0 of the node has
 *  been moved, CPUs and memory nodes: counts, objects and pushes go by it from here on. Every other collective call sees a
 *  change of the same cgroup's CPUs too, and where all ranks meet one of its memory nodes (docs/machine.md: how soon), but not
 *  a move into another one. A rank's own cgroup, where it is not rank 0's, counts in its mask alone, and is warned of
 *  once a node where its CPUs differ. In comity_context_enter, which waits for nobody, what the first rank sees that comes
 *  counts for all in that phase; comity_context_quiesce of a group tells the ranks of that group, and the others learn it in
 *  their own next call. comity_context_communicator begins with a refresh.
 *  @param context [handle].
 *  @return COMITY_OK; COMITY_ERR_PEER_LOST; COMITY_ERR_HANDLE; COMITY_ERR_ARGUMENT: null; COMITY_ERR_SYSTEM.
 *  Call from: one thread a rank. Blocks: yes. Collective: over the node. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_context_refresh(comity_context* context);

#ifdef __cplusplus
}
#endif
#endif
