/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of a process's harts: groups, dependences, loops. Conventions: see sched.h. */
#ifndef COMITY_SCHED_TASKS_H
#define COMITY_SCHED_TASKS_H

#include <stddef.h>
#include <stdint.h>

#include <comity/error.h>
#include <comity/sched.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- groups --------------------------------------------------------------------------------------------------------- */

/** Tasks that are waited for together, made by a fiber or task, which alone waits for them. Since: 0.1. */
typedef struct comity_sched_group {
  uint64_t place[40]; /**< of the library */
} comity_sched_group;

/** Begin a group of tasks of the calling fiber's scheduler.
 *  @param group [object, out] whatever it was.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null; COMITY_ERR_ORDER: the caller is no fiber of a scheduler that runs tasks: begin
 *  one with comity_sched_run or comity_sched_spawn.
 *  Call from: a fiber or task. Blocks: no. Collective: no. Owns: the caller ends it. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_group_begin(comity_sched_group* group);

/** Add a task: some hart calls `work`, once, unless the group is cancelled before it begins.
 *  @param group [object, in, out].   @param work [function] a code other than COMITY_OK cancels the group.
 *  @param argument [pointer] handed to it.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null; COMITY_ERR_HANDLE: not begun; COMITY_ERR_ORDER: the caller is no fiber of the
 *  group's scheduler; COMITY_ERR_MEMORY: nothing was added.
 *  Call from: who made the group, and its tasks. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_task(comity_sched_group* group, comity_sched_work work, void* argument);

/** What becomes of a closure that is copied into a task. Since: 0.1. */
typedef struct comity_sched_closure {
  comity_status (*run)(void* closure,
                       comity_sched_group* group); /**< once, or not at all in a group that was cancelled */
  void (*end)(void* closure); /**< once, in any case, after `run`; null: nothing. It frees what the closure owns */
} comity_sched_closure;

/** Add a task with a closure: its bytes are copied, so that the caller's may be gone when it runs. Up to 24 bytes cost nothing.
 *  @param group [object, in, out].   @param how [callbacks, in] lives as long as the task.
 *  @param closure [bytes, in] may be moved by copying them.   @param closure_bytes [bytes] 0 .. 1 MB.
 *  @param priority [number] larger ones are begun first; 0 is the usual, and costs least. Round-robin and schedulers of the
 *  program leave it out.
 *  @return as comity_sched_task; COMITY_ERR_RANGE: closure_bytes; COMITY_ERR_SYSTEM: no stack for a task that is a fiber. On
 *  COMITY_ERR_MEMORY and COMITY_ERR_SYSTEM `end` has been called; on other failures the closure stays the caller's.
 *  Call from: who made the group, and its tasks. Blocks: no. Collective: no. Owns: takes the closure. Since: 0.1.
 *  Source: none. */
COMITY_EXPORT comity_status comity_sched_task_closure(comity_sched_group* group, const comity_sched_closure* how,
                                                      const void* closure, size_t closure_bytes, int32_t priority);

/** Add a task for harts of a NUMA node, where the data is that it works on. Harts of that node take it before they steal; others
 *  when they find nothing else, so that it is begun in any case. Round-robin and schedulers of the program leave the node out.
 *  @param group [object, in, out].   @param node [number] as comity_sched_node_of tells it.
 *  @param how [callbacks, in] as comity_sched_task_closure.   @param closure [bytes, in].   @param closure_bytes [bytes].
 *  @return as comity_sched_task_closure; COMITY_ERR_RANGE: also where no hart is of that node.
 *  Call from: who made the group, and its tasks. Blocks: no. Collective: no. Owns: takes the closure. Since: 0.1.
 *  Source: none. */
COMITY_EXPORT comity_status comity_sched_task_on(comity_sched_group* group, int32_t node,
                                                 const comity_sched_closure* how, const void* closure,
                                                 size_t closure_bytes);

/** Add a task that is free of thread-local state: after a wait any hart may go on with it (comity_sched_spawn_movable). It has a
 *  stack of its own from its start.
 *  @param group [object, in, out].   @param how [callbacks, in] as comity_sched_task_closure.   @param closure [bytes, in].
 *  @param closure_bytes [bytes].
 *  @return as comity_sched_task_closure.
 *  Call from: who made the group, and its tasks. Blocks: no. Collective: no. Owns: takes the closure. Since: 0.1.
 *  Source: none. */
COMITY_EXPORT comity_status comity_sched_task_movable(comity_sched_group* group, const comity_sched_closure* how,
                                                      const void* closure, size_t closure_bytes);

/** What a task does with some data. Since: 0.1. */
typedef struct comity_sched_access {
  const void* address; /**< stands for the data; nobody looks there */
  int32_t writes;      /**< 1: the task writes there, and may read; 0: it only reads */
} comity_sched_access;

