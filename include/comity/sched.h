/* SPDX-License-Identifier: BSD-3-Clause */
/* Harts, fibers and nested schedulers of one process: library libcomity_sched, in a program beside libcomity. Tasks and loops:
 * see sched_tasks.h; what fibers wait with: see sched_sync.h; this header includes both. How it is meant: docs/sched.md.
 *
 * The conventions are those of comity.h, but for these
 *  - Starting harts starts a thread a CPU and installs handlers of SIGSEGV and SIGBUS, which name a fiber whose stack runs over.
 *  - A hart is a thread on a CPU of its own. A fiber is a light execution on a stack of its own; once it has run it goes on on
 *    the same hart, unless it was marked as movable. Fibers of a hart share its thread-local variables.
 *  - Objects whose type has a member `place` are in the caller's memory and own nothing else. They stay where they are, are
 *    not copied, and live until the last call on them has returned. Where the reference says "zeros", an object of zeros is
 *    ready for use; the others are told when they were not begun.
 *  - Functions that wait leave the hart to other fibers; a plain thread that calls them sleeps.
 *  - What a callback throws ends up in no other language: throw nothing across. comity::sched in sched.hpp carries exceptions.
 */
#ifndef COMITY_SCHED_H
#define COMITY_SCHED_H

#include <stdint.h>

#include <comity/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- harts ---------------------------------------------------------------------------------------------------------- */

/** How ready fibers and tasks get to harts. Since: 0.1. */
typedef enum comity_sched_kind {
  COMITY_SCHED_BY_OPTION = 0,  /**< what COMITY_SCHED_SCHEDULER says: stealing, unless it is set */
  COMITY_SCHED_STEALING = 1,   /**< a hart runs its own newest task first and steals the oldest of others: least cost */
  COMITY_SCHED_ROUND_ROBIN = 2 /**< in the order in which they could go on, each task in a fiber of its own: fair */
} comity_sched_kind;

/** Told of a deadlock: `text` names each fiber that waits, for what, and where. Beside a thread that is no hart, which could wake somebody, only fibers
 *  that wait for one another in a circle are told (docs/sched.md). Since: 0.1. */
typedef void (*comity_sched_told)(const char* text, void* with);

/** What harts are started with; an object of zeros is what most want. Since: 0.1. */
typedef struct comity_sched_options {
  int32_t harts;                 /**< [count] at most; 0: one for each CPU that the calling thread may use */
  int32_t scheduler;             /**< [enum comity_sched_kind] of fibers and tasks that name no other */
  int64_t stack_bytes;           /**< [bytes] of a fiber; 0: 256 KB of addresses, memory where it is touched */
  int64_t spin_ns;               /**< [ns] an idle hart looks for work before it sleeps; 0: 50,000; -1: none */
  comity_sched_told on_deadlock; /**< null: the text goes to standard error, and the process is aborted */
  void* told_with;               /**< handed to on_deadlock */
} comity_sched_options;

/** Start the harts of this process: the calling thread becomes the first, and what it does from now on a fiber.
 *  @param options [struct, in] null: as one of zeros.
 *  @return COMITY_OK; COMITY_ERR_ORDER: this process has harts already; COMITY_ERR_RANGE: a number below its range, or no CPU;
 *  COMITY_ERR_ARGUMENT: no such kind of scheduler; COMITY_ERR_OPTION: COMITY_SCHED_SCHEDULER; COMITY_ERR_SYSTEM: the kernel
 *  refuses a thread; COMITY_ERR_MEMORY. Nothing is left behind on failure.
 *  Call from: a plain thread. Blocks: no. Collective: no. Owns: this process, until comity_sched_stop. Since: 0.1.
 *  Source: 004_... section 2. */
COMITY_EXPORT comity_status comity_sched_start(const comity_sched_options* options);

/** Wait for all fibers of the scheduler begun by comity_sched_start, and stop the harts; the calling thread has its binding
 *  back.
 *  @return COMITY_OK; COMITY_ERR_ORDER: there are no harts, the caller is not what started them, or a scheduler that was
 *  entered has not been left.
 *  Call from: what called comity_sched_start. Blocks: yes. Collective: no. Owns: nothing. Since: 0.1.
 *  Source: 004_... section 2. */
COMITY_EXPORT comity_status comity_sched_stop(void);

/** How many harts there are.
 *  @param count [harts, out] 0: they have not been started.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_harts(int32_t* count);

/** Which hart runs the caller.
 *  @param hart [index, out] 0 .. harts-1; -1: the caller is a plain thread.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_hart(int32_t* hart);

/** Of which NUMA node a hart is.
 *  @param hart [index] 0 .. harts-1.   @param node [number, out] the kernel's; 0 where it tells none.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null; COMITY_ERR_RANGE: no such hart; COMITY_ERR_ORDER: there are no harts.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_node_of(int32_t hart, int32_t* node);

/** On which CPU a hart runs.
 *  @param hart [index] 0 .. harts-1.   @param cpu [number, out] the kernel's.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null; COMITY_ERR_RANGE: no such hart; COMITY_ERR_ORDER: there are no harts.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_cpu_of(int32_t hart, int32_t* cpu);

/** Say that somebody else has work for a CPU, or no longer: an idle hart on it looks for work no more but sleeps at once, and goes
 *  on as always when there is some. It counts: a CPU is wanted until as many have said that they want it no more.
 *  @param cpu [number] of a hart, as comity_sched_cpu_of tells it.   @param wanted [0 or 1].
 *  @return COMITY_OK; COMITY_ERR_RANGE: no hart is on that CPU, another `wanted`, or 65,535 want it already; COMITY_ERR_ORDER:
 *  there are no harts, or nobody wanted that CPU.
 *  Call from: any thread, also of another library of the process. Blocks: no. Collective: no. Owns: the caller says that it wants
 *  it no more. Since: 0.1. Source: 004_... section 2. */
COMITY_EXPORT comity_status comity_sched_want(int32_t cpu, int32_t wanted);

/** Stacks of fibers: those that ended are kept, and given out again. Since: 0.1. */
typedef struct comity_sched_stack_count {
  int64_t made;        /**< [stacks] since comity_sched_start, all of which are kept until comity_sched_stop */
  int64_t in_use;      /**< [stacks] of fibers, or at hand on a hart */
  int64_t most_in_use; /**< [stacks] at any moment */
} comity_sched_stack_count;

/** Count the stacks of fibers.
 *  @param count [struct, out].
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null; COMITY_ERR_ORDER: there are no harts.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_stacks(comity_sched_stack_count* count);

/** Ask for harts more for the scheduler of the calling fiber, or cancel what was asked for. They come when their scheduler
 *  above has them to give; fibers and tasks that are made ask by themselves.
 *  @param harts [count] negative: so many are no longer wanted.
 *  @return COMITY_OK; COMITY_ERR_ORDER: the caller is no fiber; COMITY_ERR_RANGE: more than there are harts.
 *  Call from: a fiber. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: 004_... section 2. */
COMITY_EXPORT comity_status comity_sched_request(int32_t harts);

/** How many harts the scheduler of the calling fiber has now, with those that it has lent on.
 *  @param count [harts, out].
 *  @return COMITY_OK; COMITY_ERR_ORDER: the caller is no fiber; COMITY_ERR_ARGUMENT: null.
 *  Call from: a fiber. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: 004_... section 2. */
COMITY_EXPORT comity_status comity_sched_given(int32_t* count);

/* --- fibers --------------------------------------------------------------------------------------------------------- */

/** What a fiber runs. Since: 0.1. */
typedef void (*comity_sched_function)(void* argument);
/** Work that can fail: COMITY_OK, or a code that its waiter gets. Since: 0.1. */
typedef comity_status (*comity_sched_work)(void* argument);
/** What a member of a team runs, 0 .. members-1. Since: 0.1. */
typedef comity_status (*comity_sched_member)(void* argument, int32_t member);

typedef struct comity_sched_scheduler comity_sched_scheduler; /**< opaque; one that was entered */