/** Add a task that begins when those added before it in this way have ended that touch the same data: who reads waits for who
 *  wrote last, who writes for all who read or wrote.
 *  @param group [object, in, out].   @param accesses [array, in] of `count`.   @param count [accesses] 0 or more.
 *  @param how [callbacks, in] as comity_sched_task_closure.   @param closure [bytes, in].   @param closure_bytes [bytes].
 *  @return as comity_sched_task_closure; COMITY_ERR_RANGE: also count.
 *  Call from: who made the group. Blocks: no. Collective: no. Owns: takes the closure. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_task_after(comity_sched_group* group, const comity_sched_access* accesses,
                                                    int32_t count, const comity_sched_closure* how, const void* closure,
                                                    size_t closure_bytes);

/** Wait until all tasks have ended; then the group is as if begun anew.
 *  @param group [object, in, out].
 *  @return COMITY_OK; the first code that a task returned; COMITY_ERR_ARGUMENT: null; COMITY_ERR_HANDLE: not begun;
 *  COMITY_ERR_ORDER: by another fiber than the one that made it.
 *  Call from: who made the group. Blocks: yes. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_group_wait(comity_sched_group* group);

/** As comity_sched_group_wait, and end the group.
 *  @param group [object, in, out] not begun afterwards.
 *  @return as comity_sched_group_wait.
 *  Call from: who made the group. Blocks: yes. Collective: no. Owns: takes the group. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_group_end(comity_sched_group* group);

/** Drop the tasks of a group that have not begun; those that have may ask comity_sched_group_cancelled.
 *  @param group [object, in, out].
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null; COMITY_ERR_HANDLE: not begun.
 *  Call from: who made the group, and its tasks. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_group_cancel(comity_sched_group* group);

/** Whether a group was cancelled, also by the failure of one of its tasks, since it was waited for last.
 *  @param group [object, in].   @param cancelled [0 or 1, out].
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null; COMITY_ERR_HANDLE: not begun.
 *  Call from: who made the group, and its tasks. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_group_cancelled(const comity_sched_group* group, int32_t* cancelled);

/* --- loops ---------------------------------------------------------------------------------------------------------- */

/** How a loop is cut into parts. With a scheduler other than COMITY_SCHED_STEALING, COMITY_SCHED_ADAPTIVE is
 *  COMITY_SCHED_DYNAMIC where a grain is given; else a loop is COMITY_SCHED_GUIDED, and a reduction
 *  COMITY_SCHED_DYNAMIC with a 256th of its indices a part, one at least. Since: 0.1. */
typedef enum comity_sched_schedule {
  COMITY_SCHED_ADAPTIVE = 0, /**< in halves, only where another hart has taken what was left to it: the usual choice */
  COMITY_SCHED_STATIC = 1,   /**< parts of equal size, decided at the start; with a grain, one of that many */
  COMITY_SCHED_DYNAMIC = 2,  /**< the next `grain` indices (1 unless given) to whoever is free */
  COMITY_SCHED_GUIDED = 3    /**< the same, with parts that shrink with what is left, down to `grain` */
} comity_sched_schedule;

/** The indices first .. last-1 of a loop, and how it is cut. Since: 0.1. */
typedef struct comity_sched_range {
  int64_t first;    /**< [index] */
  int64_t last;     /**< [index] one after the last; none where it is not above `first` */
  int64_t grain;    /**< [indices] of a part: at most, or as `schedule` says; 0: chosen by the library */
  int32_t schedule; /**< [enum comity_sched_schedule] */
} comity_sched_range;

/** The body of a loop: indices first .. last-1, a part of the whole. Since: 0.1. */
typedef comity_status (*comity_sched_loop)(void* argument, int64_t first, int64_t last);

/** Run a loop in parallel, and wait for its end. After a part that failed those that have not begun are dropped.
 *  @param range [struct, in].   @param body [function].   @param argument [pointer] handed to it.
 *  @return COMITY_OK; the first code that a part returned; COMITY_ERR_ARGUMENT: null, or no such schedule; COMITY_ERR_RANGE: a
 *  grain below 0; COMITY_ERR_ORDER: as comity_sched_group_begin; COMITY_ERR_MEMORY.
 *  Call from: a fiber or task. Blocks: yes. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_for(const comity_sched_range* range, comity_sched_loop body, void* argument);

/** A reduction: what it starts with, what a part adds, how two are put together. Since: 0.1. */
typedef struct comity_sched_reduction {
  size_t bytes;        /**< [bytes] of a value, 1 .. 4096; values are copied as bytes */
  const void* neutral; /**< [value] what each part begins with */
  /** Adds the indices first .. last-1 to `value`. */
  comity_status (*add)(void* argument, int64_t first, int64_t last, void* value);
  /** Puts `right`, of higher indices, to `left`; associative. */
  void (*combine)(void* argument, void* left, const void* right);
} comity_sched_reduction;

/** Run a loop whose parts give values, and put them together in the order of their indices: the result of an associative
 *  `combine` does not depend on how the loop was cut. After a part that failed those that have not begun are dropped.
 *  @param range [struct, in] with any schedule. Values of parts that are done wait for those before them: few, but with
 *  COMITY_SCHED_STATIC and a grain up to one for each part.
 *  @param reduction [callbacks, in].   @param argument [pointer] handed to them.   @param value [bytes, out] the result;
 *  untouched on failure.
 *  @return as comity_sched_for; COMITY_ERR_RANGE: also bytes.
 *  Call from: a fiber or task. Blocks: yes. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_sched_reduce(const comity_sched_range* range,
                                                const comity_sched_reduction* reduction, void* argument, void* value);

#ifdef __cplusplus
}
#endif
#endif