/** A fiber that was spawned and not joined. Since: 0.1. */
typedef struct comity_sched_fiber {
  uint64_t place[2]; /**< of the library; zeros: none */
} comity_sched_fiber;

/** Run work in a fiber of the scheduler begun by comity_sched_start, and wait for its end. Groups of tasks are made in there.
 *  For a member of a team (comity_sched_openmp) it runs on the member's own hart, else on any.
 *  @param work [function].   @param argument [pointer] handed to it.
 *  @return what `work` returned; COMITY_ERR_ARGUMENT: null; COMITY_ERR_ORDER: there are no harts; COMITY_ERR_MEMORY: no stack.
 *  Call from: any thread. Blocks: yes. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_run(comity_sched_work work, void* argument);

/** Begin a fiber.
 *  @param scheduler [handle] null: that of the calling fiber, or the one begun by comity_sched_start for other callers.
 *  @param function [function].   @param argument [pointer] handed to it.
 *  @param name [string, in] for messages, cut at 23 bytes; null: none.
 *  @param fiber [object, out] to be joined once; null: nobody waits for its end.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: no function; COMITY_ERR_HANDLE: a scheduler that has been left;
 *  COMITY_ERR_ORDER: there are no harts; COMITY_ERR_MEMORY: no stack. Nothing began on failure.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: the caller joins. Since: 0.1. Source: 004_... section 2. */
COMITY_EXPORT comity_status comity_sched_spawn(comity_sched_scheduler* scheduler, comity_sched_function function,
                                               void* argument, const char* name, comity_sched_fiber* fiber);

/** As comity_sched_spawn, for work that is free of thread-local state: after a wait any hart may go on with it. Nothing that it keeps
 *  over a wait may be a thread's: errno, threadprivate variables, a std::mutex that is held, buffers of a library, an address of
 *  one of these. Rounding and exceptions are the fiber's own, and go with it.
 *  @param scheduler [handle] as there.   @param function [function].   @param argument [pointer].   @param name [string, in].
 *  @param fiber [object, out].
 *  @return as comity_sched_spawn.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: the caller joins. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_spawn_movable(comity_sched_scheduler* scheduler,
                                                       comity_sched_function function, void* argument, const char* name,
                                                       comity_sched_fiber* fiber);

/** Wait for the end of a fiber.
 *  @param fiber [object, in, out] zeros afterwards.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null; COMITY_ERR_HANDLE: nothing that was spawned, or joined already;
 *  COMITY_ERR_ORDER: a fiber joins itself.
 *  Call from: any thread, one. Blocks: yes. Collective: no. Owns: takes the fiber. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_join(comity_sched_fiber* fiber);

/** Let other fibers of this hart run first.
 *  @return COMITY_OK; COMITY_ERR_ORDER: the caller is no fiber.
 *  Call from: a fiber. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: 004_... section 2. */
COMITY_EXPORT comity_status comity_sched_yield(void);

/** Run a team: `body` for each member, each in a fiber, and wait for all. It asks for a hart a member; where fewer come they
 *  take members in turn.
 *  @param members [count] 0 or more.   @param body [function].   @param argument [pointer] handed to each.
 *  @return COMITY_OK; the first code that a member returned; COMITY_ERR_ARGUMENT: null; COMITY_ERR_RANGE: below 0;
 *  COMITY_ERR_ORDER: the caller is no fiber; COMITY_ERR_MEMORY: no stacks, and nobody ran.
 *  Call from: a fiber. Blocks: yes. Collective: no. Owns: nothing. Since: 0.1. Source: 004_... section 2. */
COMITY_EXPORT comity_status comity_sched_team(int32_t members, comity_sched_member body, void* argument);

/** Run work that uses OpenMP inside, GNU's or LLVM's: its regions have a team of as many members as it gets harts, which
 *  omp_get_max_threads tells; these run no fibers meanwhile, so no more threads run than harts. Outside of this a team that a fiber
 *  or task begins has one member; of a runtime that `work` loads, from the end of this on. A member may call what any thread may; one that waits lends its hart meanwhile.
 *  @param harts [count] at most, 1 or more: the caller's, and those that have nothing to do or are free within 200 us.
 *  @param work [function].   @param argument [pointer] handed to it.
 *  @return what `work` returned; COMITY_ERR_ARGUMENT: null; COMITY_ERR_RANGE: below 1; COMITY_ERR_ORDER: the caller is no fiber,
 *  or one that may move; COMITY_ERR_MEMORY: it did not run.
 *  Call from: a fiber or task, outside of regions. Blocks: yes. Collective: no. Owns: nothing. Since: 0.1.
 *  Source: 004_... section 2. */
COMITY_EXPORT comity_status comity_sched_openmp(int32_t harts, comity_sched_work work, void* argument);

/** Run foreign code that needs a thread of its own: on a kernel thread that is started for it and ends with it, in place of the
 *  caller's hart, so that no more threads run than harts. What it keeps for its thread no fiber sees. It may call what any thread
 *  may; one that waits here lends its hart meanwhile. A thread costs some 20 us.
 *  @param work [function].   @param argument [pointer] handed to it.
 *  @return what `work` returned; COMITY_ERR_ARGUMENT: null; COMITY_ERR_ORDER: the caller is no fiber, or one that may move;
 *  COMITY_ERR_SYSTEM: the kernel refuses a thread, and it did not run.
 *  Call from: a fiber or task. Blocks: yes. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_own_thread(comity_sched_work work, void* argument);

/* --- schedulers ----------------------------------------------------------------------------------------------------- */

/** Begin a scheduler below that of the calling fiber, which lends it harts and gets them back.
 *  @param kind [enum] not COMITY_SCHED_BY_OPTION.   @param scheduler [handle, out] untouched on failure.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null, or no such kind; COMITY_ERR_ORDER: the caller is no fiber;
 *  COMITY_ERR_MEMORY.
 *  Call from: a fiber. Blocks: no. Collective: no. Owns: the same fiber leaves it. Since: 0.1. Source: 004_... section 2. */
COMITY_EXPORT comity_status comity_sched_enter(comity_sched_kind kind, comity_sched_scheduler** scheduler);

/** Wait until all fibers of a scheduler have ended and its harts have come back, and end it.
 *  @param scheduler [handle, in, out] set to null; a null one is COMITY_OK.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null pointer; COMITY_ERR_HANDLE: left already; COMITY_ERR_ORDER: by another fiber
 *  than the one that entered it, or one below it has not been left.
 *  Call from: the fiber that entered it. Blocks: yes. Collective: no. Owns: takes the scheduler. Since: 0.1.
 *  Source: 004_... section 2. */
COMITY_EXPORT comity_status comity_sched_leave(comity_sched_scheduler** scheduler);

typedef struct comity_sched_runnable comity_sched_runnable; /**< a fiber that can run, in the hands of a scheduler */

typedef struct comity_sched_child
    comity_sched_child; /**< opaque; a scheduler right below one's own: from `child` to `child` */

/** What a hart that is free does first. Whichever it is, each eighth time the other one has its turn, so that neither an own fiber
 *  nor a scheduler below waits for ever. Since: 0.1. */
typedef enum comity_sched_turn {
  COMITY_SCHED_TURN_OWN = 0,      /**< runs an own fiber, else goes to a scheduler below that asks, else back */
  COMITY_SCHED_TURN_CHILDREN = 1, /**< goes to a scheduler below that asks, else runs an own fiber, else back */
  COMITY_SCHED_TURN_EITHER = 2    /**< one of the two, by turns */
} comity_sched_turn;

/** A scheduler of one's own: what is called when. Several harts call at once. A callback that is null does nothing, but
 *  `made`, `ready`, `next` and `waiting`, which must be there. None of them may wait, but for a lock held for some instructions.
 *  Since: 0.1. */
typedef struct comity_sched_callbacks {
  /** A fiber that has not run, or that may move and can go on: any hart may run it. */
  void (*made)(void* self, int32_t hart, comity_sched_runnable* fiber);
  /** A fiber that waited, or yielded (`yielded` is 1), and can go on: on this hart alone. */
  void (*ready)(void* self, int32_t hart, comity_sched_runnable* fiber, int32_t yielded);
  /** The fiber that this hart runs next, taken out of the scheduler's lists; null: there is none for it. */
  comity_sched_runnable* (*next)(void* self, int32_t hart);
  /** How many fibers this hart could run now. One that is lent on or called away comes back for them. */
  int32_t (*waiting)(void* self, int32_t hart);
  void (*blocked)(void* self, int32_t hart, comity_sched_runnable* fiber);  /**< it waits */
  void (*finished)(void* self, int32_t hart, comity_sched_runnable* fiber); /**< it has ended; not to be kept */
  /** A hart has come, or is free. `*child` is null, and may be set to the scheduler below that gets the hart before others where
   *  it is their turn and that one asks, or has a fiber that waits for this hart. Null: by turns. */
  comity_sched_turn (*granted)(void* self, int32_t hart, comity_sched_child** child);
  /** A scheduler below asks for so many harts, or no longer (negative). By any thread, and for harts that have come by nobody:
   *  comity_sched_child_wants has what is left. */
  void (*requested)(void* self, comity_sched_child* child, int32_t harts);
  void (*returned)(void* self, int32_t hart, comity_sched_child* child); /**< a scheduler below has given a hart back */
  void (*child)(void* self, comity_sched_child* child, int32_t entered); /**< one below begins (1) or has ended (0) */
} comity_sched_callbacks;

/** Begin a scheduler of one's own below that of the calling fiber.
 *  @param callbacks [callbacks, in] copied.   @param self [pointer] handed to each.
 *  @param scheduler [handle, out] untouched on failure.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null, or `made`, `ready`, `next` or `waiting` is; COMITY_ERR_ORDER: the caller is
 *  no fiber; COMITY_ERR_MEMORY.
 *  Call from: a fiber. Blocks: no. Collective: no. Owns: the same fiber leaves it. Since: 0.1. Source: 004_... section 2. */
COMITY_EXPORT comity_status comity_sched_enter_own(const comity_sched_callbacks* callbacks, void* self,
                                                   comity_sched_scheduler** scheduler);

/** What a fiber was spawned with: how a scheduler tells its fibers apart.
 *  @param fiber [runnable] that the caller's scheduler holds.   @return the argument; null for null, and for tasks.
 *  Call from: a callback of the scheduler. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT void* comity_sched_argument_of(const comity_sched_runnable* fiber);

/** How many harts a scheduler below one's own asks for that have not come.
 *  @param child [child] that `child` was told of and has not ended; null: 0.   @return [harts] 0 or more.
 *  Call from: any thread, a callback of the scheduler above too. Blocks: no. Collective: no. Owns: nothing. Since: 0.1.
 *  Source: 004_... section 2. */
COMITY_EXPORT int32_t comity_sched_child_wants(const comity_sched_child* child);

/** Which one a scheduler that was entered is to the callbacks of the one above it.
 *  @param scheduler [handle].   @param child [child, out] untouched on failure.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null; COMITY_ERR_HANDLE: it has been left; COMITY_ERR_ORDER: there are no harts.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_child_of(comity_sched_scheduler* scheduler, comity_sched_child** child);

/** Whether harts have nothing to do: then a scheduler with more fibers than harts asks for one (comity_sched_request_for).
 *  @return 1 or 0; 0 where harts have not been started.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: 004_... section 2. */
COMITY_EXPORT int32_t comity_sched_idle(void);

/** As comity_sched_request, for any scheduler.
 *  @param scheduler [handle].   @param harts [count] negative: so many are no longer wanted.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null; COMITY_ERR_HANDLE: it has been left; COMITY_ERR_RANGE: more than there are
 *  harts.
 *  Call from: any thread, a callback of the scheduler too. Blocks: no. Collective: no. Owns: nothing. Since: 0.1.
 *  Source: 004_... section 2. */
COMITY_EXPORT comity_status comity_sched_request_for(comity_sched_scheduler* scheduler, int32_t harts);

#ifdef __cplusplus
}
#endif

#include <comity/sched_sync.h>
#include <comity/sched_tasks.h>

#endif
